"""Reads and writes of a thread on a path: events, with values over what was read before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.base.records import replace
from scopec.memory.events.events import Event, Kind, Selection, Unset, shown_location
from scopec.memory.unfold.unfolding import ReadsTablesError, State, Unfolding, defined
from scopec.program import ir, reasoning, values
from scopec.program.effects import registers
from scopec.program.names import identifier
from scopec.program.observe import Location, instance
from scopec.program.show import show_mode
from scopec.program.values import Builtin, Const, Reg, Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from scopec.base.source import Span
    from scopec.memory.events.guards import Guard

#: The most events before a graph is made smaller, of all threads and of one.
MOST_EVENTS, MOST_OF_ONE = 100_000, 5_000
#: The most elements of which an index that a table decides may select each.
_FEW_ELEMENTS = 16


class TooComplexError(Exception):
    """A value or the graph has grown beyond what is worth writing down; carries the span and a message."""


class Accesses:
    """Events of one thread."""

    def __init__(self, out: Unfolding, thread: ir.Thread, observed: frozenset[str]) -> None:
        self.out = out
        self.thread = thread
        self.observed = observed
        self.begin = len(out.events)
        self._stem = identifier(thread.name)

    def where(self, state: State, value: Value, *, side: bool) -> State:
        """The state on the path where a condition holds, or where it does not."""
        if isinstance(value, Const):
            return state if bool(value.value) is side else replace(state, guard=self.out.guards.never)
        number, truth = self.out.condition(value)
        sign = truth is side
        known = self.out.conditions[number]
        registers = {name: reasoning.assume(held, known, sign) for name, held in state.registers.items()}
        return replace(state, guard=state.guard & self.out.guards.literal(number, sign), registers=registers)

    def set(self, state: State, target: str, value: Value) -> State:
        """The state in which a register holds a value."""
        new = {target: value, **({defined(target): values.TRUE} if target in self.observed else {})}
        unset = {name: where for name, where in state.unset.items() if name != target}
        return replace(state, registers={**state.registers, **new}, unset=unset, assigned=state.assigned | new.keys())

    def value(self, state: State, value: Value, span: Span) -> Value:
        """A value with the registers replaced by what they hold."""
        if isinstance(value, Const):
            return value

        def leaf(reg: Reg | Builtin) -> Value:
            held = state.registers.get(reg.name)
            if held is None:
                raise error(Code.UNINITIALISED, f"`{reg.name}` is read before it has a value", span)
            if state.lacks(reg.name) and not reg.name.startswith("%"):
                self.out.unset.append(Unset(self.thread.name, reg.name, span))
            return held

        return values.substitute(value, leaf)

    def event(self, state: State, event: Event) -> Event:
        """Add an event (its name is a stem)."""
        name = self.out.name(event.id)
        if state.evaluations:
            operands = tuple((evaluation.number, evaluation.operand) for evaluation in state.evaluations)
            vector = next((evaluation.number for evaluation in state.evaluations if evaluation.vector), None)
            event = replace(event, operands=operands, vector=vector)
        event = replace(event, id=name, called=state.called, agent=state.agent)
        self.out.events.append(event)
        self.out.control[event.id] = state.control
        if len(self.out.events) > min(MOST_EVENTS, self.begin + MOST_OF_ONE):
            most = (
                f"{MOST_OF_ONE} events of one thread"
                if len(self.out.events) <= MOST_EVENTS
                else f"{MOST_EVENTS} events"
            )
            raise TooComplexError(event.span, f"more than {most} when the loops are unrolled")
        return event

    def blank(self, state: State, kind: Kind, span: Span, text: str, scope: ir.Scope | None = None) -> Event:
        """An event of a kind, without what it accesses."""
        stem = f"{self._stem}_L{span.line}_{kind.value}"
        return Event(stem, kind, self.thread.name, span, state.guard, text, scope=scope)

    def at_each(
        self, state: State, place: ir.Place, span: Span, access: Callable[[State, Location], tuple[Value, ...]]
    ) -> tuple[Value, ...]:
        """Make an access to the element of an object that an index selects.

        Where the index depends on what is read, there is one access for each element, on the path where it is the one;
        each depends on the reads of the index by address.
        """
        index = self.value(state, place.index, span)
        object_ = self.out.program.objects[place.object]
        length, mark = len(object_.values), len(self.out.events)
        if isinstance(index, Const) and 0 <= index.value < length:
            return access(state, self.location(state, place, span))
        least, most = reasoning.bounds(index)
        if min(most + 1, length) - max(least, 0) > _FEW_ELEMENTS and self._reads_tables(index):
            raise ReadsTablesError
        found: list[tuple[Guard, tuple[Value, ...]]] = []
        for number in range(max(least, 0), min(most + 1, length)):
            selected = values.binary("==", index, Const(number, index.type))
            if selected == values.FALSE:
                continue
            guard = state.guard & self.out.guards.literal(*self.out.condition(selected))
            at = Location(place.object, number, instance(object_, self.thread))
            found.append((guard, access(replace(state, guard=guard), at)))
        for event in self.out.events[mark:]:
            self.out.addresses[event.id] = Selection(index, state.guard)
        if not found:  # never executed: an implicit assertion before it excludes this index, or nobody gets there
            before, nowhere = self.out.mark(), replace(state, guard=self.out.guards.never)
            found.append((nowhere.guard, access(nowhere, Location(place.object, 0, instance(object_, self.thread)))))
            self.out.undo(before)
        results: tuple[Value, ...] = tuple(Const(0, value.type) for value in found[-1][1])  # outside of all elements
        for guard, values_ in reversed(found):
            chosen = guard.where(state.guard).value(self.out.conditions)
            both = zip(values_, results, strict=True)
            results = tuple(self.out.guards.names.short(values.choose(chosen, one, other)) for one, other in both)
        return results

    def _reads_tables(self, index: Value) -> bool:
        """Whether an index depends on reads of which the program alone decides what they return."""
        if self.out.tables is None:
            return False
        names = registers(index)
        plain = (e for e in self.out.events if e.id in names and not (e.atomic or e.volatile))
        return any(e.location is not None and self.out.decided(e.location, self.thread) is not None for e in plain)

    def location(self, state: State, place: ir.Place, span: Span) -> Location:
        """The location that a place with a constant index is; InputError where it is not."""
        index = self.value(state, place.index, span)
        if not isinstance(index, Const):
            message = f"the index into `{place.object}` depends on a value that is read from memory"
            raise error(Code.NOT_CONSTANT, message, span, "a wait needs a constant index")
        object_ = self.out.program.objects[place.object]
        assert 0 <= index.value < len(object_.values), "an implicit assertion comes before it"
        return Location(place.object, index.value, instance(object_, self.thread))

    def access(self, state: State, kind: Kind, location: Location, mode: ir.Mode, span: Span) -> Event:
        """The event of an access."""
        verb = "read" if kind is Kind.READ else "write"
        text = f"{verb}{show_mode(mode)} {mode.alias or shown_location(location, self.out.program)}"
        order = mode.order
        if order is not None:
            order = order.read_half if kind is Kind.READ else order.write_half
        return replace(
            self.blank(state, kind, span, text),
            location=location,
            order=order,
            scope=mode.scope,
            volatile=mode.volatile,
            proxy=self.proxy(state, location, mode),
            alias=mode.alias,
        )

    def proxy(self, state: State, location: Location, mode: ir.Mode) -> ir.Proxy | None:
        """The proxy of an access: an agent's are of data; "mbarrier" operations are of the generic proxy, and those of
        tensor memory of none: it has an order of its own."""
        use = self.out.program.objects[location.object].use
        if use is ir.Use.TENSOR:
            return None
        return state.proxy if state.agent and use is ir.Use.DATA else mode.proxy

    def read(self, state: State, location: Location, mode: ir.Mode, span: Span) -> Reg:
        """Add a read; the register stands for its value."""
        event = self.event(state, self.access(state, Kind.READ, location, mode, span))
        return Reg(event.id, self.out.program.objects[location.object].type)

    def write(self, state: State, location: Location, value: Value, mode: ir.Mode, span: Span) -> Event:
        """Add a write of a value."""
        event = replace(self.access(state, Kind.WRITE, location, mode, span), value=value)
        return self.event(state, event)

    def pair(self, read: str, write: Event) -> None:
        """Link the two halves of an RMW, the latest events."""
        events = self.out.events
        events[-2], events[-1] = replace(events[-2], rmw=write.id), replace(write, rmw=read)
