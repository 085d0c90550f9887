"""Guesses in which no two threads come near each other, and what brings them together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.guesses import asked, directives

if TYPE_CHECKING:
    from pathlib import Path

_NEIGHBOURS = """\
__global__ void relax(const int* to, const int* on, int* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && on[i] > 0) x[i] = x[to[i]] + 1;
}
"""
_TO = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15"
_IN_FOURS = """\
__global__ void sums(const int* in, int* out, int n) {
    extern __shared__ int kept[];
    int each = blockDim.x / 4 * 4, i = blockIdx.x * each + threadIdx.x;
    if (threadIdx.x >= each || i >= n) return;
    kept[threadIdx.x] = in[i];
    __syncwarp();
    out[i] = kept[threadIdx.x / 4 * 4] + kept[threadIdx.x / 4 * 4 + 1];
}
"""
_ROWS = """\
static const int InABlock = 8;
__global__ void rows(int* x, int n) {
    int i = threadIdx.x + blockIdx.x * InABlock;
    if (i < n) x[i] = x[i + 1];
}
void host(int* x, int n, int grid) { rows<<<grid, InABlock>>>(x, n); }
"""


def verdicts(found: dict[str, object]) -> dict[str, tuple[str, list[str]]]:
    """The verdicts of a file's one program, with the objects on whose contents they rest."""
    (program,) = found["programs"]  # type: ignore[misc]
    return {c["kind"]: (c["verdict"], sorted(c["content"])) for c in program["checks"]}


def test_arrays_that_decide_where_threads_go_are_filled(tmp_path: Path) -> None:
    """With zeros no thread does anything; the second array is read only when the first one has something."""
    found = asked(_NEIGHBOURS, tmp_path)
    assert found["status"] == 1
    assert directives(_NEIGHBOURS, tmp_path)[0][:-1] == [
        f"object __device__ int to[16] = {{{_TO}}}, on[16] = {{{_TO}}}, x[16];"
    ]
    assert verdicts(found)["race_free"] == ("violated", ["on", "to"])


def test_what_threads_do_without_contents_needs_none(tmp_path: Path) -> None:
    text = _NEIGHBOURS.replace("on[i] > 0", "on[i] == 0")
    assert "object __device__ int to[16], on[16], x[16];" in directives(text, tmp_path)[0]


def test_a_hang_by_contents_of_a_guess_is_not_one_of_the_kernel(tmp_path: Path) -> None:
    """A graph that is none, as a number of an edge leads to no node: the kernel waits for one that nobody works on."""
    text = """\
__global__ void settle(const int* to, volatile int* state, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || to[i] == 0 || state[i] == 0) return;
    while (state[to[i]] > state[i]) ;
    state[i] = 0;
}
"""
    found = asked(text, tmp_path)
    (program,) = found["programs"]  # type: ignore[misc]
    (hang,) = (c for c in program["checks"] if c["kind"] == "terminates")
    assert (hang["verdict"], hang["reason"]) == (
        "unknown",
        "some execution never ends with the contents that were guessed for `state`, `to`: write those that the host "
        "gives them",
    )


@pytest.mark.parametrize(("sync", "verdict"), [("__syncwarp();", "holds"), ("", "violated")])
def test_a_kernel_that_shares_is_tried_with_two_warps(sync: str, verdict: str, tmp_path: Path) -> None:
    """Blocks of two threads have no row of four."""
    text = _IN_FOURS.replace("__syncwarp();", sync)
    assert directives(text, tmp_path)[0][-1].startswith("launch sums<<<2, 64, 4096>>>(in, out, ")
    assert verdicts(asked(text, tmp_path))["race_free"] == (verdict, [])


def test_a_kernel_that_counts_on_its_block_is_tried_with_it(tmp_path: Path) -> None:
    """With two threads a block all but two threads are beyond the end."""
    text = _ROWS.replace("x[i] = x[i + 1]", "x[i] = x[i ^ 2]")
    assert directives(text, tmp_path)[0][-1] == "launch rows<<<2, 8>>>(x, 4);"
    assert verdicts(asked(text, tmp_path))["race_free"] == ("violated", [])


def test_a_kernel_of_tiles_is_tried_with_a_warp(tmp_path: Path) -> None:
    text = """\
#include <cooperative_groups.h>
__global__ void k(int* a) {
    auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
    a[threadIdx.x] = tile.shfl_xor(a[threadIdx.x], 16);
}
"""
    assert directives(text, tmp_path)[0][-1] == "launch k<<<1, 32>>>(a);"
