"""Results of symbolic execution of the threads of a program, and the states that it passes through.

A :class:`State` is one place of one thread on a set of paths.  Everything found on the way, events above all, is
appended to the lists and tables of one :class:`Unfolding`; a loop is tried by executing a turn and undoing it
(:meth:`Unfolding.mark`), which is why nothing in these is ever changed.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import field
from functools import cached_property, reduce
from operator import or_
from typing import TYPE_CHECKING, Any

from scopec.base.records import dataclass, replace
from scopec.memory.events.events import LeftOpen, event_of
from scopec.memory.events.guards import Guard, Guards
from scopec.memory.reductions import Reductions
from scopec.memory.unfold.cases import alike
from scopec.memory.unfold.flow import Flows
from scopec.memory.unfold.tables import set_up, writers
from scopec.program import ir, types, values
from scopec.program.effects import place_of, written
from scopec.program.program import Program
from scopec.program.values import Binary, Const, Reg, Unary, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from scopec.base.source import Span
    from scopec.memory.events.events import Assertion, Cut, Event, Selection, Unset, Wait
    from scopec.memory.events.rewriting import Rewrite
    from scopec.memory.unfold.turns import Round
    from scopec.program.collective import Barrier, Passage
    from scopec.program.observe import Location
    from scopec.program.types import IntType

_MOST_STORED = 64


@dataclass(frozen=True, slots=True)
class State:
    """The symbolic state of control: the path's guard, the registers, the reads that branches depended on.

    ``unset`` gives the paths on which registers have no value that have one on others.  ``evaluations`` are those of
    which an operand is being evaluated, outermost first; ``assigned`` the registers that the innermost operand has set;
    ``called`` is the body of a function that it calls; ``agent`` the event that issued the copy that is being made,
    through the ``proxy``.
    """

    guard: Guard
    registers: Mapping[str, Value]
    control: frozenset[str]
    unset: Mapping[str, Guard] = field(default_factory=dict)
    evaluations: tuple[Evaluation, ...] = ()
    assigned: frozenset[str] = frozenset()
    called: bool = False
    agent: str = ""
    proxy: ir.Proxy = ir.Proxy.GENERIC

    def changed(self, rewrite: Rewrite) -> State:
        """The same state with other guards and values in it."""
        registers = {name: rewrite.value(held) for name, held in self.registers.items()}
        unset = {name: rewrite.guard(where) for name, where in self.unset.items()}
        return replace(self, guard=rewrite.guard(self.guard), registers=registers, unset=unset)

    def lacks(self, register: str) -> bool:
        """Whether some path that leads here gives a register no value."""
        missing = self.unset.get(register)
        return missing is not None and not self.guard.excludes(missing)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One evaluation of operands in no order: its number, the operand, the state before it, how others have ended.

    ``vector`` says whether they are the accesses of a vector's elements.
    """

    number: int
    operand: int
    before: State
    ended: tuple[State, ...]
    vector: bool = False


@dataclass(frozen=True, slots=True)
class Vote:
    """A wait loop in which a thread meets others.

    ``loop`` is the thread and its loop's head, ``meetings`` are a turn's barriers with their phases, ``arrivals`` their
    events, ``again`` is where it goes round.
    """

    loop: tuple[str, int]
    meetings: tuple[tuple[Barrier, Value], ...]
    arrivals: tuple[str, ...]
    again: Value


@dataclass(frozen=True, slots=True)
class Copy:
    """An asynchronous operation: the ``groups`` of its thread of which one contains it, and the number of that one; one
    that ``follows`` comes when the ``earlier`` copies of its thread are complete."""

    groups: ir.CopyGroups | None
    group: Value | None
    earlier: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Completed:
    """The copies that a wait for groups finds complete, each where a condition holds, or only their ``reads``.
    Of ``groups`` that threads have together, those with smaller numbers than ``until`` are."""

    copies: tuple[tuple[str, Value], ...]
    reads: bool
    until: Value | None = None
    groups: ir.CopyGroups = ir.CopyGroups.PLAIN


