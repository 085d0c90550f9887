"""Copies of tensors: what each spelling is in the program, which places a box has, and what is refused."""

from __future__ import annotations

import re

import pytest

from scopec.base.diagnostics import Code, InputError
from scopec.frontends.clang.machine import sparse
from scopec.program import ir
from scopec.program.show import words
from tests.conftest import program_of

TEXT = """#include <cuda.h>
#include <cuda/barrier>
namespace ptx = cuda::ptx;
namespace experimental = cuda::device::experimental;
__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ alignas(16) int tensor[2][4][8];
int number() { static volatile int one = 1; return one; }
__global__ void k(const __grid_constant__ CUtensorMap map, int n) {
    __shared__ uint64_t bar;
    __shared__ cuda::barrier<cuda::thread_scope_block> object;
    __shared__ alignas(128) int s[16];
    __shared__ alignas(16) int odd[16];
    const int c[] = {X, Y, Z};
    CODE
}
int main() {
    void* base;
    cudaGetSymbolAddress(&base, tensor);
    CUtensorMap map;
    cuuint64_t extents[] = {8, 4, 2}, strides[] = {32, 128};
    cuuint32_t box[] = {4, 2, 1}, steps[] = {1, 1, STEP};
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 3, base, extents, strides, box, steps,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, SWIZZLE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    LAUNCH
    cudaDeviceSynchronize();
}
"""
PLAIN = {
    "X": "4",
    "Y": "1",
    "Z": "1",
    "STEP": "1",
    "SWIZZLE": "CU_TENSOR_MAP_SWIZZLE_NONE",
    "LAUNCH": "k<<<1, 1>>>(map, 1);",
}
_TILE = "cp.async.bulk.tensor.3d"
_DONE = "mbarrier::complete_tx::bytes"
GIVEN = '"r"(at(s)), "l"(&map), "r"(at(&bar)), "r"(X), "r"(Y), "r"(Z)'
LOADS = [
    f'asm volatile("{_TILE}.shared::cluster.global.{_DONE} [%0], [%1, {{%3, %4, %5}}], [%2];" :: {GIVEN} : "memory");',
    f'asm volatile("{_TILE}.shared::cta.global.tile.{_DONE}.L2::cache_hint [%0], [%1, {{%3, %4, %5}}], [%2], 0;" :: {GIVEN});',
    "ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s, &map, c, &bar);",
    "ptx::cp_async_bulk_tensor(ptx::space_shared, ptx::space_global, s, &map, c, &bar);",
    "experimental::cp_async_bulk_tensor_3d_global_to_shared(s, &map, X, Y, Z, object);",
]
STORES = [
    f'asm volatile("{_TILE}.global.shared::cta.bulk_group [%1, {{%3, %4, %5}}], [%0];" :: {GIVEN} : "memory");',
    "ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, c, s);",
    "experimental::cp_async_bulk_tensor_3d_shared_to_global(&map, X, Y, Z, s);",
]
#: The elements of the box at 4, 1, 1, row by row.
BOX = [32 + 8 * row + column for row in (1, 2) for column in range(4, 8)]


def done(code: str, **change: str) -> list[ir.Operation]:
    """What the thread of the kernel does."""
    text = TEXT.replace("CODE", code)
    for name, value in {**PLAIN, **change}.items():
        text = re.sub(rf"\b{name}\b", value, text)
    body = program_of(text, reader="clang").grids["k"].body
    return [node.operation for node in body.nodes.values() if isinstance(node, ir.Do)]


def places(operations: list[ir.Operation], kind: type[ir.Load | ir.Store]) -> list[tuple[str, int]]:
    return [(o.place.object, o.place.index.value) for o in operations if isinstance(o, kind)]  # type: ignore[union-attr]


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.sampled(1)
def test_a_box_is_loaded_row_by_row(load: str) -> None:
    found = done(load)
    assert places(found, ir.Load) == [("tensor", n) for n in BOX]
    assert places(found, ir.Store) == [("k.s", n) for n in range(8)]
    shown = [words(one)[0] for one in found]
    assert shown[0] == "copy async, complete at an mbarrier"
    assert [s.split(" k.")[0] for s in shown if s.startswith("expect")] == ["expect -32 bytes.relaxed.cluster"]


@pytest.mark.parametrize("store", STORES)
def test_a_box_is_stored_row_by_row(store: str) -> None:
    found = done(store)
    assert places(found, ir.Store) == [("tensor", n) for n in BOX]
    assert places(found, ir.Load) == [("k.s", n) for n in range(8)]
    assert words(found[0])[0] == "copy async, in a group"


#: A box of 16 rows of as many bytes as those of its swizzle.
SWIZZLED = """#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
__device__ alignas(16) short tensor[16][ROW / 2];
__global__ void k(const __grid_constant__ CUtensorMap map, int n) {
    __shared__ uint64_t bar;
    __shared__ alignas(ALIGNED) short s[FROM + 16][ROW / 2];
    const int c[] = {0, 0};
    CODE
}
int main() {
    void* base;
    cudaGetSymbolAddress(&base, tensor);
    CUtensorMap map;
    cuuint64_t extents[] = {ROW / 2, 16}, strides[] = {ROW};
    cuuint32_t box[] = {WIDE / 2, 16}, steps[] = {1, 1};
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, base, extents, strides, box, steps,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    k<<<1, 1>>>(map, 1);
    cudaDeviceSynchronize();
}
"""
SWIZZLED_LOAD = "ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s[FROM], &map, c, &bar);"
SWIZZLED_STORE = "ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, c, s[FROM]);"


