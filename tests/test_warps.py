"""Exchanges between the lanes of a warp: each beside its opposite, and random ones beside a simulation of the lanes."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import and_, or_, xor
from pathlib import Path
from random import Random

import pytest

from scopec.frontends.clang.intrinsics.warps import source
from scopec.memory.events.guards import Guards
from scopec.memory.graph import build
from scopec.memory.unfold import blocking
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides
from tests.conftest import program_of

BY_CLANG = Overrides(reader="clang")


def answers(path: Path) -> list[str]:
    """The verdicts on a file's expectations; an error where it has any."""
    (outcome,) = check([path], Settings(overrides=BY_CLANG, engine="embedded", cache=False, timeout=120))
    assert outcome.failure is None
    assert [str(d) for d in outcome.diagnostics if d.severity == "error"] == []
    return [c.verdict for report in outcome.reports for c in report.checks]


def refusal(path: Path) -> str:
    """The error that a file is refused with."""
    (outcome,) = check([path], Settings(overrides=BY_CLANG, engine="embedded", cache=False, timeout=120))
    (wrong,) = [d for d in outcome.diagnostics if d.severity == "error"]
    return f"{wrong.span.line}: {wrong.message}"


# ---------------------------------------------------------------- which lane a shuffle reads from


@pytest.mark.parametrize(
    ("kind", "lane", "by", "width", "expected"),
    [
        ("idx", 5, 2, 32, 2),
        ("idx", 5, 2, 4, 6),
        ("idx", 5, 6, 4, 6),  # modulo the width
        ("up", 5, 1, 32, 4),
        ("up", 4, 1, 4, 4),  # its own, at the beginning of a segment
        ("down", 6, 1, 4, 7),
        ("down", 7, 1, 4, 7),
        ("down", 30, 4, 32, 30),
        ("bfly", 6, 3, 32, 5),
        ("bfly", 1, 4, 4, 1),  # a later segment
        ("bfly", 5, 4, 4, 1),  # an earlier one can be reached
    ],
)
def test_the_lane_of_a_shuffle(kind: str, lane: int, by: int, width: int, expected: int) -> None:
    clamp = (32 - width) << 8 | (0 if kind == "up" else 31)
    assert source(kind, lane, by, clamp)[0] == expected


# ---------------------------------------------------------------- random exchanges

LANES = 4
PROGRAM = """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__device__ int in[4] = {INPUT};
__device__ int out[4];
__global__ void k() {
    const int lane = threadIdx.x;
    int v = in[lane], p = 0;
    BODY
    out[lane] = v;
    const int wanted = lane == 0 ? W0 : lane == 1 ? W1 : lane == 2 ? W2 : W3;
    while (v != wanted) ;
}
//@ launch k<<<1, 4>>>();
//@ expect required out[0] == W0 && out[1] == W1 && out[2] == W2 && out[3] == W3;
//@ expect allowed out[CHANGED] == OTHER;
//@ expect terminates;
"""

REDUCTIONS = {"add": sum, "min": min, "max": max,
              **{name: lambda row, f=f: reduce(f, row) for name, f in (("and", and_), ("or", or_), ("xor", xor))}}  # fmt: skip


