"""Explicit-state oracle for CUDA's execution model (forward progress): small, slow, written from the documents only.

``hangs(p)``: some fair behaviour never finishes (finished: every host thread that was created and every launched grid
done).  ``stalls(p)``: some fair behaviour never finishes and, from some point on, has no counted step.

What is searched
    The graph of all reachable states. An edge is one atomic step of a thread. A poll that fails is a step like any
    other (a self-loop when it changes nothing), so it is enabled, is taken, and counts (or not). So is a failed wait.
    Every state also gets a stuttering self-loop that belongs to no thread, so that a behaviour that stops is an
    infinite path too, and every behaviour is exactly an infinite path.

What is fair (forward-progress.md); an action A is a set of edges, enabled in a state iff some A edge leaves it
    weak fairness of A      infinitely often A is disabled, or infinitely often an A edge is taken
    strong fairness of A    if A is enabled infinitely often, then an A edge is taken infinitely often
    HostProgress(h)         weak, h's steps while it is not inside an API call
    FunctionProgress(f)     weak, the steps of a host function that has started
    DeviceProgress(t)       weak, t's steps (its start too) while some thread of t's unit has started
    ApiProgress(h)          weak, h's step, or any start, copy or host function's start, while h is in an API call and no
                            device thread runs; a call that returns only when work has completed has no step before
    QueryProgress(h)        strong, any of these but h's, while h is in a query that is not ready and no device thread runs
    Start(b)                weak, the start of a thread of block b: only if all blocks are resident, or places are
    Choice(t, op)           strong, t's steps at an operation that may fail without a reason, when it does not
    A behaviour is fair iff all of these hold, OR some thread is silent for ever: it takes infinitely many steps,
    and from some point on none of its steps counts.  The search is in fair_graphs.py.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from tests.oracles.fair_code import (
    _CALLS,
    _WAITING,
    _Arrive,
    _Call,
    _Completion,
    _counts,
    _flatten,
    _Issue,
    _Load,
    _Local,
    _Op,
    _Query,
    _Return,
    _Sleep,
    _Test,
    _Wait,
    _WeakExchange,
)
from tests.oracles.fair_graphs import Edge, Graph, exists
from tests.oracles.fair_programs import (
    Acquire,
    AtomicAdd,
    AtomicStore,
    Create,
    DeviceSynchronize,
    EventQuerySpin,
    EventRecord,
    EventSynchronize,
    EventWait,
    Join,
    Launch,
    LockSpin,
    LoopForever,
    Notify,
    PlainStore,
    Program,
    Readings,
    Spin,
    StreamQueryOnce,
    StreamSynchronize,
    WaitWhile,
    Yield,
)

# ----------------------------------------------------------------------------------------------------- states and steps


class Thread(NamedTuple):
    """A thread of a grid; a host thread is (name, -1, -1)."""

    grid: str
    block: int
    thread: int


def _host(name: str) -> Thread:
    return Thread(name, -1, -1)


IDLE = -1
Barrier = tuple[Hashable, ...]


class Issued(NamedTuple):
    """An operation in a stream: a launch, or the record of an event, or a wait for the ``of``-th operation."""

    stream: str
    device: int
    grid: str | None = None
    event: str | None = None
    of: int | None = None


@dataclass(frozen=True)
class State:
    memory: tuple[tuple[str, int], ...]
    pcs: tuple[int, ...]
    issued: tuple[Issued, ...] = ()
    not_ready: frozenset[Thread] = frozenset()  # hosts whose query found work
    awaited: tuple[tuple[Thread, frozenset[int]], ...] = ()  # what pending calls wait for
    arrived: frozenset[tuple[Thread, Barrier]] = frozenset()
    released: frozenset[Thread] = frozenset()  # by a completed phase, and still to pass their wait
    due: frozenset[Thread] = frozenset()  # sleep on an object that has been written since


class _Machine:
    def __init__(self, program: Program, readings: Readings) -> None:
        self.program = program
        self.readings = readings
        self.codes = {_host("main"): _flatten(program.host)}
        self.codes |= {_host(name): _flatten(body) for name, body in program.others.items()}
        self.hosts = list(self.codes)
        for name, grid in program.grids.items():
            for b in range(grid.blocks):
                for t in range(grid.threads):
                    body = grid.body(b, t) if callable(grid.body) else grid.body[b, t]
                    self.codes[Thread(name, b, t)] = _flatten(body)
        self.threads = list(self.codes)
        inside = [t for t in self.threads if t not in self.hosts]
        self.device = [t for t in inside if program.grids[t.grid].work == "kernel"]
        self.tasks = [t for t in inside if t not in self.device]

    def initial(self) -> State:
        created = {op.thread for code in self.codes.values() for op in code if isinstance(op, Create)}
        running = [t for t in self.hosts if t.grid not in created]
        return State(
            tuple(sorted(self.program.objects.items())), tuple(0 if t in running else IDLE for t in self.threads)
        )

    # predicates of a state

    def pc(self, s: State, t: Thread) -> int:
        return s.pcs[self.threads.index(t)]

    def op(self, s: State, t: Thread) -> _Op | None:
        pc = self.pc(s, t)
        return self.codes[t][pc] if 0 <= pc < len(self.codes[t]) else None

    def started(self, s: State, t: Thread) -> bool:
        return self.pc(s, t) != IDLE

    def done(self, s: State, t: Thread) -> bool:
        return self.pc(s, t) == len(self.codes[t])

    def unit_of(self, t: Thread) -> list[Thread]:
        """The cooperative grid, or else the cluster."""
        grid = self.program.grids[t.grid]
        same = [u for u in self.device if u.grid == t.grid]
        return same if grid.cooperative else [u for u in same if u.block // grid.cluster == t.block // grid.cluster]

    def device_quiet(self, s: State) -> bool:
        return not any(self.started(s, t) and not self.done(s, t) for t in self.device)

    def grid_done(self, s: State, grid: str) -> bool:
        return all(self.done(s, t) for t in self.threads if t.grid == grid and t not in self.hosts)

    def in_api(self, s: State, h: Thread) -> bool:
        return isinstance(self.op(s, h), _CALLS if self.readings.api_blocks else _WAITING)

    def finished(self, s: State) -> bool:
        hosts = all(self.done(s, h) or not self.started(s, h) for h in self.hosts)
        return hosts and all(self.grid_done(s, i.grid) for i in s.issued if i.grid is not None)

    # streams: a sequence of operations in the order in which they were issued

    def before(self, s: State, n: int) -> bool:
        """Have the operations that the n-th one waits for completed?"""
        own = s.issued[n]
        # A wait acts in the legacy stream alone, for what another one recorded.
        acts = (
            own.grid is not None
            or own.event is not None
            or (own.stream == "0" and own.of is not None and s.issued[own.of].stream != "0")
        )
        return all(self.complete(s, m) for m in range(n) if _waits_for(own, s.issued[m], acts=acts))

    def complete(self, s: State, n: int) -> bool:
        operation = s.issued[n]
        if operation.grid is not None:
            return self.grid_done(s, operation.grid)
        return self.before(s, n) and (operation.of is None or self.complete(s, operation.of))

    def can_start(self, s: State, grid: str) -> bool:
        return any(self.before(s, n) for n, operation in enumerate(s.issued) if operation.grid == grid)

    def admitted(self, s: State, t: Thread) -> bool:
        """Does what is assumed beside the document let a thread start?"""
        if t not in self.device:
            return True
        unit, grid = self.unit_of(t), self.program.grids[t.grid]
        begun = [u for u in self.device if any(self.started(s, v) for v in self.unit_of(u))]
        if unit[0] in begun:
            return True
        if self.readings.in_order:
            earlier = [u for u in self.device if u.grid == t.grid and u.block < min(v.block for v in unit)]
            if not all(u in begun for u in earlier):
                return False
        taken = {u[:2] for u in begun if not self.done(s, u) and self.program.grids[u.grid].device == grid.device}
        wanted = {u[:2] for u in unit}
        return self.readings.places is None or len(taken) + len(wanted) <= self.readings.places

    def work(self, s: State, what: object) -> frozenset[int]:
        """The operations that a call waits for or asks about."""
        match what:
            case DeviceSynchronize(device):
                return frozenset(n for n, i in enumerate(s.issued) if i.device == device)
            case StreamSynchronize(stream) | StreamQueryOnce(stream):
                return frozenset(n for n, i in enumerate(s.issued) if i.stream == stream)
            case EventSynchronize(event) | EventQuerySpin(event):
                last = self.record(s, event)
                return frozenset() if last is None else frozenset({last})
        raise TypeError(what)

    def record(self, s: State, event: str) -> int | None:
        """The last record of an event."""
        return max((n for n, i in enumerate(s.issued) if i.event == event), default=None)

    def ready(self, s: State, work: frozenset[int]) -> bool:
        return all(self.complete(s, n) for n in work)

    # steps: (next state, thread, whether it starts, counts, whether a choice was made well)

    def steps(self, s: State) -> Iterator[tuple[State, Thread, bool, bool | None]]:
        """Each step: the state after it, whose it is, whether it counts, and at a choice whether it was the good one."""
        for t in self.threads:
            op = self.op(s, t)
            host = t not in self.device
            if t not in self.hosts and not self.started(s, t):
                if self.can_start(s, t.grid) and self.admitted(s, t):
                    n = self.release(self.moved(s, t, 0))
                    yield n, t, self.done(n, t), None
            elif op is not None and self.started(s, t):
                for n, well in self.ways(s, t, op):
                    after = self.release(n)
                    yield after, t, _counts(op, host=host) or self.done(after, t), well

    def ways(self, s: State, t: Thread, op: _Op) -> Iterator[tuple[State, bool | None]]:
        pc, memory = self.pc(s, t), dict(s.memory)

        def on(jump: int = 1, **changes: object) -> State:
            return self.moved(replace(s, **changes), t, pc + jump)  # type: ignore[arg-type]

        def write(obj: str, value: int, jump: int = 1) -> State:
            asleep = {u for u in self.threads if self.op(s, u) == _Sleep(obj)}
            return on(jump, memory=tuple(sorted((memory | {obj: value}).items())), due=s.due | asleep)

        match op:
            case AtomicStore(obj, value) | PlainStore(obj, value):
                yield write(obj, value), None
            case AtomicAdd(obj, value):
                yield write(obj, memory[obj] + value), None
            case Spin(kind="automatic"):
                yield s, None
            case Spin(obj, value):
                yield on(1 if memory[obj] == value else 0), None
            case LockSpin(obj):
                yield write(obj, 1, 1 if memory[obj] == 0 else 0), None
            case _WeakExchange(obj):
                yield (write(obj, 1, 2) if memory[obj] == 0 else on(1)), True
                if memory[obj] == 0:
                    yield on(1), False
            case Acquire(obj):
                yield (write(obj, memory[obj] - 1) if memory[obj] > 0 else s), None
            case WaitWhile(obj, value):
                yield on(1 if memory[obj] == value else 2), None
            case _Sleep():
                yield s, None
            case Notify(obj, everyone):
                asleep = sorted(u for u in s.due if self.op(s, u) == _Sleep(obj))
                for woken in [asleep] if everyone or not asleep else [[u] for u in asleep]:
                    after = on(1, due=s.due - set(woken))
                    for u in woken:
                        after = self.moved(after, u, self.pc(s, u) - 1)
                    yield after, None
            case LoopForever("atomic_store", obj, value):
                yield write(obj, value, 0), None
            case LoopForever():
                yield s, None
            case _Test(obj, value, equal, other):
                yield on(equal if memory[obj] == value else other), None
            case _Load(_, jump):
                yield on(jump), None
            case Yield() | _Local():
                yield on(), None
            case _Arrive(group):
                yield on(1, arrived=s.arrived | {(t, self.barrier(t, group))}), None
            case _Wait():
                yield (on(1, released=s.released - {t}) if t in s.released else s), None
            case Create(name):
                yield self.moved(on(), _host(name), 0), None
            case Join(name):
                yield (on() if self.done(s, _host(name)) else s), None
            case _Issue(operation):
                yield on(1, issued=(*s.issued, self.issue(s, operation))), None
            case _Query(what):
                found = set() if self.ready(s, self.work(s, what)) else {t}
                yield on(1, not_ready=s.not_ready | found), None
            case _Call(what):
                yield on(1, awaited=(*s.awaited, (t, self.work(s, what)))), None
            case _Completion():
                if self.ready(s, dict(s.awaited)[t]):
                    yield on(1, awaited=tuple(a for a in s.awaited if a[0] != t)), None
            case _Return(jump, ready):
                forward = jump if ready is None or t in s.not_ready else ready
                yield on(forward, not_ready=s.not_ready - {t}), None

    def issue(self, s: State, operation: Launch | EventRecord | EventWait) -> Issued:
        match operation:
            case Launch(grid):
                return Issued(self.program.grids[grid].stream, self.program.grids[grid].device, grid=grid)
            case EventRecord(event, stream):
                return Issued(stream, 0, event=event)
            case EventWait(event, stream):
                return Issued(stream, 0, of=self.record(s, event))

    def moved(self, s: State, t: Thread, pc: int) -> State:
        return replace(s, pcs=tuple(pc if u == t else old for u, old in zip(self.threads, s.pcs, strict=True)))

    # barriers

    def barrier(self, t: Thread, group: str) -> Barrier:
        match group:
            case "grid":
                return (t.grid,)
            case "cluster":
                return (t.grid, "cluster", t.block // self.program.grids[t.grid].cluster)
            case "block":
                return (t.grid, t.block)
        return (t.grid, t.block, "warp", t.thread // 32)

    def release(self, s: State) -> State:
        """A phase ends once all threads have arrived, but for those that have exited where these do not hold it up."""
        for barrier in {b for _, b in s.arrived}:
            groups = ("block", "warp", "cluster", "grid")
            members = [u for u in self.device if barrier in [self.barrier(u, g) for g in groups]]
            hold = len(barrier) == 1 or (len(barrier) == 2 and self.readings.exited_threads_hold)
            waiting = {u for u in members if hold or not self.done(s, u)}
            if all((u, barrier) in s.arrived for u in waiting):
                left = frozenset(a for a in s.arrived if a[1] != barrier)
                s = replace(s, arrived=left, released=s.released | waiting)
        return s


def _waits_for(later: Issued, earlier: Issued, *, acts: bool = True) -> bool:
    """Does an operation wait for one issued before it?  One that does not act waits for its own stream alone."""
    a, b = later.stream, earlier.stream
    if not acts:
        return a == b
    if later.device != earlier.device:
        return False
    return a == b or ("0" in (a, b) and not a.startswith("nb") and not b.startswith("nb"))


# --------------------------------------------------------------------------------------------------------------- fairness


def build(program: Program, readings: Readings) -> Graph:
    m = _Machine(program, readings)
    states = [m.initial()]
    number = {states[0]: 0}
    out: list[list[Edge]] = []
    weak: set[Hashable] = set()
    strong: set[Hashable] = set()
    for src, s in enumerate(states):  # grows while it is walked
        edges = [Edge(src, src, None, False)]
        for n, thread, counts, well in m.steps(s):
            if n not in number:
                number[n] = len(states)
                states.append(n)
            owed, owed_strongly = _actions(m, s, thread, well)
            weak |= owed
            strong |= owed_strongly
            edges.append(Edge(src, number[n], thread, counts, frozenset(owed | owed_strongly)))
        out.append(edges)
    unfinished = frozenset(i for i, s in enumerate(states) if not m.finished(s))
    return Graph(out, unfinished, frozenset(weak), frozenset(strong))


def _actions(m: _Machine, s: State, t: Thread, well: bool | None) -> tuple[set[Hashable], set[Hashable]]:
    """The actions that weak and strong fairness are of, and a step of a thread in a state is in."""
    weak: set[Hashable] = set()
    strong: set[Hashable] = set()
    serves = not m.started(s, t) and t not in m.hosts
    if m.readings.host_progress:
        if t in m.hosts and not m.in_api(s, t):
            weak.add(("host", t))
        if t in m.tasks and m.started(s, t):
            weak.add(("function", t))
        if t in m.device and serves and (m.readings.resident or m.readings.places is not None):
            weak.add(("start", *t[:2]))
        if t in m.device and any(m.started(s, u) for u in m.unit_of(t)):
            weak.add(("device", t))
        if well:
            strong.add(("choice", t, m.pc(s, t)))
    if not m.readings.environment and m.device_quiet(s):
        for h in m.hosts:
            if m.in_api(s, h) and (t == h or serves):
                weak.add(("api", h))
            if isinstance(m.op(s, h), _Return) and h in s.not_ready and serves:
                strong.add(("query", h))
    return weak, strong


def hangs(program: Program, readings: Readings | None = None) -> bool:
    """May the program run for ever, fairly, without everything finishing?"""
    return exists(build(program, readings or Readings()), lambda _: True)


def stalls(program: Program, readings: Readings | None = None) -> bool:
    """May it, fairly, never finish and from some point on take no counted step?"""
    return exists(build(program, readings or Readings()), lambda e: not e.counts)
