"""Bytes of shared memory that a program gives types to: what lies there, and answers about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.frontends.clang.llvm.debug import Leaf
from scopec.frontends.clang.machine.memory import Kind, Layout, Part
from scopec.frontends.clang.machine.untyped import Untyped
from scopec.program import ir
from scopec.program.types import INT, IntType
from scopec.session.check import Settings, check

BYTE = IntType("char", 8, signed=True)


def _typed(*parts: Part, views: tuple[tuple[int, tuple[Leaf, ...]], ...] = (), text: str = "") -> list[str]:
    """The numbers of 32 bytes, as NAME: how many of how many bytes."""
    untyped, bytes_ = Untyped(), Layout("k[0].smem", (Leaf("[]", 0, BYTE, extents=((32, 1),)),))
    assert untyped.typed(bytes_, ir.Storage.SHARED, text) == bytes_
    for at, leaves in views:
        untyped.points("k[0].smem", at, leaves)
    for part in parts:
        assert untyped.found("k[1].smem", *part) == (not text)
        assert not untyped.found("k[0].smem", *part)
    found = untyped.typed(bytes_, ir.Storage.SHARED, text).leaves
    return [f"{leaf.path}: {leaf.extents[0][0] if leaf.extents else 1} of {leaf.type.size}" for leaf in found]


def test_accesses_say_what_bytes_are() -> None:
    assert _typed() == ["[]: 32 of 1"]
    assert _typed((8, 4, None)) == ["[]: 8 of 4"]
    assert _typed((8, 4, None), (16, 8, None), (24, 8, None)) == ["+0[]: 4 of 4", "+16[]: 2 of 8"]
    # What overlaps is of as many numbers of one width; a misaligned access narrows it.
    assert _typed((0, 8, None), (4, 4, None), (8, 8, None)) == ["+0[]: 2 of 4", "+8[]: 3 of 8"]
    assert _typed((0, 4, None), (2, 4, None)) == ["[]: 16 of 2"]
    assert _typed((0, 4, None), (1, 1, None)) == ["[]: 32 of 1"]
    # Numbers of another kind are others, if they do not overlap.
    assert _typed((0, 4, Kind.FLOAT), (16, 4, None)) == ["+0[]: 4 of 4", "+16[]: 4 of 4"]
    assert _typed((0, 4, Kind.FLOAT), (0, 4, None)) == ["[]: 8 of 4"]
    # No byte is left out, however they are aligned.
    assert _typed((2, 4, None), (9, 4, None)) == [
        "+0[]: 2 of 1",
        "+2[]: 1 of 4",
        "+6[]: 3 of 1",
        "+9[]: 5 of 4",
        "+29[]: 3 of 1",
    ]


def test_pointers_to_classes_say_what_bytes_are() -> None:
    pair = (Leaf(".a[]", 0, INT, extents=((2, 4),)), Leaf(".b", 8, INT))
    assert _typed((0, 4, None), views=((0, pair),)) == [".a[]: 2 of 4", ".b: 1 of 4", "+12[]: 20 of 1"]
    assert _typed((4, 4, None), (16, 8, None), views=((4, pair),)) == [
        "+0[]: 4 of 1", "+4.a[]: 2 of 4", "+4.b: 1 of 4", "+16[]: 2 of 8",
    ]  # fmt: skip
    # What an access cuts, and what does not fit, is none of them.
    assert _typed((0, 1, None), views=((0, pair),)) == ["+0[]: 8 of 1", ".b: 1 of 4", "+12[]: 20 of 1"]
    assert _typed((0, 4, None), views=((28, pair),)) == ["[]: 8 of 4"]


def test_a_directive_that_names_bytes_counts_them() -> None:
    assert _typed((0, 4, None), text="//@ expect race on smem[4];") == ["[]: 32 of 1"]


HEAD = """#include <cuda/ptx>
namespace ptx = cuda::ptx;
struct Storage { alignas(128) int tile[2][32]; alignas(8) std::uint64_t full[2]; };
__device__ alignas(16) int in[32], out[32];
__device__ void wait(std::uint64_t* b, unsigned parity) { while (!ptx::mbarrier_try_wait_parity(b, parity)) {} }
__device__ void load(void* to, std::uint64_t* bar) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, bar, 128);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, in, 128, bar);
}
__device__ void store(const void* from) {
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, from, 128);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
    }
}
"""
KERNELS = {
    "a class": """