@dataclass(frozen=True, slots=True)
class Phases:
    """The operations of threads and agents on mbarriers, by the event of the read: the phase that it is in.

    ``changes`` are made by agents, ``arrivals`` by anybody; ``looks`` also say where they have waited.  Of the
    arrivals ``ordered`` it makes a difference which others come before.
    """

    arrivals: dict[str, Value] = field(default_factory=dict)
    changes: dict[str, Value] = field(default_factory=dict)
    looks: dict[str, tuple[Value, Value]] = field(default_factory=dict)
    ordered: set[str] = field(default_factory=set)

    def change(self, to: Callable[[Value], Value]) -> None:
        """Change the values."""
        for table in (self.arrivals, self.changes):
            table.update({read: to(phase) for read, phase in table.items()})
        self.looks.update({read: (to(phase), to(over)) for read, (phase, over) in self.looks.items()})


class ReadsTablesError(Exception):
    """A loop goes round often, or an index selects one of many elements, by what nobody writes."""


@dataclass
class Unfolding:
    """The results of symbolic execution.  The lists only grow, so that a trial can be undone.

    ``safe`` are implicit assertions that are known to hold, by thread, place and text.  With ``joint`` threads that
    meet in wait loops are taken to go round these together, those first that come to theirs so many turns ``ahead``;
    ``turns`` are how many turns these loops need, where it is more than one.
    ``reductions`` are those that hold for the question.  ``tables`` is None, or how many reads were not taken to
    return what the program alone decides, though they do: the threads are few.
    """

    program: Program
    safe: frozenset[tuple[str, Span, str]] = frozenset()
    joint: bool = True
    ahead: Mapping[tuple[str, int], int] = field(default_factory=dict)
    turns: Mapping[tuple[str, int], int] = field(default_factory=dict)
    reductions: Reductions = field(default_factory=Reductions)
    tables: int | None = None
    guards: Guards = field(default_factory=Guards)
    events: list[Event] = field(default_factory=list)
    conditions: list[Value] = field(default_factory=list)
    numbers: dict[Value, int] = field(default_factory=dict)
    assertions: list[Assertion] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)
    waits: list[Wait] = field(default_factory=list)
    ends: list[tuple[str, State]] = field(default_factory=list)
    choices: dict[str, LeftOpen] = field(default_factory=dict)
    barriers: dict[str, Passage] = field(default_factory=dict)
    exchanged: dict[tuple[Barrier, tuple[Value, ...], Value, str], Reg] = field(default_factory=dict)
    votes: list[Vote] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    control: dict[str, frozenset[str]] = field(default_factory=dict)
    calls: dict[str, ir.Call] = field(default_factory=dict)
    addresses: dict[str, Selection] = field(default_factory=dict)
    copies: dict[str, Copy] = field(default_factory=dict)
    completed: dict[str, Completed] = field(default_factory=dict)
    phases: Phases = field(default_factory=Phases)
    unset: list[Unset] = field(default_factory=list)
    flows: Flows = field(default_factory=Flows)
    unrolled: int = 0
    evaluations: int = 0
    watches_several: bool = False

    @property
    def launches(self) -> dict[str, str]:
        """The event that launches each grid."""
        return {op.grid: event for event, op in self.calls.items() if isinstance(op, ir.LaunchGrid)}

    @property
    def creations(self) -> dict[str, str]:
        """The event that creates each host thread that is created."""
        return {op.thread: event for event, op in self.calls.items() if isinstance(op, ir.CreateThread)}

    @cached_property
    def users(self) -> Mapping[str, tuple[ir.Thread, ...]]:
        """For each object the threads whose text has an access to it."""
        found: dict[str, dict[str, ir.Thread]] = defaultdict(dict)
        for thread in self.program.threads:
            for node in thread.body.nodes.values():
                place = place_of(node.operation) if isinstance(node, ir.Do) else None
                if place is not None:
                    found[place.object][thread.name] = thread
        return {name: tuple(threads.values()) for name, threads in found.items()}

    def constant(self, location: Location, thread: ir.Thread) -> Value | None:
        """The value of a plain read if the program alone decides it: such reads are no events where threads are many,
        or loops that make them go round often, or they select one of many elements.
        """
        value = self.decided(location, thread)
        if value is None or len(self.program.threads) > self.reductions.threads:
            return value
        assert self.tables is not None
        self.tables += 1
        return None

    def decided(self, location: Location, thread: ir.Thread) -> Value | None:
        """The value of each plain read of a location by a thread, if the program alone decides it.

        Nobody writes the object, or the host alone before it launches anything, and a thread of a grid reads it.
        """
        writers, object_ = self._writers.get(location.object), self.program.objects[location.object]
        if writers is None or (writers and (thread.grid is None or writers != {self.program.host.name})):
            return None
        written = self._set_up.get(location.object) if writers else {}
        if written is None:
            return None
        initial = Const(object_.values[location.index] or 0, object_.type)
        return values.convert(written.get(location, initial), object_.type)

    @cached_property
    def _writers(self) -> Mapping[str, frozenset[str]]:
        """For each object the threads whose text has a write to it; nothing where it does not matter."""
        few = self.tables is None and len(self.program.threads) <= self.reductions.threads
        return {} if few or not self.reductions.constants else writers(self.program)

    @cached_property
    def _set_up(self) -> Mapping[str, Mapping[Location, Value]]:
        """What the host has set up, where no other host thread might launch too.

        Asked for when a thread of a grid is executed: the host has been by then.
        """
        return {} if self.program.others else set_up(self.events, set(self.launches.values()))

    def mark(self) -> tuple[int, ...]:
        """The lengths of the lists and tables so far."""
        return (*(len(grown) for grown in (*self._lists(), *self._tables())), self.unrolled)

    def undo(self, mark: tuple[int, ...]) -> None:
        """Drop what was added after a mark."""
        lists, tables = self._lists(), self._tables()
        for list_, length in zip(lists, mark, strict=False):
            del list_[length:]
        for table, length in zip(tables, mark[len(lists) :], strict=False):
            while len(table) > length:
                table.popitem()
        self.unrolled = mark[-1]

    def _lists(self) -> tuple[list[Any], ...]:
        found = self.events, self.conditions, self.assertions, self.cuts, self.waits, self.ends, self.unset
        return (*found, self.votes, self.rounds)

    def _tables(self) -> tuple[dict[Any, Any], ...]:
        of_copies = self.copies, self.completed, self.phases.arrivals, self.phases.changes, self.phases.looks
        return self.numbers, self.barriers, self.control, self.calls, self.choices, self.addresses, *of_copies

    def literal(self, condition: Value) -> Guard:
        """A condition as a guard over the branch conditions that it is made of, new ones where there are none yet."""
        match condition:
            case Const():
                return self.guards.always if condition.value else self.guards.never
            case Binary("&&", left, right):
                return self.literal(left) & self.literal(right)
            case Binary("||", left, right):
                return self.literal(left) | self.literal(right)
            case Binary("==", left, right) if (found := alike(left, right, self.literal, self.guards)) is not None:
                return found
            case Unary("!", Binary("&&" | "||") as operand) if self.known(condition) is None:
                return ~self.literal(operand)
            case _:
                pass
        return self.guards.literal(*self.condition(condition))

    def known(self, condition: Value) -> tuple[int, bool] | None:
        """The number that a condition has, or its negation, and whether it is the condition itself."""
        for truth, known in ((True, condition), (False, values.unary("!", condition))):
            if known in self.numbers:
                return self.numbers[known], truth
        return None

    def condition(self, condition: Value) -> tuple[int, bool]:
        """The same, of a new one if there is none yet."""
        if (known := self.known(condition)) is not None:
            return known
        self.numbers[condition] = len(self.conditions)
        self.conditions.append(condition)
        return len(self.conditions) - 1, True

    def renumber(self, conditions: Iterable[Value]) -> None:
        """Put other conditions in the place of those that there are."""
        self.conditions[:] = conditions
        self.numbers = {condition: number for number, condition in reversed(list(enumerate(self.conditions)))}

    def change(self, rewrite: Rewrite) -> None:
        """Change guards and values everywhere but in the conditions, without what is on no path then."""
        self.events = list(map(rewrite.event, self.events))
        self.assertions[:] = rewrite.assertions(self.assertions)
        self.cuts[:] = rewrite.cuts(self.cuts)
        self.waits[:] = map(rewrite.wait, self.waits)
        self.addresses = {event: rewrite.selection(s) for event, s in self.addresses.items()}
        for wait, found in self.completed.items():
            changed = tuple((copy, rewrite.value(when)) for copy, when in found.copies)
            self.completed[wait] = replace(found, copies=changed)
        self.phases.change(rewrite.value)
        self.ends[:] = [(thread, end.changed(rewrite)) for thread, end in self.ends]

    def strengthen(
        self, there: Callable[[Event], Guard], at: Callable[[str, int], Guard],
        inside: Callable[[str, int], Guard] | None = None,
    ) -> None:  # fmt: skip
        """Leave out where threads do not get: events where ``there`` says, and what is at a place in their list.

        ``at`` says where a thread gets to a place, ``inside`` the same of an assertion's.
        """
        inside = inside or at
        self.events = [replace(e, guard=there(e)) for e in self.events]
        self.assertions[:] = [replace(a, guard=a.guard & inside(a.thread, a.position)) for a in self.assertions]
        self.cuts[:] = [replace(c, guard=c.guard & at(c.thread, c.position)) for c in self.cuts]
        self.waits[:] = [
            replace(w, reached=w.reached & at(w.thread, w.position), passed=w.passed & at(w.thread, w.end))
            for w in self.waits
        ]

    def choose(self, of: str, what: str, type_: IntType = types.BOOL, values: Sequence[int] = (0, 1)) -> Reg:
        """The register of something that is left open, as :class:`LeftOpen` has it."""
        choice = LeftOpen(of, what, tuple(values))
        self.choices[choice.register] = choice
        return self.chosen(of, what, type_)

    def chosen(self, of: str, what: str, type_: IntType = types.BOOL) -> Reg:
        """The same register again."""
        return Reg(LeftOpen(of, what).register, type_)

    def events_of(self, *found: Value) -> set[str]:
        """The events that values are computed from."""
        return {event_of(leaf.name, self.choices) for value in found for leaf in values.leaves(value)}

    def stored(self, name: str) -> frozenset[int] | None:
        """All values that an object may ever hold; None if some are computed from more than the value before."""
        object_ = self.program.objects[name]
        found = {v if v is not None else 0 for v in object_.values}
        updates: list[tuple[Value, str]] = []
        for thread in self.program.threads:
            for node in thread.body.nodes.values():
                place, target = written(node), ""
                if place is None or place.object != name:
                    continue
                match node:
                    case ir.Do(ir.Store(value=value) | ir.CompareExchange(desired=value)):
                        pass
                    case ir.Do(ir.Rmw(target=target, new=value)):
                        pass
                    case ir.Do(ir.Await(target=target, new=value)) if value is not None:
                        pass
                    case _:
                        return None
                if isinstance(value, Const):
                    found.add(value.value)
                else:
                    updates.append((value, target))
        size = 0
        while size < len(found) <= _MOST_STORED:  # until no update stores a new value
            size = len(found)
            for update, target in updates:
                results = {value_at(update, value, target) for value in found}
                if None in results:
                    return None
                found |= results  # type: ignore[arg-type]
        return frozenset(found) if size == len(found) else None

    def guard_of(self, event: str) -> Guard:
        """The guard of an event."""
        return next(e.guard for e in self.events if e.id == event)

    def name(self, stem: str) -> str:
        """An event name that is not in use: the stem, numbered from the second on."""
        name, number = stem, 2
        while name in self.control:
            name, number = f"{stem}{number}", number + 1
        return name


