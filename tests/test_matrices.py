"""Asynchronous matrix instructions (``wgmma``): which bytes they read, who waits for them, and what is refused."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from scopec.base.diagnostics import InputError
from scopec.frontends.clang.machine import machine
from scopec.program import ir
from scopec.program.values import Const
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides, plan

_HEAD = """#include <cstdint>
__device__ uint64_t at(const void* p) { return ((uint32_t)__cvta_generic_to_shared(p) & 0x3FFFF) >> 4; }
__device__ void multiply(uint64_t descriptor) {
    float d[4] = {};
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %9, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, p, 1, 1, TRANSPOSED; }"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(0), "r"(0), "r"(0), "r"(0), "l"(descriptor), "r"(1));
}
#define FENCE asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define DONE asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory")
__device__ int unknown;
"""
_KERNEL = "__global__ void k() { alignas(1024) __shared__ uint64_t m[256]; BODY }\n//@ launch k<<<1, THREADS>>>();\n"


def _file(folder: Path, body: str, threads: int = 128, transposed: int = 0) -> Path:
    path = folder / "a.cu"
    text = _HEAD.replace("TRANSPOSED", str(transposed)) + _KERNEL.replace("BODY", body).replace("THREADS", str(threads))
    path.write_text(text)
    return path


def _true_bytes(swizzle: int, begin: int, parts: int, apart: int) -> set[int]:
    """The bytes of 8 columns of 32 bytes: "Shared Memory Matrix Layout", and the exchanges of "Swizzling Modes"."""
    found = set()
    for column in range(8):
        for byte in range(32):
            if swizzle:
                plain = begin + column // 8 * apart + column % 8 * swizzle + byte
                found.add(plain ^ (plain >> 7 & swizzle // 16 - 1) << 4)
            else:
                found.add(begin + column // 8 * apart + byte // 16 * parts + column % 8 * 16 + byte % 16)
    return found


#: The layout in a descriptor, its swizzle, where the matrix begins, and how far apart its parts are.
_LAYOUTS = [(0, 0, 0, 128), (0, 0, 256, 512), (3, 32, 512, 0), (2, 64, 32, 0), (1, 128, 0, 0), (1, 128, 96, 0)]


def test_all_that_it_may_read_is_read(tmp_path: Path) -> None:
    """Of a matrix in each layout, each in an array of its own."""
    body = "FENCE; "
    for n, (layout, _, begin, parts) in enumerate(_LAYOUTS):
        where = f"at((char*)m{n} + {begin}) | {parts // 16}ull << 16 | 64ull << 32 | {layout}ull << 62"
        body += f"alignas(1024) __shared__ uint64_t m{n}[256]; multiply({where}); "
    (run,) = plan(_file(tmp_path, f"{body}DONE;"), "a.cu", Overrides(without=frozenset({"sparse"}))).runs
    read: dict[tuple[str, int], set[int]] = defaultdict(set)
    for thread in run.program.threads:
        for name, element in _loads(thread):
            read[name, thread.lane] |= set(range(8 * element, 8 * element + 8))
    assert set(read) == {(f"k.m{n}", lane) for n in range(len(_LAYOUTS)) for lane in (0, 32, 64, 96)}
    for (name, _), found in read.items():
        _, swizzle, begin, parts = _LAYOUTS[int(name.removeprefix("k.m"))]
        assert _true_bytes(swizzle, begin, parts, 1024) <= found
        assert len(found) == 8 * (swizzle or 32)


def _loads(thread: ir.Thread) -> list[tuple[str, int]]:
    """The elements that a thread reads, each with its array."""
    found = [node.operation for node in thread.body.nodes.values() if isinstance(node, ir.Do)]
    places = [one.place for one in found if isinstance(one, ir.Load)]
    return [(place.object, place.index.value) for place in places if isinstance(place.index, Const)]


_RIGHT = "at(m) | 8ull << 16 | 16ull << 32"


@pytest.mark.parametrize(
    ("body", "transposed", "message"),
    [
        (f"FENCE; multiply({_RIGHT}); DONE;", 1, "a matrix that is transposed (imm-trans-a, imm-trans-b)"),
        (f"FENCE; multiply({_RIGHT} | 1ull << 49); DONE;", 0, "a matrix descriptor with a base offset"),
        (f"FENCE; multiply({_RIGHT} + unknown); DONE;", 0, "a matrix descriptor that is known at run time alone"),
        ("FENCE; multiply(at((char*)m + 112) | 1ull << 62); DONE;", 0, "a matrix whose rows go beyond those of the swizzle"),
        (f"if (threadIdx.x < 96) {{ FENCE; multiply({_RIGHT}); }} DONE;", 0, "a wgmma that not all warps of a warpgroup execute"),
        (f'FENCE; if (threadIdx.x < 32) asm volatile("wgmma.commit_group.sync.aligned;"); multiply({_RIGHT}); DONE;', 0,
         "a wgmma that not all warps of a warpgroup execute, in one group,"),
        ("FENCE; multiply(at((char*)m + 1920) | 8ull << 16); DONE;", 0, "that are not all in `k.m`"),
    ],
)  # fmt: skip
@pytest.mark.sampled(4)
def test_what_is_not_read(body: str, transposed: int, message: str, tmp_path: Path) -> None:
    (outcome,) = check([_file(tmp_path, body, transposed=transposed)], Settings(engine="embedded"))
    (diagnostic,) = (d for d in outcome.diagnostics if d.severity == "error")
    assert message in diagnostic.message


@pytest.mark.parametrize(
    ("body", "threads", "why"),
    [
        (f"multiply({_RIGHT}); DONE;", 128, "a wgmma.fence comes before the first wgmma.mma_async"),
        (f"FENCE; multiply({_RIGHT}); DONE;", 96, "the block has all 128 threads of the warpgroup of a wgmma"),
        ("FENCE; multiply(8); DONE;", 128, "shared memory"),
    ],
)
def test_what_is_undefined(body: str, threads: int, why: str, tmp_path: Path) -> None:
    path = _file(tmp_path, body, threads)
    path.write_text(path.read_text() + "//@ expect race_free;\n")
    (outcome,) = check([path], Settings(engine="embedded"))
    (found,) = (c for report in outcome.reports for c in report.checks if c.expectation.implicit)
    assert (found.verdict, why in (found.reason or "")) == ("violated", True)


def test_a_wait_is_for_the_own_warpgroup(tmp_path: Path) -> None:
    """Of two warpgroups, the first one multiplies: any thread of it may write behind its wait, and none of the other."""
    body = (
        f"__shared__ alignas(1024) uint64_t n[256]; FENCE; if (threadIdx.x < 128) {{ multiply({_RIGHT}); "
        f"multiply({_RIGHT.replace('m', 'n')}); }} DONE; if (threadIdx.x == 96) m[0] = 1; if (threadIdx.x == 128) n[0] = 1;"
    )
    path = _file(tmp_path, body, 256)
    path.write_text(path.read_text() + "//@ expect race on m;\n//@ expect race on n;\n")
    (outcome,) = check([path], Settings(engine="embedded"))
    found = [c for report in outcome.reports for c in report.checks if c.expectation.kind == "race"]
    assert [c.verdict for c in found] == ["violated", "holds"]
    assert any("which warp of a warpgroup" in reading for c in found for reading in c.rests_on)


_PTX = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k() {
    .reg .pred p; .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<4>;
    .shared .align 128 .b64 m[32];
    mov.u32 %r1, %tid.x;
    setp.ge.u32 p, %r1, 32;
    @p bra MEET;
    shl.b32 %r2, %r1, 3;
    mov.u32 %r3, m;
    add.u32 %r2, %r3, %r2;
    st.shared.u64 [%r2], 1;
    FENCE
MEET:
    bar.sync 0;
    mov.u32 %r3, m;
    and.b32 %r3, %r3, 262128;
    shr.u32 %r3, %r3, 4;
    cvt.u64.u32 %rd1, %r3;
    or.b64 %rd1, %rd1, 68720001024;
    setp.ne.u32 p, 1, 0;
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r0, %r0, %r0, %r0}, %rd1, p, 1, 1, 0;
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
    ret;
}
//@ launch k<<<1, 128>>>();
//@ expect EXPECTED;
"""


