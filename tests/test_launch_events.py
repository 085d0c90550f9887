"""Events that launches record: cudaLaunchAttributeProgrammaticEvent and cudaLaunchAttributeLaunchCompletionEvent.

``SCOPEC_RANDOM_PROGRAMS`` sets how many random programs are compared with the order as the documents tell it.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from scopec.explain.queues import queues_of
from scopec.explain.reasons import explanation
from scopec.report.streams import stream_picture
from scopec.session.check import Outcome
from tests.conftest import Asks, check_text, verdicts
from tests.oracles.grid_points import Points
from tests.samples import programs

COUNT = programs(6, 200)

TEXT = """
#include <cuda_runtime.h>
#include <cuda/atomic>
#include <thread>
#include <cstdlib>
enum Kind { PLAIN, TRIGGERED, BEGUN, LAUNCHED };
template <class K> void launch(K kernel, cudaStream_t stream, Kind kind = PLAIN, cudaEvent_t event = nullptr) {
    cudaLaunchAttribute attribute;
    attribute.id = kind == LAUNCHED ? cudaLaunchAttributeLaunchCompletionEvent : cudaLaunchAttributeProgrammaticEvent;
    if (kind == LAUNCHED) { attribute.val.launchCompletionEvent.event = event; attribute.val.launchCompletionEvent.flags = 0; }
    else {
        attribute.val.programmaticEvent.event = event; attribute.val.programmaticEvent.flags = 0;
        attribute.val.programmaticEvent.triggerAtBlockStart = kind == BEGUN;
    }
    cudaLaunchConfig_t config = {};
    config.gridDim = 1; config.blockDim = 1; config.attrs = &attribute; config.numAttrs = kind != PLAIN; config.stream = stream;
    cudaLaunchKernelEx(&config, kernel);
}
cudaStream_t s0, s1, s2;
cudaEvent_t e, f;
"""
MADE = (
    "cudaStreamCreateWithFlags(&s0, cudaStreamNonBlocking); cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking);"
    "cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking); cudaEventCreateWithFlags(&e, cudaEventDisableTiming);"
    "cudaEventCreateWithFlags(&f, cudaEventDisableTiming);"
)
WORDS = {
    "F": "__threadfence();",
    "S": "__threadfence_system();",
    "T": "cudaTriggerProgrammaticLaunchCompletion();",
    "W": "cudaGridDependencySynchronize();",
}
KINDS = ("TRIGGERED", "BEGUN", "LAUNCHED")


def kernel(name: str, does: list[str]) -> str:
    body = " ".join(
        WORDS.get(one) or (f"{one} 1;" if one.endswith("=") else f'asm volatile("" :: "r"({one}));') for one in does
    )
    return f"__global__ void {name}() {{ {body} }}\n"


def source(first: list[str], kind: str, second: list[str], third: list[str]) -> str:
    """A kernel before the first in its stream, the first, which records an event, and two behind a wait for it."""
    text = TEXT + "__device__ int x, y, z;\n" + kernel("before", ["z="])
    text += kernel("first", first) + kernel("second", second) + kernel("third", third)
    calls = f"launch(before, s0); launch(first, s0, {kind}, e); cudaStreamWaitEvent(s1, e, 0);"
    return (
        f"{text}int main() {{ {MADE} {calls} launch(second, s1); launch(third, s1); cudaDeviceSynchronize(); }}\n"
        "//@ expect race_free;\n"
    )


def unordered(first: list[str], kind: str, second: list[str], third: list[str]) -> bool:
    """Whether two accesses conflict that nothing orders, from the sentences alone: edges between points of a program."""
    points = Points({"b": ["z="], "1": first, "2": second, "3": third})
    points.edge(points.end("b"), ("1", 0))
    points.edge(points.end("2"), ("3", 0))
    if kind != "LAUNCHED":
        points.edge(points.end("b"), ("2", 0))  # what is complete when the blocks of the first begin
        for at, what in enumerate(second):
            if what == "W":  # "is not visible to cudaGridDependencySynchronize()" is said of the other kind alone
                points.edge(points.end("1"), ("2", at + 1))
    if kind == "TRIGGERED" and first.count("T") == 1:
        for at, what in enumerate(first[: first.index("T")]):
            if what in "FS":
                points.edge(("1", at + 1), ("2", 0))
    return points.unordered()


def test_races_are_those_of_the_order_of_the_documents(ask: Asks) -> None:
    """Random kernels of one thread against an order that is written from the sentences alone."""
    random, raced = Random(45), set()
    for _ in range(COUNT):
        kind = random.choice(KINDS)
        grids = [[random.choice([*"xyz", "x=", "y=", *"FFTTW"]) for _ in range(random.randint(1, 4))] for _ in range(3)]
        expected = "violated" if unordered(grids[0], kind, *grids[1:]) else "holds"
        text = source(grids[0], kind, *grids[1:])
        assert verdicts([ask(text)]) == {"race_free": [expected]}, text
        raced.add(expected)
    assert raced == {"violated", "holds"}


def two(first: str, second: str, calls: str) -> str:
    """Two kernels, and what the host calls."""
    return (
        TEXT + "__managed__ int x, y;\n__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0}, go{0};\n"
        f"__global__ void first() {{ {first} }}\n__global__ void second() {{ {second} }}\n"
        f"__global__ void third() {{ x = 2; }}\nint main() {{ {MADE} {calls} cudaDeviceSynchronize(); }}\n"
    )


FENCED = "x = 1; __threadfence(); cudaTriggerProgrammaticLaunchCompletion();"
SYSTEM = FENCED.replace("__threadfence", "__threadfence_system")


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ("launch(first, s0, TRIGGERED, e); cudaStreamWaitEvent(s1, e, 0); launch(second, s1);", "holds"),
        # The wait is before the record, for an event that stands for nothing yet.
        ("cudaStreamWaitEvent(s1, e, 0); launch(first, s0, TRIGGERED, e); launch(second, s1);", "violated"),
        # What is recorded later in the same event has nothing of the launch, and the other way round.
        ("launch(first, s0, TRIGGERED, e); cudaEventRecord(e, s2); cudaStreamWaitEvent(s1, e, 0); launch(second, s1);", "violated"),
        ("launch(first, s0, LAUNCHED, e); cudaEventRecord(e, s0); cudaStreamWaitEvent(s1, e, 0); launch(second, s1);", "holds"),
        ("cudaEventRecord(e, s0); launch(first, s0, TRIGGERED, e); cudaStreamWaitEvent(s1, e, 0); launch(second, s1);", "holds"),
        # In the same stream, and behind the legacy stream, all of the kernel comes first anyway.
        ("launch(first, s0, LAUNCHED, e); cudaStreamWaitEvent(s0, e, 0); launch(second, s0);", "holds"),
        # The second kernel behind the wait comes after the first behind it.
        ("launch(first, s0, TRIGGERED, e); cudaStreamWaitEvent(s1, e, 0); launch(second, s1); launch(second, s1);", "holds"),
        ("launch(first, s0, TRIGGERED, e); cudaStreamWaitEvent(s1, e, 0); launch(second, s2);", "violated"),
    ],
)  # fmt: skip
@pytest.mark.sampled(2)
def test_which_record_a_wait_is_for(ask: Asks, calls: str, expected: str) -> None:
    """The latest before it, as of other events."""
    assert verdicts([ask(two(FENCED, "y = x;", calls) + "//@ expect race_free;\n")]) == {"race_free": [expected]}


@pytest.mark.parametrize(
    ("first", "kind", "expected"),
    [
        (SYSTEM, "TRIGGERED", "holds"), (FENCED, "TRIGGERED", "violated"), (SYSTEM, "BEGUN", "violated"), (SYSTEM, "LAUNCHED", "violated"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("call", ["cudaEventSynchronize(e);", "if (cudaEventQuery(e) != cudaSuccess) std::exit(1);"])
@pytest.mark.sampled(2)
def test_what_the_host_sees(ask: Asks, first: str, kind: str, expected: str, call: str) -> None:
    """A host thread sees what a fence of system scope covers."""
    text = two(first, "", f"launch(first, s0, {kind}, e); {call} y = x;")
    assert verdicts([ask(text + "//@ expect race_free;\n")]) == {"race_free": [expected]}


def test_a_host_that_sees_an_event_comes_after_what_is_before_the_launch(ask: Asks) -> None:
    """Of work in the same stream before it, where the blocks have begun."""
    calls = "launch(third, s0); launch(second, s0, {}, e); cudaEventSynchronize(e); y = x;"
    for kind, expected in (("BEGUN", "holds"), ("LAUNCHED", "violated")):
        text = two("", "", calls.format(kind)) + "//@ expect race_free;\n"
        assert verdicts([ask(text)]) == {"race_free": [expected]}


SPIN = "while (flag.load() == 0);"


@pytest.mark.parametrize(
    ("first", "kind", "second", "under", "expected"),
    [
        (WORDS["T"] + SPIN, "TRIGGERED", "flag.store(1);", "cuda-resident", "holds"),
        (WORDS["T"] + SPIN, "TRIGGERED", "flag.store(1);", "cuda", "violated"),
        (SPIN + WORDS["T"], "TRIGGERED", "flag.store(1);", "cuda-resident", "violated"),
        (SPIN, "BEGUN", "flag.store(1);", "cuda-resident", "holds"),
        (SPIN, "LAUNCHED", "flag.store(1);", "cuda-resident", "holds"),
        (WORDS["T"] + SPIN, "TRIGGERED", WORDS["W"] + "flag.store(1);", "cuda-resident", "violated"),
        (SPIN, "LAUNCHED", WORDS["W"] + "flag.store(1);", "cuda-resident", "holds"),
        ("flag.store(1);", "BEGUN", SPIN, "cuda", "holds"),
        ("flag.store(1);", "TRIGGERED", SPIN, "cuda", "holds"),
        ("flag.store(1);", "LAUNCHED", SPIN, "cuda", "violated"),
    ],
)
@pytest.mark.sampled(1)
def test_when_a_kernel_behind_an_event_starts(
    ask: Asks, first: str, kind: str, second: str, under: str, expected: str
) -> None:
    """When each block has triggered it or ended, or has begun, or at any time; nothing makes it start beside another."""
    text = two(first, second, f"launch(first, s0, {kind}, e); cudaStreamWaitEvent(s1, e, 0); launch(second, s1);")
    asked = f"//@ options api = returns;\n//@ expect terminates under {under};\n"
    assert verdicts([ask(text + asked)]) == {"terminates": [expected]}


def test_a_kernel_behind_an_event_comes_after_what_the_launch_comes_after(ask: Asks) -> None:
    """Blocks begin when what their stream has before them is complete, and so does what waits for that."""
    calls = "launch(third, s0); launch(first, s0, BEGUN, e); cudaStreamWaitEvent(s1, e, 0); launch(second, s1);"
    text = two("", "", calls).replace("x = 2;", SPIN) + "//@ options api = returns;\n//@ expect terminates;\n"
    (report,) = ask(text).reports
    (one,) = report.checks
    assert any("second comes after third in stream order" in b.why for b in one.trace.behind)  # type: ignore[union-attr]


def test_a_trigger_is_nothing_to_who_waits_for_blocks_to_begin(ask: Asks) -> None:
    """Though a dependent kernel behind the same one waits for it."""
    early = (
        "cudaLaunchAttribute early; early.id = cudaLaunchAttributeProgrammaticStreamSerialization;"
        "early.val.programmaticStreamSerializationAllowed = 1; cudaLaunchConfig_t how = {}; how.gridDim = 1;"
        "how.blockDim = 1; how.stream = s0; how.attrs = &early; how.numAttrs = 1; cudaLaunchKernelEx(&how, reads);"
    )
    for kind, expected in (("TRIGGERED", "holds"), ("BEGUN", "violated")):
        calls = f"launch(first, s0, {kind}, e); {early} cudaStreamWaitEvent(s1, e, 0); launch(second, s1);"
        text = two(FENCED, "y = x;", calls).replace(
            "int main", "__device__ int z; __global__ void reads() { z = x; }\nint main"
        )
        assert verdicts([ask(text + "//@ expect race_free;\n")]) == {"race_free": [expected]}


@pytest.mark.parametrize(
    ("call", "loops"), [("cudaEventSynchronize(e);", False), ("while (cudaEventQuery(e) != cudaSuccess);", True)]
)
def test_a_host_need_not_see_an_event_while_the_kernel_runs(ask: Asks, call: str, loops: bool) -> None:
    """ "cudaEventSynchronize() may only observe the event trigger long after the associated kernel has completed"."""
    spin = "cudaTriggerProgrammaticLaunchCompletion(); while (answer.load() == 0);"
    text = two(spin, "", f"launch(first, s0, TRIGGERED, e); {call} answer.store(1);")
    text = text.replace("cudaEvent_t e, f;", "cudaEvent_t e, f;\n__managed__ cuda::atomic<int> answer{0};")
    asked = "//@ options api = returns;\n//@ expect terminates;\n"
    assert verdicts([ask(text + asked)]) == {"terminates": ["violated"]}
    ends = text.replace(spin, "cudaTriggerProgrammaticLaunchCompletion();")
    assert verdicts([ask(ends + asked)]) == {"terminates": ["holds"]}, loops


def why(outcome: Outcome) -> str:
    """The reasons for the one verdict of a file."""
    ((one,),) = (report.checks for report in outcome.reports)
    return " ".join(explanation(one).sentences)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("TRIGGERED", "comes when each block has triggered it or ended"),
        ("BEGUN", "comes when each block has begun"),
        ("LAUNCHED", "a best effort"),
    ],
)
@pytest.mark.sampled(1)
def test_words_of_a_race(ask: Asks, kind: str, said: str) -> None:
    """Which event the stream, or the host, waits for, and what that orders."""
    calls = f"launch(first, s0, {kind}, e); cudaStreamWaitEvent(s1, e, 0); launch(second, s1);"
    found = why(ask(two("x = 1;", "y = x;", calls) + "//@ expect race_free;\n"))
    assert "its stream waits for the event of that launch" in found
    assert said in found
    host = why(
        ask(
            two("x = 1;", "", f"launch(first, s0, {kind}, e); cudaEventSynchronize(e); y = x;")
            + "//@ expect race_free;\n"
        )
    )
    assert "cudaEventSynchronize at line" in host
    assert said in host


def test_why_a_kernel_has_not_started(ask: Asks) -> None:
    """The block that has not done what is waited for."""
    calls = "launch(first, s0, TRIGGERED, e); cudaStreamWaitEvent(s1, e, 0); launch(second, s1);"
    text = (
        two(SPIN, "flag.store(1);", calls) + "//@ options api = returns;\n//@ expect terminates under cuda-resident;\n"
    )
    (report,) = ask(text).reports
    (one,) = report.checks
    assert any("first[0] has neither let second start nor ended" in b.why for b in one.trace.behind)  # type: ignore[union-attr]


def test_lanes_draw_the_event_of_a_launch(ask: Asks) -> None:
    """An arrow of its own, which is no order between the two kernels."""
    calls = "launch(first, s0, BEGUN, e); cudaStreamWaitEvent(s1, e, 0); launch(second, s1);"
    (report,) = ask(two("x = 1;", "y = x;", calls) + "//@ expect race_free;\n").reports
    (one,) = report.checks
    program = one.trace.graph.program  # type: ignore[union-attr]
    queues = queues_of(program, one.trace)  # type: ignore[arg-type]
    assert queues is not None
    assert [[queues.items[n].grid.name for n in pair] for pair in queues.lets] == [["first", "second"]]  # type: ignore[union-attr]
    assert queues.order == ()
    picture = stream_picture(program, one, "")
    assert picture is not None
    assert [edge.relation for edge in picture.edges if edge.relation == "fires"] == ["fires"]


@pytest.mark.sampled(0)
def test_readings_are_told(ask: Asks) -> None:
    """What no document says is told with the verdict."""
    calls = "launch(third, s0); launch(first, s0, {}, e); cudaStreamWaitEvent(s1, e, 0); launch(second, s1);"
    for kind, said in (("BEGUN", "when the blocks of that launch begin"), ("LAUNCHED", "its launch completion event")):
        (report,) = ask(two("", "y = 1;", calls.format(kind)) + "//@ expect race_free;\n").reports
        assert any(said in one for one in report.checks[0].rests_on), kind
    (report,) = ask(
        two(SPIN, "flag.store(1);", calls.format("BEGUN")) + "//@ expect terminates under cuda-resident;\n"
    ).reports
    assert any("though the launched kernel still runs" in one for one in report.checks[0].rests_on)


NEXT = "launch(first, s0, TRIGGERED, e); cudaStreamWaitEvent(s1, e, 0);"


@pytest.mark.parametrize(
    ("calls", "said"),
    [
        (NEXT + "cudaMemsetAsync(&x, 0, 4, s1);", "no kernel behind the wait of stream s1"),
        (NEXT + "cudaEventRecord(f, s1);", "no kernel behind the wait of stream s1"),
        (NEXT + "cudaStreamSynchronize(s1);", "no kernel behind the wait of stream s1"),
        (NEXT + "cudaStreamQuery(s1);", "no kernel behind the wait of stream s1"),
        ("cudaEvent_t t; cudaEventCreate(&t); launch(first, s0, TRIGGERED, t);", "which measures time"),
        ("cudaStreamBeginCapture(s0, cudaStreamCaptureModeRelaxed); launch(first, s0, TRIGGERED, e);", "in a captured stream"),
        (
            "launch(first, s0, TRIGGERED, e); cudaStreamBeginCapture(s1, cudaStreamCaptureModeRelaxed);"
            "cudaStreamWaitEvent(s1, e, cudaEventWaitExternal);", "a node of a graph for an event",
        ),
        ("launch(first, s0, TRIGGERED, e); std::thread o([] { cudaEventSynchronize(e); }); o.join();", "in several host threads"),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path: Path, calls: str, said: str) -> None:
    """Work of other kinds behind such an event, events that measure time, captures, and several threads."""
    outcome = check_text(tmp_path, two("x = 1;", "y = x;", calls) + "//@ expect race_free;\n", engine="embedded")
    found = [d.message for d in outcome.diagnostics if d.severity == "error"]
    assert found, outcome
    assert said in found[0]


def test_a_model_without_a_host_does_not_know_them(tmp_path: Path) -> None:
    """Progress models of threads alone say nothing of streams."""
    calls = "launch(first, s0, TRIGGERED, e); cudaStreamWaitEvent(s1, e, 0); launch(second, s1);"
    text = two("flag.store(1);", SPIN, calls) + "//@ expect terminates under fair;\n"
    outcome = check_text(tmp_path, text, engine="embedded")
    assert any("device threads alone" in d.message for d in outcome.diagnostics), outcome
