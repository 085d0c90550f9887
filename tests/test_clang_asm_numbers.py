"""Inline PTX: what instructions on numbers compute."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from scopec.base.diagnostics import InputError
from scopec.session.plan import Overrides, plan
from tests.test_clang_asm import answers, asm

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


@pytest.mark.sampled(4)
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


@pytest.mark.sampled(3)
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
