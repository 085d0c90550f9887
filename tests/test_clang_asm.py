"""Inline PTX: what each instruction does, beside a weaker one; the same as CUDA C++ says it; what is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

import pytest

from scopec.base.diagnostics import InputError
from scopec.base.source import Source
from scopec.frontends.ptx import forms, table
from scopec.frontends.ptx.syntax import read
from scopec.program import ir, types
from scopec.program.values import Const
from scopec.session.check import Settings, check
from scopec.session.final_states import listings
from scopec.session.plan import Overrides, plan
from tests.agreement import agreed, differences
from tests.samples import programs

BY_CLANG = Overrides(reader="clang")


def answers(path: Path) -> list[str]:
    """The verdicts on a file's expectations; an error where it has any."""
    (outcome,) = check([path], Settings(overrides=BY_CLANG, engine="embedded", cache=False, timeout=120))
    assert outcome.failure is None
    assert [str(d) for d in outcome.diagnostics if d.severity == "error"] == []
    return [c.verdict for report in outcome.reports for c in report.checks]


def asm(text: str, operands: str = ":::") -> str:
    """A statement of inline assembly."""
    return f'asm volatile("{text}" {operands} "memory");'


def send(text: str, value: str = '"r"(1)') -> str:
    return asm(text, f':: "l"(&f), {value} :')


def receive(text: str) -> str:
    return asm(text, ': "=r"(r) : "l"(&f) :')


# ---------------------------------------------------------------- orders and scopes

PASSING = """
__device__ int x, y;
__device__ unsigned f;
__global__ void k() {
    if (WHO == 0) {
        x = 1;
        SEND
    } else {
        unsigned r = 0;
        RECEIVE
        if (r == 1) y = x;
    }
}
int main() { k<<<GRID>>>(); cudaDeviceSynchronize(); }
//@ expect race_free;
"""
STORE = send("st.release.gpu.global.u32 [%0], %1;")
LOAD = receive("ld.acquire.gpu.global.u32 %0, [%1];")
RELAXED_STORE = send("st.relaxed.gpu.global.u32 [%0], %1;")
RELAXED_LOAD = receive("ld.relaxed.gpu.global.u32 %0, [%1];")
#: What makes a message arrive, and what does not: how it is sent and received.
MESSAGES = {
    "st.release": ((STORE, LOAD), (RELAXED_STORE, LOAD)),
    "st.release.sys": ((send("st.release.sys.u32 [%0], %1;"), LOAD), (send("st.release.cta.u32 [%0], %1;"), LOAD)),
    "st.weak": ((STORE, LOAD), (send("st.u32 [%0], %1;"), LOAD)),
    "st.volatile": ((STORE, LOAD), (send("st.volatile.global.u32 [%0], %1;"), LOAD)),
    "st.wt": ((STORE, LOAD), (send("st.global.wt.u32 [%0], %1;"), LOAD)),
    "ld.acquire": ((STORE, LOAD), (STORE, RELAXED_LOAD)),
    "ld.acquire.cluster": ((STORE, LOAD), (STORE, receive("ld.acquire.cluster.u32 %0, [%1];"))),
    "ld.weak": ((STORE, LOAD), (STORE, receive("ld.weak.global.u32 %0, [%1];"))),
    "ld.volatile": ((STORE, LOAD), (STORE, receive("ld.volatile.u32 %0, [%1];"))),
    "ld.cg": ((STORE, LOAD), (STORE, receive("ld.global.cg.u32 {%0}, [%1];"))),
    "ld.nc": ((STORE, LOAD), (STORE, receive("ld.global.nc.L1::no_allocate.L2::128B.u32 %0, [%1];"))),
    "order of qualifiers": ((send("st.global.release.gpu.b32 [%0], %1;"), receive("ld.global.acquire.gpu.b32 %0, [%1];")),
                            (send("st.global.relaxed.gpu.b32 [%0], %1;"), receive("ld.global.acquire.gpu.b32 %0, [%1];"))),
    "fence.acq_rel": ((asm("fence.acq_rel.gpu;") + RELAXED_STORE, RELAXED_LOAD + asm("fence.acq_rel.gpu;")),
                      (asm("fence.acq_rel.cta;") + RELAXED_STORE, RELAXED_LOAD + asm("fence.acq_rel.gpu;"))),
    "fence without order": ((asm("fence.gpu;") + RELAXED_STORE, LOAD), (RELAXED_STORE, LOAD)),
    "fence.sc": ((STORE, RELAXED_LOAD + asm("fence.sc.sys;")), (STORE, RELAXED_LOAD + asm("fence.sc.cta;"))),
    "membar.gl": ((asm("membar.gl;") + RELAXED_STORE, LOAD), (asm("membar.cta;") + RELAXED_STORE, LOAD)),
    "membar.sys": ((asm("membar.sys;") + RELAXED_STORE, LOAD), (asm("membar.cta;") + RELAXED_STORE, LOAD)),
    "red.release": ((send("red.release.gpu.global.add.u32 [%0], %1;"), LOAD),
                    (send("red.relaxed.gpu.global.add.u32 [%0], %1;"), LOAD)),
    "red alone": ((send("red.release.gpu.global.add.u32 [%0], %1;"), LOAD), (send("red.add.u32 [%0], %1;"), LOAD)),
    "red with a cache policy": (
        (asm("red.release.gpu.add.L2::cache_hint.u32 [%0], %1, %2;", ':: "l"(&f), "r"(1), "l"(0l) :'), LOAD),
        (asm("red.relaxed.gpu.add.L2::cache_hint.u32 [%0], %1, %2;", ':: "l"(&f), "r"(1), "l"(0l) :'), LOAD)),
    "atom.acquire": ((STORE, receive("atom.or.acquire.gpu.b32 %0, [%1], 0;")),
                     (STORE, receive("atom.or.b32 %0, [%1], 0;"))),
    "atom.acq_rel": ((STORE, receive("atom.acq_rel.gpu.global.add.u32 %0, [%1], 0;")),
                     (STORE, receive("atom.acq_rel.cta.global.add.u32 %0, [%1], 0;"))),
    "atom.cas": ((STORE, receive("atom.cas.acquire.gpu.b32 %0, [%1], 1, 2;")),
                 (STORE, receive("atom.cas.relaxed.gpu.b32 %0, [%1], 1, 2;"))),
    "barriers do what fences do not": ((STORE, LOAD), (asm("bar.warp.sync 1;") + RELAXED_STORE, LOAD)),
}  # fmt: skip


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_arrives_by_its_order_and_scope_alone(name: str, write: Callable[..., Path]) -> None:
    found = []
    for sent, received in MESSAGES[name]:
        text = PASSING.replace("SEND", sent).replace("RECEIVE", received)
        path = write(text.replace("WHO", "blockIdx.x").replace("GRID", "2, 1"))
        found += [answers(path)]
    assert found == [["holds"], ["violated"]]


BLOCK = PASSING.replace("WHO", "threadIdx.x").replace("GRID", "1, 2")
#: Two lanes, and the first lanes of two warps.
LANES = BLOCK.replace("unsigned r = 0;", "unsigned r = 1;")
WARPS = """
__device__ int x, y;
__global__ void k() {
    if (threadIdx.x == 0) x = 1;
    if (threadIdx.x < 32) {
        SEND
    } else {
        RECEIVE
    }
    if (threadIdx.x == 32) y = x;
}
//@ launch k<<<1, 64>>>();
//@ expect race_free;
"""
BARRIERS = {
    "bar.sync": (("bar.sync 1;", "bar.sync 1;"), ("bar.sync 1;", "bar.sync 2;")),
    "bar.arrive": (("bar.arrive 3, 64;", "barrier.cta.sync.aligned 3, 64;"), ("bar.sync 3, 64;", "bar.arrive 3, 64;")),
    "barrier.sync": (("barrier.sync 0;", "bar.sync 0, 64;"), ("", "")),
    "bar.warp.sync": (("bar.warp.sync 3;", "bar.warp.sync 0x3;"), ("", "")),
}  # fmt: skip


@pytest.mark.parametrize("name", BARRIERS)
def test_barriers_order_those_who_meet(name: str, write: Callable[..., Path]) -> None:
    found = []
    for here, there in BARRIERS[name]:
        text = LANES if name == "bar.warp.sync" else WARPS
        text = text.replace("SEND", asm(here)).replace("RECEIVE", asm(there)) + "//@ expect terminates;\n"
        found.append(answers(write(text)))
    assert found[0] == ["holds", "holds"]
    assert "violated" in found[1]


@pytest.mark.parametrize(("fence", "both"), [("fence.sc.gpu;", "forbidden"), ("fence.acq_rel.gpu;", "allowed")])
@pytest.mark.parametrize("model", ["cuda", "ptx"])
def test_store_buffering(fence: str, both: str, model: str, write: Callable[..., Path]) -> None:
    text = f"""
__device__ int x, y;
__global__ void k() {{
    int r;
    int *mine = blockIdx.x ? &x : &y, *its = blockIdx.x ? &y : &x;
    {asm("st.relaxed.gpu.s32 [%0], %1;", ':: "l"(mine), "r"(1) :')}
    {asm(fence)}
    {asm("ld.relaxed.gpu.s32 %0, [%1];", ': "=r"(r) : "l"(its) :')}
}}
int main() {{ k<<<2, 1>>>(); cudaDeviceSynchronize(); }}
//@ expect {both} k[0][0].r == 0 && k[1][0].r == 0 under {model};
"""
    assert answers(write(text)) == ["holds"]


# ---------------------------------------------------------------- numbers

