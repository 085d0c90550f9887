"""Explicit-state oracle for CUDA's execution model (forward progress): small, slow, written from the documents only.

``hangs(p)``: some fair behaviour never finishes (finished: host done and every launched grid done).
``stalls(p)``: some fair behaviour never finishes and, from some point on, has no counted step.

What is searched
    The graph of all reachable states. An edge is one atomic step, labelled (thread, action, counts). A poll that
    fails is a step like any other (a self-loop when it changes nothing), so it is enabled, is taken, and counts (or
    not). So is a failed wait at a barrier. Every state also gets a stuttering self-loop that belongs to no thread,
    so that a behaviour that stops is an infinite path too, and every behaviour is exactly an infinite path.

What is fair (forward-progress.md); an action A is a set of edges, enabled in a state iff some A edge leaves it
    weak fairness of A      infinitely often A is disabled, or infinitely often an A edge is taken
    strong fairness of A    if A is enabled infinitely often, then an A edge is taken infinitely often
    HostProgress            weak, the host's steps while it is not inside an API call
    DeviceProgress(t)       weak, t's steps (its start too) while some thread of t's block has started
    ApiProgress             weak, the host's step or any start, while the host is in an API call and the device is quiet
    QueryProgress           strong, any start, while the host is in a query that is not ready and the device is quiet
    A behaviour is fair iff all of these hold, OR some thread is silent for ever: it takes infinitely many steps,
    and from some point on none of its steps counts.

Why the search is right
    The graph is finite. So for an infinite path let INF be the edges that it takes infinitely often: they form a
    strongly connected set, and the path stays within INF from some point on. Conversely, given any strongly
    connected set of edges there is a path that reaches it (all states are reachable) and then takes exactly its
    edges, each infinitely often. Everything asked is a property of INF alone: each fairness condition, silence,
    "never finishes" (a finished state has no step but stuttering, so: INF has no finished state), "eventually no
    counted step" (INF has no counted edge). Hence search for a strongly connected set among the unfinished states
    with only the allowed edges:

    1. All conditions hold (_fair_component). Take a maximal strongly connected component C; INF, if within C, is
       part of it.
       - A weak condition fails in C iff A is enabled in all states of C and no edge inside C is in A. Then it fails
         in every part of C too: drop C.
       - A strong condition fails in C iff some states of C enable A and no edge inside C is in A. A part of C has
         no A edge either, so it can only satisfy the condition without those states: remove them, and search what
         is left again.
       - If nothing fails, the path that takes all edges inside C for ever is fair: found.
       Each round removes states, so this ends. Enabledness is always that of the full graph, whatever edges are
       allowed.
    2. Some thread t is silent (_silent_component). Forbid t's counted edges; found iff some component has an edge
       of t inside. No other condition is asked: nothing is promised to anyone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

# ---------------------------------------------------------------------------------------------------------------- input


@dataclass(frozen=True)
class AtomicStore:
    obj: str
    value: int


@dataclass(frozen=True)
class AtomicAdd:
    obj: str
    value: int


@dataclass(frozen=True)
class PlainStore:
    obj: str
    value: int


@dataclass(frozen=True)
class Spin:
    """Read until equal. "automatic": volatile or atomic reads of the thread's own object, never equal (obj unused)."""

    obj: str
    value: int
    kind: Literal["atomic", "volatile", "plain", "automatic"]


@dataclass(frozen=True)
class LockSpin:
    """loop { old = exchange(obj, 1) } until old == 0."""

    obj: str


@dataclass(frozen=True)
class LoopForever:
    """obj (and value) only for "atomic_store" and "atomic_load"."""

    kind: Literal["empty", "yield", "atomic_store", "atomic_load"]
    obj: str = ""
    value: int = 1


@dataclass(frozen=True)
class LocalLoop:
    n: int


@dataclass(frozen=True)
class SyncThreads:
    """Device only."""


@dataclass(frozen=True)
class IfEquals:
    obj: str
    value: int
    then: tuple[Stmt, ...]


@dataclass(frozen=True)
class Yield:
    pass


@dataclass(frozen=True)
class Launch:
    """Host only; each grid is launched by at most one statement."""

    grid: str


