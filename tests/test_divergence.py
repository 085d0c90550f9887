"""Barriers that not every thread can reach, or not equally often, get a warning, whatever is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scopec.base.diagnostics import InputError
from tests.conftest import plan_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HEAD = "#include <cooperative_groups.h>\n__device__ int x;\n"


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("kernel", "said"),
    [
        ("if (threadIdx.x == 0) __syncthreads();", "k[0][0] can reach this __syncthreads, k[0][1] cannot"),
        ("if (threadIdx.x == 1) return; __syncthreads();", "k[0][0] can reach this __syncthreads, k[0][1] cannot"),
        ("if (threadIdx.x == 0) { x = 1; __syncthreads(); } else __syncthreads();", "k[0][0] can reach"),
        (
            "int i = threadIdx.x; if (i < 1) { x = i; __syncthreads(); }",
            "k[0][0] can reach this __syncthreads, k[0][1] cannot",
        ),
        ("int i = threadIdx.x; while (x) { if (i < 1) __syncthreads(); }", "k[0][0] can reach this __syncthreads"),
        ("if (blockIdx.x == 0) cooperative_groups::this_grid().sync();", "k[1][0] cannot"),
    ],
)
def test_a_barrier_that_depends_on_the_thread(kernel: str, said: str, write) -> None:  # type: ignore[no-untyped-def]
    text = f"{HEAD}__global__ void k() {{ {kernel} }}\n//@ launch k<<<2, 2>>>();\n//@ expect "
    if "grid" in kernel:
        launch = "cudaLaunchCooperativeKernel((void*)k, dim3(2), dim3(2), nullptr, 0, 0); cudaDeviceSynchronize();"
        text = f"{HEAD}__global__ void k() {{ {kernel} }}\nint main() {{ {launch} }}\n//@ expect "
    warnings = plan_of(write(text + "terminates;")).warnings
    assert warnings
    assert {w.code.id for w in warnings} == {"SCP042"}
    assert any(said in w.message for w in warnings)
    assert all(w.span.line == 3 for w in warnings)
    assert plan_of(write(text + "race_free;")).warnings == plan_of(write(text + "may_hang;")).warnings == warnings


GRID = (
    HEAD
    + """
__global__ void k() { auto all = cooperative_groups::this_grid(); SYNC x = 1; }
int main() { LAUNCH; cudaDeviceSynchronize(); }
//@ expect race_free;
"""
)


def test_a_grid_that_cannot_synchronise(write: Callable[..., Path]) -> None:
    """`all.sync()` needs a cooperative launch, which `is_valid` tells."""
    plain, together = "k<<<1, 1>>>()", "cudaLaunchCooperativeKernel((void*)k, dim3(1), dim3(1), nullptr, 0, 0)"
    bare = write(GRID.replace("SYNC", "all.sync();").replace("LAUNCH", plain))
    with pytest.raises(InputError, match="a barrier of the grid in a launch that is not cooperative") as raised:
        plan_of(bare)
    assert [(d.code.id, d.span.line) for d in raised.value.diagnostics] == [("SCP026", 4)]
    for known, launch in (("all.is_valid()", plain), ("!all.is_valid()", together)):
        plan_of(write(GRID.replace("SYNC", f"if ({known}) __syncwarp(2);").replace("LAUNCH", launch)))


LOOPS = (
    HEAD
    + """
__shared__ int s[4];
__device__ int a[8], o[8];
__global__ void k(int n) { BODY }
//@ launch k<<<2, 4>>>(COUNT);
//@ expect race_free;
"""
)
STRIDED = "for (int i = threadIdx.x; i < n; i += blockDim.x) __syncthreads();"
READS = """for (int i = threadIdx.x; i < n; i += blockDim.x) {
    if (a[i] > 3) s[threadIdx.x] = a[i]; else if (a[i] == 0) s[threadIdx.x] = 7;
    __syncthreads();
    o[i] = s[threadIdx.x]; }"""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("body", [STRIDED, READS, "int i = threadIdx.x; while (i < n) { __syncthreads(); i += 4; }"])
def test_a_barrier_that_threads_come_to_a_different_number_of_times(body: str, write) -> None:  # type: ignore[no-untyped-def]
    text = LOOPS.replace("BODY", body)
    (warning,) = plan_of(write(text.replace("COUNT", "6"))).warnings
    assert warning.code.id == "SCP042"
    assert "k[0][0] comes to this __syncthreads twice, k[0][3] once" in warning.message
    assert plan_of(write(text.replace("COUNT", "8"))).warnings == ()
    (warning,) = plan_of(write(text.replace("COUNT", "2"))).warnings
    assert "can reach this __syncthreads, k[0][" in warning.message or "never" in warning.message


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < n; i++) __syncthreads();",
        "for (int i = blockIdx.x; i < n; i += gridDim.x) __syncthreads();",  # blocks differ, not their threads
        "for (int i = threadIdx.x; i < a[0]; i += 4) __syncthreads();",  # who knows how often
        "for (int i = threadIdx.x; i < n; i += 4) { if (a[i]) break; __syncthreads(); }",  # nor here
        "for (int i = threadIdx.x; i < n; i += 4) __syncwarp();",  # a warp's has a mask
    ],
)
@pytest.mark.sampled(3)
def test_threads_that_may_come_equally_often(body: str, write) -> None:  # type: ignore[no-untyped-def]
    assert plan_of(write(LOOPS.replace("BODY", body).replace("COUNT", "6"))).warnings == ()


@pytest.mark.parametrize(
    "kernel",
    [
        "__syncthreads();",
        "if (blockIdx.x == 0) __syncthreads();",
        "if (threadIdx.x < 1) __syncwarp(1);",
        "if (x) __syncthreads();",
    ],
)
def test_other_barriers(kernel: str, write) -> None:  # type: ignore[no-untyped-def]
    text = f"{HEAD}__global__ void k() {{ {kernel} }}\n//@ launch k<<<2, 2>>>();\n//@ expect terminates;"
    assert plan_of(write(text)).warnings == ()