_OBJECTS = """
__device__ unsigned u;
__device__ int s;
__device__ unsigned long long w;
__device__ unsigned v[4] = {1, 2, 3, 4};
__device__ unsigned char c = 200;
__device__ signed char d = -56;
__device__ float e, pair[2];
__device__ short half; __device__ unsigned __int128 pair128 = (unsigned __int128)5 << 64 | 6;
"""
_VARIABLES = """
    unsigned r = 0, t = 0;
    int i = 0;
    unsigned long long l = 0, hi = 0; unsigned __int128 o = 0;
    __shared__ unsigned own[2];
    (void)own, (void)hi, (void)o;
"""
_LAUNCH = "int main() { k<<<dim3(1, 1), dim3(1, 1)>>>(10); cudaDeviceSynchronize(); }\n//@ expect race_free;\n"
ONE_THREAD = f"#include <cassert>\n{_OBJECTS}__global__ void k(int ten) {{{_VARIABLES}    BODY\n}}\n{_LAUNCH}"
#: One of many in one program, with objects of its own.
_ONE_OF_MANY = (
    f"__device__ int right_N;\nnamespace of_N {{{_OBJECTS}__device__ void f(int ten) {{{_VARIABLES}BODY\n"
    "right_N = (TRUTH) ? 1 : -1; }\n}\n"
)
#: How many are read as one program.
AT_ONCE = 24


def found_right(cases: Mapping[str, tuple[str, str]], path: Path) -> dict[str, bool]:
    """Of statements, each with what is true after it: whether that is so at every end, and some end is there."""
    numbers = range(len(cases))
    text = "".join(
        _ONE_OF_MANY.replace("_N", f"_{n}").replace("BODY", body).replace("TRUTH", truth)
        for n, (body, truth) in enumerate(cases.values())
    )
    calls = " ".join(f"of_{n}::f(ten);" for n in numbers)
    asked = [
        f"allowed {' && '.join(f'right_{n} == 1' for n in numbers)}",
        *(f"required right_{n} == 1" for n in numbers),
    ]
    path.write_text(
        f"{text}__global__ void k(int ten) {{ {calls} }}\n{_LAUNCH}{''.join(f'//@ expect {a};' + chr(10) for a in asked)}"
    )
    no_race, some_end, *each = answers(path)
    right = {name: each[n] == "holds" for n, name in enumerate(cases)}
    assert no_race == "holds"
    assert (some_end == "holds") == all(right.values())
    return right


def result(text: str, constraint: str = "=r", name: str = "r", more: str = '"r"(ten)') -> str:
    return asm(text, f': "{constraint}"({name}) : {more} :')


#: What is true at the end, and what is not.
#: The bytes of 0x7766554433221180 that the modes of `prmt` take, as the ISA's table says, for selectors 0 to 3.
PERMUTED = {
    "f4e": (0x33221180, 0x44332211, 0x55443322, 0x66554433),
    "b4e": (0x55667780, 0x66778011, 0x77801122, 0x80112233),
    "rc8": (0x80808080, 0x11111111, 0x22222222, 0x33333333),
    "ecl": (0x33221180, 0x33221111, 0x33222222, 0x33333333),
    "ecr": (0x80808080, 0x11111180, 0x22221180, 0x33221180),
    "rc16": (0x11801180, 0x33223322, 0x11801180, 0x33223322),
}
MASK = 0x80000921


def nth_set(mask: int, base: int, offset: int) -> int:
    """As the ISA's pseudo-code for `fns` finds a bit."""
    if offset == 0:
        return base if mask >> base & 1 else -1
    position, count = base, abs(offset) - 1
    while 0 <= position < 32:
        if mask >> position & 1:
            if count == 0:
                return position
            count -= 1
        position += 1 if offset > 0 else -1
    return -1


def masked(at: int, count: int, mode: str) -> int:
    """As the ISA's pseudo-code for `bmsk` computes a mask."""
    position, width = at & 31, count & 31
    low = 0 if mode == "clamp" and at >= 32 else -1 << position
    over = position + width >= 32 or (mode == "clamp" and (at >= 32 or count >= 32))
    high = 0 if over else -1 << position + width
    return low & ~high & 0xFFFFFFFF


def extended(value: int, count: int, mode: str, kind: str) -> int:
    """As the ISA's pseudo-code for `szext` extends a number."""
    width, whole = count & 31, count >= 32 and mode == "clamp"
    mask = 0 if whole else -1 << width
    sign = kind == "s" and width > 0 and not whole and value >> width - 1 & 1
    return (value & ~mask | (mask if sign else 0)) & 0xFFFFFFFF