@dataclass(frozen=True)
class DeviceSynchronize:
    """Host only."""


@dataclass(frozen=True)
class StreamQueryOnce:
    """Host only; the result is discarded."""

    stream: str


@dataclass(frozen=True)
class QuerySpin:
    """Host only: while (atomic load obj != value) { (void)cudaStreamQuery(stream); }."""

    obj: str
    value: int
    stream: str


Stmt = (
    AtomicStore | AtomicAdd | PlainStore | Spin | LockSpin | LoopForever | LocalLoop | SyncThreads | IfEquals | Yield
    | Launch | DeviceSynchronize | StreamQueryOnce | QuerySpin
)  # fmt: skip
Body = tuple[Stmt, ...]


@dataclass(frozen=True)
class Grid:
    """Stream "0": legacy default; "nb...": non-blocking; any other name: an ordinary blocking stream."""

    stream: str
    blocks: int
    threads: int
    body: Callable[[int, int], Body] | Mapping[tuple[int, int], Body]


@dataclass(frozen=True)
class Program:
    host: Body
    grids: Mapping[str, Grid]
    objects: Mapping[str, int]


# ------------------------------------------------------------------------- one instruction a step: flat code for a body


@dataclass(frozen=True)
class _Local:
    """One local step."""


@dataclass(frozen=True)
class _Test:
    """Atomic read; jump by `equal` or by `other` (relative)."""

    obj: str
    value: int
    equal: int
    other: int


@dataclass(frozen=True)
class _Arrive:
    pass


@dataclass(frozen=True)
class _Wait:
    pass


@dataclass(frozen=True)
class _LaunchEffect:
    grid: str


@dataclass(frozen=True)
class _QueryEffect:
    stream: str


@dataclass(frozen=True)
class _Return:
    """Return from an API call; then jump (relative)."""

    jump: int


_ApiOp = _LaunchEffect | _QueryEffect | _Return | DeviceSynchronize
_Op = Stmt | _ApiOp | _Arrive | _Wait | _Local | _Test
_SPIN_KINDS = ("atomic", "volatile", "plain", "automatic")
_LOOP_KINDS = ("empty", "yield", "atomic_store", "atomic_load")


def _flatten(body: Body) -> list[_Op]:
    code: list[_Op] = []
    for stmt in body:
        match stmt:
            case LocalLoop(n):
                code += [_Local()] * n
            case SyncThreads():
                code += [_Arrive(), _Wait()]
            case IfEquals(obj, value, then):
                inner = _flatten(then)
                code += [_Test(obj, value, equal=1, other=1 + len(inner)), *inner]
            case Launch(grid):
                code += [_LaunchEffect(grid), _Return(1)]
            case StreamQueryOnce(stream):
                code += [_QueryEffect(stream), _Return(1)]
            case QuerySpin(obj, value, stream):
                code += [_Test(obj, value, equal=3, other=1), _QueryEffect(stream), _Return(-2)]
            case _:
                code.append(stmt)
    return code


def _check(code: list[_Op], program: Program, on_host: bool) -> None:
    for op in code:
        misplaced = isinstance(op, _Arrive | _Wait) if on_host else isinstance(op, _ApiOp)
        if misplaced:
            raise ValueError(f"{op} on the {'host' if on_host else 'device'}")
        match op:
            case Spin(kind=kind) if kind not in _SPIN_KINDS:
                raise ValueError(f"unknown kind: {op}")
            case LoopForever(kind) if kind not in _LOOP_KINDS:
                raise ValueError(f"unknown kind: {op}")
            case Spin(kind="automatic") | LoopForever("empty" | "yield"):
                pass  # names no shared object
            case (AtomicStore(obj) | AtomicAdd(obj) | PlainStore(obj) | Spin(obj) | LockSpin(obj) | _Test(obj)
                  | LoopForever(obj=obj)) if obj not in program.objects:  # fmt: skip
                raise ValueError(f"unknown object: {op}")
        if isinstance(op, _LaunchEffect) and (op.grid not in program.grids or code.count(op) > 1):
            raise ValueError(f"unknown grid, or launched twice: {op}")


