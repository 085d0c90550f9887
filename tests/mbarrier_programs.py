"""Programs of one block whose threads use an mbarrier, as Program forms; and what they do, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TypeAlias, get_args

from scopec.base.source import Source, Span
from scopec.program import ir, values
from scopec.program.mbarriers import RULES
from scopec.program.program import Program
from scopec.program.types import BOOL, INT, LONG
from scopec.program.values import Builtin, Const, Reg, Value
from scopec.program.warp import EVERY_LANE

_MODE = ir.Mode(ir.Order.ACQ_REL, ir.Scope.BLOCK)
_PLACE = ir.Place("b", Const(0, INT))


@dataclass(frozen=True)
class Init:
    count: int


@dataclass(frozen=True)
class Inval:
    pass


@dataclass(frozen=True)
class Arrive:
    count: int = 1
    expect: int | None = None
    drop: bool = False
    partial: bool = False


@dataclass(frozen=True)
class Expect:
    bytes: int


@dataclass(frozen=True)
class Copy:
    bytes: int


@dataclass(frozen=True)
class Follow:
    """An agent arrives behind the thread's copies; unless it is ``counted``, the phase waits for one more."""

    counted: bool = True


@dataclass(frozen=True)
class Wait:
    """Until the phase of a parity is over; without one, until that of the thread's latest arrival is."""

    parity: int | None = None
    polls: bool = False


@dataclass(frozen=True)
class Look:
    """Looks once whether the phase of a parity is over; ``hangs``: goes round for ever where it is, or is not."""

    parity: int
    hangs: bool | None = None


@dataclass(frozen=True)
class Sync:
    pass


@dataclass(frozen=True)
class Meet:
    """A barrier of lanes; who does not wait there only comes."""

    lanes: int = EVERY_LANE
    waits: bool = True


Step: TypeAlias = Init | Inval | Arrive | Expect | Copy | Follow | Wait | Look | Sync | Meet
Threads: TypeAlias = tuple[tuple[Step, ...], ...]


def program_of(threads: Threads, asks: tuple[type, ...] = get_args(ir.BarrierOperation)) -> Program:
    """The Program form; operations of the kinds ``asks`` ask which rule they break, and stop there."""
    body = _Body(asks)
    entry = body.exit
    for number, steps in enumerate(threads):
        is_it = values.binary("==", Builtin("threadIdx.x", INT), Const(number, INT))
        entry = body.add(ir.Branch(is_it, body.here, body.sequence(steps), entry))
    kernel = ir.Body(entry, body.nodes, {})
    stream = ir.legacy_stream(0)
    grid = ir.Grid("k", "k", body.here, ir.Dim(1), ir.Dim(len(threads)), stream, kernel)
    calls = (ir.LaunchGrid("k"), ir.DeviceSynchronize())
    nodes: dict[int, ir.Node] = {n: ir.Do(call, body.span(str(call)), n + 1) for n, call in enumerate(calls)}
    host = ir.Thread("main", ir.Body(0, {**nodes, len(calls): ir.Exit(body.here)}, {}))
    object_ = ir.Object("b", body.here, LONG, ir.Storage.SHARED, (None,), use=ir.Use.MBARRIER)
    source = Source("built.cu", "\n".join(body.lines))
    return Program("built", source, {"b": object_}, (stream,), {"k": grid}, host, {}, {}, ())