def defined(register: str) -> str:
    """The register that says whether an observed one has a value."""
    return f"{register}?defined"


def merge(states: Sequence[State], conditions: Sequence[Value]) -> State:
    """One state for several paths that meet: registers that differ become choices between their values.

    A register without a value on some path is taken to have its value from the others: reading it there is undefined,
    and noticed (``unset``).
    """
    if len(states) == 1:
        return states[0]
    whole = states[0].guard
    for state in states[1:]:
        whole = whole | state.guard
    registers: dict[str, Value] = {}
    unset: dict[str, Guard] = {}
    for name in dict.fromkeys(r for s in states for r in s.registers):
        held = [(s.guard, s.registers[name]) for s in states if name in s.registers]
        missing = [s.unset.get(name, s.guard.guards.never) if name in s.registers else s.guard for s in states]
        if not all(m.never for m in missing):
            unset[name] = reduce(or_, missing)
        value = held[-1][1]
        for guard, other in reversed(held[:-1]):
            value = values.choose(guard.where(whole).value(conditions), other, value)
        registers[name] = whole.guards.names.short(value)
    control = frozenset[str]().union(*(s.control for s in states))
    assigned = frozenset[str]().union(*(s.assigned for s in states))
    return State(whole, registers, control, unset, states[0].evaluations, assigned, states[0].called, states[0].agent)


def value_at(value: Value, read: int, name: str) -> int | None:
    """A value where the one read that it may depend on returned ``read``; None if it depends on more."""
    result = values.substitute(value, lambda leaf: Const(read, leaf.type) if leaf.name == name else leaf)
    return result.value if isinstance(result, Const) else None
