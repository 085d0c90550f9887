"""Grids that may start before the one that their stream has before them is complete (programmatic dependent launch).

``SCOPEC_RANDOM_PROGRAMS`` sets how many random programs are compared with the order as the documents tell it (CONTRIBUTING.md
names the command for the full sweep).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from scopec.session.check import Outcome
from tests.conftest import Asks, check_text, verdicts
from tests.oracles.grid_points import Points
from tests.samples import programs

COUNT = programs(6, 200)

LAUNCH = """
#include <cuda_runtime.h>
#include <cuda/atomic>
template <class K> void launch(K kernel, bool early, int threads = 1, cudaStream_t stream = nullptr) {
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = early;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1; config.blockDim = threads; config.attrs = &attribute; config.numAttrs = 1; config.stream = stream;
    cudaLaunchKernelEx(&config, kernel);
}
"""
WORDS = {
    "F": "__threadfence();",
    "B": "__threadfence_block();",
    "T": "cudaTriggerProgrammaticLaunchCompletion();",
    "W": "cudaGridDependencySynchronize();",
}


def source(grids: list[tuple[bool, list[str]]]) -> str:
    """Kernels of one thread in one stream: whether each is launched early, and what it does; `x=` writes, `x` reads."""
    text = LAUNCH + "__device__ int x, y, z;\n"
    for number, (_, does) in enumerate(grids):
        body = " ".join(
            WORDS.get(one) or (f"{one} 1;" if one.endswith("=") else f'asm volatile("" :: "r"({one}));') for one in does
        )
        text += f"__global__ void k{number}() {{ {body} }}\n"
    launches = " ".join(f"launch(k{number}, {str(early).lower()});" for number, (early, _) in enumerate(grids))
    return f"{text}int main() {{ {launches} cudaDeviceSynchronize(); }}\n//@ expect race_free;\n"


def unordered(grids: list[tuple[bool, list[str]]]) -> bool:
    """Whether two accesses conflict that nothing orders, from the sentences alone: edges between points of a program.

    A grid has a start, a point for each of its operations, and an end.
    """
    points = Points({number: does for number, (_, does) in enumerate(grids)})
    for number, (early, does) in enumerate(grids):
        if not number:
            continue
        previous, start = grids[number - 1][1], (number, 0)
        if (
            not early
        ):  # "Completion of a task [...] synchronizes with the start of the following task in the same stream"
            points.edge(points.end(number - 1), start)
            continue
        points.edge((number - 1, 0), start)  # what is complete when the one before starts
        for at, what in enumerate(does):
            if what == "W":
                points.edge(points.end(number - 1), (number, at + 1))
        if previous.count("T") == 1:
            for at, what in enumerate(previous[: previous.index("T")]):
                if what == "F":
                    points.edge((number - 1, at + 1), start)
    return points.unordered()


def random_grids(random: Random) -> list[tuple[bool, list[str]]]:
    """Two to four grids, of which some are early."""
    words = [*"xyz", "x=", "y=", "z=", *"FFBTTW"]
    return [
        (random.random() < 0.7, [random.choice(words) for _ in range(random.randint(1, 4))])
        for _ in range(random.randint(2, 4))
    ]


def test_races_are_those_of_the_order_of_the_documents(ask: Asks) -> None:
    """Random grids of one thread against an order that is written from the sentences alone."""
    random, raced = Random(8), set()
    for _ in range(COUNT):
        grids = random_grids(random)
        expected = "violated" if unordered(grids) else "holds"
        assert verdicts([ask(source(grids))]) == {"race_free": [expected]}, source(grids)
        raced.add(expected)
    assert raced == {"violated", "holds"}


def two(first: str, second: str, threads: int = 1) -> str:
    """Two kernels, of which the second is early."""
    return (
        LAUNCH
        + "__device__ int x, y;\n__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};\n"
        + f"__global__ void first() {{ {first} }}\n__global__ void second() {{ {second} }}\n"
        + f"int main() {{ launch(first, false, {threads}); launch(second, true); cudaDeviceSynchronize(); }}\n"
    )


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        ("if (threadIdx.x == 0) x = 1; __syncthreads(); __threadfence(); TRIGGER", "holds"),
        ("if (threadIdx.x == 0) x = 1; __syncthreads(); __threadfence_block(); TRIGGER", "violated"),
        ("if (threadIdx.x == 0) x = 1; __threadfence(); __syncthreads(); TRIGGER", "violated"),
        ("if (threadIdx.x == 0) { x = 1; __threadfence(); TRIGGER }", "holds"),
        ('if (threadIdx.x == 0) { x = 1; asm volatile("fence.acquire.gpu;"); TRIGGER }', "violated"),
        (
            "__syncthreads(); if (threadIdx.x) { __threadfence(); TRIGGER } else { x = 1; __threadfence(); TRIGGER }",
            "violated",
        ),
        (
            "__syncthreads(); if (threadIdx.x) { __threadfence(); TRIGGER } else x = 1; __syncthreads(); "
            "if (!threadIdx.x) { __threadfence(); TRIGGER }",
            "violated",
        ),
        ("if (threadIdx.x == 0) x = 1; __threadfence(); TRIGGER", "violated"),
        ("if (threadIdx.x == 0) x = 1; __syncthreads(); if (threadIdx.x == 1) { __threadfence(); TRIGGER }", "holds"),
        ("if (threadIdx.x == 0) x = 1; __syncthreads(); if (threadIdx.x == 0) __threadfence(); TRIGGER", "violated"),
        ("if (threadIdx.x == 0) x = 1; __syncwarp(); __threadfence(); TRIGGER", "violated"),
        ("__threadfence(); if (threadIdx.x == 0) { x = 1; TRIGGER }", "violated"),
        ("if (threadIdx.x == 0) { x = 1; __threadfence(); if (flag.load() == 1) TRIGGER }", "violated"),
        ("if (threadIdx.x == 0) { x = 1; if (flag.load() == 1) __threadfence(); TRIGGER }", "violated"),
        ("if (!threadIdx.x) x = 1; __syncthreads(); if (flag.load() == 1) __threadfence(); TRIGGER", "violated"),
    ],
)
@pytest.mark.sampled(2)
def test_what_a_block_releases(ask: Asks, first: str, expected: str) -> None:
    """The first of the threads that let the next grid start may be any of them."""
    text = two(first.replace("TRIGGER", WORDS["T"]), "y = x;", 2)
    assert verdicts([ask(text + "//@ expect race_free;\n")]) == {"race_free": [expected]}


def domains(fence: str) -> str:
    """Two kernels in different memory synchronization domains."""
    text = two(f"x = 1; {fence} {WORDS['T']}", "y = x;")
    remote = "config.attrs = both; config.numAttrs = 2;"
    more = (
        "cudaLaunchAttribute both[2]; both[0] = attribute; both[1].id = cudaLaunchAttributeMemSyncDomain;"
        "both[1].val.memSyncDomain = early ? cudaLaunchMemSyncDomainRemote : cudaLaunchMemSyncDomainDefault;"
    )
    return text.replace("    cudaLaunchKernelEx", f"    {more} {remote}\n    cudaLaunchKernelEx")


@pytest.mark.parametrize(
    ("fence", "expected"), [("__threadfence();", "violated"), ("__threadfence_system();", "holds")]
)
def test_between_domains_a_fence_is_one_of_the_system(ask: Asks, fence: str, expected: str) -> None:
    """A fence of device scope ends at the domain."""
    assert verdicts([ask(domains(fence) + "//@ expect race_free;\n")]) == {"race_free": [expected]}


@pytest.mark.parametrize("between", ["cudaGetLastError();", "cudaMemsetAsync(space, 0, sizeof(int));"])
@pytest.mark.sampled(1)
def test_a_grid_depends_on_a_kernel_alone(ask: Asks, between: str) -> None:
    """Behind a copy or a fill a grid waits for all that its stream has before it."""
    text = two("x = 1;", "y = x;").replace(
        "launch(second", "int* space; cudaGetSymbolAddress((void**)&space, x); BETWEEN launch(second"
    )
    found = verdicts([ask(text.replace("BETWEEN", between) + "//@ expect race_free;\n")])
    assert found == {"race_free": ["holds" if "space" in between else "violated"]}


@pytest.mark.parametrize(("wait", "expected"), [("", "violated"), (WORDS["W"], "holds")])
@pytest.mark.sampled(1)
def test_an_event_behind_a_dependent_grid(ask: Asks, wait: str, expected: str) -> None:
    """A reading: what waits for the event waits for the dependent grid, which may be complete before the first is."""
    text = two("x = 1;", wait).replace("cudaDeviceSynchronize", "EVENT cudaDeviceSynchronize")
    other = "cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); cudaEvent_t e; cudaEventCreate(&e);"
    event = f"{other} cudaEventRecord(e); cudaStreamWaitEvent(s, e); launch(third, false, 1, s);"
    kernel = "__global__ void third() { y = x; }\nint main"
    text = text.replace("EVENT", event).replace("int main", kernel)
    assert verdicts([ask(text + "//@ expect race_free;\n")]) == {"race_free": [expected]}


def hang(first: str, second: str, host: str = "", under: str = "cuda-resident") -> str:
    text = two(first, second).replace("int main() {", f"int main() {{ {host}")
    return f"{text}//@ options api = returns;\n//@ expect terminates under {under};\n"


@pytest.mark.parametrize("event", ["", "cudaEvent_t e; cudaEventCreate(&e); cudaEventRecord(e);"])
@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("TRIGGER while (flag.load() == 0);", "flag.store(1);", "holds"),
        ("while (flag.load() == 0); TRIGGER", "flag.store(1);", "violated"),
        ("while (flag.load() == 0);", "flag.store(1);", "violated"),
        ("TRIGGER while (flag.load() == 0);", "WAIT flag.store(1);", "violated"),
        ("flag.store(1);", "WAIT while (flag.load() == 0);", "holds"),
    ],
)
@pytest.mark.sampled(2)
def test_when_a_dependent_grid_starts(ask: Asks, first: str, second: str, expected: str, event: str) -> None:
    """When each block of the one before it has let it start or has ended; events order streams in another way."""
    does = (part.replace("TRIGGER", WORDS["T"]).replace("WAIT", WORDS["W"]) for part in (first, second))
    assert verdicts([ask(hang(*does, host=event))]) == {"terminates": [expected]}


def test_why_a_dependent_grid_has_not_started(ask: Asks) -> None:
    """The block that neither lets it start nor ends."""
    outcome = ask(hang("while (flag.load() == 0);", "flag.store(1);"))
    (report,) = outcome.reports
    (one,) = report.checks
    assert any("first[0] has neither let second start nor ended" in b.why for b in one.trace.behind)  # type: ignore[union-attr]


def test_why_a_dependent_grid_waits(ask: Asks) -> None:
    """It has started, and waits at its first step."""
    outcome = ask(hang(f"{WORDS['T']} while (flag.load() == 0);", f"{WORDS['W']} flag.store(1);"))
    (report,) = outcome.reports
    (one,) = report.checks
    found = {b.thread: (b.where, b.why) for b in one.trace.behind}  # type: ignore[union-attr]
    assert found["second[0][0]"] == ("waits for the end of first", "first has not completed")


def reasons(outcome: Outcome) -> Iterator[str]:
    for report in outcome.reports:
        for one in report.checks:
            yield from one.rests_on


def test_readings_are_told(ask: Asks) -> None:
    """What no document says of a third grid, before or behind the two, is told with the verdict."""
    text = source([(False, ["x="]), (True, ["W", "y="]), (True, ["W", "z="])])
    assert list(reasons(ask(text))) == [
        "that work behind a dependent grid comes after that grid, and not after those that it did not wait for",
        "that a dependent grid comes after all that is complete when the grid that it depends on starts",
    ]
    assert not list(reasons(ask(source([(False, ["x="]), (True, ["W", "y="])]))))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.replace("launch(second", 'if (getenv("A")) launch(second'), "not made on every path"),
    ],
)
def test_what_is_refused(tmp_path: Path, change: Callable[[str], str], message: str) -> None:
    """Where it depends on a path which grid another depends on."""
    text = change("#include <cstdlib>\n" + two("x = 1;", "y = 1;")) + "//@ expect race_free;\n"
    outcome = check_text(tmp_path, text, engine="embedded")
    found = [d.message for d in outcome.diagnostics if d.severity == "error"]
    assert found, outcome
    assert message in found[0]


def test_a_model_without_a_host_does_not_know_them(tmp_path: Path) -> None:
    """Progress models of threads alone say nothing of streams."""
    text = two(WORDS["T"], "flag.store(1);") + "//@ expect terminates under fair;\n"
    outcome = check_text(tmp_path, text, engine="embedded")
    assert any("device threads alone" in d.message for d in outcome.diagnostics), outcome


def test_a_stuck_execution_is_not_known(ask: Asks) -> None:
    """Whether a grid starts is no question of one execution: where a weak memory may hang, nothing is said."""
    relaxed = "cuda::memory_order_relaxed"
    first = f"flag.store(1, {relaxed}); if (more.load({relaxed}) == 0) while (go.load({relaxed}) == 0);"
    second = f"more.store(1, {relaxed}); if (flag.load({relaxed}) == 1) go.store(1, {relaxed});"
    text = hang(WORDS["T"] + first, second).replace("flag{0};", "flag{0}, more{0}, go{0};", 1)
    (report,) = ask(text).reports
    (one,) = report.checks
    assert one.verdict == "unknown"
    assert "dependent grid" in str(one)