NUMBERS = {
    **{f"bmsk.{mode} {at} {count}": (result(f"bmsk.{mode}.b32 %0, {at}, {count};"), f"r == {masked(at, count, mode):#x}")
       for mode in ("clamp", "wrap") for at in (0, 5, 31, 33) for count in (0, 3, 31, 32, 34)},
    **{f"szext.{mode}.{kind} {n} {count}": (result(f"szext.{mode}.{kind}32 %0, {n:#x}, {count};"),
                                            f"r == {extended(n, count, mode, kind):#x}")
       for mode in ("clamp", "wrap") for kind in "us" for n, count in ((0xABCD, 8), (0xAB4D, 8), (0x80000001, 0), (0x80000001, 32), (3, 34))},
    "add.u16x2": (result("add.u16x2 %0, 0x0001ffff, 0x00020003;"), "r == 0x00030002"),
    "add.s16x2": (result("add.s16x2 %0, 0xffff7fff, 0x00010001;"), "r == 0x8000"),
    "min.u16x2": (result("min.u16x2 %0, 0xffff0005, 0x00010004;"), "r == 0x00010004"),
    "max.s16x2": (result("max.s16x2 %0, 0xffff0005, 0xfffe0004;"), "r == 0xffff0005"),
    "min.s16x2": (result("min.s16x2 %0, 0xffff0005, 0x00010004;"), "r == 0xffff0004"),
    "max.u16x2": (result("max.u16x2 %0, 0xffff0005, 0x00010004;"), "r == 0xffff0005"),
    "max.relu.s16x2": (result("max.relu.s16x2 %0, 0xffff0005, 0xfffe0004;"), "r == 5"),
    "min.relu": (result("min.relu.s32 %0, -5, %1;"), "r == 0"),
    "cvt.pack": (result("cvt.pack.sat.s16.s32 %0, -70000, %1;"), "r == 0x8000000a"),
    "cvt.pack of bytes": (result("cvt.pack.sat.u8.s32.b32 %0, 300, -1, %1;"), "r == 0x000aff00"),
    "numbers in other ways": (result("add.u32 %0, 0b101, 017; add.u32 %0, %0, %1;"), "r == 30"),
    "add": (result("add.s32 %0, %1, 5;"), "r == 15"),
    "add, wide": (result("add.u64 %0, %0, 5;", "+l", "l", '"n"(0)'), "l == 5"),
    "tied": (result("add.u32 %0, %0, %1;", "+r", "t"), "t == 10"),
    "sub": (result("sub.u32 %0, 3, %1;"), "r == 4294967289u"),
    "mul.lo": (result("mul.lo.u32 %0, %1, 3;"), "r == 30"),
    "mul.hi": (result("mul.hi.s32 %0, -5, 0x40000000;", "=r", "i"), "i == -2"),
    "mul.hi.u32": (result("mul.hi.u32 %0, -1, %1;"), "r == 9"),
    "mad.hi": (result("mad.hi.u32 %0, -1, %1, 5;"), "r == 14"),
    "bfe": (result("bfe.u32 %0, 0xabcd, 4, 8;"), "r == 0xbc"),
    "bfe, sign": (result("bfe.s32 %0, 0xabcd, 4, 8;", "=r", "i"), "i == -68"),
    "bfe, nothing": (result("bfe.s32 %0, -1, 4, 0;"), "r == 0"),
    "bfe, beyond": (result("bfe.s32 %0, -8, 2, 40;", "=r", "i"), "i == -2"),
    "bfi": (result("bfi.b32 %0, 0xffff, 0, 4, %1;"), "r == 0x3ff0"),
    "shf.l": (result("shf.l.wrap.b32 %0, 0x80000000, 1, 33;"), "r == 3"),
    "shf.r": (result("shf.r.clamp.b32 %0, 1, 7, 40;"), "r == 7"),
    "prmt": (result("prmt.b32 %0, 0x33221180, 0x77665544, 0x8514;"), "r == 0xff551144"),
    **{f"prmt.{mode}, {n}": (result(f"prmt.b32.{mode} %0, 0x33221180, 0x77665544, {n + 4};"), f"r == {wanted:#x}")
       for mode, row in PERMUTED.items() for n, wanted in enumerate(row)},
    **{f"fns {base} {offset}": (result(f"fns.b32 %0, {MASK:#x}, {base}, {offset};", "=r", "i"), f"i == {nth_set(MASK, base, offset)}")
       for base in (0, 5, 8, 31) for offset in (-3, -1, 0, 1, 2, 4, 32)},
    "add.sat": (result("add.sat.s32 %0, 0x7fffffff, %1;"), "r == 0x7fffffff"),
    "add.sat, exact": (result("add.sat.s32 %0, -5, %1;"), "r == 5"),
    "sub.sat": (result("sub.sat.s32 %0, 0x80000001, %1;"), "r == 0x80000000"),
    "mad.hi.sat": (result("mad.hi.sat.s32 %0, 0x40000000, %1, 0x7fffffff;"), "r == 0x7fffffff"),
    "mul24": (result("mul24.lo.u32 %0, 0xff000003, %1;"), "r == 30"),
    "mul24, sign": (result("mul24.lo.s32 %0, 0x00fffffd, %1;", "=r", "i"), "i == -30"),
    "mul24.hi": (result("mul24.hi.u32 %0, 0x00ffffff, 0x00fffffe;"), "r == 0xfffffd00"),
    "mul24.hi, sign": (result("mul24.hi.s32 %0, 0x00ffffff, %1;", "=r", "i"), "i == -1"),
    "mad24": (result("mad24.lo.u32 %0, 0xff000003, %1, 5;"), "r == 35"),
    "mad24.hi.sat": (result("mad24.hi.sat.s32 %0, 0x007fffff, 0x007fffff, 0x7ffffff0;"), "r == 0x7fffffff"),
    "lop3": (result("lop3.b32 %0, 0xf0, 0xcc, 0xaa, 0x1e;"), "r == 0x1e"),
    "popc": (result("popc.b64 %0, -2;"), "r == 63"),
    "clz": (result("clz.b32 %0, %1;"), "r == 28"),
    "brev": (result("brev.b32 %0, %1;"), "r == 0x50000000"),
    "sad": (result("sad.s32 %0, -3, 4, %1;"), "r == 17"),
    "abs": (result("abs.s32 %0, -3;"), "r == 3"),
    "brx": (result("{ .reg .u32 i; mov.u32 i, 1; T: .branchtargets A, B, C; mov.u32 %0, 0; brx.idx i, T; A: add.u32 %0, %0, 1; B: add.u32 %0, %0, 2; C: add.u32 %0, %0, 4; }"), "r == 6"),
    "mul.wide": (result("mul.wide.s32 %0, %1, -3;", "=l", "l"), "l == -30ull"),
    "mul.wide.u32": (result("mul.wide.u32 %0, %1, 0x80000000;", "=l", "l"), "l == 10ull << 31"),
    "mad.lo": (result("mad.lo.s32 %0, %1, %1, 1;"), "r == 101"),
    "mad.wide": (result("mad.wide.u32 %0, %1, 4, %2;", "=l", "l", '"r"(ten), "l"(7ll)'), "l == 47"),
    "div": (result("div.s32 %0, %1, -3;", "=r", "i"), "i == -3"),
    "div.u32": (result("div.u32 %0, -1, %1;"), "r == 429496729"),
    "rem": (result("rem.u32 %0, %1, 4;"), "r == 2"),
    "and": (result("and.b32 %0, %1, 6;"), "r == 2"),
    "or": (result("or.b32 %0, %1, 5;"), "r == 15"),
    "xor": (result("xor.b32 %0, %1, 3;"), "r == 9"),
    "not": (result("not.b32 %0, %1;"), "r == ~10u"),
    "neg": (result("neg.s32 %0, %1;", "=r", "i"), "i == -10"),
    "shl": (result("shl.b32 %0, %1, 4;"), "r == 160"),
    "shl, clamped": (result("shl.b32 %0, 1, %1;", more='"r"(ten + 30)'), "r == 0"),
    "shl, of 16 bits": (result("{ .reg .b16 h; mov.b16 h, 1; shl.b16 h, h, %1; cvt.u32.u16 %0, h; }", more='"r"(ten + 65526)'), "r == 0"),
    "shr, of 16 bits": (result("{ .reg .b16 h; mov.b16 h, -16; shr.s16 h, h, %1; cvt.s32.s16 %0, h; }", "=r", "i", '"r"(ten - 8)'), "i == -4"),
    "shr": (result("shr.s32 %0, -16, 2;", "=r", "i"), "i == -4"),
    "shr, clamped": (result("shr.s32 %0, -16, %1;", "=r", "i", '"r"(ten + 30)'), "i == -1"),
    "shr.u32": (result("shr.u32 %0, -16, 28;"), "r == 15"),
    "min": (result("min.s32 %0, %1, -1;", "=r", "i"), "i == -1"),
    "max": (result("max.u32 %0, %1, -1;"), "r == ~0u"),
    "mov": (result("mov.u32 %0, %1;"), "r == 10"),
    "mov, packed": (result("mov.b64 %0, {%1, %1};", "=l", "l"), "l == (10ull << 32 | 10)"),
    "mov, unpacked": (asm("mov.b64 {%0, %1}, %2;", ': "=r"(r), "=r"(t) : "l"(3ull << 32 | 7) :'), "r == 7 && t == 3"),
    "setp, selp": (result("{ .reg .pred p; setp.lt.s32 p, %1, 11; selp.b32 %0, 1, 2, p; }"), "r == 1"),
    "setp.ge.u32": (result("{ .reg .pred p; setp.ge.u32 p, %1, -1; selp.u32 %0, 1, 2, p; }"), "r == 2"),
    "setp of two": (result("{ .reg .pred p, q; setp.eq.s32 p|q, %1, 10; selp.b32 %0, 1, 2, q; }"), "r == 2"),
    "predicate": (result("{ .reg .pred p; setp.gt.s32 p, %1, 9; @p mov.b32 %0, 3; @!p mov.b32 %0, 4; }"), "r == 3"),
    "predicates": (result("{ .reg .pred p, q; setp.ne.s32 p, %1, 10; not.pred q, p; and.pred q, q, !p; selp.b32 %0, 5, 6, q; }"),
                   "r == 5"),
    "branch": (result("{ .reg .pred p; mov.b32 %0, 0; L: add.u32 %0, %0, 3; setp.lt.u32 p, %0, %1; @p bra L; bra.uni M; "
                      "mov.b32 %0, 0; M: }"), "r == 12"),
    "cvt": (asm("cvt.u64.s32 %0, %1;", ': "=l"(l) : "r"(-ten) :'), "l == -10ull"),
    "cvt, narrower": (asm("cvt.u32.u64 %0, %1;", ': "=r"(r) : "l"(1ull << 32 | 6) :'), "r == 6"),
    "cvt, of eight bits": (result("cvt.s32.s8 %0, %1;", "=r", "i", '"r"(200)'), "i == -56"),
    "names that are many": (result("{ .reg .b32 r<3>; mov.b32 r2, %1; mov.b32 %0, r2; }"), "r == 10"),
    "braces within": (result("{ .reg .b32 a; mov.b32 a, 1; { .reg .b32 a; mov.b32 a, 2; } mov.b32 %0, a; }"), "r == 1"),
    "one after the other": (result("mov.u32 %0, 1; /* then */ add.u32 %0, %0, %1; // end\\n"), "r == 11"),
    "a label of its own in each": ("for (int n = 0; n < 2; ++n) " + result("add.u32 %0, %0, 1; L_%=: ", "+r", "r", '"n"(0)'), "r == 2"),
    "ld.u8": (asm("ld.u8 %0, [%1];", ': "=r"(r) : "l"(&c) :'), "r == 200"),
    "ld.s8": (asm("ld.s8 %0, [%1];", ': "=r"(i) : "l"(&d) :'), "i == -56"),
    "st.b8": (asm("st.b8 [%0], %1;", ':: "l"(&c), "r"(0x1ff) :'), "c == 255"),
    "ld.v2": (asm("ld.v2.u32 {%0, %1}, [%2 + 8];", ': "=r"(r), "=r"(t) : "l"(v) :'), "r == 3 && t == 4"),
    "st.v4": (asm("st.volatile.v4.u32 [%0], {%1, 7, %1, 9};", ':: "l"(v), "r"(ten) :'), "v[0] == 10 && v[1] == 7 && v[3] == 9"),
    "ld.u64 of two": (asm("ld.u64 %0, [%1-4];", ': "=l"(l) : "l"(v + 1) :'), "l == (2ull << 32 | 1)"),
    "shared": (asm("st.shared.u32 [%0], %1; ld.shared::cta.u32 %2, [%0];", ':: "r"((unsigned)__cvta_generic_to_shared(own)), "r"(5), "r"(t) :'),
               "own[0] == 5"),
    "cvta": (asm("{ .reg .u64 a; .reg .u32 b; cvta.to.shared.u64 a, %1; cvt.u32.u64 b, a; st.shared.u32 [b + 4], 6; "
                 "ld.shared.u32 %0, [b+4]; }", ': "=r"(r) : "l"(own) :'), "r == 6 && own[1] == 6"),
    "mapa": (asm("{ .reg .b32 a; mapa.shared::cluster.u32 a, %1, 0; st.shared::cluster.u32 [a], 8; "
                 "getctarank.shared::cluster.u32 a, a; st.shared.u32 [%1+4], a; barrier.cluster.arrive; barrier.cluster.wait.acquire; }",
                 ':: "r"(0), "r"((unsigned)__cvta_generic_to_shared(own)) :'), "own[0] == 8 && own[1] == 0"),
    "atom.add": (asm("atom.add.u32 %0, [%1], 3; atom.global.gpu.relaxed.add.u32 %0, [%1], 4;", ': "=&r"(r) : "l"(&u) :'), "r == 3 && u == 7"),
    "atom.min": (asm("atom.min.s32 %0, [%1], -3;", ': "=r"(i) : "l"(&s) :'), "i == 0 && s == -3"),
    "atom.min.u32": (asm("red.min.u32 [%0], -3;", ':: "l"(v) :'), "v[0] == 1"),
    "atom.max": (asm("atom.max.u32 %0, [%1], 3;", ': "=r"(r) : "l"(v) :'), "r == 1 && v[0] == 3"),
    "atom.and": (asm("red.and.b32 [%0], 2;", ':: "l"(v + 2) :'), "v[2] == 2"),
    "atom.or": (asm("red.or.b32 [%0], 4;", ':: "l"(v + 2) :'), "v[2] == 7"),
    "atom.xor": (asm("red.xor.b32 [%0], 1;", ':: "l"(v + 2) :'), "v[2] == 2"),
    "atom.inc": (asm("red.inc.u32 [%0], 4;", ':: "l"(v + 3) :'), "v[3] == 0"),
    "atom.dec": (asm("red.dec.u32 [%0], 3;", ':: "l"(v + 3) :'), "v[3] == 3"),
    "atom.exch": (asm("atom.exch.b64 %0, [%1], 9;", ': "=l"(l) : "l"(&w) :'), "l == 0 && w == 9"),
    "atom.cas": (asm("atom.cas.b32 %0, [%1], 1, 9;", ': "=r"(r) : "l"(v) :'), "r == 1 && v[0] == 9"),
    "atom.cas that fails": (asm("atom.cas.b32 %0, [%1], 2, 9;", ': "=r"(r) : "l"(v) :'), "r == 1 && v[0] == 1"),
    "%tid": (asm("mov.u32 %0, %%tid.x;", ': "=r"(r) ::'), "r == 0"),
    "%ntid": (asm("mov.u32 %0, %%ntid.y;", ': "=r"(r) ::'), "r == 1"),
    "%nctaid": (asm("mov.u32 %0, %%nctaid.x; add.u32 %0, %0, %%ctaid.x;", ': "=r"(r) ::'), "r == 1"),
    "%laneid": (asm("mov.u32 %0, %%laneid;", ': "=r"(r) ::'), "r == 0"),
    "%lanemask": (asm("mov.u32 %0, %%lanemask_le;", ': "=r"(r) ::'), "r == 1"),
    "activemask": (asm("activemask.b32 %0;", ': "=r"(r) ::'), "r == 1"),
    "WARP_SZ": (asm("mov.u32 %0, WARP_SZ;", ': "=r"(r) ::'), "r == 32"),
    "elect": (asm("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.b32 %0, 1, 0, p; }", ': "=r"(r) ::'), "r == 1"),
    "bar.red.popc": (asm("{ .reg .pred p; setp.eq.u32 p, 1, 1; bar.red.popc.u32 %0, 0, p; }", ': "=r"(r) ::'), "r == 1"),
    "bar.red.and": (asm("{ .reg .pred p, q; setp.eq.u32 p, 1, 2; barrier.cta.red.or.pred q, 0, !p; selp.b32 %0, 3, 4, q; }",
                        ': "=r"(r) ::'), "r == 3"),
    "shfl": (asm("{ .reg .pred p; shfl.sync.up.b32 %0|p, 7, 1, 0, 1; selp.b32 %1, 1, 2, p; }", ': "=r"(r), "=r"(t) ::'), "r == 7 && t == 2"),
    "vote": (asm("{ .reg .pred p; vote.sync.all.pred p, 1, 1; selp.b32 %0, 3, 4, p; vote.sync.ballot.b32 %1, p, 1; }",
                 ': "=r"(r), "=r"(t) ::'), "r == 3 && t == 1"),
    "vote.uni": (asm("{ .reg .pred p, q; setp.eq.u32 p, 1, 2; vote.sync.uni.pred q, p, 1; vote.sync.any.pred p, p, 1; "
                     "selp.b32 %0, 3, 4, q; selp.b32 %1, 3, 4, p; }", ': "=r"(r), "=r"(t) ::'), "r == 3 && t == 4"),
    "match": (asm("{ .reg .pred p; match.all.sync.b32 %0|p, 5, 1; selp.b32 %1, 1, 2, p; }", ': "=r"(r), "=r"(t) ::'), "r == 1 && t == 1"),
    "match.any": (asm("match.any.sync.b64 %0, %1, 1;", ': "=r"(r) : "l"(5ll) :'), "r == 1"),
    "redux": (asm("redux.sync.min.s32 %0, -5, 1; redux.sync.or.b32 %1, 6, 1;", ': "=r"(r), "=r"(t) ::'), "r == -5u && t == 6"),
    "nanosleep": (asm("nanosleep.u32 20;") + "r = 1;", "r == 1"),
    "prefetch": (asm("prefetch.global.L2 [%0];", ':: "l"(v) :') + "r = 1;", "r == 1"),
    "floating-point numbers": ("float q = 2; " + asm("st.global.f32 [%1], %0; red.add.f32 [%1], %0; ld.relaxed.gpu.f32 %0, [%1];",
                                                     ': "+f"(q) : "l"(&e) :') + "r = 1;", "r == 1"),
    "functions of them": (asm("abs.f32 %0, %0; rcp.rn.f32 %0, %0; sqrt.rn.f32 %0, %0; rsqrt.approx.f32 %0, %0; sin.approx.f32 %0, %0; "
                              "add.f32 %0, %0, -1.5; add.f32 %0, %0, 1e-3; cos.approx.f32 %0, %0; tanh.approx.f32 %0, %0; lg2.approx.f32 %0, %0; ex2.approx.f32 %0, %0;",
                              ': "+f"(e) ::') + "r = 1;", "r == 1"),
    "halves": ("short h = 1; " + asm("st.b16 [%1], %2; ld.s16 %0, [%1]; add.s16 %0, %0, 1;", ': "=h"(h) : "l"(&half), "h"((short)5) :'), "h == 6"),
    "setp.and": (result("{ .reg .pred p, q; setp.eq.s32 q, 1, 2; setp.gt.or.s32 p|q, %1, 9, q; selp.b32 %0, 1, 2, p; @q add.u32 %0, %0, 4; }"),
                 "r == 1"),
    "setp.xor": (result("{ .reg .pred p, q; setp.eq.s32 q, 1, 1; setp.gt.xor.s32 p|q, %1, 10, !q; selp.b32 %0, 1, 2, p; @q add.u32 %0, %0, 4; }"),
                 "r == 6"),
    "setp.lo": (result("{ .reg .pred p; setp.lo.u32 p, %1, -1; selp.b32 %0, 1, 2, p; }"), "r == 1"),
    "setp.hs": (result("{ .reg .pred p; setp.hs.u32 p, %1, -1; selp.b32 %0, 1, 2, p; }"), "r == 2"),
    "set": (result("set.gt.u32.s32 %0, %1, -1;"), "r == ~0u"),
    "set.and": (result("{ .reg .pred q; setp.eq.s32 q, 1, 2; set.gt.and.s32.s32 %0, %1, 9, q; }"), "r == 0"),
    "slct": (result("slct.u32.s32 %0, 5, 6, %1; slct.u32.s32 %0, %0, 7, -1;"), "r == 7"),
    "cnot": (result("cnot.b32 %0, %1; cnot.b32 %0, %0;"), "r == 1"),
    "cvt.sat": (result("cvt.sat.u8.s32 %0, -3;"), "r == 0"),
    "cvt.sat, above": (result("cvt.sat.s8.u32 %0, -1;", "=r", "i"), "i == 127"),
    "cvt.sat, below": (result("cvt.sat.s16.s32 %0, -70000;", "=r", "i"), "i == -32768"),
    "lop3.or": (asm("{ .reg .pred p, q; setp.eq.u32 q, 1, 2; lop3.or.b32 %0|p, 0xf0, 0xcc, 0xaa, 0x80, q; selp.b32 %1, 1, 2, p; }",
                    ': "=r"(r), "=r"(t) ::'), "r == 0x80 && t == 1"),
    "bfind": (result("bfind.u32 %0, %1;"), "r == 3"),
    "bfind, sign": (result("bfind.s32 %0, -9;"), "r == 3"),
    "bfind, nothing": (result("bfind.u64 %0, 0;"), "r == ~0u"),
    "bfind.shiftamt": (result("bfind.shiftamt.u32 %0, %1;"), "r == 28"),
    "dp4a": (result("dp4a.s32.u32 %0, 0xff020304, 0xff030405, %1;", "=r", "i"), "i == -255 + 6 + 12 + 20 + 10"),
    "dp2a": (result("dp2a.lo.s32.s32 %0, 0xffff0003, 0x0102, %1;", "=r", "i"), "i == -1 + 6 + 10"),
    "dp2a.hi": (result("dp2a.hi.u32.u32 %0, 0x00020003, 0x04050000, %1;"), "r == 8 + 15 + 10"),
    "isspacep": (asm("{ .reg .pred p, q; isspacep.shared p, %1; isspacep.global q, %2; and.pred p, p, q; isspacep.global q, %1; "
                     "selp.b32 %0, 1, 2, p; @q add.u32 %0, %0, 4; }", ': "=r"(r) : "l"(own), "l"(&u) :'), "r == 1"),
    "add.cc": (asm("add.cc.u32 %0, -1, %2; addc.u32 %1, 5, 6;", ': "=r"(r), "=r"(t) : "r"(ten) :'), "r == 9 && t == 12"),
    "add.cc, nothing": (asm("add.cc.u32 %0, 1, %2; addc.cc.u32 %1, 0, -1; addc.u32 %0, %0, 0;", ': "=r"(r), "=r"(t) : "r"(ten) :'),
                        "r == 11 && t == -1u"),
    "addc.cc": (asm("add.cc.u32 %0, -1, 1; addc.cc.u32 %0, -1, 0; addc.u32 %1, %2, 0;", ': "=r"(r), "=r"(t) : "r"(ten) :'), "r == 0 && t == 11"),
    "sub.cc": (asm("sub.cc.u32 %0, 3, %2; subc.u32 %1, 5, 1;", ': "=r"(r), "=r"(t) : "r"(ten) :'), "r == -7u && t == 3"),
    "subc.cc": (asm("sub.cc.u32 %0, 3, %2; subc.cc.u32 %0, 0, 0; subc.u32 %1, %2, 0;", ': "=r"(r), "=r"(t) : "r"(ten) :'), "r == -1u && t == 9"),
    "mad.cc": (asm("mad.lo.cc.u32 %0, -1, %2, 20; madc.hi.u32 %1, -1, %2, 0;", ': "=r"(r), "=r"(t) : "r"(ten) :'), "r == 10 && t == 10"),
    "clusters": (asm("add.u32 %0, %%cluster_nctaid.x, %%cluster_ctaid.y; add.u32 %0, %0, %%nclusterid.z; add.u32 %0, %0, %%clusterid.x;"
                     "{ .reg .pred p; mov.pred p, %%is_explicit_cluster; @p add.u32 %0, %0, 8; add.u32 %0, %0, %%dynamic_smem_size; }",
                     ': "=r"(r) ::'), "r == 2"),
    "hints": (asm("createpolicy.fractional.L2::evict_last.b64 %1, 1.0; ld.global.L2::cache_hint.u32 %0, [%2], %1;"
                  "applypriority.global.L2::evict_normal [%2], 128; pmevent 1; setmaxnreg.dec.sync.aligned.u32 24;"
                  "griddepcontrol.wait; griddepcontrol.launch_dependents;", ': "=r"(r), "=l"(l) : "l"(v) :'), "r == 1"),
    "ldu": (asm("ldu.global.v2.u32 {%0, %1}, [%2];", ': "=r"(r), "=r"(t) : "l"(v) :'), "r == 1 && t == 2"),
    "mmio": (asm("st.mmio.relaxed.sys.global.u32 [%1], 5; ld.relaxed.mmio.global.sys.u32 %0, [%1];", ': "=r"(r) : "l"(v) :'), "r == 5"),
    "pairs of halves": (asm("{ .reg .f16x2 a; .reg .b32 b; cvt.rn.bf16x2.f32 b, %0, %0; fma.rn.bf16x2 b, b, b, b; add.f16x2 a, a, a; "
                            "cvt.rn.bf16.f32 b, %0; red.global.add.noftz.bf16x2 [%1], b; copysign.f32 %0, %0, %0; }",
                            ': "+f"(e) : "l"(&e) :') + "r = 1;", "r == 1"),
    "red.v2.f32": (asm("red.global.add.v2.f32 [%0], {%1, 0f3F800000}; atom.global.v2.f32.add {%1, %1}, [%0], {%1, %1};", ':: "l"(pair), "f"(e) :')
                   + "r = 1;", "r == 1"),
    "atom.v2": (asm("atom.global.add.v2.u32 {%0, %1}, [%2], {10, 20};", ': "=r"(r), "=r"(t) : "l"(v + 2) :'),
                "r == 3 && t == 4 && v[2] == 13 && v[3] == 24"),
    "mov.b128": (asm("{ .reg .b128 w; mov.b128 w, {%2, 7}; mov.b128 {%0, %1}, w; }", ': "=l"(l), "=l"(hi) : "l"(3ull) :'), "l == 3 && hi == 7"),
    "mov.b128 of four": (asm("{ .reg .b128 w; mov.b128 w, {1, 2, %1, 4}; mov.b128 {_, %0}, w; }", ': "=l"(hi) : "r"(ten) :'), "hi == (4ull << 32 | 10)"),
    "ld.b128": (asm("ld.global.b128 %0, [%1];", ': "=q"(o) : "l"(&pair128) :') + "hi = o >> 64;", "hi == 5 && (unsigned)o == 6"),
    "st.b128": (asm("{ .reg .b128 w; mov.b128 w, {1, 2}; st.volatile.b128 [%0], w; }", ':: "l"(&pair128) :') + "o = pair128;",
                "o == ((unsigned __int128)2 << 64 | 1)"),
    "atom.exch.b128": (asm("atom.exch.b128 %0, [%1], %2;", ': "=q"(o) : "l"(&pair128), "q"((unsigned __int128)ten) :'),
                       "o >> 64 == 5 && pair128 == 10"),
    "atom.cas.b128": (asm("{ .reg .b128 w, v; mov.b128 v, {6, 5}; mov.b128 w, {0, 1}; atom.global.cas.acq_rel.gpu.b128 %0, [%1], v, w; }",
                          ': "=q"(o) : "l"(&pair128) :'), "pair128 >> 64 == 1"),
    "atom.cas.b128 that fails": (asm("{ .reg .b128 w, v; mov.b128 v, {6, 4}; mov.b128 w, {0, 1}; atom.cas.b128 %0, [%1], v, w; }",
                                     ': "=q"(o) : "l"(&pair128) :'), "o >> 64 == 5 && pair128 >> 64 == 5"),
    "madc.cc": (asm("{ .reg .u32 a; add.cc.u32 a, -1, 1; madc.lo.cc.u32 %0, 2, 3, 4; addc.u32 %1, 7, 0; }",
                    ': "=r"(r), "=r"(t) ::'), "r == 11 && t == 7"),
    "prefetchu": (asm("prefetchu.L1 [%1]; mov.u32 %0, 5;", ': "=r"(r) : "l"(&u) :'), "r == 5"),
    "fma": (asm("fma.rn.f32 %0, %0, %0, 0f3F800000;", ': "+f"(e) ::') + "r = 1;", "r == 1"),
}  # fmt: skip