def exchange(random: Random, values: list[int]) -> tuple[str, list[int]]:
    """One statement that changes ``v``, and the values after it."""
    groups = random.choice([((0, 1, 2, 3),), ((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0,), (1, 2, 3))])
    group = {lane: its for its in groups for lane in its}
    masks = {lane: sum(1 << other for other in its) for lane, its in group.items()}
    mask = "lane == 0 ? {} : lane == 1 ? {} : lane == 2 ? {} : {}".format(*(masks[lane] for lane in range(LANES)))
    bound = random.randrange(40)
    match random.randrange(6):
        case 0:
            kind, name = random.choice([("idx", ""), ("up", "_up"), ("down", "_down"), ("bfly", "_xor")])
            by, width = random.randrange(4), random.choice([2, 4])
            clamp = (32 - width) << 8 | (0 if kind == "up" else 31)
            read = [source(kind, lane, by, clamp)[0] for lane in range(LANES)]
            return f"v = __shfl{name}_sync(0xf, v, {by}, {width}) + lane;", [values[s] + n for n, s in enumerate(read)]
        case 1:
            by = random.randrange(4)
            read = [(v + by) % 4 for v in values]
            return f"v = __shfl_sync(0xf, v, (v + {by}) % 4, 4) + 1;", [values[s] + 1 for s in read]
        case 2:
            votes = {n: {lane for lane in its if values[lane] > bound} for n, its in group.items()}
            name = random.choice(["any", "all", "ballot"])
            of = {"any": lambda n: int(bool(votes[n])), "all": lambda n: int(votes[n] == set(group[n])),
                  "ballot": lambda n: sum(1 << lane for lane in votes[n])}[name]  # fmt: skip
            after = [(v + of(n)) % 50 for n, v in enumerate(values)]
            return f"v = (v + (int)__{name}_sync({mask}, v > {bound})) % 50;", after
        case 3:
            alike = [sum(1 << m for m in group[n] if values[m] % 3 == v % 3) for n, v in enumerate(values)]
            return f"v = __match_any_sync({mask}, v % 3) * 2 + lane;", [2 * a + n for n, a in enumerate(alike)]
        case 4:
            agreed = [len({values[m] % 2 for m in group[n]}) == 1 for n in range(LANES)]
            after = [(masks[n] if agreed[n] else 0) + v % 7 for n, v in enumerate(values)]
            return f"v = __match_all_sync({mask}, v % 2, &p) + v % 7;", after
        case _:
            name = random.choice(list(REDUCTIONS))
            type_ = "unsigned" if name in ("and", "or", "xor") else "int"
            result = [REDUCTIONS[name]([values[m] for m in group[n]]) for n in range(LANES)]
            return f"v = (int)__reduce_{name}_sync({mask}, ({type_})v) % 60 + lane;", [
                r % 60 + n for n, r in enumerate(result)
            ]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(6))
def test_random_exchanges_give_what_a_simulation_of_the_lanes_does(seed: int, write: Callable[..., Path]) -> None:
    random = Random(seed)
    values = [random.randrange(30) for _ in range(LANES)]
    text = PROGRAM.replace("INPUT", ", ".join(map(str, values)))
    body = []
    for _ in range(5):
        statement, values = exchange(random, values)
        body.append(statement)
    changed = random.randrange(LANES)
    text = text.replace("BODY", "\n    ".join(body)).replace("CHANGED", str(changed))
    text = text.replace("OTHER", str(values[changed] + 1))
    for lane, value in enumerate(values):
        text = text.replace(f"W{lane}", str(value))
    assert answers(write(text)) == ["holds", "violated", "holds"], text


# ---------------------------------------------------------------- each with its opposite

TWO = """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__device__ int x[2];
__global__ void k() {
    const int lane = threadIdx.x;
    int r = 0, p = 0;
    auto tile = cg::tiled_partition<2>(cg::this_thread_block());
    BODY
}
//@ launch k<<<1, 2>>>();
"""
RESULTS = {
    "shuffle": ("r = __shfl_sync(3, lane + 5, 1);", 6, 6),
    "shuffle up": ("r = __shfl_up_sync(3, lane + 5, 1);", 5, 5),
    "shuffle down": ("r = __shfl_down_sync(3, lane + 5, 1, 2);", 6, 6),
    "shuffle xor": ("r = __shfl_xor_sync(3, lane + 5, 1);", 6, 5),
    "shuffle of 64 bits": ("r = __shfl_xor_sync(3, (long long)lane << 40, 1) >> 40;", 1, 0),
    "shuffle of a pointer": (
        "int* q = __shfl_xor_sync(3, x + lane, 1); *q = 4; __syncwarp(); r = x[lane] + 1; __syncwarp();",
        5,
        5,
    ),
    "ballot": ("r = __ballot_sync(3, lane == 1);", 2, 2),
    "any": ("r = __any_sync(3, lane == 1);", 1, 1),
    "all": ("r = __all_sync(3, lane == 1);", 0, 0),
    "match any": ("r = __match_any_sync(3, lane);", 1, 2),
    "match all": ("r = __match_all_sync(3, lane, &p); r += 8 * p;", 0, 0),
    "match all that agree": ("r = __match_all_sync(3, 7, &p); r += 8 * p;", 11, 11),
    "reduce": ("r = __reduce_add_sync(3, lane + 1);", 3, 3),
    "a tile's shuffle": ("r = tile.shfl_xor(lane, 1);", 1, 0),
    "a tile's votes": ("r = tile.ballot(lane); r += 10 * tile.any(lane); r += 100 * tile.all(lane);", 12, 12),
    "a tile's match": ("r = tile.match_any(lane); r += 10 * tile.match_all(3, p);", 31, 32),
    "a tile's reduction": ("r = cg::reduce(tile, lane + 2, cg::plus<int>());", 5, 5),
    "a reduction of one's own": ("r = cg::reduce(tile, lane + 2, [](int a, int b) { return a * b; });", 6, 6),
    "a lane that has exited": ("if (lane == 1) return; r = __ballot_sync(3, 1); r += 10 * __all_sync(3, 1);", 11, 0),
    "a mask with lanes that there are none": ("r = __reduce_add_sync(~0u, 1);", 2, 2),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", RESULTS)
def test_results(name: str, write: Callable[..., Path]) -> None:
    body, first, second = RESULTS[name]
    text = TWO.replace("BODY", f"{body} x[lane] = r;")
    text += f"//@ expect required x[0] == {first} && x[1] == {second};\n"
    text += f"//@ expect allowed x[0] == {first + 1};\n//@ expect terminates;\n"
    assert answers(write(text))[:3] == ["holds", "violated", "holds"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("r = __shfl_sync(1 << lane + 1, lane, 0);", "lane 0 is not in the mask 0x2"),
        (
            "r = __shfl_down_sync(3, lane, 1);",
            "`x` holds numbers whose values are not modelled",
        ),  # lane 2 is in no mask
    ],
)
def test_what_is_refused(body: str, message: str, write: Callable[..., Path]) -> None:
    text = TWO.replace("BODY", f"{body} x[lane] = r;")
    assert message in refusal(write(f"{text}//@ expect required x[1] == 0;\n"))


