"""Barriers that not every thread can reach get a warning, where progress is asked."""

from __future__ import annotations

import pytest

from tests.conftest import plan_of

HEAD = "#include <cooperative_groups.h>\n__device__ int x;\n"


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
    assert plan_of(write(text + "race_free;")).warnings == plan_of(write(text + "may_hang;")).warnings == ()


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
