"""A kernel must not write what it loads through the read-only cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scopec.base.diagnostics import InputError
from tests import all_launches
from tests.conftest import plan_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HEAD = """\
__device__ int data[4], out[4];
__global__ void k() { %s }
__global__ void init() { data[threadIdx.x] = 1; }
int main() { init<<<1, 2>>>(); k<<<1, 2>>>(); init<<<1, 2>>>(); cudaDeviceSynchronize(); }
//@ expect race_free;
"""
OTHER = "data[threadIdx.x ^ 1]"
OWN = "data[threadIdx.x]"

WRITTEN = {
    "by another, before a barrier": f"{OWN} = 1; __syncthreads(); out[threadIdx.x] = __ldg(&{OTHER});",
    "by another, behind a barrier": f"out[threadIdx.x] = __ldg(&{OTHER}); __syncthreads(); {OWN} = 1;",
    "by the thread, before": f"{OWN} = 1; out[threadIdx.x] = __ldg(&{OWN});",
    "by the thread, in the turn before": f"for (int i = 0; i < 2; ++i) {{ out[threadIdx.x] = __ldg(&{OWN}); {OWN} = i; }}",
    "by an atomic operation": f"atomicAdd(&{OWN}, 1); __syncthreads(); out[threadIdx.x] = __ldg(&{OTHER});",
    "at an index that is read": f"{OWN} = 1; __syncthreads(); out[threadIdx.x] = __ldg(&data[out[threadIdx.x]]);",
    "of which PTX reads two": 'data[2 + threadIdx.x] = 1; __syncthreads(); int x, y; asm("ld.global.nc.v2.s32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(&data[2]));',
    "which one instruction reads for the warp": f'{OWN} = 1; __syncthreads(); int x; asm("ldu.global.s32 %0, [%1];" : "=r"(x) : "l"(&{OTHER}));',
    "through a builtin of clang": f"{OWN} = 1; __syncthreads(); out[threadIdx.x] = __nvvm_ldg_i(&{OTHER});",
}  # fmt: skip
LEFT_ALONE = {
    "nobody writes it": f"out[threadIdx.x] = __ldg(&{OTHER});",
    "others are written": "data[2 + threadIdx.x] = 1; __syncthreads(); out[threadIdx.x] = __ldg(&data[threadIdx.x]);",
    "the thread writes it afterwards": f"int x = __ldg(&{OWN}); {OWN} = x + 1;",
    "another cache": f"{OWN} = 1; __syncthreads(); out[threadIdx.x] = __ldcg(&{OTHER});",
    "an operand of the load is written": "out[threadIdx.x] = 1; out[threadIdx.x] = __ldg(&data[out[threadIdx.x]]);",
}


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.sampled(3)
def test_what_the_kernel_writes_is_not_read_only(write: Callable[..., Path], name: str) -> None:
    with pytest.raises(InputError, match="a load through the read-only cache of `data`, which line 2") as raised:
        plan_of(write(HEAD % WRITTEN[name]))
    assert {(d.code.id, d.span.line) for d in raised.value.diagnostics} == {("SCP014", 2)}


@pytest.mark.parametrize("name", LEFT_ALONE)
@pytest.mark.sampled(3)
def test_what_others_write_is(write: Callable[..., Path], name: str) -> None:
    assert plan_of(write(HEAD % LEFT_ALONE[name]))


_I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
EVERY = {
    "__global__ void k(int* a, int* b) { int i = threadIdx.x; a[i] = 1; __syncthreads(); b[i] = LOAD(&a[i ^ 1]); }": True,
    "__global__ void k(int* a, int* b) { int i = threadIdx.x; b[i] = LOAD(&a[i ^ 1]); __syncthreads(); a[i] = 1; }": True,
    f"__global__ void k(int* a, int* b) {{ {_I} int v = LOAD(&a[i]); __syncthreads(); a[i] = v + b[i]; }}": False,
}


@pytest.mark.parametrize(("text", "written"), EVERY.items())
@pytest.mark.sampled(1)
def test_in_every_launch(tmp_path: Path, text: str, written: bool) -> None:
    """No barrier makes a write visible to such a load, where it would to another."""
    one = "gridDim.x == 1 && blockDim.x % 2 == 0"
    assert all_launches.verdicts(tmp_path, text.replace("LOAD", "__ldcg"), one)["race_free"] == "holds"
    found = all_launches.verdicts(tmp_path, text.replace("LOAD", "__ldg"), one, timeout=5.0)["race_free"]
    assert found == ("unknown" if written else "holds")