def test_a_value_of_a_lane_that_has_exited_is_undefined(write: Callable[..., Path]) -> None:
    text = TWO.replace("BODY", "if (lane == LEAVES) return; r = __shfl_sync(3, lane, 1); x[lane] = r;")
    assert "violated" not in answers(write(text.replace("LEAVES", "0") + "//@ expect terminates;\n"))
    found = answers(write(text.replace("LEAVES", "1") + "//@ expect terminates;\n"))
    assert found == ["violated", "violated"]  # the schedule, and that all values are valid


def test_lanes_that_execute_other_exchanges_do_not_meet(write: Callable[..., Path]) -> None:
    text = TWO.replace("BODY", "r = lane ? __any_sync(3, 1) : OTHER; __syncthreads();") + "//@ expect terminates;\n"
    assert answers(write(text.replace("OTHER", "__any_sync(3, 0)"))) == ["holds"]


# ---------------------------------------------------------------- votes in loops

LOOP = """
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> flag[2];
__device__ int data[2], r[2];
__global__ void k() {
    const int lane = threadIdx.x;
    if (blockIdx.x == 0) {
        WAIT
        r[lane] = data[lane];
    } else {
        data[lane] = 42;
        if (SENT) flag[lane].store(1, cuda::memory_order_release);
    }
}
int main() {
    void* none[1];
    cudaLaunchCooperativeKernel((void*)k, dim3(2), dim3(2), none, 0, 0);
    cudaDeviceSynchronize();
}
//@ expect race_free;
//@ expect terminates;
"""
SEEN = "flag[lane].load(cuda::memory_order_acquire)"
LOOPS = (
    f"while (!__all_sync(3, {SEEN} == 1));",
    f"while (__any_sync(3, {SEEN} == 0));",
    f"while (__ballot_sync(3, {SEEN} == 1) != 3);",
    f"bool all; do {{ all = __all_sync(3, {SEEN}); }} while (!all);",
    f"for (;;) {{ if (__reduce_add_sync(3, {SEEN}) == 2) break; }}",
    f"while (__any_sync(3, {SEEN} == 0)) __nanosleep(20);",
    f"while (__any_sync(3, {SEEN} == 0)) __syncwarp();",
    f"while (__syncthreads_or({SEEN} == 0));",
    f"do __syncthreads(); while (__syncthreads_count({SEEN}) != 2);",
    f"int seen = {SEEN}; while (!__syncthreads_and(seen)) seen = {SEEN};",
    f"int seen = lane; while (!__syncthreads_and(seen == 1)) if (lane == 0) seen = {SEEN}; while ({SEEN} == 0);",
)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("loop", LOOPS)
def test_a_warp_that_waits_together(loop: str, write: Callable[..., Path]) -> None:
    text = LOOP.replace("WAIT", loop)
    assert answers(write(text.replace("SENT", "true"))) == ["holds", "holds"]
    assert answers(write(text.replace("SENT", "lane == 0")))[1] == "violated"
    assert answers(write(text.replace("SENT", "true").replace("acquire", "relaxed")))[0] == "violated"