__global__ void k() {
    extern __shared__ char smem[];
    Storage& s = *reinterpret_cast<Storage*>(smem);
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&s.full[0], 1);
        load(s.tile[1], &s.full[0]);
    }
    __syncthreads();
    wait(&s.full[0], 0);
    out[threadIdx.x] = s.tile[1][threadIdx.x];
}
//@ launch k<<<1, 32, sizeof(Storage)>>>();
""",
    "offsets": """
__global__ void k() {
    extern __shared__ unsigned char smem[];
    float* a = (float*)smem;
    int* b = (int*)(smem + 128);
    a[threadIdx.x] = 1;
    __syncthreads();
    b[threadIdx.x] = 3 + 0 * (a[31 - threadIdx.x] > 0);
    if (b[threadIdx.x] != 3) out[0] = 1;
    store(b);
}
//@ launch k<<<1, 32, 512>>>();
""",
    "copies alone": """
__global__ void k() {
    extern __shared__ __align__(128) unsigned char smem[];
    auto* bar = reinterpret_cast<std::uint64_t*>(smem + 256);
    if (threadIdx.x != 0) return;
    ptx::mbarrier_init(bar, 1);
    load(smem, bar);
    wait(bar, 0);
    store(smem);
}
//@ launch k<<<1, 1, 512>>>();
""",
    "a part": """
__global__ void k() {
    __shared__ char smem[64];
    if (threadIdx.x == 0) *(int*)smem = 1;
    else smem[4] = 1;
}
//@ launch k<<<1, 2>>>();
""",
}  # fmt: skip
#: A mistake of each kernel, which makes a race.
WRONG = {
    "a class": ("    wait(&s.full[0], 0);\n", ""),
    "offsets": ("    __syncthreads();\n    b", "    b"),
    "copies alone": ("    wait(bar, 0);\n", ""),
    "a part": ("smem[4]", "smem[3]"),
}


def _race_free(text: str, tmp_path: Path) -> str:
    path = tmp_path / "bytes.cu"
    path.write_text(f"{HEAD}{text}//@ expect race_free;\n")
    (outcome,) = check([path], Settings(engine="embedded"))
    assert not outcome.diagnostics
    (found,) = (c for c in outcome.reports[0].checks if not c.expectation.implicit)
    return found.verdict


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.sampled(1)
def test_bytes_are_numbers(name: str, tmp_path: Path) -> None:
    assert _race_free(KERNELS[name], tmp_path) == "holds"


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.sampled(3)
def test_races_on_bytes_are_found(name: str, tmp_path: Path) -> None:
    old, new = WRONG[name]
    assert old in KERNELS[name]
    assert _race_free(KERNELS[name].replace(old, new), tmp_path) == "violated"


#: Numbers of one type, whose index leads among those of another one behind them.
LEADING = """
__device__ int index[] = {0, 16}, out;
__global__ void k() {
    __shared__ char smem[256];
    int* a = (int*)smem;
    short* b = (short*)(smem + 64);
    if (threadIdx.x == 0) a[index[1]] = 1;
    BETWEEN
    b[threadIdx.x] = 2;
}
//@ launch k<<<1, 2>>>();
"""


def _verdicts(text: str, tmp_path: Path) -> dict[str, str]:
    path = tmp_path / "leading.cu"
    path.write_text(f"{text}//@ expect race_free;\n//@ expect terminates;\n")
    (outcome,) = check([path], Settings(engine="embedded"))
    return {"faults" if c.expectation.implicit else c.expectation.text: c.verdict for c in outcome.reports[0].checks}


@pytest.mark.parametrize("between", ["", "__syncthreads();"])
def test_an_index_that_leads_among_other_numbers_is_not_decided(between: str, tmp_path: Path) -> None:
    """That is no mistake where a barrier is between, and a race where none is."""
    found = _verdicts(LEADING.replace("BETWEEN", between), tmp_path)
    assert found == {"race_free": "unknown", "terminates": "unknown", "faults": "unknown"}


def test_an_index_that_stays_among_its_numbers_is_decided(tmp_path: Path) -> None:
    found = _verdicts(LEADING.replace("BETWEEN", "").replace("index[1]", "index[0]"), tmp_path)
    assert set(found.values()) == {"holds"}


def test_a_race_stays_one_where_an_index_leads_elsewhere(tmp_path: Path) -> None:
    found = _verdicts(LEADING.replace("BETWEEN", "").replace("if (", "out = threadIdx.x; if ("), tmp_path)
    assert found["race_free"] == "violated"