def _access(op: _Op, memory: dict[str, int]) -> tuple[int, dict[str, int]]:
    """What the instruction does: (relative jump, memory afterwards). Jump 0: still at that statement."""
    match op:
        case AtomicStore(obj, value) | PlainStore(obj, value):
            return 1, memory | {obj: value}
        case AtomicAdd(obj, value):
            return 1, memory | {obj: memory[obj] + value}
        case Spin(kind="automatic"):
            return 0, memory
        case Spin(obj, value):
            return (1 if memory[obj] == value else 0), memory
        case LockSpin(obj):
            return (1 if memory[obj] == 0 else 0), memory | {obj: 1}
        case LoopForever("atomic_store", obj, value):
            return 0, memory | {obj: value}
        case LoopForever():
            return 0, memory
        case _Test(obj, value, equal, other):
            return (equal if memory[obj] == value else other), memory
        case Yield() | _Local():
            return 1, memory
    raise TypeError(op)


def _counts_on_device(op: _Op) -> bool:
    """device.threads.2-4 (termination: see _Machine.steps)."""
    match op:
        case Spin(kind=kind):
            return kind in ("atomic", "volatile")
        case LoopForever(kind):
            return kind == "atomic_load"
    return isinstance(op, AtomicAdd | LockSpin | _Test | _Arrive | _Wait)


def _counts_on_host(op: _Op) -> bool:
    """host.threads.2-6, and API calls; automatic objects are no exception here."""
    if isinstance(op, Spin):
        return op.kind != "plain"
    return not isinstance(op, PlainStore | _Local)


# ----------------------------------------------------------------------------------------------------- states and steps


class Thread(NamedTuple):
    grid: str
    block: int
    thread: int


HOST = Thread("host", -1, -1)  # no device thread has these numbers
IDLE = -1
START = "start"  # the action of a start step; any other action is the repr of its instruction


@dataclass(frozen=True)
class State:
    memory: tuple[tuple[str, int], ...]
    host: int  # pc
    not_ready: bool  # result of the query that the host is in (False outside)
    launched: tuple[str, ...]  # in order
    pcs: tuple[int, ...]  # of device threads
    arrived: frozenset[Thread]  # at the current phase of their block's barrier
    released: frozenset[Thread]  # by a completed phase, and still to pass their wait


class Edge(NamedTuple):
    src: int
    dst: int
    thread: Thread | None  # None: stuttering
    action: str
    counts: bool


