"""Random programs of one block with tensor memory: as input for the simulator, and as C++ with inline PTX.

A thread of the simulator is a warp here: what a warp does together all of its lanes do, the rest its first one.  Sensible
programs, and the same with a mistake or two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from tests import random_mbarriers
from tests.oracles.asynchronous import program as p
from tests.random_mbarriers import with_mistakes

Code = list[p.Instruction]
Parts = list[list[Code]]  # by part and warp

BARRIERS = ("b0", "b1")
#: The columns of an element of tensor memory.
COLUMNS = 8


def simulated(parts: Parts) -> p.Program:
    """The program for the simulator."""
    threads = []
    for warp in range(len(parts[0])):
        code: Code = []
        for number, part in enumerate(parts):
            code += [*([p.BlockBarrier()] if number else []), *part[warp]]
        threads.append(p.Thread(tuple(code)))
    arrays = (p.Array("s", 1, block=0), p.Array("t", 2, block=0, tensor=True))
    return p.Program((tuple(threads),), (*arrays, *(p.Barrier(name) for name in BARRIERS)))


def _mma(element: int = 0) -> p.TcMma:
    return p.TcMma(p.Span("s"), p.Span("t", 1, element))


def _ld(element: int = 0) -> Code:
    return [p.TcLoad(p.Span("t", 1, element)), p.TcWait()]


def _wait(chance: Random, bar: str, parity: int = 0) -> Code:
    return [p.Wait(bar, parity, order=chance.choice(("acquire", "relaxed"))), p.TcFence("after")]


def _hand_over(chance: Random, bar: str) -> Code:
    return [p.TcFence("before"), p.Arrive(bar, order=chance.choice(("release", "relaxed")))]


def _made(*codes: Code) -> Parts:
    inits: Code = [p.Init(name, 1) for name in BARRIERS]
    return [[inits, *([] for _ in codes[1:])], [list(code) for code in codes]]


def product(chance: Random) -> Parts:
    """One warp multiplies, another loads, and may hand the accumulator back."""
    element = chance.randrange(2)
    first: Code = [_mma(element) for _ in range(chance.choice((1, 1, 2)))] + [p.TcCommit("b0")]
    second = [*_wait(chance, "b0"), *_ld(element)]
    if chance.random() < 0.6:
        second += _hand_over(chance, "b1")
        first += [*_wait(chance, "b1"), _mma(element), p.TcCommit("b0")]
        second += [*_wait(chance, "b0", 1), *_ld(element)]
    else:
        first += _wait(chance, "b0")[:1]
    return _made(first, second)


def composed(chance: Random) -> Parts:
    """The warp that multiplies waits, and tells another."""
    first = [_mma(), p.TcCommit("b0"), *_wait(chance, "b0"), *_hand_over(chance, "b1")]
    return _made(first, [*_wait(chance, "b1"), *_ld()])


def alone(chance: Random) -> Parts:
    """One warp multiplies, loads and multiplies again."""
    element = chance.randrange(2)
    code: Code = [_mma(), _mma(), p.TcCommit("b0"), *_wait(chance, "b0"), *_ld()]
    return _made([*code, _mma(element), p.TcCommit("b1"), *_wait(chance, "b1")], [])


def pipelined(chance: Random) -> Parts:
    """Two warps multiply into one accumulator, one after the other."""
    first = [_mma(), *_hand_over(chance, "b0")]
    second = [*_wait(chance, "b0"), _mma(), p.TcCommit("b1"), *_wait(chance, "b1"), *_ld()]
    return _made([*first, p.Wait("b1", 0)], second)


def met(chance: Random) -> Parts:
    """Warps that meet at a barrier of the block."""
    first = [_mma(), p.TcCommit("b0"), *_wait(chance, "b0"), p.TcFence("before")]
    parts = _made(first, [])
    return [*parts, [[], [p.TcFence("after"), *_ld()]]]


KINDS = (product, product, composed, alone, pipelined, met)


def _changed(chance: Random, one: p.Instruction) -> p.Instruction | None:
    match one:
        case p.TcMma(_, dst):
            return replace(one, dst=replace(dst, first=1 - dst.first))
        case p.TcLoad(src):
            return replace(one, src=replace(src, first=1 - src.first))
        case p.TcFence(side):
            return p.TcFence("after" if side == "before" else "before")
        case p.Wait():
            return chance.choice((replace(one, mode="try"), replace(one, parity=1 - (one.parity or 0))))
        case _:
            return None


def mistaken(chance: Random, parts: Parts) -> Parts:
    """A program with one mistake, which may be none."""
    parts = [[[*code] for code in part] for part in parts]
    places = [(a, b, n) for a, part in enumerate(parts) if a for b, code in enumerate(part) for n in range(len(code))]
    a, b, n = chance.choice(places)
    code, one = parts[a][b], parts[a][b][n]
    match chance.choice(("drop", "drop", "drop", "change", "swap", "insert")):
        case "drop":
            del code[n]
        case "change" if (new := _changed(chance, one)) is not None:
            code[n] = new
        case "swap" if n + 1 < len(code):
            code[n], code[n + 1] = code[n + 1], one
        case "insert":
            code.insert(n, chance.choice((p.TcFence("after"), p.TcFence("before"), p.TcWait(), _ld()[0], _mma())))
    return parts


def random_program(chance: Random) -> Parts:
    """A program with or without a mistake."""
    return with_mistakes(chance, chance.choice(KINDS)(chance), mistaken)


# ---------------------------------------------------------------- as text

_REGISTERS = ", ".join(f"%{n}" for n in range(COLUMNS))
_HEAD = (
    random_mbarriers._HEAD
    + """\