@pytest.mark.parametrize(("fence", "expected"), [("fence.proxy.async;", "race_free"), ("", "race on m")])
@pytest.mark.sampled(1)
def test_a_file_of_ptx(fence: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "a.ptx"
    path.write_text(_PTX.replace("FENCE", fence).replace("EXPECTED", expected))
    (outcome,) = check([path], Settings(engine="embedded"))
    assert [str(d) for d in outcome.diagnostics if d.severity == "error"] == []
    assert [c.verdict for r in outcome.reports for c in r.checks if not c.expectation.implicit] == ["holds"]


@pytest.mark.parametrize("turns", [2, 6])
def test_descriptors_in_loops_are_known(turns: int, tmp_path: Path) -> None:
    """The counts of two loops are 3 * turns pairs of numbers, of which others than these would be put into registers."""
    body = f"FENCE; for (int k = 0; k < {turns}; k++) {{ for (int i = 0; i < 3; i++) "
    body += "multiply(at(m + k % 2 * 128 + i * 32) | 8ull << 16 | 64ull << 32); DONE; }"
    (run,) = plan(_file(tmp_path, body), "a.cu", Overrides(without=frozenset({"sparse"}))).runs
    found = {element for thread in run.program.threads if thread.lane == 0 for _, element in _loads(thread)}
    assert found == {128 * stage + 32 * i + n for stage in range(2) for i in range(3) for n in range(32)}


def test_a_count_that_is_too_long_is_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_MANY_STATES", 16)
    body = "FENCE; for (int k = 0; k < 20; k++) multiply(at(m + k % 2 * 128) | 8ull << 16 | 64ull << 32); DONE;"
    with pytest.raises(InputError, match="a matrix descriptor that is known at run time alone"):
        plan(_file(tmp_path, body), "a.cu", Overrides())
