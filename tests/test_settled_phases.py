"""mbarriers whose phases the program settles: which are, what each condition is for, and that no answer changes."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from scopec.program.settled_phases import Kind, Operation
from scopec.program.settled_phases import settled as is_settled
from scopec.session.check import Outcome, Settings, check
from scopec.session.plan import Overrides, plan
from tests.random_mbarriers import random_program, text_of
from tests.samples import programs
from tests.sizes import NEVER, sizes

COUNT = programs(4, 100)

#: A producer and its consumers, a thread each, around a ring of stages.
RING = """#include <cuda/ptx>
namespace ptx = cuda::ptx;
__device__ alignas(16) int input[{tiles}][4];
__device__ int output[{tiles}][{consumers}];
__device__ void wait(std::uint64_t* b, unsigned parity) {{
    while (!ptx::mbarrier_try_wait_parity(b, parity)) {{}}
}}
__global__ void ring() {{
    __shared__ alignas(16) int tile[2][4];
    __shared__ std::uint64_t full[2], empty[2];
    if (threadIdx.x == 0) {{
        for (int s = 0; s < 2; s++) {{
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], {consumers});
        }}
    }}
    __syncthreads();
    if (threadIdx.x == 0) {{
        for (int t = 0; t < {tiles}; t++) {{
            wait(&empty[t % 2], (t / 2 & 1) ^ 1);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[t % 2], 16);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[t % 2], input[t], 16, &full[t % 2]);
        }}
    }} else {{
        for (int t = 0; t < {tiles}; t++) {{
            wait(&full[t % 2], t / 2 & 1);
            output[t][threadIdx.x - 1] = tile[t % 2][threadIdx.x % 4];
            {fence}
            ptx::mbarrier_arrive(&empty[t % 2]);
        }}
    }}
}}
//@ launch ring<<<1, {consumers} + 1>>>();
//@ expect race_free;
"""
FENCE = "ptx::fence_proxy_async(ptx::space_shared);"

#: Two threads and an mbarrier; `wait` by parity, `arrive` with release.
PAIR = """#include <cuda/ptx>
namespace ptx = cuda::ptx;
__device__ int x[4];
__device__ bool over(std::uint64_t* b) {{ return ptx::mbarrier_try_wait_parity(b, 0); }}
__device__ void wait(std::uint64_t* b, unsigned parity) {{
    while (!ptx::mbarrier_try_wait_parity(b, parity)) {{}}
}}
__device__ void arrive(std::uint64_t* b) {{ ptx::mbarrier_arrive(b); }}
__device__ void expect(std::uint64_t* b) {{
    ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, b, 16);
}}
__global__ void pair() {{
    __shared__ std::uint64_t b, c;
    __shared__ alignas(16) int s[4];
    if (threadIdx.x == 0) {{ ptx::mbarrier_init(&b, {count}); ptx::mbarrier_init(&c, 1); }}
    __syncthreads();
    if (threadIdx.x == 0) {{ {first} }} else {{ {second} }}
}}
//@ launch pair<<<1, 2>>>();
//@ expect race_free;
"""


def checked(path: Path, text: str, **overrides: object) -> Outcome:
    path.write_text(text)
    settings = Settings(engine="embedded", overrides=Overrides(**overrides))  # type: ignore[arg-type]
    (outcome,) = check([path], settings)
    assert not outcome.diagnostics, outcome.diagnostics
    return outcome


def verdict(outcome: Outcome) -> str:
    (report,) = outcome.reports
    return next(c.verdict for c in report.checks if not c.expectation.implicit)


def test_whole_warps(tmp_path: Path) -> None:
    """33 threads, 1,196 events: unresolved they are too many."""
    text = RING.format(tiles=4, consumers=32, fence=FENCE)
    assert verdict(checked(tmp_path / "ring.cu", text)) == "holds"


def test_who_comes_first_among_arrivals_of_which_one_must_not_be_last(tmp_path: Path, resolved: list[bool]) -> None:
    """In the schedule that is looked at the first thread comes first; in another one it ends the phase."""
    first = "ptx::mbarrier_arrive_no_complete(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &b, 1); wait(&b, 0);"
    text = PAIR.format(count=2, first=first, second="arrive(&b); wait(&b, 0);").replace("race_free", "undefined")
    assert verdict(checked(tmp_path / "pair.cu", text)) == "holds"
    assert not any(resolved)


def test_a_race_among_whole_warps(tmp_path: Path) -> None:
    text = RING.format(tiles=3, consumers=20, fence="")
    assert verdict(checked(tmp_path / "ring.cu", text)) == "violated"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("model", ["cuda", "ptx"])
@pytest.mark.parametrize("seed", range(COUNT))
def test_no_answer_changes(seed: int, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = text_of(random_program(Random(1000 + seed)), "race_free")
    found = []
    for events in (NEVER, 0):
        sizes(monkeypatch, events=events)
        path = tmp_path / "random.cu"
        path.write_text(text)
        (outcome,) = check([path], Settings(engine="embedded", overrides=Overrides(model=model)))
        if not outcome.reports:  # too large
            return
        found.append({c.expectation.kind: c.verdict for c in outcome.reports[0].checks if not c.expectation.implicit})
    assert found[0] == found[1], text


@pytest.mark.parametrize("model", ["cuda", "ptx"])
def test_a_ring_is_settled(model: str, tmp_path: Path, resolved: list[bool]) -> None:
    assert verdict(checked(tmp_path / "r.cu", RING.format(tiles=3, consumers=1, fence=FENCE), model=model)) == "holds"
    assert resolved == [True]


def test_lanes_meet_behind_a_wait_while_another_still_arrives(tmp_path: Path, resolved: list[bool]) -> None:
    """The first lane arrives when all have come; whether they leave where lanes meet it says by what it finds later."""
    text = """#include <cuda/ptx>
    namespace ptx = cuda::ptx;
    __device__ int output[32];
    __global__ void k() {
        __shared__ std::uint64_t full;
        __shared__ int x;
        if (threadIdx.x == 32) ptx::mbarrier_init(&full, 1);
        __syncthreads();
        if (threadIdx.x == 32) {
            x = 1;
            ptx::mbarrier_arrive(&full);
        } else {
            asm volatile("bar.arrive 1, 64;" ::: "memory");
            while (!ptx::mbarrier_try_wait_parity(&full, 0)) {}
            __any_sync(0xFFFFFFFF, 0);
            output[threadIdx.x] = x;
        }
    }
    //@ launch k<<<1, 33>>>();
    //@ expect race_free;
    """
    assert verdict(checked(tmp_path / "k.cu", text)) == "holds"
    assert resolved == [True]


#: For each condition a program that lacks it alone, and what mends it: the count, and what each thread does.
CONDITIONS = {
    "an arrival of the second phase waits for the first": (
        (1, "arrive(&b); arrive(&b); wait(&b, 1);", ""),
        (1, "arrive(&b); wait(&b, 0); arrive(&b); wait(&b, 1);", ""),
    ),
    "who arrives has arrived before": (
        (1, "arrive(&b); wait(&b, 0); arrive(&c);", "wait(&c, 0); wait(&b, 0); arrive(&b);"),
        (1, "arrive(&b); wait(&b, 0); wait(&c, 0); arrive(&b);", "wait(&b, 0); arrive(&c);"),
    ),
    "bytes are expected by who arrives behind that": (
        (2, "expect(&b); arrive(&c); arrive(&b);", "wait(&c, 0); expect(&b);"),
        (2, "expect(&b); arrive(&c); arrive(&b);", "wait(&c, 0);"),
    ),
    "a wait comes before an arrival of the next phase": (
        (1, "arrive(&b); wait(&b, 0); arrive(&b);", "wait(&b, 0);"),
        (2, "arrive(&b); wait(&b, 0); arrive(&b);", "arrive(&b); wait(&b, 0); arrive(&b);"),
    ),
    "a wait comes after one for the phase before": (
        (1, "arrive(&b); wait(&b, 0); wait(&c, 0); x[0] = 1; arrive(&b);", "arrive(&c); wait(&b, 1); x[0] = 2;"),
        (
            1,
            "arrive(&b); wait(&b, 0); wait(&c, 0); x[0] = 1; arrive(&b);",
            "wait(&b, 0); arrive(&c); wait(&b, 1); x[0] = 2;",
        ),
    ),
    "it is made before all else": (
        (1, "arrive(&b); wait(&b, 0); ptx::mbarrier_inval(&b); ptx::mbarrier_init(&b, 1); arrive(&b);", ""),
        (1, "arrive(&b); wait(&b, 0); ptx::mbarrier_inval(&b);", ""),
    ),
    "arrivals release": (
        (1, "ptx::mbarrier_arrive(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &b);", "wait(&b, 0);"),
        (1, "arrive(&b);", "wait(&b, 0);"),
    ),
    "nobody looks without waiting": (
        (1, "arrive(&b); x[0] = ptx::mbarrier_test_wait_parity(&b, 0);", ""),
        (1, "arrive(&b); wait(&b, 0); x[0] = 1;", ""),
    ),
    "a wait is passed by nothing else than what it finds": (
        (1, "arrive(&c); x[0] = 1; arrive(&b);", "while (!over(&b)) { if (over(&c)) break; } x[0] = 2;"),
        (1, "arrive(&c); x[0] = 1; arrive(&b);", "while (!over(&b)) over(&c); x[0] = 2;"),
    ),
    "nothing that is read decides an arrival": (
        (1, "if (x[0] == 0) arrive(&b); arrive(&c);", "wait(&c, 0); x[1] = 1;"),
        (1, "arrive(&b); arrive(&c);", "wait(&c, 0); x[0] = 1;"),
    ),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_each_condition_is_needed(name: str, tmp_path: Path, resolved: list[bool]) -> None:
    for settled, (count, first, second) in zip((False, True), CONDITIONS[name], strict=True):
        resolved.clear()
        checked(tmp_path / "pair.cu", PAIR.format(count=count, first=first, second=second))
        assert resolved == [settled], (first, second)


def test_a_second_arrival_that_comes_too_early_is_found(tmp_path: Path, resolved: list[bool]) -> None:
    """In a schedule each arrival has a phase of its own; in each execution the second one races with the wait."""
    outcome = checked(
        tmp_path / "pair.cu", PAIR.format(count=1, first="arrive(&b); arrive(&b); wait(&b, 1);", second="")
    )
    assert verdict(outcome) == "violated"
    reason = next(c.reason for c in outcome.reports[0].checks if not c.expectation.implicit)
    assert reason == "an arrival at `pair[0].b` for which no wait has found the phase before over"


@pytest.mark.parametrize(
    "wait",
    [
        "while (!over(&b) && !over(&c)) {}",
        "while (!over(&b)) { if (over(&c)) break; }",
        "while (!(over(&b) | over(&c))) {}",
        "for (bool done = false; !done;) { done = over(&b); if (!done) done = over(&c); }",
    ],
)
def test_a_wait_for_either_of_two_is_passed_by_the_other_one(wait: str, tmp_path: Path, resolved: list[bool]) -> None:
    """In the schedule the first one is over, which comes behind the write; in an execution the second is, before it."""
    text = PAIR.format(count=1, first="arrive(&c); x[0] = 1; arrive(&b);", second=f"{wait} x[0] = 2;")
    assert verdict(checked(tmp_path / "pair.cu", text)) == "violated"
    assert resolved == [False]


def test_rules_of_what_is_in_no_execution_are_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else comes to the barrier, so that the arrival behind it is no event of a graph without settled places."""
    sizes(monkeypatch, events=0)
    text = """#include <cuda/atomic>
    #include <cuda/ptx>
    __device__ int x;
    __device__ cuda::atomic<int, cuda::thread_scope_device> said;
    __global__ void k() {
        __shared__ std::uint64_t b;
        if (threadIdx.x % 32) return;
        __syncthreads();
        if (threadIdx.x == 0) {
            x = 1;
            said.load();
            asm volatile("bar.sync 2, 96;" ::: "memory");
            cuda::ptx::mbarrier_arrive(&b);
        }
        if (threadIdx.x == 32) {
            said.store(1);
            if (said.load() == 1) x = 3;
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        }
    }
    //@ launch k<<<1, 65>>>();
    //@ expect race_free;
    """
    (tmp_path / "k.cu").write_text(text)
    (outcome,) = check([tmp_path / "k.cu"], Settings(engine="embedded"))
    assert outcome.failure is None, outcome.failure
    assert verdict(outcome) == "violated"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["mbarriers", "settled", "condensed", "racing"])