@pytest.mark.parametrize("first", range(0, len(NUMBERS), AT_ONCE))
def test_what_instructions_compute(first: int, tmp_path: Path) -> None:
    cases = dict(list(NUMBERS.items())[first : first + AT_ONCE])
    assert found_right(cases, tmp_path / "p.cu") == dict.fromkeys(cases, True)


def test_what_instructions_do_not_compute_is_found(tmp_path: Path) -> None:
    cases = {**dict(list(NUMBERS.items())[:2]), "wrong": (result("add.s32 %0, %1, 5;"), "r == 16")}
    assert found_right(cases, tmp_path / "p.cu") == {name: name != "wrong" for name in cases}


def test_commas_that_nvcc_can_do_without(write: Callable[..., Path]) -> None:
    """Between operands, on one line or two; other places stay where they are."""
    text = """__device__ int x, out;
__global__ void k() {
    int v, w;
    asm volatile("{ ld.relaxed.gpu.u32 %0, [%2]; mov.u32 %1, 4; }" : "=r"(v)"=r"(w)
                 : "l"(&x) /* none */
                   "r"((1)) : "memory");
    asm volatile("st.relaxed.gpu.u32 [%0], %1;" :: "l"(&out) "r"(v + w + 1) : "memory"); int y = z;
}
//@ launch k<<<1, 1>>>();
"""
    taken = write(text.replace(" int y = z;", "") + "//@ expect required out == 5;\n//@ expect forbidden out == 4;\n")
    assert set(answers(taken)) == {"holds"}
    with pytest.raises(InputError) as caught:
        plan(path := write(text), str(path), Overrides(reader="clang"))
    assert [(d.span.line, d.span.column) for d in caught.value.diagnostics] == [(7, 98)]