class _Body:
    """A control-flow graph, from its end to its beginning."""

    def __init__(self, asks: tuple[type, ...]) -> None:
        self.asks = asks
        self.lines: list[str] = []
        self.nodes: dict[int, ir.Node] = {}
        self.here = self.span("the end")
        self.exit = self.add(ir.Exit(self.here))

    def span(self, what: str) -> Span:
        self.lines.append(what)
        return Span("built.cu", len(self.lines), 1, len(self.lines), len(what) + 1)

    def add(self, node: ir.Node) -> int:
        self.nodes[len(self.nodes)] = node
        return len(self.nodes) - 1

    def sequence(self, steps: Sequence[Step]) -> int:
        following = self.exit
        for step in reversed(steps):
            self.here = self.span(str(step))
            following = self.step(step, following)
        return following

    def do(self, operation: ir.Operation, following: int) -> int:
        if isinstance(operation, ir.BarrierOperation) and isinstance(operation, self.asks):
            operation = replace(operation, fault="fault")
            for rule, text in reversed(RULES.items()):
                keeps = values.binary("!=", Reg("fault", INT), Const(rule, INT))
                following = self.add(ir.Do(ir.Assert(keeps, text, True), self.here, following))
        return self.add(ir.Do(operation, self.here, following))

    def step(self, step: Step, following: int) -> int:
        match step:
            case Init(count):
                return self.do(ir.BarrierInit(_PLACE, Const(count, INT)), following)
            case Inval():
                return self.do(ir.BarrierInit(_PLACE, None), following)
            case Arrive(count, expect, drop, partial):
                bytes_ = None if expect is None else Const(expect, INT)
                arrival = ir.BarrierArrive("token", _PLACE, Const(count, INT), _MODE, drop, bytes_, partial=partial)
                return self.do(arrival, following)
            case Expect(bytes_):
                return self.do(ir.BarrierExpect(_PLACE, Const(bytes_, INT), _MODE), following)
            case Follow(counted):
                ends = self.do(ir.Agent(False), following)
                arrives = self.do(ir.BarrierArrive("own", _PLACE, Const(1, INT), _MODE, later=True), ends)
                issue = self.do(ir.Agent(True, groups=None, follows=True), arrives)
                one = Const(1, INT)
                return issue if counted else self.do(ir.BarrierExpect(_PLACE, one, _MODE, arrivals=True), issue)
            case Copy(bytes_):
                ends = self.do(ir.Agent(False), following)
                completes = self.do(ir.BarrierExpect(_PLACE, Const(-bytes_, INT), _MODE), ends)
                return self.do(ir.Agent(True, ir.Proxy.ASYNC, None), completes)
            case Wait(parity, False):
                return self.do(ir.BarrierWait("found", _PLACE, _over("found", parity), _MODE), following)
            case Wait(parity, True):
                back = self.add(ir.Exit(self.here))
                self.nodes[back] = ir.Branch(Reg("over", BOOL), self.here, following, back)
                test = self.do(ir.BarrierTest("over", _PLACE, _over("over", parity), _MODE), back)
                self.nodes[back] = ir.Branch(Reg("over", BOOL), self.here, following, test)
                return test
            case Look(parity, hangs):
                for_ever = self.add(ir.Branch(values.TRUE, self.here, len(self.nodes), len(self.nodes)))
                ways = {True: (for_ever, following), False: (following, for_ever), None: (following, following)}[hangs]
                behind = following if hangs is None else self.add(ir.Branch(Reg("over", BOOL), self.here, *ways))
                return self.do(ir.BarrierTest("over", _PLACE, _over("over", parity), _MODE), behind)
            case Sync():
                return self.do(ir.SyncThreads(), following)
            case Meet(lanes, waits):
                return self.do(ir.GroupSync(ir.Group.WARP, lanes, waits=waits), following)


def _over(target: str, parity: int | None) -> Value:
    phase = Reg(target, LONG)
    if parity is None:
        return values.binary("!=", phase, Reg("token", LONG))
    return values.binary("!=", values.binary("%", phase, Const(2, LONG)), Const(parity, LONG))


# ---------------------------------------------------------------- the same by hand


#: Where a thread is that goes round for ever.
_FOR_EVER = -1


@dataclass(frozen=True)
class _Mbarrier:
    phase: int = 0
    expected: int = 0
    pending: int = 0
    bytes: int = 0
    served: bool = False
    flight: tuple[int, ...] = ()  # the bytes of copies that are not complete, 0 for an arrival


@dataclass(frozen=True)
class _State:
    at: tuple[int, ...]
    tokens: tuple[int, ...]
    b: _Mbarrier = _Mbarrier()
    came: frozenset[int] = frozenset()  # to the present meeting of the block
    lanes: frozenset[int] = frozenset()  # to that of all lanes


def answer(threads: Threads) -> set[str]:
    """Of all ways of the threads: "ends", "hangs", "undefined".  A copy is complete at any time after its issue."""
    start = _State((0,) * len(threads), (0,) * len(threads))
    seen, work, found = {start}, [start], set()
    while work:
        state = work.pop()
        steps = list(_steps(threads, state))
        if not steps:
            found.add("ends" if all(n == len(t) for n, t in zip(state.at, threads, strict=True)) else "hangs")
        for after in steps:
            if after is None:
                found.add("undefined")
            elif after not in seen:
                seen.add(after)
                work.append(after)
    return found