class _Machine:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.host_code = _flatten(program.host)
        _check(self.host_code, program, on_host=True)
        self.threads: list[Thread] = []
        self.codes: dict[Thread, list[_Op]] = {}
        for name, grid in program.grids.items():
            for b in range(grid.blocks):
                for t in range(grid.threads):
                    body = grid.body(b, t) if callable(grid.body) else grid.body[b, t]
                    thread = Thread(name, b, t)
                    self.threads.append(thread)
                    self.codes[thread] = _flatten(body)
                    _check(self.codes[thread], program, on_host=False)

    def initial(self) -> State:
        memory = tuple(sorted(self.program.objects.items()))
        return State(memory, 0, False, (), (IDLE,) * len(self.threads), frozenset(), frozenset())

    # predicates of a state

    def pc(self, s: State, t: Thread) -> int:
        return s.pcs[self.threads.index(t)]

    def started(self, s: State, t: Thread) -> bool:
        return self.pc(s, t) != IDLE

    def done(self, s: State, t: Thread) -> bool:
        return self.pc(s, t) == len(self.codes[t])

    def block_of(self, t: Thread) -> list[Thread]:
        return [u for u in self.threads if (u.grid, u.block) == (t.grid, t.block)]

    def block_started(self, s: State, t: Thread) -> bool:
        return any(self.started(s, u) for u in self.block_of(t))

    def device_quiet(self, s: State) -> bool:
        return not any(self.started(s, t) and not self.done(s, t) for t in self.threads)

    def complete(self, s: State, grid: str) -> bool:
        return all(self.done(s, t) for t in self.threads if t.grid == grid)

    def host_op(self, s: State) -> _Op | None:
        return self.host_code[s.host] if s.host < len(self.host_code) else None

    def in_api(self, s: State) -> bool:
        return isinstance(self.host_op(s), _ApiOp)

    def in_not_ready_query(self, s: State) -> bool:
        return isinstance(self.host_op(s), _Return) and s.not_ready

    def finished(self, s: State) -> bool:
        return self.host_op(s) is None and all(self.complete(s, g) for g in s.launched)

    def waits_for(self, grid: str, earlier: str) -> bool:
        """Does grid's stream make it wait for the grid launched earlier?"""
        a, b = self.program.grids[grid].stream, self.program.grids[earlier].stream
        return a == b or ("0" in (a, b) and not a.startswith("nb") and not b.startswith("nb"))

    def can_start(self, s: State, grid: str) -> bool:
        if grid not in s.launched:
            return False
        earlier = s.launched[: s.launched.index(grid)]
        return all(self.complete(s, e) for e in earlier if self.waits_for(grid, e))

    # steps: (next state, thread, action, counts)

    def steps(self, s: State) -> Iterable[tuple[State, Thread, str, bool]]:
        op = self.host_op(s)
        if op is not None:
            n = self.host_step(s, op)
            if n is not None:
                yield n, HOST, repr(op), _counts_on_host(op) or self.host_op(n) is None
        for t in self.threads:
            if not self.started(s, t):
                if self.can_start(s, t.grid):
                    n = self.release_barrier(self.set_pc(s, t, 0), t)
                    yield n, t, START, self.done(n, t)
            elif not self.done(s, t):
                op = self.codes[t][self.pc(s, t)]
                n = self.release_barrier(self.device_step(s, t, op), t)
                yield n, t, repr(op), _counts_on_device(op) or self.done(n, t)

    def host_step(self, s: State, op: _Op) -> State | None:
        match op:
            case _LaunchEffect(grid):
                return replace(s, host=s.host + 1, launched=(*s.launched, grid))
            case _QueryEffect(stream):
                pending = [g for g in s.launched if self.program.grids[g].stream == stream and not self.complete(s, g)]
                return replace(s, host=s.host + 1, not_ready=bool(pending))
            case _Return(jump):
                return replace(s, host=s.host + jump, not_ready=False)
            case DeviceSynchronize():
                return replace(s, host=s.host + 1) if all(self.complete(s, g) for g in s.launched) else None
        jump, memory = _access(op, dict(s.memory))
        return replace(s, host=s.host + jump, memory=tuple(sorted(memory.items())))

    def device_step(self, s: State, t: Thread, op: _Op) -> State:
        match op:
            case _Arrive():
                return self.set_pc(replace(s, arrived=s.arrived | {t}), t, self.pc(s, t) + 1)
            case _Wait():
                if t not in s.released:
                    return s
                return self.set_pc(replace(s, released=s.released - {t}), t, self.pc(s, t) + 1)
        jump, memory = _access(op, dict(s.memory))
        return self.set_pc(replace(s, memory=tuple(sorted(memory.items()))), t, self.pc(s, t) + jump)

    def set_pc(self, s: State, t: Thread, pc: int) -> State:
        return replace(s, pcs=tuple(pc if u == t else old for u, old in zip(self.threads, s.pcs, strict=True)))

    def release_barrier(self, s: State, t: Thread) -> State:
        """After a step of t: a phase of its block's barrier ends once all threads that have not exited have arrived."""
        alive = {u for u in self.block_of(t) if not self.done(s, u)}
        if alive and alive <= s.arrived:
            return replace(s, arrived=s.arrived - alive, released=s.released | alive)
        return s


# --------------------------------------------------------------------------------------------------- graph and fairness

Action = Callable[[State, Edge], bool]  # is this edge, from this state, in the action?
Keep = Callable[[Edge], bool]


@dataclass(frozen=True)
class Graph:
    states: list[State]
    out: list[list[Edge]]
    unfinished: frozenset[int]
    weak: list[Action]
    strong: list[Action]


