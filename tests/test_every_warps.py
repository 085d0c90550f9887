"""All launches of kernels with barriers of warps: what these part, and when they count."""

from __future__ import annotations

import pytest

from tests import all_launches

ONE = "gridDim.x == 1 && blockDim.x == 32"
MANY = "gridDim.x == 1 && blockDim.x <= 1024"
_HEAD = "__shared__ int s[1024]; int t = threadIdx.x;"
_TREE = "for (int d = 16; d > 0; d /= 2) {{ int v = t + d < 32 ? s[t + d] : 0; {} s[t] += v; {} }}"
_SYNC = "__syncwarp();"


def _kernel(body: str) -> str:
    return f"#include <cooperative_groups.h>\n__global__ void k(int* a, int n) {{ {_HEAD} {body} }}"


#: Kernels of which no launch has a race, with the condition.
PROVED = {
    "neighbours in one warp": (ONE, f"s[t] = t; {_SYNC} a[t] = s[31 - t];"),
    "neighbours in each warp": (MANY, f"s[t] = t; {_SYNC} a[t] = s[t / 32 * 32];"),
    "pairs of each warp": (MANY, f"s[t] = t; {_SYNC} if ((t ^ 1) < blockDim.x) a[t] = s[t ^ 1];"),
    "a tree in one warp": (ONE, f"s[t] = t; {_SYNC} {_TREE.format(_SYNC, _SYNC)} a[t] = s[0];"),
    "the first warp alone": (MANY, f"s[t] = t; __syncthreads(); if (t < 32) {{ s[t] = 2; {_SYNC} a[t] = s[(t + 1) % 32]; }}"),
    "a tile of the warp": (ONE, "auto w = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block()); s[t] = t; w.sync(); a[t] = s[31 - t];"),
}  # fmt: skip

#: The same with one rule broken each.
NOT_PROVED = {
    "neighbours in two warps": (MANY, f"s[t] = t; {_SYNC} a[t] = s[blockDim.x - 1 - t];"),
    "the next warp": (MANY, f"s[t] = t; {_SYNC} if (t + 32 < blockDim.x) a[t] = s[t + 32];"),
    "some lanes": (ONE, "s[t] = t; __syncwarp(0xffff); a[t] = s[31 - t];"),
    "lanes that are computed": (ONE, f"s[t] = t; __syncwarp(n); {_SYNC} a[t] = s[31 - t];"),
    "a barrier that some lanes leave out": (ONE, f"s[t] = t; if (t > 3) {_SYNC} a[t] = s[31 - t];"),
    "a barrier that some lanes take for another": (ONE, f"if (t > 3) {_SYNC} s[t] = t; {_SYNC} a[t] = s[31 - t];"),
    "one that they leave out in a loop": (ONE, f"for (int i = 0; i < n + t; ++i) {_SYNC} s[t] = t; {_SYNC} a[t] = s[31 - t];"),
    "the turn before": (ONE, f"for (int i = 0; i < n; ++i) {{ s[t] = t; {_SYNC} a[t] = s[31 - t]; }}"),
    "the turn before, in a loop with a barrier of the block":
        (ONE, f"for (int i = 0; i < n; ++i) {{ s[t] = i; {_SYNC} a[t] = s[31 - t]; if (i == 0) __syncthreads(); }}"),
    "a tree without its second barrier": (ONE, f"s[t] = t; {_SYNC} {_TREE.format(_SYNC, '')} a[t] = s[0];"),
    "a smaller tile": (ONE, "auto w = cooperative_groups::tiled_partition<16>(cooperative_groups::this_thread_block()); s[t] = t; w.sync(); a[t] = s[31 - t];"),
    "a first warp of two": (MANY, f"s[t] = t; __syncthreads(); if (t < 64) {{ s[t] = 2; {_SYNC} a[t] = s[(t + 1) % 64]; }}"),
}  # fmt: skip


@pytest.mark.parametrize("name", PROVED)
@pytest.mark.sampled(1)
def test_a_barrier_of_the_warp_parts_its_lanes(tmp_path, name):
    condition, body = PROVED[name]
    assert all_launches.verdicts(tmp_path, _kernel(body), condition)["race_free"] == "holds"


@pytest.mark.parametrize("name", NOT_PROVED)
@pytest.mark.sampled(6)
def test_and_nothing_else(tmp_path, name):
    condition, body = NOT_PROVED[name]
    assert all_launches.verdicts(tmp_path, _kernel(body), condition, timeout=4.0)["race_free"] != "holds"


@pytest.mark.parametrize("name", ["neighbours in one warp", "a tree in one warp", "the first warp alone"])
@pytest.mark.sampled(1)
def test_one_launch_has_no_race_either(tmp_path, name):
    """The engine that has all numbers agrees at one size."""
    launch = "//@ object __device__ int a[64];\n//@ launch k<<<1, 32>>>(a, 2);"
    assert all_launches.races(tmp_path, _kernel(PROVED[name][1]), launch) == "holds"
