"""Random programs of one block with mbarriers and bulk copies: as input for the simulator, and as C++ with inline PTX.

Mostly sensible programs of a few kinds, and the same with a mistake or two: programs of random instructions nearly all hang
or break a rule.  The parts of a program are what stands between its ``__syncthreads()``, which the threads of a warp have to
reach at one place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

from tests.oracles.asynchronous import program as p
from tests.oracles.asynchronous.check import Result, TooLarge
from tests.oracles.asynchronous.check import check as simulate

#: By model the simulator's: under `ptx` any fence on the way will do.
OPTIONS = {"cuda": p.Options(limit=10_000), "ptx": p.Options("path", limit=10_000)}
Code = list[p.Instruction]
Parts = list[list[Code]]  # by part and thread

UNITS = 4  # of 16 bytes, in each array


BARRIERS = ("b0", "b1", "b2", "b3")


def simulated(parts: Parts) -> p.Program:
    """The program for the simulator."""
    threads = []
    for thread in range(len(parts[0])):
        code: Code = []
        for number, part in enumerate(parts):
            code += [*([p.BlockBarrier()] if number else []), *part[thread]]
        threads.append(p.Thread(tuple(code)))
    arrays = (p.Array("g", UNITS, init=1), p.Array("out", UNITS), p.Array("s", UNITS, block=0))
    return p.Program((tuple(threads),), (*arrays, *(p.Barrier(name) for name in BARRIERS)))


# ---------------------------------------------------------------- sensible programs


def unit(index: int, name: str = "s") -> p.Loc:
    return p.Loc(name, index)


def initialised(threads: int, counts: Sequence[int]) -> Parts:
    """Thread 0 initialises barriers of these counts."""
    inits: Code = [p.Init(BARRIERS[n], count) for n, count in enumerate(counts)]
    return [[inits, *([] for _ in range(threads - 1))], [[] for _ in range(threads)]]


def load(chance: Random, bar: str, first: int, count: int) -> Code:
    """A load of some units, with the bytes expected before or behind the copy, in one arrival or apart."""
    copies: Code = [p.BulkCopy(p.Span("g", count, first), (p.Span("s", count, first),), (bar,))]
    if count == 2 and chance.random() < 0.3:
        copies = [p.BulkCopy(p.Span("g", 1, first + n), (p.Span("s", 1, first + n),), (bar,)) for n in range(2)]
    size = 16 * count
    kind = chance.choice(("arrive", "arrive", "arrive", "behind", "apart", "late"))
    if kind == "arrive":
        return [p.ArriveExpectTx(bar, size), *copies]
    if kind == "behind":
        return [*copies, p.ArriveExpectTx(bar, size)]
    if kind == "late":  # as libcu++'s example of barrier_expect_tx
        return [*copies, p.ExpectTx(bar, size), p.Arrive(bar)]
    return [p.ExpectTx(bar, size), *copies, p.Arrive(bar)]


def ring(chance: Random) -> Parts:
    """One thread loads tiles into stages, or writes them; the others read them, or change them, and hand the stage back."""
    consumers, stages = chance.choice((1, 1, 2)), chance.choice((1, 1, 2))
    rounds = 2 if stages == 1 else chance.choice((1, 2)) if consumers == 1 else 1
    bulk, changes = chance.random() < 0.75, chance.random() < 0.3
    fenced = chance.choice(("consumer", "producer")) if bulk and not changes else "consumer" if bulk else ""
    width = chance.choice((1, 2)) if stages == 1 else 1
    parts = initialised(1 + consumers, [1, consumers] * stages)
    for tile in range(stages * rounds):
        stage, turn = tile % stages, tile // stages
        full, empty, first = BARRIERS[2 * stage], BARRIERS[2 * stage + 1], stage * width
        producer = parts[1][0]
        if turn or chance.random() < 0.2:
            producer.append(p.Wait(empty, (turn + 1) % 2))
        if turn and fenced == "producer":
            producer.append(p.ProxyFence("async", chance.choice((None, None, "shared"))))
        if bulk:
            producer += load(chance, full, first, width)
        else:
            producer += [*(p.Store(unit(first + n), 2 + tile) for n in range(width)), p.Arrive(full)]
        for reader, code in enumerate(parts[1][1:]):
            code.append(p.Wait(full, turn % 2))
            here = unit(first + (reader if width > 1 else 0))
            code.append(p.Load(here, "r"))
            if changes and (width > 1 or consumers == 1):
                code.append(p.Store(here, 9))
            if fenced == "consumer":
                code.append(p.ProxyFence("async", chance.choice((None, None, "shared"))))
            code.append(p.Arrive(empty))
    return parts


def exchange(chance: Random) -> Parts:
    """All threads write, meet at a barrier, and read what another has written; by token or by parity."""
    threads, rounds = chance.choice(((2, 1), (2, 2), (3, 1)))
    parts = initialised(threads, [threads])
    for turn in range(rounds):
        for thread, code in enumerate(parts[1]):
            code.append(p.Store(unit((thread + turn) % threads), turn + 2))
            if chance.random() < 0.5:
                token = f"t{turn}"
                code += [p.Arrive("b0", dst=token), p.Wait("b0", token=token)]
            else:
                code += [p.Arrive("b0"), p.Wait("b0", turn % 2)]
            code.append(p.Load(unit((thread + turn + 1) % threads), "r"))
            if rounds > 1 and not turn:  # before the unit that was read is written
                token = "t2"
                code += [p.Arrive("b1", dst=token), p.Wait("b1", token=token)]
    if rounds > 1:
        parts[0][0].append(p.Init("b1", threads))
    return parts


def out(chance: Random) -> Parts:
    """Threads write, one stores in bulk, waits, and the source or the result is used again; handed over by either barrier."""
    threads = chance.choice((1, 2, 2))
    by_barrier, again_by_barrier = chance.random() < 0.5, chance.random() < 0.5
    parts = initialised(threads, [threads, 1])
    fence = p.ProxyFence("async", chance.choice((None, None, "shared")))
    for thread, code in enumerate(parts[1]):
        code += [p.Store(unit(thread), 2), fence]
        if by_barrier:
            code.append(p.Arrive("b0"))
    if not by_barrier:
        parts.append([[] for _ in range(threads)])
    result = chance.random() < 0.5
    issuer = parts[-1][0]
    if by_barrier:
        issuer.append(p.Wait("b0", 0))
    for n in range(threads):
        issuer += [p.BulkStore(p.Span("s", 1, n), p.Span("out", 1, n)), p.BulkCommit()]
    issuer.append(p.BulkWait(0, read=not result))
    if again_by_barrier:
        issuer.append(p.Arrive("b1"))
        parts[-1][-1].append(p.Wait("b1", 0))
    else:
        parts.append([[] for _ in range(threads)])
    last = threads - 1
    parts[-1][last].append(p.Load(unit(last, "out"), "r") if result else p.Store(unit(last), 3))
    return parts


def groups(chance: Random) -> Parts:
    """One thread stores stages in turn, and waits until so many groups are left before it writes a stage again."""
    parts = initialised(1, [1])
    stages, code = 2, parts[1][0]
    for tile in range(3):
        if tile >= stages:
            code.append(p.BulkWait(stages - 1, read=True))
        where = tile % stages
        code += [p.Store(unit(where), tile), p.ProxyFence("async")]
        code += [p.BulkStore(p.Span("s", 1, where), p.Span("out", 1, tile)), p.BulkCommit()]
    code.append(p.BulkWait(0, read=True))
    return parts


def through(chance: Random) -> Parts:
    """A load, a change by another thread or none, and a store of it."""
    changes = chance.random() < 0.6
    parts = initialised(2, [1, 1])
    issuer, worker = parts[1]
    issuer += load(chance, "b0", 0, 1)
    if changes:
        worker += [p.Wait("b0", 0), p.Load(unit(0), "r"), p.Store(unit(0), 3), p.ProxyFence("async"), p.Arrive("b1")]
        issuer.append(p.Wait("b1", 0))
    else:
        issuer.append(p.Wait("b0", 0))
    issuer += [p.BulkStore(p.Span("s"), p.Span("out")), p.BulkCommit(), p.BulkWait(0, read=chance.random() < 0.5)]
    return parts


def source(chance: Random) -> Parts:
    """Global memory that another thread has written is loaded; the fence is the writer's or the issuer's."""
    parts = initialised(2, [1, 1])
    issuer, writer = parts[1]
    fence = p.ProxyFence("async", chance.choice((None, "global")))
    here = chance.random() < 0.5
    writer += [p.Store(unit(0, "g"), 2), *([fence] if here else []), p.Arrive("b1")]
    issuer += [p.Wait("b1", 0), *([] if here else [fence]), *load(chance, "b0", 0, 1), p.Wait("b0", 0)]
    issuer.append(p.Load(unit(0), "r"))
    if chance.random() < 0.5:
        writer += [p.Wait("b0", 0), p.Store(unit(0, "g"), 3)]
    return parts


def again(chance: Random) -> Parts:
    """A barrier is ended and made again, between two meetings at it."""
    parts = initialised(2, [2])
    parts += [[[p.Inval("b0"), p.Init("b0", 2)], []], [[], []]]
    for turn in (1, 3):
        for thread, code in enumerate(parts[turn]):
            code += [p.Store(unit(thread if turn == 1 else 2 + thread), turn), p.Arrive("b0"), p.Wait("b0", 0)]
            code.append(p.Load(unit(1 - thread if turn == 1 else 3 - thread), "r"))
    if chance.random() < 0.5:  # another one is made in between
        parts[2][0] = [p.Inval("b0"), p.Init("b1", 1), p.Init("b0", 2)]
    return parts


KINDS: tuple[Callable[[Random], Parts], ...] = (ring, ring, ring, exchange, out, out, groups, through, source, again)

# ---------------------------------------------------------------- mistakes


def makes_token(one: p.Instruction) -> bool:
    return isinstance(one, p.Arrive) and one.dst is not None


def changed(chance: Random, one: p.Instruction) -> p.Instruction | None:
    """The same instruction with another parity, count, number of bytes, order or place; none where nothing is to change."""
    match one:
        case p.Wait(token=None):
            how = chance.choice(("parity", "parity", "mode", "order"))
            if how == "parity":
                assert one.parity is not None
                return replace(one, parity=1 - one.parity)
            return replace(one, mode="try") if how == "mode" else replace(one, order="relaxed")
        case p.Wait():
            return replace(one, mode="try") if chance.random() < 0.5 else replace(one, order="relaxed")
        case p.Arrive(dst=None):
            return replace(one, count=2) if chance.random() < 0.5 else replace(one, order="relaxed")
        case p.ArriveExpectTx():
            how = chance.choice(("bytes", "bytes", "order"))
            return replace(one, bytes=other(chance, one.bytes)) if how == "bytes" else replace(one, order="relaxed")
        case p.ExpectTx():
            return replace(one, bytes=other(chance, one.bytes))
        case p.Init():
            return replace(
                one, count=one.count + 1 if one.count == 1 else chance.choice((one.count - 1, one.count + 1))
            )
        case p.ProxyFence():
            return replace(one, space="global" if one.space == "shared" else "shared")
        case p.BulkWait():
            return replace(one, n=one.n + 1) if chance.random() < 0.5 else replace(one, read=not one.read)
        case p.BulkCopy(p.Span(_, 1, first)):
            return (
                replace(one, dsts=(p.Span("s", 1, first ^ 1),)) if chance.random() < 0.7 else replace(one, bars=("b0",))
            )
        case p.BulkStore():
            return replace(one, src=replace(one.src, first=one.src.first ^ 1))
        case p.Load() | p.Store():
            return replace(one, loc=replace(one.loc, index=one.loc.index ^ 1))
        case _:
            return None


def other(chance: Random, size: int) -> int:
    return chance.choice([n for n in (16, 32, 48) if n != size])


def inserted(chance: Random) -> p.Instruction:
    where = unit(chance.randrange(2), chance.choice(("s", "s", "g", "out")))
    return chance.choice((p.Load(where, "r"), p.Store(where, 8), p.ProxyFence("async")))


def mistaken(chance: Random, parts: Parts) -> Parts:
    """A program with one mistake, which may be none."""
    parts = [[[*code] for code in part] for part in parts]
    places = [(a, b, n) for a, part in enumerate(parts) for b, code in enumerate(part) for n in range(len(code))]
    a, b, n = chance.choice(places)
    code, one = parts[a][b], parts[a][b][n]
    kind = chance.choice(("drop", "drop", "change", "change", "change", "twice", "swap", "move", "insert", "join"))
    match kind:
        case "drop" if not makes_token(one):
            del code[n]
        case "change" if (new := changed(chance, one)) is not None:
            code[n] = new
        case "twice" if not makes_token(one):
            code.insert(n + chance.randint(0, 1), one)
        case "swap" if n + 1 < len(code) and not makes_token(one):
            code[n], code[n + 1] = code[n + 1], one
        case "move" if not makes_token(one) and not (isinstance(one, p.Wait) and one.token):
            del code[n]
            where = chance.choice([c for part in parts[1:] for c in part])
            where.insert(chance.randint(0, len(where)), one)
        case "insert":
            code.insert(n, inserted(chance))
        case "join" if len(parts) > 2 or chance.random() < 0.3:
            at = chance.randint(1, len(parts) - 1)
            parts[at - 1 : at + 1] = [[x + y for x, y in zip(parts[at - 1], parts[at], strict=True)]]
    return parts


def random_program(chance: Random) -> Parts:
    """A program with or without a mistake."""
    return with_mistakes(chance, chance.choice(KINDS)(chance), mistaken)


def with_mistakes(chance: Random, parts: Parts, mistaken: Callable[[Random, Parts], Parts]) -> Parts:
    """Of four programs three have a mistake, of which some do no harm."""
    for _ in range(chance.choice((0, 1, 1, 1, 1, 2))):
        parts = mistaken(chance, parts)
    return parts


def with_results(
    chance: Random, random_program: Callable[[Random], Parts], simulated: Callable[[Parts], p.Program]
) -> tuple[Parts, dict[str, Result]]:
    """A random program, and what the simulator finds under each model; another one where that takes too long."""
    while True:
        parts = random_program(chance)
        try:
            return parts, {model: simulate(simulated(parts), options) for model, options in OPTIONS.items()}
        except TooLarge:
            pass


# ---------------------------------------------------------------- as text

_HEAD = """\
__device__ __align__(16) int g[16], out[16];
__device__ unsigned at(void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ bool over(unsigned bar, unsigned parity) {
    unsigned done;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(bar), "r"(parity) : "memory");
    return done;
}
__device__ bool over_relaxed(unsigned bar, unsigned parity) {
    unsigned done;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(bar), "r"(parity) : "memory");
    return done;
}
__device__ bool passed(unsigned bar, unsigned long long token) {
    unsigned done;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(bar), "l"(token) : "memory");
    return done;
}
__device__ bool passed_relaxed(unsigned bar, unsigned long long token) {
    unsigned done;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.relaxed.cta.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(bar), "l"(token) : "memory");
    return done;
}
"""


def assembly(text: str, *operands: str) -> str:
    """A statement; an operand that begins with `=` is a result."""
    results = [o[1:] for o in operands if o.startswith("=")]
    rest = [o for o in operands if not o.startswith("=")]
    made = f" : {', '.join(chr(34) + '=l' + chr(34) + f'({o})' for o in results)}" if results else " :"
    return f'asm volatile("{text}"{made} : {", ".join(rest)} : "memory");'


def shared(place: str) -> str:
    return f'"r"(at(&{place}))'


def span(one: p.Span) -> str:
    return f"{one.name}[{4 * one.first}]"


def sem(one: p.Arrive | p.ArriveExpectTx) -> str:
    return "" if (one.order, one.scope) == ("release", "cta") else f".{one.order}.{one.scope}"


def statement(one: p.Instruction, number: int) -> str:
    match one:
        case p.Init(bar, count):
            return assembly("mbarrier.init.shared.b64 [%0], %1;", shared(bar), f'"r"({count})')
        case p.Inval(bar):
            return assembly("mbarrier.inval.shared.b64 [%0];", shared(bar))
        case p.Arrive(bar, count, dst=None):
            return assembly(f"mbarrier.arrive{sem(one)}.shared::cta.b64 _, [%0], %1;", shared(bar), f'"r"({count})')
        case p.Arrive(bar, dst=token):
            return assembly(f"mbarrier.arrive{sem(one)}.shared::cta.b64 %0, [%1];", f"={token}", shared(bar))
        case p.ExpectTx(bar, size):
            return assembly("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;", shared(bar), f'"r"({size})')
        case p.ArriveExpectTx(bar, size):
            what = f"mbarrier.arrive.expect_tx{sem(one)}.shared::cta.b64 _, [%0], %1;"
            return assembly(what, shared(bar), f'"r"({size})')
        case p.Wait(bar, parity, token, mode, order):
            name = ("over" if token is None else "passed") + ("_relaxed" if order == "relaxed" else "")
            call = f"{name}(at(&{bar}), {parity if token is None else token})"
            return f"while (!{call});" if mode == "loop" else f"{call};"
        case p.ProxyFence(_, space):
            return assembly({None: "fence.proxy.async;", "shared": "fence.proxy.async.shared::cta;",
                             "global": "fence.proxy.async.global;"}[space])  # fmt: skip
        case p.BulkCopy(source, (target,), (bar,)):
            what = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
            length = f'"r"({16 * source.count})'
            return assembly(what, shared(span(target)), f'"l"(&{span(source)})', length, shared(bar))
        case p.BulkStore(source, target, add):
            what = "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32" if add else ""
            what = what or "cp.async.bulk.global.shared::cta.bulk_group"
            length = f'"r"({16 * source.count})'
            return assembly(f"{what} [%0], [%1], %2;", f'"l"(&{span(target)})', shared(span(source)), length)
        case p.BulkCommit():
            return assembly("cp.async.bulk.commit_group;")
        case p.BulkWait(left, read):
            return assembly(f"cp.async.bulk.wait_group{'.read' if read else ''} {left};")
        case p.Load(p.Loc(name, index)):
            return f"int r{number} = {name}[{5 * index}];"
        case p.Store(p.Loc(name, index), value):
            return f"{name}[{5 * index}] = {value};"
        case _:
            raise AssertionError(one)


def text_of(parts: Parts, *expectations: str) -> str:
    """Each unit is four integers; of unit n the n-th is read and written.

    Whether what is written depends on the state of an mbarrier takes too many ways to be found out in some, so nothing is
    said of values out of thin air, of which the simulator knows none.
    """
    lines = [_HEAD + "__global__ void k() {", "    __shared__ __align__(128) int s[16];"]
    lines += [f"    __shared__ __align__(8) unsigned long long {', '.join(BARRIERS)};"]
    tokens = sorted({i.dst for part in parts for code in part for i in code if isinstance(i, p.Arrive) and i.dst})
    if tokens:
        lines.append(f"    unsigned long long {', '.join(f'{t} = 0' for t in tokens)};")
    for number, part in enumerate(parts):
        if number:
            lines.append("    __syncthreads();")
        for thread, code in enumerate(part):
            body = [f"        {statement(one, n)}" for n, one in enumerate(code)]
            if body:
                lines += [f"    if (threadIdx.x == {thread}) {{", *body, "    }"]
    lines += ["}", f"//@ launch k<<<1, {len(parts[0])}>>>();", "//@ options thin_air = off;"]
    return "\n".join([*lines, *(f"//@ expect {e};" for e in expectations), ""])
