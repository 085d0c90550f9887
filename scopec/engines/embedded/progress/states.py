"""The states of a system as tuples, and the expressions of a thread as functions of them.

A state is the label of each thread, then memory, registers, and what streams and barriers keep.  Memory is
sequentially consistent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from scopec.base.diagnostics import EngineError
from scopec.engines.embedded.progress.terms import NO_OUTCOMES, Compute, Outcomes, Seen, State, Terms
from scopec.program import ir, types
from scopec.program.observe import instance
from scopec.program.values import Binary, Builtin, Choose, Const, Convert, Given, Named, Reg, Unary, Value
from scopec.progress.rules import Rules, phases
from scopec.progress.schedule import Moment
from scopec.progress.slicing import touched
from scopec.progress.steps import FIELDS, IDLE, OLD, writes

if TYPE_CHECKING:
    from scopec.progress.system import System

_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}  # fmt: skip


class States(Terms):
    """The layout of a state: its slots, the first state, and values in a state."""

    def __init__(self, system: System) -> None:
        super().__init__(Rules(system), system.everyone)
        self.system = system
        self.first: list[Any] = []
        #: By object and instance the slot of its first element; the values of what no step writes, which have no slots.
        self.memory: dict[tuple[str, str], int | tuple[Any, ...]] = {}
        self._given = Given()
        self._lay_out()

    def _slot(self, variable: str, key: object, first: Any) -> None:
        self.keyed.setdefault(variable, {})[key] = len(self.first)
        self.first.append(first)

    def _lay_out(self) -> None:
        system = self.system
        for number, thread in enumerate(self.threads):
            runs = thread in system.hosts and thread.name not in system.created
            self._slot("pc", number, system.begin(thread).label if runs else IDLE)
        for thread in self.threads:
            for name in self._objects_of(thread):
                key = name, self._instance(name, thread)
                if key not in self.memory:
                    firsts = self._firsts(system.program.objects[name])
                    self.memory[key] = len(self.first) if name in self.written_objects else tuple(firsts)
                    self.first += firsts if name in self.written_objects else ()
            begun = dict(system.begin(thread).updates)
            for register in dict.fromkeys((*system.machine_of(thread).registers, *begun)):
                begins = begun.get(register, Const(0, types.INT))
                self._slot("reg", (thread.name, register), self.value(begins, thread)(()))
        for variable in self.rules.variables:
            match self.fixed(variable.first):
                case dict() as table:
                    for key, first in table.items():
                        self._slot(variable.name, key, first)
                case first:
                    self.slots[variable.name] = len(self.first)
                    self.first.append(first)

    def _firsts(self, object_: ir.Object) -> list[Any]:
        """The first values of the elements of an object."""
        return [self.fixed(phases.first(object_, index)) for index in range(len(object_.values))]

    def _objects_of(self, thread: ir.Thread) -> Iterator[str]:
        for label in self.system.machine_of(thread).steps:
            if (place := self.touched[label]) is not None:
                yield place.object

    @cached_property
    def touched(self) -> Mapping[str, ir.Place | None]:
        """By label the place that a step reads or writes."""
        return {label: touched(step) for label, step in self.system.steps.items()}

    @cached_property
    def written_objects(self) -> frozenset[str]:
        """The objects that some step writes."""
        places = (self.touched[label] for label, step in self.system.steps.items() if writes(step))
        return frozenset(place.object for place in places if place is not None)

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
        several = {name for name, where in self.memory if where}
        for (name, where), held in self.memory.items():
            object_ = self.system.program.objects[name]
            elements = state[held : held + len(object_.values)] if isinstance(held, int) else held
            found = [_shown(value) for value in elements]
            value = dict(enumerate(found)) if object_.array else found[0]
            if object_.storage is ir.Storage.AUTOMATIC:
                registers[where][name] = value
            elif name in several:
                device = object_.storage is ir.Storage.DEVICE
                at = int(where.removeprefix("device") or 0) if device else where
                memory.setdefault(name, {})[at] = value
            else:
                memory[name] = value
        for (thread, register), slot in self.keyed.get("reg", {}).items():
            registers[thread][register] = state[slot]
        issued = state[self.slots["issued"]] if self.system.issues else ()
        if self.system.events:
            kept = (("after", self.system.grids), ("event", self.system.events))
            after, events = ({k: tuple(sorted(state[self.keyed[name][k]])) for k in keys} for name, keys in kept)
        else:
            after = {g: tuple(f for f in issued[:n] if self.system.ordered(f, g)) for n, g in enumerate(issued)}
            events = {}
        known = {thread: kept for thread, kept in registers.items() if kept}
        triggered = state[self.slots["triggered"]] if self.system.triggers_seen else frozenset()
        return Moment(labels, memory, known, issued, after, events, triggered)

    # ---- values

    def value(
        self, value: Value, thread: ir.Thread, old: Compute | None = None, out: Outcomes = NO_OUTCOMES
    ) -> Compute:
        """An expression of a thread; ``old`` and ``out`` give what its operation finds, in memory and beside it."""
        return self._made(self.for_thread(value, thread), thread, old, out)

    def for_thread(self, value: Value, thread: ir.Thread) -> Value:
        """An expression with what a thread knows of itself in it."""
        return self._given(value, thread.builtins or {})

    def _made(self, value: Value, thread: ir.Thread, old: Compute | None, out: Outcomes) -> Compute:
        def made(inner: Value) -> Compute:
            return self._made(inner, thread, old, out)

        match value:
            case Const(number, _):
                return lambda _: number
            case Builtin():
                raise AssertionError(value)
            case Reg(name, _) if name == OLD:
                assert old is not None
                return old
            case Reg(name, _) if name in FIELDS:
                assert old is not None
                barrier, kept = old, attrgetter(FIELDS[name])
                return lambda s: kept(barrier(s))
            case Reg(name, _) if name in out:
                return out[name]
            case Reg(name, _):
                slot = self.keyed["reg"][thread.name, name]
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

    def cell(self, place: ir.Place, thread: ir.Thread) -> Compute | None:
        """The slot of the element that a thread accesses; None of what no step writes, which has none."""
        base = self.memory[place.object, self._instance(place.object, thread)]
        if not isinstance(base, int):
            return None
        if not self.system.program.objects[place.object].array:
            return lambda _: base
        index = self._index(place, thread)
        return lambda s: base + index(s)

    def held(self, place: ir.Place, thread: ir.Thread) -> Compute:
        """What the element holds that a thread accesses."""
        cell = self.cell(place, thread)
        if cell is not None:
            return lambda s: s[cell(s)]
        values = self.memory[place.object, self._instance(place.object, thread)]
        assert isinstance(values, tuple)
        if not self.system.program.objects[place.object].array:
            return lambda _: values[0]
        index = self._index(place, thread)
        return lambda s: values[index(s)]

    def _index(self, place: ir.Place, thread: ir.Thread) -> Compute:
        """The index of the element of an array that a thread accesses."""
        index, length = self.value(place.index, thread), len(self.system.program.objects[place.object].values)

        def inside(s: Seen) -> int:
            i: int = index(s)
            if not 0 <= i < length:
                raise EngineError(f"{thread.name} accesses element {i} of `{place.object}`, which has {length}")
            return i

        return inside


def _shown(value: Any) -> Any:
    """A value as a schedule shows it: a record by its fields."""
    return value._asdict() if hasattr(value, "_asdict") else value