@pytest.mark.parametrize(
    "unknown",
    [
        asm("mov.u32 %0, %%clock;", ': "=r"(r) ::'),
        asm("mov.u64 %0, %%globaltimer; cvt.u32.u64 %1, %0;", ': "=l"(l), "=r"(r) ::'),
        asm("mov.u32 %0, %%smid;", ': "=r"(r) ::'),
        asm("mov.u32 %0, %%warpid;", ': "=r"(r) ::'),
        asm("{ .reg .pred p; testp.notanumber.f32 p, %1; selp.b32 %0, 1, 0, p; }", ': "=r"(r) : "f"(e) :'),
        asm(
            "{ .reg .pred p; redux.sync.max.abs.NaN.f32 %1, %1, 1; setp.neu.ftz.f32 p, %1, 0f00000000; selp.b32 %0, 1, 0, p; }",
            ': "=r"(r) : "f"(e) :',
        ),
        asm(
            "{ .reg .pred p, q; setp.gt.f16x2 p|q, %1, %1; xor.pred p, p, q; selp.b32 %0, 0, 1, p; }",
            ': "=r"(r) : "f"(e) :',
        ),
        asm("cvt.rzi.u32.f32 %0, %1;", ': "=r"(r) : "f"(e) :'),
        asm("{ .reg .pred p; setp.gt.f32 p, %1, 0f00000000; selp.b32 %0, 1, 0, p; }", ': "=r"(r) : "f"(e) :'),
    ],
)
def test_what_is_not_known_goes_both_ways(unknown: str, write: Callable[..., Path]) -> None:
    text = ONE_THREAD.replace("BODY", f"{unknown} if (r == 1) u = 1;")
    assert answers(write(text + "//@ expect allowed u == 1;\n//@ expect allowed u == 0;\n")) == ["holds"] * 3


@pytest.mark.parametrize(("ends", "reached"), [("exit;", "forbidden"), ("trap;", "forbidden"), ("", "allowed")])
def test_exit_and_trap_end_a_thread(ends: str, reached: str, write: Callable[..., Path]) -> None:
    text = ONE_THREAD.replace("BODY", f"{asm(ends)} s = 1;") + f"//@ expect {reached} s == 1;\n"
    assert answers(write(text))[-1] == "holds"


# ---------------------------------------------------------------- waiting

LOCK = """
__device__ int lock, data;
__global__ void k() {
    asm volatile("{\\n\\t"
                 ".reg .pred p;\\n\\t"
                 ".reg .b32 r;\\n"
                 "AGAIN:\\n\\t"
                 "atom.cas.acquire.gpu.global.b32 r, [%0], 0, 1;\\n\\t"
                 "setp.ne.u32 p, r, 0;\\n\\t"
                 "@p bra AGAIN;\\n}" :: "l"(&lock) : "memory");
    data = data + 1;
    asm volatile("st.RELEASE.gpu.b32 [%0], 0;" :: "l"(&lock) : "memory");
}
int main() { k<<<2, 1>>>(); cudaDeviceSynchronize(); }
//@ expect race_free;
//@ expect terminates;
"""


def test_a_lock_whose_loop_is_in_the_assembly(write: Callable[..., Path]) -> None:
    assert answers(write(LOCK.replace("RELEASE", "release"))) == ["holds", "holds"]
    assert answers(write(LOCK.replace("RELEASE", "relaxed")))[0] == "violated"


# ---------------------------------------------------------------- vectors

LINE = """
__device__ __align__(16) unsigned line[4];
constexpr bool BOTH = true;
__global__ void k() {
    unsigned x = 0, f = 0, y = 0, g = 0;
    if (threadIdx.x == 0) {
        asm volatile("st.relaxed.gpu.global.v4.u32 [%0], {10, 1, 20, 1};" :: "l"(line) : "memory");
    } else {
        do {
            asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(x), "=r"(f), "=r"(y), "=r"(g) : "l"(line) : "memory");
        } while (f != 1 || (BOTH && g != 1));
    }
}
//@ launch k<<<1, 2>>>();
//@ vary BOTH in {true, false};
//@ expect terminates;
//@ expect race_free under cuda, ptx;
//@ expect allowed k[0][1].x == 0 under cuda, ptx;
//@ expect allowed k[0][1].g == 0 when !BOTH under cuda, ptx;
//@ expect forbidden k[0][1].g == 0 when BOTH under cuda, ptx;
"""


def test_a_thread_waits_for_flags_in_a_vector(write: Callable[..., Path]) -> None:
    """None of the elements waits for another, also where both threads' graphs are one; each order ends."""
    assert set(answers(write(LINE))) == {"holds"}


