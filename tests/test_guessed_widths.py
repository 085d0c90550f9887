"""A guess of more threads than two in a block, for races that two threads alone do not have."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.guesses import asked

SCAN = """\
__global__ void scan(int* out, const int* in) {
    extern __shared__ int sums[];
    int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        int before = t >= d ? sums[t - d] : 0;
        BARRIER
        if (t >= d) sums[t] += before;
        __syncthreads();
    }
    out[t] = sums[t];
}
"""


def test_a_race_by_way_of_a_third_thread_is_found(tmp_path: Path) -> None:
    """Of two threads the first only reads: the barrier may lack."""
    for barrier, status, threads in (("", 1, 4), ("__syncthreads();", 0, 2)):
        found = asked(SCAN.replace("BARRIER", barrier), tmp_path)
        assert found["status"] == status
        (program,) = found["programs"]  # type: ignore[misc]
        assert program["directives"][-1] == f"launch scan<<<1, {threads}, 4096>>>(out, in);"


#: In a block of four, two threads have one element, in one of eight or two each has its own.
OF_EIGHT = """\
__global__ void __launch_bounds__(8) k(int* out) {
    __shared__ int s[8];
    s[blockDim.x == FOUR ? threadIdx.x / 2 : threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[0];
}
"""


@pytest.mark.parametrize(("four", "status"), [("4", 0), ("4 || blockDim.x == 8", 1)])
def test_not_where_the_files_own_block_has_none(four: str, status: int, tmp_path: Path) -> None:
    assert asked(OF_EIGHT.replace("FOUR", four), tmp_path)["status"] == status


def test_a_race_outside_of_shared_memory_may_be_one_of_rows(tmp_path: Path) -> None:
    """Rows of two, which the number says, overlap for four threads, and the kernel may be made for no such block."""
    text = """\
__global__ void k(int* a) {
    __shared__ int s[4];
    s[threadIdx.x] = 0;
    __syncthreads();
    a[threadIdx.x % 2 + 2 * blockIdx.x] = s[0];
}
"""
    assert asked(text, tmp_path)["status"] == 0
