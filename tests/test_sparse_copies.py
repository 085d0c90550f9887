"""Elements that only asynchronous copies of many elements access: the same verdicts as with all elements."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from scopec.frontends.clang.machine import sparse
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides, plan
from tests.samples import programs

COUNT = programs(12, 300)
WIDTH, BOX = 8, 4
PRELUDE = """
#include <cstdint>
#include <cuda.h>
#include <cuda_runtime.h>
__device__ uint32_t at(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ void expect(uint64_t* bar, uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(bar)), "r"(bytes) : "memory");
}
__device__ void wait(uint64_t* bar, uint32_t parity) {
    asm volatile("{\\n.reg .pred p;\\nagain: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\\n@!p bra again;\\n}"
                 ::"r"(at(bar)), "r"(parity) : "memory");
}
__device__ void load(void* to, const void* from, uint64_t* bar, int bytes) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %3, [%2];"
                 ::"r"(at(to)), "l"(from), "r"(at(bar)), "r"(bytes) : "memory");
}
__device__ void load_box(void* to, const CUtensorMap* map, uint64_t* bar, int x, int y) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];"
                 ::"r"(at(to)), "l"((uint64_t)map), "r"(at(bar)), "r"(x), "r"(y) : "memory");
}
__device__ void store(void* to, const void* from, int bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(at(from)), "r"(bytes) : "memory");
}
__device__ void store_box(const void* from, const CUtensorMap* map, int x, int y) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];"
                 ::"l"((uint64_t)map), "r"(at(from)), "r"(x), "r"(y) : "memory");
}
struct Shared { alignas(128) int a[64]; alignas(128) int b[64]; uint64_t bar[2]; };
__global__ void k(const __grid_constant__ CUtensorMap map, int* g, int* h) {
    __shared__ alignas(128) Shared s;
    if (threadIdx.x == 0)
        for (int n = 0; n < 2; n++) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(&s.bar[n])) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    __syncthreads();
    BODY
}
int main() {
    int *g, *h;
    cudaMalloc(&g, 64 * sizeof(int));
    cudaMalloc(&h, 64 * sizeof(int));
    CUtensorMap m;
    cuuint64_t extents[] = {8, 8}, strides[] = {8 * sizeof(int)};
    cuuint32_t box[] = {4, 4}, steps[] = {1, 1};
    cuTensorMapEncodeTiled(&m, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, g, extents, strides, box, steps,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    k<<<1, 2>>>(m, g, h);
    cudaDeviceSynchronize();
}
//@ expect race_free;
"""
PROXY = 'asm volatile("fence.proxy.async;" ::: "memory");'
COMMIT = 'asm volatile("cp.async.bulk.commit_group;" ::: "memory");'
DRAIN = 'asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");'


def loads(chance: Random, bar: int) -> str:
    """Loads of runs and boxes by thread 0, which complete a phase."""
    lines, size = [], 0
    for _ in range(chance.randint(1, 2)):
        array = chance.choice("ab")
        if chance.random() < 0.5:
            count, x, y = chance.randrange(4, 33, 4), chance.randrange(0, 32, 4), chance.randrange(0, 32, 4)
            lines.append(f"load(&s.{array}[{x}], &{chance.choice('gh')}[{y}], &s.bar[{bar}], {4 * count});")
            size += 4 * count
        else:
            x, y = chance.randrange(WIDTH - BOX + 1), chance.randrange(WIDTH - BOX + 1)
            lines.append(f"load_box(&s.{array}[{chance.choice((0, 32))}], &map, &s.bar[{bar}], {x}, {y});")
            size += 4 * BOX * BOX
    return f"if (threadIdx.x == 0) {{ expect(&s.bar[{bar}], {size}); {' '.join(lines)} }}"


def stores(chance: Random) -> str:
    array = chance.choice("ab")
    if chance.random() < 0.5:
        count, x, y = chance.randrange(4, 33, 4), chance.randrange(0, 32, 4), chance.randrange(0, 32, 4)
        one = f"store(&{chance.choice('gh')}[{x}], &s.{array}[{y}], {4 * count});"
    else:
        x, y = chance.randrange(WIDTH - BOX + 1), chance.randrange(WIDTH - BOX + 1)
        one = f"store_box(&s.{array}[{chance.choice((0, 32))}], &map, {x}, {y});"
    return f"if (threadIdx.x == {chance.randrange(2)}) {{ {one} {COMMIT} {DRAIN if chance.random() < 0.7 else ''} }}"


def access(chance: Random) -> str:
    of = chance.choice(("s.a", "s.b", "g", "h"))
    index = chance.choice(("3", "17", "40", "63", "threadIdx.x", "threadIdx.x + 30"))
    return f"{of}[{index}] = 1;" if chance.random() < 0.4 else f"(void)*(volatile int*)&{of}[{index}];"


def body(chance: Random) -> str:
    """Two phases of copies, accesses, and what may or may not stand between them."""
    lines = []
    for bar in range(chance.randint(1, 2)):
        lines.append(loads(chance, bar))
        if chance.random() < 0.8:
            lines.append(f"wait(&s.bar[{bar}], 0);")
        for _ in range(chance.randint(0, 2)):
            lines.append(access(chance))
        if chance.random() < 0.7:
            lines.append(f"{PROXY} __syncthreads();")
        if chance.random() < 0.6:
            lines.append(stores(chance))
        if chance.random() < 0.6:
            lines.append(f"{PROXY} __syncthreads();")
    return "\n    ".join(lines)


def verdict(path: Path, *without: str) -> str:
    settings = Settings(overrides=Overrides(without=frozenset(without)), engine="embedded")
    (outcome,) = check([path], settings)
    assert not [one for one in outcome.diagnostics if one.severity == "error"], outcome.diagnostics
    (found,) = (one.verdict for one in outcome.reports[0].checks if one.expectation.kind == "race_free")
    return found


@pytest.mark.parametrize("seed", range(COUNT))
@pytest.mark.sampled(4)
def test_random_copies_have_the_same_verdict(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = PRELUDE.replace("BODY", body(Random(seed)))
    path = tmp_path / "copies.cu"
    path.write_text(text)
    whole = verdict(path, "sparse")
    monkeypatch.setattr(sparse, "MOST_EACH", 1)
    (run,) = plan(path, path.name, Overrides()).runs
    assert any(one.left_out for one in run.program.objects.values())
    assert verdict(path) == whole, text


@pytest.mark.parametrize(("row", "found"), [(2, "violated"), (4, "holds")])
def test_each_class_of_elements_has_one(row: int, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two boxes meet in elements of which none is the first of a box."""
    copies = f"load_box(&s.a[0], &map, &s.bar[0], 2, 0); store_box(&s.b[0], &map, 0, {row}); {COMMIT} {DRAIN}"
    path = tmp_path / "copies.cu"
    path.write_text(
        PRELUDE.replace("BODY", f"if (threadIdx.x == 0) {{ expect(&s.bar[0], 64); {copies} wait(&s.bar[0], 0); }}")
    )
    monkeypatch.setattr(sparse, "MOST_EACH", 1)
    assert verdict(path) == found


MATRIX = """
#include <cstdint>
__device__ uint64_t at(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ void multiply(const void* a) {
    float d[4] = {};
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %9, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, p, 1, 1, 0; }"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(0), "r"(0), "r"(0), "r"(0),
                   "l"((at(a) & 0x3FFFF) >> 4 | 8ull << 16 | 64ull << 32), "r"(1));
}
alignas(16) __device__ uint64_t from[256];
__global__ void k() {
    alignas(1024) __shared__ uint64_t m[256];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"((uint32_t)at(&bar)) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((uint32_t)at(&bar)), "r"(8 * COUNT));
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %3, [%2];"
                     ::"r"((uint32_t)at(m + FIRST)), "l"(from), "r"((uint32_t)at(&bar)), "r"(8 * COUNT) : "memory");
    }
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    multiply(m + 64);
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
    asm volatile("{\\n.reg .pred p;\\nagain: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\\n@!p bra again;\\n}"
                 ::"r"((uint32_t)at(&bar)) : "memory");
}
//@ launch k<<<1, 128>>>();
//@ expect race_free;
"""


@pytest.mark.parametrize(("first", "count", "races"), [(0, 66, True), (80, 40, True), (96, 4, False), (0, 64, False)])
@pytest.mark.sampled(4)
def test_a_matrix_and_a_copy_meet_where_they_overlap(
    first: int, count: int, races: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A matrix of 8 columns of 32 bytes is 32 numbers from the 64th on."""
    path = tmp_path / "matrix.cu"
    path.write_text(MATRIX.replace("FIRST", str(first)).replace("COUNT", str(count)))
    monkeypatch.setattr(sparse, "MOST_EACH", 1)
    assert verdict(path) == ("violated" if races else "holds")