ELEMENTS = """
__device__ __align__(8) unsigned a[4] = {1, 2, 0, 0}, b[2] = {3, 4}, n;
__device__ unsigned* behind = b;
__global__ void k() {
    unsigned x = 0, y = 0, u = 0, v = 0, own[2] = {5, 6}, p = 0, q = 0, i = n & 1, z = 0, w = 0;
    unsigned long long low = 0, high = 0;
    for (int turn = 0; turn < 2; turn++) {
        asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];" : "=r"(u), "=r"(v) : "l"(a + 2 * turn) : "memory");
        asm volatile("st.global.v2.u32 [%0], {%1, %2};" :: "l"(a + 2), "r"(turn + 7), "r"(turn + 8) : "memory");
    }
    asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(threadIdx.x ? a : behind) : "memory");
    asm volatile("ld.v2.u32 {%0, %1}, [%2];" : "=r"(p), "=r"(q) : "l"(own) : "memory");
    asm volatile("ld.global.v2.u64 {%0, %1}, [%2];" : "=l"(low), "=l"(high) : "l"(a) : "memory");
    asm volatile("ld.acquire.sys.v2.u32 {%0, %1}, [%2];" : "=r"(z), "=r"(w) : "l"(a + 2 * i) : "memory");
    bool holds = x == (threadIdx.x ? 1 : 3) && y == (threadIdx.x ? 2 : 4) && p == 5 && q == 6;
    holds = holds && low == 0x200000001 && high == 0x900000008 && z == 1 && w == 2;
}
//@ launch k<<<1, THREADS>>>();
//@ expect required k[0][0].holds && k[0][0].u == 7 && k[0][0].v == 8;
//@ expect terminates;
"""


def test_what_the_elements_of_a_vector_are(write: Callable[..., Path]) -> None:
    assert answers(write(ELEMENTS.replace("THREADS", "1")))[:2] == ["holds", "holds"]


APART = """
__device__ __align__(8) unsigned a[2] = {1, 2}, b[2] = {3, 4}, c[4] = {5, 6, 7, 8};
__global__ void k() {
    unsigned x = 0, y = 0;
    unsigned* p = threadIdx.x == 0 ? a : threadIdx.x == 1 ? b : c + 2 * (threadIdx.x - 2);
    asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(p) : "memory");
}
//@ launch k<<<1, 4>>>();
//@ expect required k[0][0].x == 1 && k[0][0].y == 2 && k[0][1].x == 3 && k[0][1].y == 4;
//@ expect required k[0][2].x == 5 && k[0][2].y == 6 && k[0][3].x == 7 && k[0][3].y == 8;
//@ expect terminates;
"""


def test_vectors_of_several_threads(write: Callable[..., Path]) -> None:
    """Where they are in different objects, each thread has an evaluation of its own in the one graph."""
    assert answers(write(APART)) == ["holds"] * 3


TORN = """
__device__ __align__(16) unsigned long long halves[2];
__device__ unsigned __int128 whole;
__global__ void k() {
    unsigned long long x = 1, y = 1;
    if (threadIdx.x == 0) {
        STORE
    } else {
        LOAD
    }
}
//@ launch k<<<1, 2>>>();
//@ expect race_free under cuda, ptx;
//@ expect forbidden k[0][1].x != k[0][1].y under cuda, ptx;
"""
#: How two numbers of 64 bits are sent and received: as one of 128 bits, or as two.
PAIRS = {
    "b128": (asm("{ .reg .b128 w; mov.b128 w, {%1, %1}; st.relaxed.cta.b128 [%0], w; }", ':: "l"(&whole), "l"(x) :'),
             asm("{ .reg .b128 w; ld.relaxed.cta.b128 w, [%2]; mov.b128 {%0, %1}, w; }", ': "=l"(x), "=l"(y) : "l"(&whole) :')),
    "v2.b64": (asm("st.relaxed.cta.v2.b64 [%0], {%1, %1};", ':: "l"(halves), "l"(x) :'),
               asm("ld.relaxed.cta.v2.b64 {%0, %1}, [%2];", ': "=l"(x), "=l"(y) : "l"(halves) :')),
}  # fmt: skip


@pytest.mark.parametrize(("name", "verdict"), [("b128", "holds"), ("v2.b64", "violated")])
def test_a_number_of_128_bits_is_never_torn(name: str, verdict: str, write: Callable[..., Path]) -> None:
    sent, received = PAIRS[name]
    text = TORN.replace("STORE", sent).replace("LOAD", received)
    assert answers(write(text)) == ["holds", verdict] * 2


# ---------------------------------------------------------------- the same in CUDA C++

#: A statement of inline PTX and one of CUDA C++ that says the same.
ALIKE = [
    (STORE, "F(f).store(1, cuda::memory_order_release);"),
    (RELAXED_LOAD, "r = F(f).load(cuda::memory_order_relaxed);"),
    (LOAD, "r = F(f).load(cuda::memory_order_acquire);"),
    (asm("ld.acquire.sys.u32 %0, [%1];", ': "=r"(r) : "l"(&f) :'),
     "r = cuda::atomic_ref<unsigned>(f).load(cuda::memory_order_acquire);"),
    (asm("ld.global.u32 %0, [%1];", ': "=r"(r) : "l"(&f) :'), "r = f;"),
    (send("red.release.gpu.global.add.u32 [%0], %1;"), "F(f).fetch_add(1, cuda::memory_order_release);"),
    (asm("atom.max.acq_rel.cta.u32 %0, [%1], 3;", ': "=r"(r) : "l"(&f) :'),
     "r = cuda::atomic_ref<unsigned, cuda::thread_scope_block>(f).fetch_max(3, cuda::memory_order_acq_rel);"),
    (asm("atom.exch.b32 %0, [%1], 3;", ': "=r"(r) : "l"(&f) :'), "r = atomicExch(&f, 3u);"),
    (asm("fence.acq_rel.gpu;"), "cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);"),
    (asm("fence.acquire.gpu;"), "cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);"),
    (asm("fence.release.cta;"), "cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_block);"),
    (asm("fence.sc.sys;"), "__threadfence_system();"),
    (asm("membar.gl;"), "__threadfence();"),
    (asm("membar.cta;"), "__threadfence_block();"),
    (asm("bar.sync 0;"), "__syncthreads();"),
    (asm("bar.warp.sync 0x3;"), "__syncwarp(3);"),
    (asm("nanosleep.u32 100;"), "__nanosleep(100);"),
]  # fmt: skip
SAME = """#include <cuda/atomic>
using F = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;
__device__ unsigned f, x;
__global__ void k() {
    unsigned r = 0;
    STATEMENT
    x = r;
}
int main() { k<<<1, 2>>>(); cudaDeviceSynchronize(); }
//@ expect race_free;
"""


@pytest.mark.parametrize(("ptx", "cplusplus"), ALIKE, ids=[cplusplus for _, cplusplus in ALIKE])
def test_inline_ptx_is_what_cuda_says(ptx: str, cplusplus: str, write: Callable[..., Path]) -> None:
    (one,), (other,) = (
        plan(path, "program.cu", BY_CLANG).runs
        for path in (
            write(SAME.replace("STATEMENT", text), f"{n}/program.cu") for n, text in enumerate((ptx, cplusplus))
        )
    )
    assert differences(agreed(one.graph), agreed(other.graph)) == []


# ---------------------------------------------------------------- what is refused

