"""The steps of a system as functions from a state to those that may come next.

A state is a tuple: the label of each thread, then memory, registers, and what streams and barriers keep.  Memory is
sequentially consistent.  Functions are made once a step and thread, so that a state costs no look at the program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from scopec.diagnostics import EngineError
from scopec.expectations import instance
from scopec.memory.asw import waits_for
from scopec.program import ir, types
from scopec.program.values import Binary, Builtin, Choose, Const, Convert, Reg, Unary, Value
from scopec.progress.influence import accessed
from scopec.progress.schedule import Moment
from scopec.progress.steps import (
    DONE,
    IDLE,
    OLD,
    OUTCOME,
    OWN_KINDS,
    Asleep,
    Either,
    Fork,
    Goto,
    Pending,
    Step,
    Wait,
    leaves,
    touches_memory,
)

if TYPE_CHECKING:
    from scopec.progress.steps import Tree
    from scopec.progress.system import System

State: TypeAlias = tuple[Any, ...]
Compute: TypeAlias = "Callable[[State], int]"
#: The states that a step may lead to, each with whether every choice fell well.
Take: TypeAlias = "Callable[[State], list[tuple[State, bool]]]"

_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}  # fmt: skip
_WARP = 32


class Stepping:
    """The first state and the steps of a system."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.threads = system.everyone
        self.number = {t.name: i for i, t in enumerate(self.threads)}
        self.first: list[Any] = []
        self._slots: dict[object, int] = {}
        self._lay_out()
        self._takes: dict[tuple[int, str], Take] = {}

    # ---- states

    def _slot(self, key: object, first: Any) -> int:
        self._slots[key] = len(self.first)
        self.first.append(first)
        return self._slots[key]

    def _lay_out(self) -> None:
        system = self.system
        for thread in self.threads:
            runs = thread in system.hosts and thread.name not in system.created
            self._slot(("pc", thread.name), system.begin(thread).label if runs else IDLE)
        for thread in self.threads:
            for name in self._objects_of(thread):
                key = ("object", name, self._instance(name, thread))
                if key not in self._slots:
                    values = system.program.objects[name].values
                    self._slots[key] = len(self.first)
                    self.first += [v if v is not None else 0 for v in values]
            begun = dict(system.begin(thread).updates)
            for register in dict.fromkeys((*system.machine_of(thread).registers, *begun)):
                first = begun.get(register, Const(0, types.INT))
                self._slot(("register", thread.name, register), self.value(first, thread)(()))
        if self.issues:
            self._slot("issued", ())
        if self.events:
            for grid in system.grids:
                self._slot(("after", grid), frozenset())
            for stream in self.streams:
                self._slot(("fence", stream), frozenset())
            for event in self.events:
                self._slot(("event", event), frozenset())
        if system.snapshots:
            for host in system.hosts:
                self._slot(("awaited", host.name), frozenset())
        for barrier in self.joins:
            self._slot(("arrived", barrier), frozenset())
        if self.joins:
            for thread in system.threads:
                self._slot(("ballot", thread.name), 0)
        self._slot("tokens", frozenset())

    def _objects_of(self, thread: ir.Thread) -> Iterator[str]:
        for step in self.system.machine_of(thread).steps.values():
            if not isinstance(step.operation, OWN_KINDS):
                place = accessed(step.operation)
                if place is not None and touches_memory(step):
                    yield place.object

    def _instance(self, name: str, thread: ir.Thread) -> str:
        return instance(self.system.program.objects[name], thread)

    @property
    def initial(self) -> State:
        """The first state."""
        return tuple(self.first)

    def moment(self, state: State) -> Moment:
        """A state as a schedule shows it."""
        labels = {t.name: state[i] for i, t in enumerate(self.threads)}
        memory: dict[str, Any] = {}
        registers: dict[str, dict[str, object]] = {t.name: {} for t in self.threads}
        several = {key[1] for key in self._slots if isinstance(key, tuple) and key[0] == "object" and key[2]}
        for key, slot in self._slots.items():
            match key:
                case ("register", str(thread), str(register)):
                    registers[thread][register] = state[slot]
                case ("object", str(name), str(where)):
                    object_ = self.system.program.objects[name]
                    value = state[slot]
                    if object_.array:
                        value = {i: state[slot + i] for i in range(len(object_.values))}
                    if object_.storage is ir.Storage.AUTOMATIC:
                        registers[where][name] = value
                    elif name in several:
                        device = object_.storage is ir.Storage.DEVICE
                        at = int(where.removeprefix("device") or 0) if device else where
                        memory.setdefault(name, {})[at] = value
                    else:
                        memory[name] = value
                case _:
                    pass
        issued = state[self._slots["issued"]] if self.issues else ()
        if self.events:
            after = {g: tuple(sorted(state[self._slots["after", g]])) for g in self.system.grids}
        else:
            after = {g: tuple(f for f in issued[:n] if self.system.ordered(f, g)) for n, g in enumerate(issued)}
        events = {e: tuple(sorted(state[self._slots["event", e]])) for e in self.events}
        return Moment(labels, memory, {t: r for t, r in registers.items() if r}, issued, after, events)

    # ---- starting and ending

    @cached_property
    def issues(self) -> bool:
        """Whether the host issues grids, in an order that is part of the state."""
        return bool(self.system.grids) and self.system.model.has_host

    @cached_property
    def _of_grid(self) -> dict[str, tuple[int, ...]]:
        started = (*self.system.threads, *self.system.tasks)
        return {g: tuple(self.number[t.name] for t in started if t.grid == g) for g in self.system.grids}

    def _grid_done(self, state: State, grid: str) -> bool:
        return all(state[i] == DONE for i in self._of_grid[grid])

    def all_done(self, state: State) -> bool:
        """Whether the host threads have ended, and every grid that was launched."""
        system = self.system
        for thread in system.hosts:
            label = state[self.number[thread.name]]
            if label != DONE and not (label == IDLE and thread.name in system.created):
                return False
        if self.issues:
            return all(self._grid_done(state, g) for g in state[self._slots["issued"]])
        return all(state[self.number[t.name]] == DONE for t in (*system.threads, *system.tasks))

    def can_start(self, thread: ir.Thread) -> Callable[[State], bool]:
        """Whether a thread may start: "A device thread shall not start until all its dependencies have completed."."""
        grid = thread.grid
        if grid is None:
            return lambda _: True
        if not self.issues:
            before = self.system.before.get(grid, ())
            return lambda s: all(self._grid_done(s, g) for g in before)
        issued = self._slots["issued"]
        if self.events:
            after = self._slots["after", grid]
            return lambda s: grid in s[issued] and all(self._grid_done(s, g) for g in s[after])

        def ready(s: State) -> bool:
            for other in s[issued]:
                if other == grid:
                    return True
                if self.system.ordered(other, grid) and not self._grid_done(s, other):
                    return False
            return False

        return ready

    # ---- values

    def value(self, value: Value, thread: ir.Thread, old: Compute | None = None, out: Compute | None = None) -> Compute:
        """An expression of a thread; ``old`` and ``out`` give what its operation finds and the outcome of a vote."""

        def made(inner: Value) -> Compute:
            return self.value(inner, thread, old, out)

        match value:
            case Const(number, _):
                return lambda _: number
            case Builtin(name, _):
                constant = (thread.builtins or {})[name]
                return lambda _: constant
            case Reg(name, _) if name == OLD:
                assert old is not None
                return old
            case Reg(name, _) if name == OUTCOME:
                assert out is not None
                return out
            case Reg(name, _):
                slot = self._slots["register", thread.name, name]
                return lambda s: s[slot]
            case Unary(op, operand, type_):
                inside = made(operand)
                return lambda s: types.unary(op, inside(s), type_)
            case Binary("&&", left, right, _):
                one, other = made(left), made(right)
                return lambda s: 1 if one(s) and other(s) else 0
            case Binary("||", left, right, _):
                one, other = made(left), made(right)
                return lambda s: 1 if one(s) or other(s) else 0
            case Binary(op, left, right, type_):
                one, other = made(left), made(right)
                if op in _COMPARE:
                    compare = _COMPARE[op]
                    return lambda s: int(compare(one(s), other(s)))
                return lambda s: types.binary(op, one(s), other(s), type_)
            case Choose(condition, then, otherwise, _):
                test, one, other = made(condition), made(then), made(otherwise)
                return lambda s: one(s) if test(s) else other(s)
            case Convert(operand, type_):
                inside = made(operand)
                return lambda s: type_.wrap(inside(s))

    def _cell(self, place: ir.Place, thread: ir.Thread) -> Compute:
        """Where in a state the element is that a thread accesses."""
        object_ = self.system.program.objects[place.object]
        base = self._slots["object", place.object, self._instance(place.object, thread)]
        if not object_.array:
            return lambda _: base
        index, length = self.value(place.index, thread), len(object_.values)

        def cell(s: State) -> int:
            i = index(s)
            if not 0 <= i < length:
                raise EngineError(f"{thread.name} accesses element {i} of `{place.object}`, which has {length}")
            return base + i

        return cell

    # ---- steps

    def step(self, thread: ir.Thread, label: str) -> Take:
        """What a thread may do at a label."""
        key = (self.number[thread.name], label)
        if key not in self._takes:
            self._takes[key] = self._step(thread, self.system.steps[label])
        return self._takes[key]

    def _step(self, thread: ir.Thread, step: Step) -> Take:
        match step.operation:
            case ir.SyncThreads() | ir.GroupSync() as operation:
                return self._arrive(thread, step, operation)
            case Wait(ir.SyncThreads() | ir.GroupSync() as operation):
                return self._leave(thread, step, operation)
            case ir.NamedBarrier() as operation:
                return self._arrive_at_name(thread, step, operation)
            case Wait(ir.NamedBarrier() as operation):
                return self._leave_name(thread, step, operation)
            case ir.Notify(place, everyone):
                return self._notify(thread, step, place, everyone=everyone)
            case Asleep():
                return self._blocking(thread, step, lambda _: 0, self._way(thread, step.tree))
            case (
                ir.Load(place=place)
                | ir.Store(place=place)
                | ir.Rmw(place=place)
                | ir.CompareExchange(place=place)
                | ir.Await(place=place)
            ) if touches_memory(step):
                return self._access(thread, step, place)
            case _:
                called = self._call(thread, step)
                return self._way(thread, step.tree) if called is None else called

    def _access(self, thread: ir.Thread, step: Step, place: ir.Place) -> Take:
        cell = self._cell(place, thread)

        def old(s: State) -> int:
            return s[cell(s)]  # type: ignore[no-any-return]

        wakes = None
        if place.object in self._beds and any(end.write is not None for end in leaves(step.tree)):
            wakes = self._sleepers(thread, place, due=False)
        take = self._way(thread, step.tree, old=old, cell=cell, wakes=wakes)
        if step.guard is None:
            return take
        return self._blocking(thread, step, self.value(step.guard, thread, old), take)

    def _blocking(self, thread: ir.Thread, step: Step, condition: Compute, take: Take) -> Take:
        """A step that waits for a condition; where each turn is a step there is a second label."""
        again, me = f"{step.label}_again", self.number[thread.name]
        if again not in self.system.steps:
            return lambda s: take(s) if condition(s) else []
        return lambda s: take(s) if condition(s) else [((*s[:me], again, *s[me + 1 :]), True)]

    def _way(
        self,
        thread: ir.Thread,
        tree: Tree,
        *,
        old: Compute | None = None,
        out: Compute | None = None,
        cell: Compute | None = None,
        wakes: Callable[[State], list[tuple[int, str]]] | None = None,
        also: Callable[[State, list[Any]], None] | None = None,
    ) -> Take:
        """Where a tree leads: memory, registers and label; ``also`` makes further changes, seeing the state before."""
        match tree:
            case Fork(condition, then, otherwise):
                test = self.value(condition, thread, old, out)
                yes, no = (
                    self._way(thread, side, old=old, out=out, cell=cell, wakes=wakes, also=also)
                    for side in (then, otherwise)
                )
                return lambda s: yes(s) if test(s) else no(s)
            case Either(first, second):
                good, bad = (
                    self._way(thread, side, old=old, out=out, cell=cell, wakes=wakes, also=also)
                    for side in (first, second)
                )
                return lambda s: [*good(s), *((t, False) for t, _ in bad(s))]
            case Goto(label, updates, write):
                me = self.number[thread.name]
                changes = [
                    (self._slots["register", thread.name, name], self.value(value, thread, old, out))
                    for name, value in updates
                    if ("register", thread.name, name) in self._slots
                ]
                written = None if write is None else self.value(write, thread, old, out)

                def take(s: State) -> list[tuple[State, bool]]:
                    after = list(s)
                    if written is not None and cell is not None:
                        after[cell(s)] = written(s)
                        if wakes is not None:
                            for sleeper, to in wakes(s):
                                after[sleeper] = to
                    for slot, value in changes:
                        after[slot] = value(s)
                    if also is not None:
                        also(s, after)
                    after[me] = label
                    return [(tuple(after), True)]

                return take

    # ---- waiting on atomics

    @cached_property
    def _beds(self) -> dict[str, list[Step]]:
        """The steps at which threads sleep, by object."""
        found: dict[str, list[Step]] = {}
        for step in self.system.steps.values():
            if isinstance(step.operation, Asleep):
                found.setdefault(step.operation.on.place.object, []).append(step)
        return found

    def _sleepers(self, thread: ir.Thread, place: ir.Place, *, due: bool) -> Callable[[State], list[tuple[int, str]]]:
        """The threads that sleep on a place, and are due or not, each with the label that they are moved to."""
        index = self.value(place.index, thread)
        where = self._instance(place.object, thread)
        found: list[tuple[int, frozenset[str], Compute, str]] = []
        for bed in self._beds.get(place.object, ()):
            assert isinstance(bed.operation, Asleep)
            if bed.operation.due is not due:
                continue
            stem = bed.label.rpartition("_")[0]
            labels = frozenset({bed.label, f"{bed.label}_again"})
            for other in self.threads:
                if bed.label in self.system.machine_of(other).steps and self._instance(place.object, other) == where:
                    theirs = self.value(bed.operation.on.place.index, other)
                    found.append((self.number[other.name], labels, theirs, stem if due else f"{stem}_due"))
        return lambda s: [(n, to) for n, labels, theirs, to in found if s[n] in labels and theirs(s) == index(s)]

    def _notify(self, thread: ir.Thread, step: Step, place: ir.Place, *, everyone: bool) -> Take:
        take = self._way(thread, step.tree)
        if place.object not in self._beds:
            return take
        sleepers = self._sleepers(thread, place, due=True)

        def woken(s: State, who: list[tuple[int, str]]) -> list[tuple[State, bool]]:
            out = []
            for after, well in take(s):
                changed = list(after)
                for n, to in who:
                    changed[n] = to
                out.append((tuple(changed), well))
            return out

        def notify(s: State) -> list[tuple[State, bool]]:
            who = sleepers(s)
            if everyone or not who:
                return woken(s, who)
            return [after for one in who for after in woken(s, [one])]

        return notify

    # ---- barriers

    @cached_property
    def joins(self) -> dict[object, tuple[int, ...]]:
        """The threads that each collective barrier joins."""
        operations = [s.operation.at for s in self.system.steps.values() if isinstance(s.operation, Wait)]
        found: dict[object, dict[int, None]] = {}
        for operation in operations:
            if isinstance(operation, ir.NamedBarrier):
                continue
            for thread in self.system.threads:
                warp = isinstance(operation, ir.GroupSync) and operation.group is ir.Group.WARP
                if not warp or operation.mask >> thread.lane % _WARP & 1:  # type: ignore[union-attr]
                    found.setdefault(_barrier(operation, thread), {})[self.number[thread.name]] = None
        return {barrier: tuple(members) for barrier, members in found.items()}

    def _arrive(self, thread: ir.Thread, step: Step, operation: ir.SyncThreads | ir.GroupSync) -> Take:
        me, slot = self.number[thread.name], self._slots["arrived", _barrier(operation, thread)]
        ballot = vote = None
        if isinstance(operation, ir.SyncThreads) and operation.vote is not None:
            ballot = self._slots["ballot", thread.name]
            vote = self.value(operation.vote.predicate, thread)

        def also(s: State, after: list[Any]) -> None:
            after[slot] = s[slot] | {me}
            if ballot is not None and vote is not None:
                after[ballot] = 1 if vote(s) else 0

        return self._way(thread, step.tree, also=also)

    def _leave(self, thread: ir.Thread, step: Step, operation: ir.SyncThreads | ir.GroupSync) -> Take:
        """The first thread that leaves ends the phase for all.

        "For .aligned and .sync, all non-exited threads" (PTX ISA): a block, a warp and a cluster wait for those that
        have not exited.  A grid is one software barrier of its blocks, and waits for every thread.
        """
        me = self.number[thread.name]
        barrier = _barrier(operation, thread)
        slot, members = self._slots["arrived", barrier], self.joins[barrier]
        if isinstance(operation, ir.GroupSync):
            holds = operation.group is ir.Group.GRID
        else:
            holds = self.system.readings.exited_threads_hold

        def over(s: State) -> int:
            arrived = s[slot]
            return me not in arrived or all(u in arrived or (not holds and s[u] == DONE) for u in members)

        vote = operation.vote if isinstance(operation, ir.SyncThreads) else None
        ballots = {self.number[t.name]: self._slots["ballot", t.name] for t in self.system.threads}

        def tally(s: State) -> int:
            assert vote is not None
            votes = [s[ballots[u]] for u in s[slot]]
            return sum(votes) if vote.function == "count" else int(all(votes) if vote.function == "and" else any(votes))

        def outcome(s: State) -> int:
            return tally(s) if me in s[slot] else s[ballots[me]]

        def also(s: State, after: list[Any]) -> None:
            first = me in s[slot]
            if vote is not None:
                if first:
                    result = tally(s)
                    for u in s[slot]:
                        after[ballots[u]] = result
                after[ballots[me]] = 0
            if first:
                after[slot] = frozenset()

        return self._blocking(thread, step, over, self._way(thread, step.tree, out=outcome, also=also))

    def _name(self, thread: ir.Thread, operation: ir.NamedBarrier) -> Callable[[State], tuple[object, ...]]:
        parts = [self.value(part, thread) for part in operation.name]
        return lambda s: (thread.block_name, *(part(s) for part in parts))

    def _arrive_at_name(self, thread: ir.Thread, step: Step, operation: ir.NamedBarrier) -> Take:
        """The k-th arrival of a thread at a name belongs to its k-th phase, counted from the current one."""
        me, slot, name = self.number[thread.name], self._slots["tokens"], self._name(thread, operation)

        def also(s: State, after: list[Any]) -> None:
            barrier = name(s)
            phase = sum(1 for u, b, _ in s[slot] if u == me and b == barrier)
            after[slot] = s[slot] | {(me, barrier, phase + 1)}

        return self._way(thread, step.tree, also=also)

    def _leave_name(self, thread: ir.Thread, step: Step, operation: ir.NamedBarrier) -> Take:
        me, slot, name = self.number[thread.name], self._slots["tokens"], self._name(thread, operation)
        count = None if operation.count is None else self.value(operation.count, thread)
        texts = {
            self.number[t.name]: [
                tuple(part.value if isinstance(part, Const) else None for part in node.operation.name)
                for node in t.body.nodes.values()
                if isinstance(node, ir.Do) and isinstance(node.operation, ir.NamedBarrier)
            ]
            for t in self.system.threads
            if t.block_name == thread.block_name
        }

        def phase(s: State, barrier: tuple[object, ...]) -> int:
            return sum(1 for u, b, _ in s[slot] if u == me and b == barrier)

        def over(s: State) -> int:
            barrier = name(s)
            now = phase(s, barrier)
            if now == 0:
                return True
            if count is not None:
                return sum(1 for _, b, p in s[slot] if b == barrier and p == now) >= count(s)
            return all(
                (u, barrier, now) in s[slot] or s[u] == DONE
                for u, names in texts.items()
                if any(_may_be(text, barrier[1:]) for text in names)
            )

        def also(s: State, after: list[Any]) -> None:
            barrier = name(s)
            now = phase(s, barrier)
            after[slot] = frozenset(
                (u, b, p - now if b == barrier else p) for u, b, p in s[slot] if b != barrier or p > now
            )

        return self._blocking(thread, step, over, self._way(thread, step.tree, also=also))

    # ---- host calls

    @cached_property
    def events(self) -> tuple[str, ...]:
        """The events that order work."""
        operations = [s.operation for s in self.system.host_steps]
        return tuple(dict.fromkeys(op.event for op in operations if isinstance(op, (ir.EventRecord, ir.EventWait))))

    @cached_property
    def streams(self) -> dict[str, ir.Stream]:
        """The streams by name."""
        program = self.system.program
        return {s.name: s for s in (*program.streams, *(g.stream for g in program.grids.values()))}

    def _before(self, name: str) -> Callable[[State], frozenset[str]]:
        """What an operation that is issued to a stream now comes after."""
        stream, grids = self.streams[name], self.system.program.grids
        earlier = {other for other, s in self.streams.items() if waits_for(stream, s)}
        fences = [self._slots["fence", other] for other in earlier]
        issued = self._slots["issued"]

        def before(s: State) -> frozenset[str]:
            ours = {g for g in s[issued] if grids[g].stream.name in earlier}
            return frozenset(g for g in ours.union(*(s[f] for f in fences)) if not self._grid_done(s, g))

        return before

    def _work(self, call: ir.Operation) -> Callable[[State], frozenset[str]]:
        """The grids that a call waits for or asks about."""
        grids = self.system.program.grids
        issued = self._slots.get("issued")
        match call:
            case ir.DeviceSynchronize(device):
                wanted = frozenset(g.name for g in grids.values() if g.device == device)
                fence = None
            case ir.StreamSynchronize(stream) | ir.StreamQuery(_, stream):
                wanted = frozenset(g.name for g in grids.values() if g.stream.name == stream)
                fence = self._slots["fence", stream] if self.events else None
            case ir.EventSynchronize(event) | ir.EventQuery(_, event):
                if event not in self.events:
                    return lambda _: frozenset()
                slot = self._slots["event", event]
                return lambda s: s[slot]
            case _:
                raise AssertionError(call)

        def work(s: State) -> frozenset[str]:
            found = wanted.intersection(s[issued]) if issued is not None else frozenset[str]()
            return found if fence is None else found | s[fence]

        return work

    def _all_done(self, work: Callable[[State], frozenset[str]]) -> Callable[[State], bool]:
        return lambda s: all(self._grid_done(s, g) for g in work(s))

    def _call(self, thread: ir.Thread, step: Step) -> Take | None:
        tree, slots = step.tree, self._slots
        match step.operation:
            case ir.LaunchGrid(grid):
                before = self._before(self.system.program.grids[grid].stream.name) if self.events else None

                def launch(s: State, after: list[Any]) -> None:
                    after[slots["issued"]] = (*s[slots["issued"]], grid)
                    if before is not None:
                        after[slots["after", grid]] = before(s)

                return self._way(thread, tree, also=launch)
            case ir.EventRecord(event, stream):
                found = self._before(stream)

                def record(s: State, after: list[Any]) -> None:
                    after[slots["event", event]] = after[slots["fence", stream]] = found(s)

                return self._way(thread, tree, also=record)
            case ir.EventWait(event, stream):
                earlier = self._before(stream)

                def wait(s: State, after: list[Any]) -> None:
                    after[slots["fence", stream]] = earlier(s) | s[slots["event", event]]

                return self._way(thread, tree, also=wait)
            case ir.DeviceSynchronize() | ir.StreamSynchronize() | ir.EventSynchronize() as call:
                work = self._work(call)
                if self.system.snapshots:

                    def note(s: State, after: list[Any]) -> None:
                        after[slots["awaited", thread.name]] = work(s)

                    return self._way(thread, tree, also=note)
                done, take = self._all_done(work), self._way(thread, tree)
                return lambda s: take(s) if done(s) else []
            case Pending():
                awaited = slots["awaited", thread.name]

                def returned(_: State, after: list[Any]) -> None:
                    after[awaited] = frozenset()

                take = self._way(thread, tree, also=returned)
                return lambda s: take(s) if all(self._grid_done(s, g) for g in s[awaited]) else []
            case ir.StreamQuery() | ir.EventQuery() as query:
                ready, not_ready = (self._way(thread, end) for end in leaves(tree))
                done = self._all_done(self._work(query))
                return lambda s: ready(s) if done(s) else not_ready(s)
            case ir.CreateThread(name):
                child = next(t for t in self.system.hosts if t.name == name)
                slot, entry = self.number[name], self.system.begin(child).label

                def create(_: State, after: list[Any]) -> None:
                    after[slot] = entry

                return self._way(thread, tree, also=create)
            case ir.JoinThread(name):
                other = self.number[name]
                return self._blocking(thread, step, lambda s: s[other] == DONE, self._way(thread, tree))
            case _:
                return None


def _barrier(operation: ir.SyncThreads | ir.GroupSync, thread: ir.Thread) -> object:
    """Which barrier a thread uses."""
    if isinstance(operation, ir.SyncThreads):
        return "block", thread.block_name
    match operation.group:
        case ir.Group.WARP:
            return "warp", operation.mask, thread.block_name, thread.lane // _WARP
        case ir.Group.TILE:
            return "tile", operation.mask, thread.block_name, thread.lane // operation.mask
        case ir.Group.CLUSTER:
            return "cluster", thread.cluster_name
        case ir.Group.GRID:
            return "grid", thread.grid or thread.name


def _may_be(text: tuple[int | None, ...], name: tuple[object, ...]) -> bool:
    """Whether a name in a thread's text may be one, parts that are computed left open."""
    return len(text) == len(name) and all(a is None or a == b for a, b in zip(text, name, strict=True))
