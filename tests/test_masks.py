"""Masks that a program computes: each with its opposite, random ones beside a simulation of the lanes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.test_warps import answers, refusal

pytestmark = pytest.mark.usefixtures("kept_machines")

THREE = """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
namespace cg = cooperative_groups;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};
__device__ int in[3] = {1, 0, 1}, out[3], n;
__global__ void k() {
    const int lane = threadIdx.x, p = in[lane];
    int r = 0;
    BODY
    out[lane] = r;
}
//@ launch k<<<1, 3>>>();
"""
RESULTS = {
    "ballot": ("unsigned m = __ballot_sync(~0u, p); if (p) r = __shfl_sync(m, lane + 5, __ffs(m) - 1);", (5, 0, 5)),
    "the others": ("unsigned m = __ballot_sync(7, p); if (!p) r = __reduce_add_sync(7 & ~m, 4);", (0, 4, 0)),
    "match": ("unsigned m = __match_any_sync(7, p); r = __reduce_add_sync(m, lane + 1);", (4, 2, 4)),
    "a mask of a mask": (
        "unsigned m = __match_any_sync(7, p), o = __ballot_sync(m, lane < 2); r = o; if (lane < 2) __syncwarp(o);",
        (1, 2, 1),
    ),
    "in memory": ("if (p) r = __reduce_or_sync(in[0] + 4, 1u << lane);", (5, 0, 5)),
    "of the whole warp": ("r = __popc(__ballot_sync(in[0] ? ~0u : 7u, p));", (2, 2, 2)),
    "aggregated": (
        "unsigned m = __ballot_sync(~0u, p); if (p) { int old; if (lane == __ffs(m) - 1) old = atomicAdd(&n, __popc(m));"
        " r = __shfl_sync(m, old, __ffs(m) - 1) + __popc(m & ((1u << lane) - 1)) + 1; }",
        (1, 0, 2),
    ),
    "labelled": (
        "auto t = cg::coalesced_group(7); auto g = cg::labeled_partition(t, p);"
        " r = cg::reduce(g, lane + 1, cg::plus<int>()) + 10 * g.thread_rank() + 100 * g.size();",
        (204, 102, 214),
    ),
    "binary": (
        "auto t = cg::coalesced_group(7); auto g = cg::binary_partition(t, p); g.sync();"
        " r = g.shfl(lane, g.size() - 1) + 100 * g.meta_group_rank(); r += 10 * g.ballot(lane == 2);",
        (122, 1, 122),
    ),
    "a scan": (
        "auto t = cg::coalesced_group(7); auto g = cg::binary_partition(t, p);"
        " r = cg::inclusive_scan(g, lane + 1); r += 10 * cg::exclusive_scan(g, lane + 1);",
        (1, 2, 14),
    ),
    "a reduction of one's own": (
        "auto t = cg::coalesced_group(7); auto g = cg::binary_partition(t, p);"
        " r = cg::reduce(g, lane + 2, [](int a, int b) { return a * b; });",
        (8, 3, 8),
    ),
    "the groups of a group": (
        "auto t = cg::coalesced_group(7); auto g = cg::binary_partition(t, p);"
        " auto h = cg::tiled_partition(g, 1); r = h.size() + 10 * h.meta_group_rank() + 100 * h.meta_group_size();",
        (201, 101, 211),
    ),
    "any group": (
        "auto t = cg::coalesced_group(7); cg::thread_group g = cg::binary_partition(t, p);"
        " g.sync(); r = g.thread_rank() + 10 * g.size();",
        (20, 10, 21),
    ),
    "alone": ("if (lane == 1) r = __activemask();", (0, 2, 0)),
    "coalesced": (
        "if (p) { auto g = cg::coalesced_threads(); int old; if (g.thread_rank() == 0) old = atomicAdd(&n, g.size());"
        " old = g.shfl(old, 0) + g.thread_rank(); r = n = 1; }",
        (1, 0, 1),
    ),
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", RESULTS)
def test_results(name: str, write: Callable[..., Path]) -> None:
    body, (one, two, three) = RESULTS[name]
    text = THREE.replace("BODY", body) + "//@ options races = ignore;\n"
    text += f"//@ expect required out[0] == {one} && out[1] == {two} && out[2] == {three};\n"
    text += f"//@ expect allowed out[0] == {one + 1} || out[1] == {two + 1};\n//@ expect terminates;\n"
    assert answers(write(text))[:3] == ["holds", "violated", "holds"]


LANES = 3
PROGRAM = """
__device__ int in[3] = {INPUT}, out[3];
__global__ void k() {
    const int lane = threadIdx.x;
    int v = in[lane];
    BODY
    out[lane] = v;
}
//@ launch k<<<1, 3>>>();
//@ expect required WANTED;
//@ expect terminates;
"""


def exchange(random: Random, values: list[int]) -> tuple[str, list[int]]:
    """One statement that changes ``v`` among lanes that it finds, and the values after it."""
    bound, by = random.randrange(20), random.choice([2, 3])
    if random.random() < 0.5:
        group = {n: [m for m, other in enumerate(values) if other % by == v % by] for n, v in enumerate(values)}
        mask = f"__match_any_sync(7, v % {by})"
    else:
        group = {
            n: [m for m, other in enumerate(values) if (other > bound) == (v > bound)] for n, v in enumerate(values)
        }
        mask = f"__ballot_sync(7, v > {bound}); m = v > {bound} ? m : 7 & ~m"
    function, result = random.choice([
        ("__reduce_add_sync(m, v)", lambda its: sum(values[m] for m in its)),
        ("__reduce_max_sync(m, v)", lambda its: max(values[m] for m in its)),
        ("__shfl_sync(m, v, __ffs(m) - 1)", lambda its: values[its[0]]),
        ("(int)m", lambda its: sum(1 << m for m in its)),
    ])  # fmt: skip
    after = [(result(group[n]) + n) % 30 for n in range(LANES)]
    return f"{{ unsigned m = {mask}; v = ({function} + lane) % 30; __syncwarp(m); }}", after


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(6))
def test_random_masks_give_what_a_simulation_of_the_lanes_does(seed: int, write: Callable[..., Path]) -> None:
    random = Random(seed)
    values = [random.randrange(30) for _ in range(LANES)]
    text = PROGRAM.replace("INPUT", ", ".join(map(str, values)))
    statement, values = exchange(random, values)
    wanted = " && ".join(f"out[{lane}] == {value}" for lane, value in enumerate(values))
    assert answers(write(text.replace("BODY", statement).replace("WANTED", wanted)))[:2] == ["holds"] * 2


# ---------------------------------------------------------------- what is wrong


@pytest.mark.parametrize(
    "body",
    [
        "unsigned m = __ballot_sync(7, p); __syncwarp(m);",  # lane 1 is not in it
        "r = __any_sync(in[0], lane);",
        "unsigned m = __ballot_sync(7, p); if (p) { int v; if (lane == 0) v = 3; r = __shfl_sync(m, v, 2); }",
        "unsigned m = __ballot_sync(7, p); if (p) r = __shfl_sync(m, p, 0); if (lane == 2) r = __shfl_sync(4, 1 / (r - 1), 2);",
    ],
)
def test_what_is_undefined(body: str, write: Callable[..., Path]) -> None:
    assert answers(write(THREE.replace("BODY", body) + "//@ expect required n == 0;\n"))[-1] == "violated"


def test_a_lane_that_a_mask_names_has_to_come(write: Callable[..., Path]) -> None:
    text = THREE.replace("BODY", "unsigned m = __ballot_sync(7, p); if (COMES) __syncwarp(m); __syncthreads();")
    text += "//@ expect terminates;\n"
    assert answers(write(text.replace("COMES", "p")))[0] == "holds"
    assert answers(write(text.replace("COMES", "lane == 0")))[0] == "violated"


@pytest.mark.parametrize(("meet", "race"), [("__syncwarp(m)", False), ("r = __shfl_sync(m, lane, 0)", True)])
def test_only_a_barrier_orders_memory_among_the_lanes_of_a_mask(
    meet: str, race: bool, write: Callable[..., Path]
) -> None:
    body = f"unsigned m = __ballot_sync(7, p); if (p) {{ if (lane == 0) n = 1; {meet}; if (lane == 2) r = n; }}"
    found = answers(write(THREE.replace("BODY", body) + "//@ expect race_free;\n"))
    assert found[0] == ("violated" if race else "holds")


def test_more_masks_than_are_followed(write: Callable[..., Path]) -> None:
    text = THREE.replace("in[3]", "in[9]").replace("out[3]", "out[9]").replace("<<<1, 3>>>", "<<<1, 9>>>")
    found = refusal(write(text.replace("BODY", "unsigned m = __ballot_sync(~0u, p); if (p) __syncwarp(m);")))
    assert "lane 0 gives a mask here that the program computes, and it may be any of 256" in found
    found = refusal(write(text.replace("BODY", "r = __activemask();")))
    assert "5 lanes come here, any of which may be together: 16 masks of each" in found


# ---------------------------------------------------------------- lanes that are together by chance

CHANCE = [
    ("out[0] == 1 && out[1] == 2 && out[2] == 4", True),
    ("out[0] == 7 && out[1] == 7 && out[2] == 7", True),
    ("out[0] == 5 && out[1] == 2 && out[2] == 5", True),
    ("out[0] == 7 && out[1] != 7", False),
    ("out[0] == 5 && out[2] == 4", False),
    ("(out[1] & 2) == 0", False),
]


def test_any_lanes_may_be_together_and_agree_about_it(write: Callable[..., Path]) -> None:
    text = THREE.replace("BODY", "r = __activemask();")
    text += "".join(f"//@ expect allowed {condition};\n" for condition, _ in CHANCE) + "//@ expect terminates;\n"
    assert answers(write(text)) == [*("holds" if there else "violated" for _, there in CHANCE), "holds"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("body", "never"),
    [
        ("if (lane == 1) return; r = __activemask();", "(out[0] & 2) != 0"),  # it has exited
        ("if (lane == 1) while (flag.load() == 0); r = __activemask(); if (lane == 0) flag.store(1);", "out[1] == 3"),
        ("if (lane == 0) r = __activemask(); else r = __activemask();", "(out[0] & 6) != 0"),  # elsewhere
    ],
)
def test_lanes_that_cannot_be_together(body: str, never: str, write: Callable[..., Path]) -> None:
    text = THREE.replace("BODY", body) + "//@ options races = ignore;\n"
    found = answers(write(text + f"//@ expect forbidden {never};\n//@ expect terminates;\n"))
    assert found[:2] == ["holds", "holds"]


def test_lanes_that_were_together_may_part(write: Callable[..., Path]) -> None:
    body = "unsigned m = __activemask(); if (lane == 0) __syncwarp(MASK); __syncthreads();"
    text = THREE.replace("BODY", body) + "//@ expect terminates;\n"
    assert answers(write(text.replace("MASK", "m")))[0] == "violated"
    assert answers(write(text.replace("MASK", "1")))[0] == "holds"


@pytest.mark.jvm
def test_tlc_and_alloy_find_the_same(write: Callable[..., Path]) -> None:
    from scopec.session.check import Settings, check
    from tests.test_warps import BY_CLANG

    text = THREE.replace("BODY", "r = __activemask(); if (lane == 0) __syncwarp(r);").replace(
        "<<<1, 3>>>", "<<<1, 2>>>"
    )
    text = text.replace("out[lane] = r;", "if (r == 3) __syncthreads(); out[lane] = r;")
    text += "//@ expect terminates;\n//@ expect allowed out[0] == 1 && out[1] == 2;\n"
    (outcome,) = check([write(text)], Settings(overrides=BY_CLANG, engine="both", cache=False, timeout=120))
    assert outcome.failure is None
    assert [c.verdict for report in outcome.reports for c in report.checks][:2] == ["violated", "holds"]


def test_the_example_hardware_knows_no_chance(write: Callable[..., Path]) -> None:
    text = THREE.replace("BODY", "r = __activemask();") + "//@ expect allowed out[0] == 1 under hrf0-hw;\n"
    assert "by chance" in refusal(write(text))