REFUSED = {
    "mbarrier.init.shared::cta.b64 [%0], 1;": "mbarriers come later",
    "cp.async.bulk.commit_group;": "bulk copies come later",
    "fence.proxy.async;": "proxies come later",
    "fence.mbarrier_init.release.cluster;": "mbarriers come later",
    "fence.acquire.sync_restrict::shared::cluster.cluster;": "outside the modelled subset",
    "wgmma.fence.sync.aligned;": "asynchronous matrix instructions come later",
    "barrier.cluster.arrive.acquire;": "outside the modelled subset of PTX",
    "red.async.relaxed.cluster.add.u32 [%0], 1, [%0];": "asynchronous reductions come later",
    "multimem.red.release.sys.global.add.u32 [%0], 1;": "accesses of multicast memory come later",
    "discard.global.L2 [%0], 128;": "writes of what is not known come later",
    "vote.ballot.b32 %0, p;": "outside the modelled subset of PTX",
    "ld.mmio.u32 %0, [%0];": "write .mmio.relaxed.sys",
    "setp.lo.s32 %0, 1, 2;": "outside the modelled subset of PTX",
    "isspacep.const %0, %0;": "a test for this state space",
    "st.acquire.gpu.u32 [%0], 1;": "st can be weak, relaxed, release",
    "st.release.u32 [%0], 1;": "write st.release.u32.gpu",
    "st.release.gpu [%0], 1;": "add one, such as .u32",
    "red.relaxed.gpu.u32 [%0], 1;": "one of exch",
    "ld.weak.u32 r, [%0];": "there is no register `r`",
    "elect.sinc _|p, 1;": "",
    "bra L;": "there is no label `L`",
    "membar.gl": "expected",
    "vadd2.u32.u32.u32 %0, 1, 2, 3;": "outside the modelled subset of PTX",
    "vadd.u32.u32.u32 %0, 1, 2, 3;": "video instructions come later",
    "tex.1d.v4.s32.s32 {%0, %0, %0, %0}, [%0, {%0}];": "textures and surfaces come later",
    "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%0, {%0}], [%0];": "bulk copies come later",
    "ld.u32 %0, [%0, {%0}];": "an address is wanted here",
    "max.relu.u32 %0, 1, 2;": "outside the modelled subset of PTX",
    "add.relu.s16x2 %0, 1, 2;": "outside the modelled subset of PTX",
    "cvt.pack.sat.u32.s32 %0, 1, 2;": "outside the modelled subset of PTX",
    "add.sat.u32 %0, 1, 2;": "outside the modelled subset of PTX",
    "mul24.wide.u32 %0, 1, 2;": "outside the modelled subset of PTX",
    "mad.lo.sat.s32 %0, 1, 2, 3;": "outside the modelled subset of PTX",
    "st.u32 [%0], 1, 2;": "takes 2 operands, 3 given",
    "mov.u32 %%r1, 1;\\n\\tmov.u32 %%r2 1;": "unexpected `1`, expected `+`, `,`, `;`, `[` or `|` (line 2 of the assembly)",
    "{ .reg .b256 r; }": "a register of type `.b256`",
    "{ .reg .b128 r; and.b128 r, r, r; }": "numbers of .b128 are moved and accessed alone",
    "{ .reg .b128 r; atom.add.b128 r, [%0], r; }": ".b128 is for ld, st, atom.exch and atom.cas",
    "{ .reg .b128 r; red.exch.b128 [%0], r; }": ".b128 is for ld, st, atom.exch and atom.cas",
    "{ .reg .b128 r; ld.v2.b128 {r, r}, [%0]; }": ".b128 is for ld, st, atom.exch and atom.cas of one element",
    "{ .reg .b128 r; ld.relaxed.gpu.b128 r, [%0]; }": "an access of 16 bytes that is not one number of `v`",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_modelled_is_refused_by_its_name(text: str, write: Callable[..., Path]) -> None:
    path = write(ONE_THREAD.replace("BODY", asm(text, ':: "l"(v) :')))
    (outcome,) = check([path], Settings(overrides=BY_CLANG, engine="embedded"))
    (found,) = [d for d in outcome.diagnostics if d.severity == "error"]
    assert REFUSED[text] in f"{found.message} {found.help}"
    assert (found.span.line, found.span.column) == (17, 5)


def test_an_address_is_in_the_state_space_that_is_named(write: Callable[..., Path]) -> None:
    for space, where, verdict in (("shared", "v", "violated"), ("global", "v", "holds"), ("global", "own", "violated")):
        body = asm(f"st.{space}.u32 [%0], 1;", f':: "l"({where}) :')
        assert answers(write(ONE_THREAD.replace("BODY", body)))[-1] == verdict


@pytest.mark.parametrize(
    ("threads", "count", "warps"),
    [
        (2, "", 1),
        (2, ", 64", 2),
        (33, "", 2),
        (33, ", 64", 2),
        (33, ", 96", 3),
        (64, ", 32", 1),
        (64, ", 40", None),
        (2, ", 2", None),
    ],
)
def test_a_count_is_of_warps(threads: int, count: str, warps: int | None, write: Callable[..., Path]) -> None:
    """ "Operand b specifies the number of threads participating in the barrier" (PTX ISA, "bar"), by whole warps."""
    number = count.removeprefix(", ") or "0"
    text = asm(f"bar.sync 1{', %0' * bool(count)};", f':: "r"({number}) :')
    path = write(f"__global__ void k() {{ {text} }}\nint main() {{ k<<<1, {threads}>>>(); }}\n//@ expect undefined;\n")
    (run,) = plan(path, path.name, BY_CLANG).runs
    found = [node.operation for node in run.program.grids["k"].body.nodes.values() if isinstance(node, ir.Do)]
    named = {(one.name, one.count) for one in found if isinstance(one, ir.NamedBarrier)}
    assert named == (set() if warps is None else {((Const(1, types.INT),), Const(warps, types.INT))})
    assert answers(path) == ["violated" if warps else "holds"]


def test_warps_that_meet_give_one_count(write: Callable[..., Path]) -> None:
    text = asm("bar.sync 1, %0;", ':: "r"(32 + threadIdx.x / 32 * 32) :')
    path = write(f"__global__ void k() {{ {text} }}\nint main() {{ k<<<1, 64>>>(); }}\n//@ expect race_free;\n")
    with pytest.raises(InputError, match="give it different counts"):
        plan(path, path.name, BY_CLANG)


ELECTION = """
__device__ int count, same, who;
#define ELECT(mask, lane, leads) \\
    asm volatile("{ .reg .pred p; elect.sync %0|p, " mask "; selp.b32 %1, 1, 0, p; }" : "=r"(lane), "=r"(leads))
__global__ void k() {
    unsigned first, second, leads;
    ELECT("0xffffffff", first, leads);
    if (leads) {
        atomicAdd(&count, 1);
        who = threadIdx.x;
    }
    __syncwarp();
    ELECT("MASK", second, leads);
    if (first == second) atomicAdd(&same, 1);
}
//@ launch k<<<1, 3>>>();
//@ expect required count == 1;
//@ expect allowed who == 0;
//@ expect allowed who == 1;
//@ expect allowed who == 2;
//@ expect required same == 3;
"""


@pytest.mark.parametrize(("mask", "verdict"), [("0xffffffff", "holds"), ("7", "violated")])
def test_any_lane_may_lead_and_it_is_the_same_where_the_mask_is(
    mask: str, verdict: str, write: Callable[..., Path]
) -> None:
    assert answers(write(ELECTION.replace("MASK", mask))) == ["holds"] * 4 + [verdict]


def test_another_leads_where_the_leader_has_exited(write: Callable[..., Path]) -> None:
    before, second = ELECTION.split("    __syncwarp();\n")
    _, after = second.split("}\n", 1)
    text = f"""{before}    if (leads) return;
    ELECT("0xffffffff", second, leads);
    if (leads) atomicAdd(&same, 1);
}}
{after.replace("same == 3", "same == 1")}"""
    assert answers(write(text)) == ["holds"] * 5


def test_a_text_is_read_as_it_is_written() -> None:
    block = read(Source("asm", "{ .reg .pred p; @!p ld.global.L2::128B.v2.u32 {a, b}, [%rd1 + -4]; L: bra L; }"))
    (inner,) = block.items
    assert isinstance(inner, forms.Block)
    declaration, load, label, jump = inner.items
    assert isinstance(declaration, forms.Declaration)
    assert isinstance(label, forms.Label)
    assert isinstance(jump, forms.Instruction)
    assert isinstance(load, forms.Instruction)
    assert load.operation == ("ld", "global", "L2::128B", "v2", "u32")
    assert load.guard is not None
    assert not load.guard.truth
    vector, element = load.operands
    assert isinstance(vector, forms.Vector)
    assert isinstance(element, forms.Element)
    assert (element.name, element.offset) == ("%rd1", -4)
    assert table.access(load).hint is False


# ---------------------------------------------------------------- the same in litmus files

PROGRAMS = programs(20, 60) // 5


def instruction(random: Random, register: str) -> tuple[str, str]:
    """An instruction as litmus files write it, and the statement that it is inline; it may set a register."""
    scope, place, value = random.choice(["cta", "gpu", "gpu", "sys"]), random.choice("xy"), random.randint(1, 2)
    match random.choice(["ld", "ld", "st", "st", "atom", "red", "fence"]):
        case "ld":
            mode = random.choice(["weak", f"relaxed.{scope}", f"acquire.{scope}", "volatile"])
            text = asm(f"ld.{mode}.s64 %0, [%1];", f': "=l"({register}) : "l"(&{place}) :')
            return f"ld.{mode} {register}, {place}", text
        case "st":
            mode = random.choice(["weak", f"relaxed.{scope}", f"release.{scope}", "volatile"])
            return f"st.{mode} {place}, {value}", asm(f"st.{mode}.s64 [%0], {value};", f':: "l"(&{place}) :')
        case "fence":
            fence = random.choice([f"fence.acq_rel.{scope}", f"fence.sc.{scope}", "membar.gl", "membar.cta"])
            return fence, asm(f"{fence};")
        case update:
            order = random.choice(["", ".relaxed", ".acquire", ".release", ".acq_rel"])
            operation = random.choice(["add", "exch", "cas", "max", "or"])
            whole = f"{update}{order}{f'.{scope}' if order else ''}.{operation}"
            operands = f"{value - 1}, {value}" if operation == "cas" else f"{value}"
            type_ = "b64" if operation in ("exch", "cas", "or") else "u64"
            target, result = (f"{register}, ", "%0, ") if update == "atom" else ("", "")
            text = asm(f"{whole}.{type_} {result}[%1], {operands};", f': "=l"({register}) : "l"(&{place}) :')
            if not target:
                text = asm(f"{whole}.{type_} [%0], {operands};", f':: "l"(&{place}) :')
            return f"{whole} {target}{place}, {operands}", text


def ends(path: Path) -> list[dict[str, int]]:
    """The final states of a file under ``ptx``."""
    settings = Settings(overrides=Overrides(model="ptx", reader="clang"), engine="embedded", timeout=60)
    (listing,) = listings(path, settings, 20_000)[0]
    assert listing.unfinished == ()
    return [dict(state.values) for state in listing.states]


@pytest.mark.parametrize("number", range(PROGRAMS))
def test_litmus_files_mean_the_same(number: int, write: Callable[..., Path]) -> None:
    random = Random(number)
    together = random.random() < 0.3  # in one block
    columns, threads = [], []
    for thread in range(2):
        code = [instruction(random, f"r{n}") for n in range(3)]
        columns.append([litmus for litmus, _ in code])
        condition = f"{'threadIdx' if together else 'blockIdx'}.x == {thread}"
        threads.append(f"if ({condition}) {{ {' '.join(text for _, text in code)} }}")
    heads = " | ".join(f"P{n}@cta {0 if together else n},gpu 0" for n in range(2))
    rows = "\n".join(f"{' | '.join(row)} ;" for row in zip(*columns, strict=True))
    litmus = write(f"PTX t\n{{ x = 0; y = 0; }}\n{heads} ;\n{rows}\nexists (x=0)", "t.litmus")
    inline = write(
        "__device__ long long x, y;\n__global__ void k() {\n    long long r0 = 0, r1 = 0, r2 = 0;\n    "
        + "\n    ".join(threads)
        + f"\n}}\nint main() {{ k<<<{'1, 2' if together else '2, 1'}>>>(); cudaDeviceSynchronize(); }}\n"
        "//@ expect allowed x == 0;\n"
    )
    found, others = ends(litmus), ends(inline)
    thread_of = "k[0][{}].{}" if together else "k[{}][0].{}"
    names = {name: thread_of.format(*name.split(":")) if ":" in name else name for name in found[0]}
    assert {tuple(state[name] for name in names) for state in found} == {
        tuple(state[name] for name in names.values()) for state in others
    }


UNKNOWN = """
__device__ int flag, odd;
__device__ float f;
__device__ unsigned ticks() {
    unsigned now;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(now));
    return now;
}
__global__ void k() {
    while (*(volatile int*)&flag == 0) {
        if (TEST) break;
    }
}
//@ launch k<<<1, 1>>>();
//@ expect may_hang;
"""


@pytest.mark.parametrize("test", ["f < 0", "!(f < 0)", "f >= 0", "ticks() == 7", "ticks() != 7", "ticks() > 1000"])
def test_what_is_unknown_may_be_the_same_for_ever(test: str, write: Callable[..., Path]) -> None:
    assert answers(write(UNKNOWN.replace("TEST", test))) == ["holds"]
    assert answers(write(UNKNOWN.replace("TEST", f"odd == 0 || {test}").replace("may_hang", "terminates"))) == ["holds"]


# ---------------------------------------------------------------- votes at barriers

FUNCTIONS = {
    "popc.u32": (sum, "%0", ""),
    "and.pred": (lambda votes: int(all(votes)), "q", "selp.u32 %0, 1, 0, q;"),
    "or.pred": (lambda votes: int(any(votes)), "q", "selp.u32 %0, 1, 0, q;"),
}
VOTING = """
__device__ int out[4];
__global__ void k() {
    int r = 0;
BODY
}
//@ launch k<<<1, THREADS>>>();
//@ expect race_free;
//@ expect terminates;
"""


def voting(random: Random) -> tuple[str, int]:
    """Threads that vote at barriers of their own, some at each: where an outcome is not what it has to be, one hangs."""
    count, body, wrong = random.randint(2, 4), [], random.random() < 0.3
    turns = random.randint(1, 3)
    spoiled = (random.randrange(turns), random.randrange(count)) if wrong else None
    members = {name: sorted(random.sample(range(count), random.randint(1, count))) for name in (1, 2)}
    functions = {name: random.choice(list(FUNCTIONS)) for name in members}
    for turn in range(turns):
        name = random.choice(list(members))
        votes = [random.randrange(2) for _ in members[name]]
        function, target, then = FUNCTIONS[functions[name]]
        text = f"bar.red.{functions[name]} {target}, {name}, {len(votes)}, p;"
        assembly = f"{{ .reg .pred p, q; setp.ne.u32 p, %1, 0; {text} {then} }}"
        for thread, vote in zip(members[name], votes, strict=True):
            found = function(votes) + (spoiled == (turn, thread))
            cast = asm(assembly, f': "=r"(r) : "r"({vote}) :')
            body.append(f"    if (threadIdx.x == {thread}) {{ {cast} if (r != {found}) for (;;); }}")
        if spoiled is not None and spoiled[0] == turn and spoiled[1] not in members[name]:
            spoiled = None
    return VOTING.replace("BODY", "\n".join(body)).replace("THREADS", str(count)), int(spoiled is None)


@pytest.mark.parametrize("number", range(12))
def test_what_a_vote_at_a_barrier_gives(number: int, write: Callable[..., Path]) -> None:
    text, right = voting(Random(number))
    assert answers(write(text))[:2] == ["holds", "holds" if right else "violated"]


HALF = """
__device__ int x, y;
__global__ void k() {
    unsigned r = 0;
    if (threadIdx.x == 0) x = 1; else y = 1;
    asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, %1; BARRIER }" : "+r"(r) : "r"(r) : "memory");
    if (threadIdx.x == 0) r += y; else r += x;
    assert(r == 3);
}
//@ launch k<<<1, 2>>>();
//@ expect race_free under cuda, ptx;
//@ expect terminates;
"""
HALVES = {
    "bar.red.popc.u32 %0, 5, 2, p;": ["holds", "holds", "holds", "holds", "holds"],
    "bar.red.popc.u32 %0, 5, 3, p;": ["holds", "violated", "unknown", "holds", "unknown"],
    "mov.u32 %0, 2;": ["violated", "holds", "violated", "violated", "violated"],
}


@pytest.mark.parametrize("barrier", HALVES)
def test_a_vote_orders_memory_and_waits_for_its_count(barrier: str, write: Callable[..., Path]) -> None:
    text = "#include <cassert>\n" + HALF.replace("BARRIER", barrier)
    assert answers(write(text)) == HALVES[barrier]


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("bar.red.popc.u32 %0, 5, 32, p;", "bar.sync 5, 32;", "is used without that vote too"),
        ("bar.red.popc.u32 %0, 5, 2, p;", "bar.red.popc.u32 %0, 5, 3, p;", "give it different counts"),
        ("bar.red.popc.u32 %0, 16, 2, p;", "", "the barriers 0 to 15"),
        ("bar.red.popc.u32 %0, 5, 1, p;", "", "more threads come to a vote than the 1"),
        ("bar.red.popc.u32 %0, 5;", "", "has a result, a barrier, maybe a thread count, and a predicate"),
    ],
)
def test_votes_that_are_refused(first: str, second: str, message: str, write: Callable[..., Path]) -> None:
    path = write("#include <cassert>\n" + HALF.replace("BARRIER", f"{first} {second}"))
    (outcome,) = check([path], Settings(overrides=BY_CLANG, engine="embedded", cache=False, timeout=120))
    assert message in " ".join(str(d) for d in outcome.diagnostics)