def _steps(threads: Threads, s: _State) -> Iterator[_State | None]:
    for n, bytes_ in enumerate(s.b.flight):
        b = replace(s.b, flight=s.b.flight[:n] + s.b.flight[n + 1 :])
        if not bytes_:
            arrived = None if b.pending < 1 or (b.phase and not b.served) else replace(b, pending=b.pending - 1)
            yield None if arrived is None else replace(s, b=_counted(arrived))
            continue
        yield replace(s, b=_counted(replace(b, bytes=b.bytes - bytes_)))
    for t, (number, steps) in enumerate(zip(s.at, threads, strict=True)):
        if number in (len(steps), _FOR_EVER):
            continue
        step, b = steps[number], s.b
        at = (*s.at[:t], number + 1, *s.at[t + 1 :])
        if isinstance(step, Sync | Meet):
            assert step in (Sync(), Meet())
            came, moved = (s.came if isinstance(step, Sync) else s.lanes), s
            after = frozenset({*came, t})
            if t in came:
                if not all(u in came or n == len(own) for u, (n, own) in enumerate(zip(s.at, threads, strict=True))):
                    continue
                moved, after = replace(s, at=tuple(n + (u in came) for u, n in enumerate(s.at))), frozenset()
            yield replace(moved, came=after) if isinstance(step, Sync) else replace(moved, lanes=after)
            continue
        if isinstance(step, Init):
            yield None if b.expected or step.count == 0 else replace(s, at=at, b=_Mbarrier(0, step.count, step.count))
            continue
        if b.expected == 0:
            yield None
            continue
        match step:
            case Inval():
                yield replace(s, at=at, b=_Mbarrier())
            case Arrive(count, expect, drop):
                left = b.expected - count if drop else b.expected
                if count > b.pending or (b.phase and not b.served) or left == 0:
                    yield None
                    continue
                arrived = replace(b, expected=left, pending=b.pending - count, bytes=b.bytes + (expect or 0))
                counted = _counted(arrived)
                if step.partial and counted is not arrived:
                    yield None
                    continue
                yield replace(s, at=at, b=counted, tokens=(*s.tokens[:t], b.phase, *s.tokens[t + 1 :]))
            case Expect(bytes_):
                yield replace(s, at=at, b=_counted(replace(b, bytes=b.bytes + bytes_)))
            case Copy() | Follow():
                more = step.bytes if isinstance(step, Copy) else 0
                pending = b.pending + (isinstance(step, Follow) and not step.counted)
                yield replace(s, at=at, b=replace(b, pending=pending, flight=tuple(sorted((*b.flight, more)))))
            case Wait(parity) | Look(parity):
                over = b.phase != s.tokens[t] if parity is None else b.phase % 2 != parity
                if isinstance(step, Look) and over is step.hangs:
                    at = (*s.at[:t], _FOR_EVER, *s.at[t + 1 :])
                if over:
                    yield replace(s, at=at, b=replace(b, served=True))
                elif isinstance(step, Look):
                    yield replace(s, at=at)


def _counted(b: _Mbarrier) -> _Mbarrier:
    over = b.pending == 0 and b.bytes == 0
    return replace(b, phase=b.phase + 1, pending=b.expected, served=False) if over else b


# ---------------------------------------------------------------- random ones


def random_program(chance: Random) -> Threads:
    """Up to three threads; the first one initialises the mbarrier, mostly before the others come to it.

    They go through rounds, in which each arrives, copies what it has expected, and waits; few do otherwise.
    """
    others: list[list[Step]] = [[] for _ in range(chance.randint(1, 3))]
    rounds = chance.randint(1, 3)
    meets = [chance.random() < 0.2 for _ in range(rounds)]
    for steps in others:
        for number in range(rounds - (chance.random() < 0.1)):
            some = [_random_step(chance)] if chance.random() < 0.1 else []
            count, drops = 1 + (chance.random() < 0.05), chance.random() < 0.05
            arrive = Arrive(count, chance.choice((None, None, 16, 32)), drops, partial=chance.random() < 0.04)
            copy = [Copy(arrive.expect)] if arrive.expect and chance.random() < 0.9 else []
            wait = Wait(chance.choice((number % 2, number % 2, number % 2, None)), polls=chance.random() < 0.3)
            come: list[Step] = [arrive, *copy]
            if chance.random() < 0.06:
                come = [Follow()] if chance.random() < 0.5 else [Follow(False), Arrive()]
            meet = [Meet()] if meets[number] and chance.random() < 0.9 else []
            steps += [*some, *come, *([wait] if chance.random() < 0.95 else []), *meet]
    expected = len(others) if chance.random() < 0.9 else chance.randint(1, 3)
    begins: tuple[Step, ...] = (Init(expected), Sync()) if chance.random() < 0.95 else (Sync(), Init(expected))
    first, *rest = others
    ends: tuple[Step, ...] = (Sync(), Inval(), Init(1), Arrive()) if chance.random() < 0.15 else ()
    together = tuple(step for step in ends if isinstance(step, Sync))
    return ((*begins, *first, *ends), *((Sync(), *steps, *together) for steps in rest))


def _random_step(chance: Random) -> Step:
    bytes_ = chance.choice((16, 32))
    return chance.choice(
        (
            Expect(bytes_),
            Copy(bytes_),
            Look(chance.randint(0, 1), chance.choice((None, True, False))),
            Sync(),
            Wait(1),
            Follow(chance.random() < 0.5),
        )
    )