def swizzled(row: int, begin: int, code: str, **change: object) -> list[ir.Operation]:
    """What the thread does in whose kernel a box has rows of so many bytes, and begins at such a row."""
    text = SWIZZLED.replace("CODE", code).replace("32B", f"{row}B")
    for name, value in {"ALIGNED": 8 * row, "WIDE": row, **change, "ROW": row, "FROM": begin}.items():
        text = re.sub(rf"\b{name}\b", str(value), text)
    body = program_of(text, reader="clang").grids["k"].body
    return [node.operation for node in body.nodes.values() if isinstance(node, ir.Do)]


@pytest.mark.parametrize("begin", [0, 4])
@pytest.mark.parametrize("row", [32, 64, 128])
def test_a_swizzle_moves_parts_of_rows_by_their_addresses(
    row: int, begin: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bits 4 and so on are changed by bits 7 and so on of an address; the box begins in the middle of the pattern."""
    monkeypatch.setattr(sparse, "MOST_EACH", 16 * row)
    loaded, stored = swizzled(row, begin, SWIZZLED_LOAD), swizzled(row, begin, SWIZZLED_STORE)
    pairs = list(zip(places(loaded, ir.Store), places(loaded, ir.Load), strict=True))
    assert sorted(pairs) == sorted(zip(places(stored, ir.Load), places(stored, ir.Store), strict=True))
    plain = {begin * row + byte: byte for byte in range(0, 16 * row, 2)}
    moved = {at ^ (at >> 7 & row // 16 - 1) << 4: byte for at, byte in plain.items()}
    assert pairs == [(("k.s", at // 2), ("tensor", moved[at] // 2)) for at in sorted(moved)]
    assert moved != plain


@pytest.mark.parametrize(
    ("change", "at", "message"),
    [
        (
            {"ALIGNED": 128},
            "0",
            "aligned to 128 bytes, not to 512, as for a copy of a tensor with a swizzle of 64 bytes",
        ),
        ({"WIDE": 128}, "0", "rows of a box of 128 bytes are more than the 64 of the swizzle"),
        ({}, "2 * tensor[0][0]", "a box with a swizzle at a place that may be anywhere among 512 bytes"),
    ],
)
def test_a_swizzle_that_is_not_known(change: dict[str, object], at: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        swizzled(64, 0, SWIZZLED_LOAD.replace("FROM", at), **change)


def test_a_multicast_loads_to_each_block() -> None:
    attribute = "__global__ __cluster_dims__(2, 1, 1) void k"
    text = TEXT.replace("__global__ void k", attribute).replace("k<<<1, 1>>>", "k<<<2, 1>>>")
    code = "ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s, &map, c, &bar, 3);"
    text = text.replace("CODE", code)
    for name, value in {**PLAIN, "LAUNCH": "k<<<2, 1>>>(map, 1);"}.items():
        text = re.sub(rf"\b{name}\b", value, text)
    body = program_of(text, reader="clang").grids["k"].body
    operations = [node.operation for node in body.nodes.values() if isinstance(node, ir.Do)]
    assert len(places(operations, ir.Store)) == 2 * len(places(operations, ir.Load))


def test_a_box_at_computed_coordinates_is_checked_to_be_inside() -> None:
    found = done(LOADS[0].replace('"r"(Y)', '"r"(tensor[0][0][0])'))
    said = [one.text for one in found if isinstance(one, ir.Assert)]
    assert said.count("the box is inside its tensor, which is all that is modelled") == 1


def test_hints_do_nothing() -> None:
    assert done('asm volatile("prefetch.tensormap [%0];" :: "l"(&map));') == []
    assert done('asm volatile("cp.async.bulk.prefetch.tensor.1d.L2.global [%0, {%1}];" :: "l"(&map), "r"(0));') == []


LOAD = LOADS[2]
#: What is refused, and what is changed.
REFUSED: dict[str, tuple[Code, str, dict[str, str]]] = {
    LOAD: (Code.OUTSIDE_SUBSET, "a box that is partly outside its tensor", {"X": "6"}),
    LOAD + " ": (Code.OUTSIDE_SUBSET, "a box that is partly outside its tensor", {"Y": "-1"}),
    STORES[1]: (Code.OUTSIDE_SUBSET, "a box that is partly outside its tensor", {"Z": "2"}),
    LOAD + "  ": (Code.OUTSIDE_SUBSET, "shorter than its swizzle of 128", {"SWIZZLE": "CU_TENSOR_MAP_SWIZZLE_128B"}),
    LOAD + "    ": (Code.OUTSIDE_SUBSET, "or another swizzle", {"SWIZZLE": "(CUtensorMapSwizzle)4"}),
    LOAD + "   ": (Code.OUTSIDE_SUBSET, "strides of elements", {"STEP": "2"}),
    LOAD.replace("s, &map", "odd, &map"): (Code.BAD_ARGUMENTS, "aligned to 16 bytes, not to 128", {}),
    LOAD.replace("&map", "s"): (Code.OUTSIDE_SUBSET, "a tensor map that is no parameter", {}),
    LOADS[0].replace("3d", "4d"): (Code.BAD_ARGUMENTS, "of 4 coordinates", {}),
    LOADS[0].replace(".3d", ".2d").replace(", %5}", "}"): (Code.BAD_ARGUMENTS, "a tensor map of 3 dimensions", {}),
    LOADS[0].replace(".global", ".global.im2col"): (Code.OUTSIDE_SUBSET, "im2col", {}),
}


@pytest.mark.parametrize("code", REFUSED)
def test_what_is_refused(code: str) -> None:
    number, message, change = REFUSED[code]
    with pytest.raises(InputError) as caught:
        done(code, **change)
    (found,) = caught.value.diagnostics
    assert found.code is number
    assert message in f"{found.message}; {found.help}"