# ---------------------------------------------------------------- plain accesses to 16 bytes

WIDE = """
#include <cuda/atomic>
__device__ unsigned __int128 data;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag;
__device__ int r;
__global__ void k() {
    if (blockIdx.x == 0) {
        data = (unsigned __int128)1 << 64 | 1;
        flag.store(1, cuda::memory_order_ORDER);
    } else if (flag.load(cuda::memory_order_acquire) == 1) {
        VOLATILE unsigned __int128& there = data;
        unsigned __int128 d = there;
        r = (int)d == (int)(d >> 64) ? 1 : 2;
    }
}
//@ launch k<<<2, 1>>>();
//@ expect required r == 0 || r == 1 under ptx;
//@ expect allowed r == 2 under ptx;
"""


@pytest.mark.parametrize(
    ("order", "volatile", "given", "verdicts"),
    [
        ("release", "", "scalars", ["holds", "violated"]),
        ("relaxed", "", "scalars", ["unknown", "unknown"]),
        ("relaxed", "", "whole", ["holds", "violated"]),
        ("relaxed", "volatile", "scalars", ["unknown", "unknown"]),
    ],
)
def test_what_races_on_16_bytes_may_be_torn_under_ptx(
    order: str, volatile: str, given: str, verdicts: list[str], write: Callable[..., Path]
) -> None:
    text = WIDE.replace("ORDER", order).replace("VOLATILE", volatile) + f"//@ given vector = {given};\n"
    assert answers(write(text)) == verdicts


# ---------------------------------------------------------------- as libraries write it, and mistyped

IMMEDIATE = """
#include <cassert>
__device__ unsigned v[4] = {1, 2, 3, 4};
__global__ void k() {
    unsigned r;
    asm volatile("ld.global.u32 %0, [%1 + %2*2];" : "=r"(r) : "l"(v), "n"(4));
    assert(r == WANTED);
}
//@ launch k<<<1, 1>>>();
"""


@pytest.mark.parametrize(("wanted", "verdict"), [("3", "holds"), ("2", "violated")])
def test_a_number_is_part_of_a_constant_expression(wanted: str, verdict: str, write: Callable[..., Path]) -> None:
    assert ("violated" in answers(write(IMMEDIATE.replace("WANTED", wanted)))) == (verdict == "violated")


MISTYPED = {
    'asm volatile("ld.aquire.gpu.global.s32 %0, [%1];" : "=r"(r) : "l"(p) : "memory");': "did you mean `acquire`?",
    'asm volatile("st.release.gpus.global.s32 [%0], %1;" :: "l"(p), "r"(1) : "memory");': "did you mean `gpu`?",
    'asm volatile("red.relese.gpu.global.add.s32 [%0], %1;" :: "l"(p), "r"(1) : "memory");': "did you mean `release`?",
    'asm volatile("fence.acq_rel.gpu" ::: "memory");': "is a `;` missing at the end?",
    'asm volatile("fense.acq_rel.gpu;" ::: "memory");': "did you mean `fence`?",
    'asm volatile("membar.gpu;" ::: "memory");': "write membar.cta, membar.gl or membar.sys",
    'asm volatile("ld.acquire.gpu %0, [%1];" : "=r"(r) : "l"(p) : "memory");': "add one, such as .u32",
    'asm volatile("bar.synk 1, 64;" ::: "memory");': "did you mean `sync`?",
    'asm volatile("bar.sync 16, 64;" ::: "memory");': "write one of these",
    'asm volatile("{ .reg .pred p; AGAIN: setp.eq.s32 p, 1, 0; @p bra AGIAN; }");': "did you mean `AGAIN`?",
    'asm volatile("{ .reg .pred done; setp.eq.s32 doen, 1, 0; }");': "did you mean `done`?",
    'asm volatile("ld.acquire.gpu.u32 %0, [%1+4*];" : "=r"(r) : "l"(p));': "",
    'asm volatile("cp.async.ca.shared.global [%0], [%0], 12;" :: "l"(p));': "write one of these",
    'asm volatile("cp.async.wait_group %0;" :: "r"(int(threadIdx.x)));': "write a constant",
    'asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" :: "l"(p));': "mbarriers come later",
}


@pytest.mark.parametrize("text", MISTYPED)
def test_what_is_mistyped_is_said_with_its_place_and_a_way_out(text: str, write: Callable[..., Path]) -> None:
    path = write(
        f"__global__ void k(int* p) {{\n    int r = 0;\n    {text}\n    *p = r;\n}}\n//@ object __device__ int x;\n//@ launch k<<<1, 1>>>(&x);\n"
    )
    with pytest.raises(InputError) as caught:
        plan(path, path.name, BY_CLANG)
    (wrong,) = caught.value.diagnostics
    assert (wrong.span.line, wrong.span.column) == (3, 5)
    assert wrong.code.id.startswith("SCP")
    assert MISTYPED[text] in (wrong.way_out or "")
    assert wrong.way_out