@pytest.mark.parametrize("fence", ["", FENCE])
def test_without_a_reduction_the_answer_is_the_same(
    name: str, fence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes(monkeypatch, events=0)
    text = RING.format(tiles=3, consumers=1, fence=fence)
    found = [verdict(checked(tmp_path / "r.cu", text, without=frozenset(without))) for without in ((), (name,))]
    assert found == ["holds" if fence else "violated"] * 2


def test_a_certain_race_is_found_behind_loops_around_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That a test may give up is no choice of the program any more."""
    sizes(monkeypatch, events=0)
    path = tmp_path / "r.cu"
    path.write_text(RING.format(tiles=3, consumers=2, fence=""))
    (run,) = plan(path, "r.cu", Overrides()).runs
    assert run.graph.one_race


#: Mistakes that make the ring hang, and the text that each changes.
MISTAKES = {
    "the first parity": ("(t / 2 & 1) ^ 1", "t / 2 & 1"),
    "one arrival too many is expected": ("&empty[s], {consumers}", "&empty[s], {consumers} + 1"),
    "more bytes are expected": ("&full[t % 2], 16);\n            ptx::cp", "&full[t % 2], 32);\n            ptx::cp"),
    "fewer bytes are expected": ("&full[t % 2], 16);\n            ptx::cp", "&full[t % 2], 8);\n            ptx::cp"),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("race", [False, True])
def test_what_comes_behind_a_wait_in_vain_is_in_no_execution(
    mistake: str, race: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, resolved: list[bool]
) -> None:
    """And what comes before it is asked: here a write to what the producer copies."""
    sizes(monkeypatch, events=0)
    old, new = MISTAKES[mistake]
    assert old in RING
    text = RING.replace(old, new).format(tiles=3, consumers=1, fence="")
    if race:
        text = text.replace("__syncthreads();\n", "__syncthreads();\n    input[0][threadIdx.x / 2] = 1;\n", 1)
    (tmp_path / "r.cu").write_text(text)
    found = []
    for without in ((), ("mbarriers",)):
        (outcome,) = check([tmp_path / "r.cu"], Settings(Overrides(without=frozenset(without)), engine="embedded"))
        found.append(verdict(outcome))
    assert found == ["violated" if race else "holds"] * 2
    assert resolved == [True]


#: Bytes of two copies, in the order of a schedule, and whether another order of them ends the phase for which 16 are
#: expected.
@pytest.mark.parametrize(("sizes", "ends"), [((32, 16), True), ((32, 64), False), ((64, 8, 8), True)])
def test_copies_of_the_last_phase_bring_just_what_is_expected_in_no_order(sizes: tuple[int, ...], ends: bool) -> None:
    found = [Operation("i", "t", Kind.INIT, 0, 1, 1, 0), Operation("a", "t", Kind.ARRIVE, 0, 1, 0, 16)]
    for size in sizes:
        found.append(Operation(f"c{len(found)}", "t", Kind.COMPLETE, 0, 1, 0, found[-1].bytes - size))
    found.append(Operation("w", "t", Kind.WAIT, 0, 1, 0, found[-1].bytes))
    assert is_settled(found, lambda one, other: found.index(one) < found.index(other)) is not ends


@pytest.mark.parametrize(
    ("sem", "settled"), [("ptx::sem_release, ptx::scope_cta", True), ("ptx::sem_relaxed, ptx::scope_cta", False)]
)
def test_what_comes_behind_a_wait_in_vain_releases(
    sem: str, settled: bool, tmp_path: Path, resolved: list[bool]
) -> None:
    """Else it might end the phase that it waits for, out of thin air."""
    first = f"wait(&b, 0); ptx::mbarrier_arrive({sem}, ptx::space_shared, &b);"
    (tmp_path / "pair.cu").write_text(PAIR.format(count=2, first=first, second="arrive(&b);"))
    (outcome,) = check([tmp_path / "pair.cu"], Settings(engine="embedded"))
    assert verdict(outcome) == "holds"
    assert resolved == [settled]


def test_who_waits_in_vain_has_waited_for_the_phase_before(tmp_path: Path, resolved: list[bool]) -> None:
    """Else the wait may find an earlier phase over: here before the arrival, and there is a race then."""
    text = PAIR.format(count=1, first="wait(&b, 1); x[0] = 2;", second="arrive(&b); wait(&b, 0); x[0] = 1;")
    (tmp_path / "pair.cu").write_text(text)
    (outcome,) = check([tmp_path / "pair.cu"], Settings(engine="embedded"))
    assert verdict(outcome) == "violated"
    assert resolved == [False]


#: A kernel that accesses what a second one overwrites by a bulk copy, through the asynchronous proxy, in another block.
GRIDS = """#include <cuda/ptx>
namespace ptx = cuda::ptx;
__device__ alignas(16) int g[4];
__device__ int h[10];
__global__ void copied(int block) {{
    __shared__ alignas(16) int s[4];
    if (threadIdx.x == 0 && blockIdx.x == block) {{
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, g, s, 16);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }}
    if (blockIdx.x == block) h[threadIdx.x / {share}] = 1;
}}
__global__ void plain(int block) {{ if (threadIdx.x == 0 && blockIdx.x == block) g[1] = 1; }}
int main() {{
    {first}<<<2, 10>>>(1);
    copied<<<2, 10>>>(0);
    cudaDeviceSynchronize();
}}
//@ expect race_free;
"""


@pytest.mark.parametrize("first", ["copied", "plain"])
@pytest.mark.parametrize("share", [1, 2])
@pytest.mark.parametrize("without", [(), ("settled",), ("racing",)])
def test_a_launch_connects_what_went_before(
    first: str, share: int, without: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through whichever proxies, and in whichever blocks: no fence is needed; a race is not taken for another one."""
    sizes(monkeypatch, events=0)
    text = GRIDS.format(first=first, share=share)
    found = verdict(checked(tmp_path / "g.cu", text, without=frozenset(without)))
    assert found == ("holds" if share == 1 else "violated")


#: A copy of the library, which may be made through either proxy and owes no fence, from what was written before it.
LIBRARY = """#include <cuda/barrier>
__device__ alignas(16) int g[4];
__device__ int h[10];
__global__ void k() {{
    __shared__ alignas(16) int s[4];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    int t = threadIdx.x;
    if (t == 0) init(&bar, 10);
    if (t < 4) g[t] = t;
    __syncthreads();
    if (t == 0) cuda::memcpy_async(s, g, cuda::aligned_size_t<16>(16), bar);
    bar.wait(bar.arrive());
    h[t / {share}] = s[t % 4];
}}
//@ launch k<<<1, 10>>>();
//@ expect race_free;
"""


@pytest.mark.parametrize("share", [1, 2])
def test_a_copy_through_either_proxy_hides_no_race(share: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes(monkeypatch, events=0)
    found = verdict(checked(tmp_path / "l.cu", LIBRARY.format(share=share)))
    assert found == ("holds" if share == 1 else "violated")
