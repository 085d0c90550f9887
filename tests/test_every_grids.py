"""All launches of kernels with barriers of the grid: what these part in two blocks, and when they count."""

from __future__ import annotations

import pytest

from tests import all_launches

_HEAD = "#include <cooperative_groups.h>\n__global__ void k(int* a, int* b, int n) { auto g = cooperative_groups::this_grid(); int i = blockIdx.x * blockDim.x + threadIdx.x; int m = gridDim.x * blockDim.x; "
_LOOP = "for (int j = 0; j < n; ++j) {{ b[i] = a[m - 1 - i]; {} a[i] = b[i] + 1; {} }}"
_SYNC = "g.sync();"

#: Kernels of which no launch has a race.
PROVED = {
    "neighbours": f"a[i] = i; {_SYNC} b[i] = a[m - 1 - i];",
    "steps": _LOOP.format(_SYNC, _SYNC),
    "loops in a loop": f"for (int j = 0; j < n; ++j) for (int l = 0; l < 3 * n; ++l) {{ b[i] = a[m - 1 - i]; {_SYNC} a[i] = b[i] + 1; {_SYNC} }}",
    "two buffers": f"for (int j = 0; j < n; ++j) {{ a[j % 2 * m + i] = a[(j + 1) % 2 * m + m - 1 - i]; {_SYNC} }}",
    "where all decide alike": f"if (n > 3) {{ a[i] = i; {_SYNC} b[i] = a[m - 1 - i]; }}",
    "one of the block beside it": f"a[i] = i; {_SYNC} b[i] = a[m - 1 - i]; __syncthreads(); b[i] = 2;",
}  # fmt: skip

#: The same with one rule broken each.
NOT_PROVED = {
    "of the block alone": "a[i] = i; __syncthreads(); b[i] = a[m - 1 - i];",
    "steps with a barrier of the block": _LOOP.format("__syncthreads();", _SYNC),
    "the turn before": _LOOP.format(_SYNC, ""),
    "left out by some blocks": f"a[i] = i; if (blockIdx.x > 1) {_SYNC} b[i] = a[m - 1 - i];",
    "taken for another by some blocks": f"if (blockIdx.x > 1) {_SYNC} a[i] = i; {_SYNC} b[i] = a[m - 1 - i];",
    "more turns in some blocks": f"for (int j = 0; j < blockIdx.x; ++j) {_SYNC} a[i] = i; {_SYNC} b[i] = a[m - 1 - i];",
    "steps of which blocks have their own number": _LOOP.replace("j < n", "j < blockIdx.x").format(_SYNC, _SYNC),
    "more turns in some blocks, one at least": f"int j = 0; do {{ {_SYNC} }} while (++j < blockIdx.x); a[i] = i; {_SYNC} b[i] = a[m - 1 - i];",
    "of the block, behind one of the grid": f"{_SYNC} a[i] = i; __syncthreads(); b[i] = a[m - 1 - i];",
    "two turns on": f"{_SYNC} for (int j = 0; j < n; ++j) {{ __syncthreads(); if (j == 0) a[i] = j; if (j == 2) b[i] = a[m - 1 - i]; }}",
    "another turn of the outer loop": f"for (int j = 0; j < n; ++j) {{ for (int l = 0; l < n; ++l) {{ b[i] = a[m - 1 - i]; {_SYNC} }} a[i] = j; }}",
    "threads that have left": f"if (i >= n) return; a[i] = i; {_SYNC} b[i] = a[m - 1 - i];",
    "where each block decides": f"if (b[blockIdx.x] > 3) {{ a[i] = i; {_SYNC} b[i] = a[m - 1 - i]; }}",
}  # fmt: skip


@pytest.mark.parametrize("name", PROVED)
@pytest.mark.sampled(1)
def test_a_barrier_of_the_grid_parts_blocks(tmp_path, name):
    assert all_launches.verdicts(tmp_path, f"{_HEAD}{PROVED[name]} }}")["race_free"] == "holds"


@pytest.mark.parametrize("name", NOT_PROVED)
@pytest.mark.sampled(6)
def test_and_nothing_else(tmp_path, name):
    assert all_launches.verdicts(tmp_path, f"{_HEAD}{NOT_PROVED[name]} }}", timeout=5.0)["race_free"] != "holds"


@pytest.mark.parametrize(
    ("name", "verdict"), [(PROVED["steps"], "holds"), (NOT_PROVED["left out by some blocks"], "unknown")]
)
@pytest.mark.sampled(1)
def test_all_blocks_come_to_it(tmp_path, name, verdict):
    assert all_launches.verdicts(tmp_path, f"{_HEAD}{name} }}", timeout=8.0)["uniform"] == verdict


@pytest.mark.parametrize("name", ["neighbours", "steps", "one of the block beside it"])
@pytest.mark.sampled(2)
def test_one_launch_has_no_race_either(tmp_path, name):
    """The engine that has all numbers agrees at one size."""
    launch = (
        "//@ object __device__ int a[4];\n//@ object __device__ int b[4];\n//@ launch cooperative k<<<2, 2>>>(a, b, 2);"
    )
    assert all_launches.races(tmp_path, f"{_HEAD}{PROVED[name]} }}", launch) == "holds"