__device__ int never;
__device__ unsigned long long descriptor(const void* p) {
    return (at((void*)p) & 0x3FFFF) >> 4 | 8ull << 16 | 16ull << 32 | 1ull << 46;
}
__device__ void multiply(unsigned d, unsigned a, const void* b) {
    asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], [%1], %2, %3, p; }"
                 :: "r"(d), "r"(a), "l"(descriptor(b)), "r"(1 << 4 | 1 << 17 | 4 << 24) : "memory");
}
__device__ void take(unsigned from) {
    unsigned r[8];
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {REGISTERS}, [%8];" : RESULTS : "r"(from) : "memory");
}
""".replace("REGISTERS", _REGISTERS).replace("RESULTS", ", ".join(f'"=r"(r[{n}])' for n in range(COLUMNS)))
)


def statement(one: p.Instruction, number: int) -> tuple[str, bool]:
    """The text, and whether all lanes of the warp do it."""
    match one:
        case p.TcMma(_, dst):
            return f"multiply(d + {COLUMNS * dst.first}, d + {2 * COLUMNS}, b);", False
        case p.TcLoad(src):
            return f"take(d + {COLUMNS * src.first});", True
        case p.TcWait():
            return 'asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");', True
        case p.TcFence(side):
            return f'asm volatile("tcgen05.fence::{side}_thread_sync;" ::: "memory");', False
        case p.TcCommit(bar):
            what = "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];"
            return random_mbarriers.assembly(what, random_mbarriers.shared(bar)), False
        case _:
            return random_mbarriers.statement(one, number), False


def text_of(parts: Parts, *expectations: str) -> str:
    """Tensor memory is deallocated on a path that is not taken, for the simulator knows of no deallocation.

    The last warp has one lane, which is enough for what a warp does together.
    """
    last = len(parts[0]) - 1
    lines = [_HEAD + "__global__ void k() {", "    __shared__ alignas(128) unsigned long long b[32];"]
    lines += [
        f"    __shared__ __align__(8) unsigned long long {', '.join(BARRIERS)};",
        "    __shared__ unsigned address;",
    ]
    lines += [f"    if (threadIdx.x / 32 == {last}) {{"]
    lines += [f"        {random_mbarriers.assembly('tcgen05.alloc.cta_group::1.sync.aligned.b32 [%0], 32;', _GENERIC)}"]
    lines += ["    }"]
    for number, part in enumerate(parts):
        if number:
            lines.append("    __syncthreads();" + " unsigned d = address;" * (number == 1))
        for warp, code in enumerate(part):
            body = [_of_warp(one, n) for n, one in enumerate(code)]
            if body:
                lines += [f"    if (threadIdx.x / 32 == {warp}) {{", *body, "    }"]
    free = random_mbarriers.assembly("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;", '"r"(d)')
    lines += [
        f"    if (threadIdx.x / 32 == {last} && never) {{ {free} }}",
        "}",
        f"//@ launch k<<<1, {32 * last + 1}>>>();",
    ]
    return "\n".join([*lines, "//@ options thin_air = off;", *(f"//@ expect {e};" for e in expectations), ""])


_GENERIC = '"l"(&address)'


def _of_warp(one: p.Instruction, number: int) -> str:
    text, together = statement(one, number)
    return f"        {text}" if together else f"        if (threadIdx.x % 32 == 0) {{ {text} }}"


def shown(parts: Sequence[Sequence[Code]]) -> str:
    """The instructions, for a message."""
    return "\n".join(f"part {a} warp {b}: {code}" for a, part in enumerate(parts) for b, code in enumerate(part))
