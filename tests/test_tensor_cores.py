"""Instructions of tensor memory (``tcgen05``): which columns they access, what is undefined, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.frontends.clang.intrinsics.library import TABLES
from scopec.frontends.clang.llvm.numbers import Offset
from scopec.frontends.clang.machine.tensor_memory import EVERY_LANE, Area, TensorMemory, part_name
from scopec.session.check import Settings, check

_HEAD = """#include <cstdint>
#include <cuda/ptx>
__device__ uint32_t at(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ uint64_t descriptor(const void* p) { return (at(p) & 0x3FFFF) >> 4 | 8ull << 16 | 16ull << 32 | 1ull << 46; }
__device__ void take(uint32_t from) {
    uint32_t r;
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(r) : "r"(from) : "memory");
}
__device__ void give(uint32_t to) { asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" :: "r"(to), "r"(1) : "memory"); }
__device__ void half(uint32_t to) { asm volatile("tcgen05.st.sync.aligned.16x64b.x1.b32 [%0], {%1};" :: "r"(to), "r"(1) : "memory"); }
__device__ void multiply(uint32_t d, uint32_t a, uint64_t b, uint32_t shape) {
    asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], [%1], %2, %3, p; }"
                 :: "r"(d), "r"(a), "l"(b), "r"(shape) : "memory");
}
#define ALLOC(PLACE, COLUMNS) asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" :: "r"(at(&PLACE)), "r"(COLUMNS) : "memory")
#define FREE(D, COLUMNS) asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" :: "r"(D), "r"(COLUMNS) : "memory")
#define DONE asm volatile("tcgen05.wait::st.sync.aligned; tcgen05.wait::ld.sync.aligned;" ::: "memory")
#define GIVE_UP asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory")
__device__ uint32_t unknown;
"""
_KERNEL = "__global__ void k() { __shared__ uint32_t s, s2; alignas(128) __shared__ uint64_t m[64]; BODY }\n"
_SHAPE = "(1 << 4 | 1 << 17 | 4 << 24)"


def _checked(folder: Path, body: str, threads: int = 1) -> tuple[list[str], dict[str, str], list[str]]:
    """The errors, the verdicts, and the reasons of what is undefined."""
    path = folder / "a.cu"
    path.write_text(f"{_HEAD}{_KERNEL.replace('BODY', body)}//@ launch k<<<1, {threads}>>>();\n//@ expect race_free;\n")
    (outcome,) = check([path], Settings(engine="embedded"))
    errors = [d.message for d in outcome.diagnostics if d.severity == "error"]
    checks = [c for report in outcome.reports for c in report.checks]
    found = {"valid": "holds"} | {"valid" if c.expectation.implicit else c.expectation.kind: c.verdict for c in checks}
    return errors, found, [c.reason or "" for c in checks if c.expectation.implicit and c.verdict == "violated"]


@pytest.mark.parametrize(
    ("body", "threads"),
    [
        ("ALLOC(s, 32); give(s); take(s + 1); DONE; FREE(s, 32);", 1),
        ("ALLOC(s, 32); ALLOC(s2, 64); give(s); give(s2); DONE; FREE(s2, 64); FREE(s, 32);", 1),
        ("ALLOC(s, 32); half(s); half(s + (16 << 16)); DONE; FREE(s, 32);", 1),
        ("if (threadIdx.x < 32) ALLOC(s, 32); __syncthreads(); give(s); DONE; __syncthreads(); "
         "if (threadIdx.x < 32) { FREE(s, 32); GIVE_UP; }", 33),
        ("if (threadIdx.x < 32) ALLOC(s, 32); __syncthreads(); give(s + (threadIdx.x / 32 << 21)); DONE; __syncthreads(); "
         "if (threadIdx.x < 32) FREE(s, 32);", 33),
    ],
)  # fmt: skip
@pytest.mark.sampled(2)
def test_columns_and_lanes_that_are_apart(body: str, threads: int, tmp_path: Path) -> None:
    assert _checked(tmp_path, body, threads) == ([], {"race_free": "holds", "valid": "holds"}, [])


@pytest.mark.parametrize(
    ("body", "threads"),
    [
        ("ALLOC(s, 32); give(s); take(s); DONE; FREE(s, 32);", 1),
        ("ALLOC(s, 32); half(s); half(s + 1); DONE; FREE(s, 32);", 1),
        ("ALLOC(s, 32); half(s); give(s); DONE; FREE(s, 32);", 1),
        ("ALLOC(s, 32); give(s); FREE(s, 32); DONE;", 1),
        ("ALLOC(s, 32); take(s); FREE(s, 32); DONE;", 1),
        ("ALLOC(s, 32); uint32_t d = s; FREE(d, 32); give(d); DONE;", 1),
        ("if (threadIdx.x < 32) ALLOC(s, 32); __syncthreads(); FREE(s, 32);", 33),
        ("if (threadIdx.x < 32) ALLOC(s, 32); __syncthreads(); give(s); DONE; if (threadIdx.x < 32) FREE(s, 32);", 33),
        ("if (threadIdx.x < 32) ALLOC(s, 32); give(s); DONE; __syncthreads(); if (threadIdx.x < 32) FREE(s, 32);", 33),
        (f"ALLOC(s, 32); m[40] = 1; multiply(s, s + 8, descriptor(m), {_SHAPE}); m[0] = 1; FREE(s, 32);", 1),
    ],
)  # fmt: skip
def test_accesses_that_race(body: str, threads: int, tmp_path: Path) -> None:
    errors, found, _ = _checked(tmp_path, body, threads)
    assert (errors, found["race_free"]) == ([], "violated")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("ALLOC(s, 48);", "a power of 2, 32 to 512"),
        ("ALLOC(s, 32);", "deallocated by tcgen05.dealloc before its block ends"),
        ("ALLOC(s, 32); FREE(s, 64);", "the tensor memory that is allocated"),
        ("ALLOC(s, 32); uint32_t d = s; FREE(d, 32); FREE(d, 32);", "what has not been deallocated"),
        ("ALLOC(s, 64); FREE(s, 32);", "what one tcgen05.alloc has allocated"),
        ("ALLOC(s, 32); take(s + 32); DONE; FREE(s, 32);", "the tensor memory that is allocated"),
        ("ALLOC(s, 32); take(0); DONE; FREE(s, 32);", "the tensor memory that is allocated"),
        ("ALLOC(s, 32); take(s + (32 << 16)); DONE; FREE(s, 32);", "the 32 lanes of tensor memory that are its own"),
        ("ALLOC(s, 32); FREE(s, 32); GIVE_UP; ALLOC(s2, 32); FREE(s2, 32);", "relinquish_alloc_permit"),
        ("__syncthreads(); uint32_t d = s; __syncthreads(); ALLOC(s, 32); give(d); DONE; FREE(s, 32);", "the address that tcgen05.alloc has written"),
        (f"ALLOC(s, 32); multiply(s, s + 8, descriptor(m), {_SHAPE} + (1 << 24)); FREE(s, 32);", "64 or 128 rows"),
    ],
)  # fmt: skip
def test_what_is_undefined(body: str, why: str, tmp_path: Path) -> None:
    errors, found, reasons = _checked(tmp_path, body)
    assert (errors, found["valid"]) == ([], "violated")
    assert any(why in reason for reason in reasons), reasons


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("ALLOC(s, 32); take(unknown); FREE(s, 32);", "not seen to be what one tcgen05.alloc has written"),
        ("ALLOC(s, 32); s = 0; take(s); FREE(s, 32);", "not seen to be what one tcgen05.alloc has written"),
        ("for (int i = 0; i < 2; i++) { ALLOC(s, 32); FREE(s, 32); }", "executed more than once"),
        ("ALLOC(s, 512); ALLOC(s2, 32); FREE(s, 512); FREE(s2, 32);", "more than 512 columns"),
        (f"ALLOC(s, 32); multiply(s, s + 8, descriptor(m), {_SHAPE} | 1 << 15); FREE(s, 32);", "transposed"),
        (f"ALLOC(s, 32); multiply(s, s + 8, descriptor(m), {_SHAPE} + unknown); FREE(s, 32);", "instruction descriptor"),
        (f"ALLOC(s, 32); multiply(s, s + 8, descriptor(m) ^ 1ull << 46, {_SHAPE}); FREE(s, 32);", "no meaning"),
    ],
)  # fmt: skip
@pytest.mark.sampled(6)
def test_what_is_refused(body: str, message: str, tmp_path: Path) -> None:
    errors, _, _ = _checked(tmp_path, body)
    assert len(errors) == 1
    assert message in errors[0]


# ---------------------------------------------------------------- parts


def test_parts_are_what_all_accesses_have_whole_or_not_at_all() -> None:
    memory = TensorMemory()
    whole, left, low = Area(0, 32), Area(0, 8, 0b11), Area(4, 16, 0b1)
    for area in (whole, left, low):
        assert not memory.access("k", area)
        assert memory.access("k", area)
    parts = {area: set(memory.parts("k", area)) for area in (whole, left, low)}
    assert parts[left] & parts[low] == {Area(4, 8, 0b1)}
    assert parts[left] <= parts[whole]
    assert parts[low] <= parts[whole]
    for one in parts[whole]:
        for other in parts[whole] - {one}:
            assert one.end <= other.begin or other.end <= one.begin or not one.lanes & other.lanes
    covered = {
        (c, lane) for p in parts[whole] for c in range(p.begin, p.end) for lane in range(8) if p.lanes >> lane & 1
    }
    assert covered == {(c, lane) for c in range(32) for lane in range(8)}


def test_allocations_are_apart() -> None:
    memory = TensorMemory()
    found = [memory.allocate("k", n, columns) for n, columns in enumerate((64, 32, 256, 128, 32))]
    assert None not in found
    assert len({c for a in found if a for c in range(a.begin, a.end)}) == 512
    assert memory.allocate("k", 5, 32) is None
    assert memory.allocate("k", 0, 64) == found[0]


def test_a_number_that_is_more_than_an_address_is_none() -> None:
    memory = TensorMemory()
    memory.keep("s", 0, 480)
    assert memory.address("s", Offset(0)) == 480
    memory.keep("s", 0, None)
    assert memory.address("s", Offset(0)) is None


def test_names_of_parts() -> None:
    assert part_name("k", Area(0, 8, EVERY_LANE)) == "k.tensor_columns_0_7"
    assert part_name("k", Area(0, 8, 0b1100)) == "k.tensor_columns_0_7_lanes_32_63"
    assert part_name("k", Area(8, 9, 0b101)) == "k.tensor_columns_8_8_lanes_0_32"


#: The same by <cuda/ptx>; the product is written.
_BY_LIBRARY = f"""
    using namespace cuda::ptx; __shared__ std::uint64_t done; mbarrier_init(&done, 1);
    tcgen05_alloc(cta_group_1, &s, 32); const uint32_t d = s; tcgen05_relinquish_alloc_permit(cta_group_1);
    multiply(d, d + 8, descriptor(m), {_SHAPE}); tcgen05_commit(cta_group_1, &done);
    while (!mbarrier_try_wait_parity(&done, 0)); AFTER take(d); tcgen05_wait_ld();
    tcgen05_fence_before_thread_sync(); tcgen05_wait_st(); tcgen05_dealloc(cta_group_1, d, 32);
"""


@pytest.mark.parametrize(("after", "verdict"), [("tcgen05_fence_after_thread_sync();", "holds"), ("", "violated")])
@pytest.mark.sampled(1)
def test_functions_of_the_library(after: str, verdict: str, tmp_path: Path) -> None:
    errors, found, _ = _checked(tmp_path, _BY_LIBRARY.replace("AFTER", after))
    assert (errors, found["race_free"]) == ([], verdict)


def test_two_blocks_are_refused_in_the_library_too(tmp_path: Path) -> None:
    errors, _, _ = _checked(tmp_path, "cuda::ptx::tcgen05_alloc(cuda::ptx::cta_group_2, &s, 32);")
    assert len(errors) == 1
    assert "cta_group::2" in errors[0]


def test_no_two_tables_of_intrinsics_have_one_name() -> None:
    """A copy of a box to shared memory is none from tensor memory."""
    names = [name for table in TABLES for name in table]
    assert sorted(names) == sorted(set(names))
