"""The states of a system as tuples, and the expressions of a thread as functions of them.

A state is the label of each thread, then memory, registers, and what streams and barriers keep.  Memory is
sequentially consistent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from scopec.diagnostics import EngineError
from scopec.expectations import instance
from scopec.program import ir, types
from scopec.program.values import Binary, Builtin, Choose, Const, Convert, Named, Reg, Unary, Value
from scopec.progress.influence import accessed
from scopec.progress.schedule import Moment
from scopec.progress.steps import DONE, IDLE, OLD, OUTCOME, OWN_KINDS, Wait, touches_memory

if TYPE_CHECKING:
    from scopec.progress.system import System

State: TypeAlias = tuple[Any, ...]
Compute: TypeAlias = "Callable[[State], int]"

_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}  # fmt: skip
_WARP = 32


class States:
    """What a state keeps and where, the first state, and values in a state."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.threads = system.everyone
        self.number = {t.name: i for i, t in enumerate(self.threads)}
        self.first: list[Any] = []
        self._slots: dict[object, int] = {}
        self._lay_out()

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
            for stream in self.system.streams:
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

    # ---- what has ended

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
            case Named():  # only the memory question names values
                raise AssertionError(value)

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

    # ---- what a state keeps of barriers and streams

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
                    found.setdefault(barrier_of(operation, thread), {})[self.number[thread.name]] = None
        return {barrier: tuple(members) for barrier, members in found.items()}

    @cached_property
    def events(self) -> tuple[str, ...]:
        """The events that order work."""
        operations = [s.operation for s in self.system.host_steps]
        return tuple(dict.fromkeys(op.event for op in operations if isinstance(op, (ir.EventRecord, ir.EventWait))))


def barrier_of(operation: ir.SyncThreads | ir.GroupSync, thread: ir.Thread) -> object:
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