def test_one_wait_after_the_other(write: Callable[..., Path]) -> None:
    wait = f"while (__any_sync(3, {SEEN} == 0));"
    text = LOOP.replace("WAIT", 2 * wait).replace("SENT", "true").replace("//@ expect terminates;", "")
    assert answers(write(text)) == ["holds"]


def test_lanes_that_leave_a_loop_by_themselves_are_not_taken_to_wait_together(write: Callable[..., Path]) -> None:
    text = LOOP.replace("WAIT", f"while (__any_sync(3, {SEEN} == 0) && lane == 0);").replace("SENT", "true")
    assert answers(write(text))[0] == "violated"


SLEEPER = """
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> x, y, go;
__global__ void k() {
    const int lane = threadIdx.x;
    if (blockIdx.x == 0) {
        int seen = 1;
        if (lane == 0) {
            x.store(1, cuda::memory_order_ORDER);
            seen = y.load(cuda::memory_order_ORDER);
        }
        if (__shfl_sync(3, seen, 0) == 0)
            while (!__all_sync(3, go.load(cuda::memory_order_relaxed) == 1));
    } else if (lane == 0) {
        y.store(1, cuda::memory_order_ORDER);
        if (x.load(cuda::memory_order_ORDER) == 1) go.store(1, cuda::memory_order_relaxed);
    }
}
int main() {
    void* none[1];
    cudaLaunchCooperativeKernel((void*)k, dim3(2), dim3(2), none, 0, 0);
    cudaDeviceSynchronize();
}
//@ expect terminates;
"""


@pytest.mark.parametrize(("order", "verdict"), [("relaxed", "violated"), ("seq_cst", "holds")])
@pytest.mark.sampled(1)
def test_a_warp_that_only_a_weaker_memory_leaves_waiting(order: str, verdict: str, write: Callable[..., Path]) -> None:
    assert answers(write(SLEEPER.replace("ORDER", order)))[0] == verdict


NAMED = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ int total;
__device__ int sum(const cg::thread_block_tile<4>& tile, int value) {
    for (int by = tile.size() / 2; by > 0; by /= 2) value += tile.shfl_down(value, by);
    return value;
}
__global__ void k() {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<4> tile = cg::tiled_partition<4>(block);
    int all = sum(tile, threadIdx.x + 1);
    tile.sync();
    if (tile.thread_rank() == 0) total = all;
}

//@ launch k<<<1, 4>>>();
//@ expect race_free;
//@ expect required total == 10;
"""


def test_a_tile_is_one_whose_parent_is_not_named(write: Callable[..., Path]) -> None:
    assert answers(write(NAMED)) == ["holds", "holds"]


BEHIND_A_VOTE = """
__device__ int tickets;
__device__ int sum;
__global__ void k() {
    int done = 0;
    int all = 1;
    if (threadIdx.x == 0) done = atomicAdd(&tickets, 1);
    if (__syncthreads_or(done == 1)) {
        for (int by = 8; by > 0; by /= 2) all += __shfl_down_sync(0xffff, all, by, 16);
        all = __shfl_sync(0xffff, all, 0);
        __syncthreads();
        for (int by = 8; by > 0; by /= 2) all += __shfl_xor_sync(0xffff, all, by, 16);
        if (threadIdx.x == 0) sum = all;
    }
}
//@ launch k<<<1, 16>>>();
"""


@pytest.mark.sampled(0)
def test_lanes_that_come_on_the_same_paths_neither_ask_who_has_come_nor_wait_in_vain(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[int] = []
    node = Guards._node

    def counted(self: Guards, *parts: int) -> int:
        made.append(1)
        return node(self, *parts)

    monkeypatch.setattr(Guards, "_node", counted)
    monkeypatch.setattr(blocking, "Blocking", None)
    graph = build(program_of(BEHIND_A_VOTE, reader="clang"), 2, ())
    assert len(made) < 50 * len(graph.events)  # of functions of who comes, twenty times as many