def build(program: Program) -> Graph:
    m = _Machine(program)
    states = [m.initial()]
    number = {states[0]: 0}
    out: list[list[Edge]] = []
    for src, s in enumerate(states):  # grows while it is walked
        edges = [Edge(src, src, None, "stutter", False)]
        for n, thread, action, counts in m.steps(s):
            if n not in number:
                number[n] = len(states)
                states.append(n)
            edges.append(Edge(src, number[n], thread, action, counts))
        out.append(edges)

    def is_start(e: Edge) -> bool:
        return e.action == START

    def host_progress(s: State, e: Edge) -> bool:
        return not m.in_api(s) and e.thread == HOST

    def device_progress(t: Thread) -> Action:
        return lambda s, e: e.thread == t and m.block_started(s, t)

    def api_progress(s: State, e: Edge) -> bool:
        return m.in_api(s) and m.device_quiet(s) and (e.thread == HOST or is_start(e))

    def query_progress(s: State, e: Edge) -> bool:
        return m.in_not_ready_query(s) and m.device_quiet(s) and is_start(e)

    unfinished = frozenset(i for i, s in enumerate(states) if not m.finished(s))
    weak = [host_progress, api_progress, *(device_progress(t) for t in m.threads)]
    return Graph(states, out, unfinished, weak, [query_progress])


def _components(graph: Graph, within: Iterable[int], keep: Keep) -> list[set[int]]:
    """Maximal strongly connected components of the sub-graph (Kosaraju)."""
    inside = set(within)
    succ = {v: [e.dst for e in graph.out[v] if e.dst in inside and keep(e)] for v in inside}
    pred: dict[int, list[int]] = {v: [] for v in inside}
    for v, ws in succ.items():
        for w in ws:
            pred[w].append(v)
    order: list[int] = []  # by the end of a depth-first visit
    seen: set[int] = set()
    for root in inside:
        if root in seen:
            continue
        seen.add(root)
        stack = [(root, iter(succ[root]))]
        while stack:
            v, rest = stack[-1]
            child = next((w for w in rest if w not in seen), None)
            if child is None:
                order.append(v)
                stack.pop()
            else:
                seen.add(child)
                stack.append((child, iter(succ[child])))
    components: list[set[int]] = []
    placed: set[int] = set()
    for root in reversed(order):
        if root in placed:
            continue
        component, todo = {root}, [root]
        while todo:
            for w in pred[todo.pop()]:
                if w not in placed and w not in component:
                    component.add(w)
                    todo.append(w)
        placed |= component
        components.append(component)
    return components


def _inner_edges(graph: Graph, component: set[int], keep: Keep) -> list[Edge]:
    return [e for v in component for e in graph.out[v] if e.dst in component and keep(e)]


def _fair_component(graph: Graph, keep: Keep) -> set[int] | None:
    """A strongly connected set of unfinished states, over the kept edges, in which every fairness condition holds."""

    def enabled(action: Action, v: int) -> bool:
        return any(action(graph.states[v], e) for e in graph.out[v])

    todo = [set(graph.unfinished)]
    while todo:
        for component in _components(graph, todo.pop(), keep):
            edges = _inner_edges(graph, component, keep)

            def taken(action: Action, edges: list[Edge] = edges) -> bool:
                return any(action(graph.states[e.src], e) for e in edges)

            if any(not taken(a) and all(enabled(a, v) for v in component) for a in graph.weak):
                continue
            bad = {v for a in graph.strong if not taken(a) for v in component if enabled(a, v)}
            if not bad:
                return component
            todo.append(component - bad)
    return None


def _silent_component(graph: Graph, keep: Keep) -> set[int] | None:
    """A strongly connected set of unfinished states, over the kept edges, in which some thread is silent for ever."""
    for who in {e.thread for edges in graph.out for e in edges if e.thread is not None}:

        def silent(e: Edge, who: Thread = who) -> bool:
            return keep(e) and not (e.counts and e.thread == who)

        for component in _components(graph, graph.unfinished, silent):
            if any(e.thread == who for e in _inner_edges(graph, component, silent)):
                return component
    return None


def _exists(graph: Graph, keep: Keep) -> bool:
    return _fair_component(graph, keep) is not None or _silent_component(graph, keep) is not None


def hangs(program: Program) -> bool:
    """May the program run for ever, fairly, without everything finishing?"""
    return _exists(build(program), lambda _: True)


def stalls(program: Program) -> bool:
    """May it, fairly, never finish and from some point on take no counted step?"""
    return _exists(build(program), lambda e: not e.counts)
