"""Event graphs: everything about a program's executions that the program alone fixes.

What is left open, reads-from, the coherence order and the branches taken, is what an engine chooses.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.program import ir, reasoning, values
from scopec.program.faults import defined
from scopec.program.names import distinct, identifier
from scopec.program.observe import FinalMemory
from scopec.program.program import Program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from scopec.base.source import Span
    from scopec.memory.events.guards import Guard
    from scopec.program.observe import Formula, Location
    from scopec.program.types import IntType
    from scopec.program.values import Builtin, Reg, Value


class Kind(Enum):
    """The kind of an event (memory-models note, "Executions"); the value is its letter in event names."""

    INIT = "I"
    READ = "R"
    WRITE = "W"
    FENCE = "F"
    ARRIVE = "A"
    WAIT = "B"
    CALL = "C"
    PROXY_FENCE = "P"
    INIT_FENCE = "M"
    ISSUE = "S"
    COMPLETE = "D"
    TENSOR_BEFORE = "X"
    TENSOR_AFTER = "Y"


@dataclass(frozen=True, slots=True)
class Event:
    """One event of one thread (``thread`` is empty for initial writes).

    ``order`` is the half of the operation's order that belongs to this event: the acquire half for the read of an RMW,
    the release half for its write.  The read of a compare-exchange has it where ``success`` holds, and ``failure``
    elsewhere.  ``value`` of a write is over the reads, as registers named by event.  ``load_or_store`` are the atomic
    operations that are one access from read-modify-writes (a failed one included), ``reduction`` the reads whose value
    nobody gets.  ``last`` marks a read that is made
    again and again for ever, so that it takes the write that is last in coherence order.  ``operands`` are those that
    it is part of, of evaluations in which nothing orders them, outermost first; ``called`` says whether a function
    makes it that such an operand calls; ``vector`` numbers the vectors that are whole, of which it is an element.
    ``proxy`` is that of an access, or the one which a proxy fence connects (None: virtual addresses); ``alias`` is the
    virtual address of an access, empty for its location's own; ``space`` the memory that a proxy fence is about (None:
    all).  ``agent`` is the event that issued the copy of which it
    is an access; it is in no thread's program order then.  ``pipe`` of such an issue is the instruction of tensor
    memory that it is, empty for others.
    """

    id: str
    kind: Kind
    thread: str
    span: Span
    guard: Guard
    text: str
    location: Location | None = None
    value: Value | None = None
    order: ir.Order | None = None
    scope: ir.Scope | None = None
    volatile: bool = False
    rmw: str | None = None
    success: Guard | None = None
    failure: ir.Order | None = None
    load_or_store: bool = False
    reduction: bool = False
    last: bool = False
    operands: tuple[tuple[int, int], ...] = ()
    called: bool = False
    vector: int | None = None
    proxy: ir.Proxy | None = ir.Proxy.GENERIC
    alias: str = ""
    space: ir.Storage | None = None
    agent: str = ""
    pipe: str = ""

    @property
    def is_access(self) -> bool:
        """Whether the event reads or writes memory."""
        return self.kind in (Kind.INIT, Kind.READ, Kind.WRITE)

    @property
    def writes(self) -> bool:
        """Whether the event writes memory."""
        return self.kind in (Kind.INIT, Kind.WRITE)

    @property
    def atomic(self) -> bool:
        """Whether an atomic operation made the access."""
        return self.order is not None and self.is_access


def unsequenced(one: Event, other: Event) -> bool:
    """Whether two events of a thread are part of different operands of one evaluation, so that nothing orders them."""
    for (evaluation, operand), (its, another) in zip(one.operands, other.operands, strict=False):
        if evaluation != its or operand != another:
            return evaluation == its
    return False


@dataclass(frozen=True, slots=True)
class LeftOpen:
    """A choice of the implementation, or of whoever schedules: one of some values.

    ``of`` is the event at which it is chosen, or a name for the place; ``what`` tells choices there apart.
    """

    of: str
    what: str
    values: tuple[int, ...] = (0, 1)

    @property
    def register(self) -> str:
        """The register that stands for it in values."""
        return f"{self.of}?{self.what}"


@dataclass(frozen=True, slots=True)
class Synchronises:
    """Additional synchronises-with: all of ``before`` happen before all of ``after``, where ``when`` holds.

    ``barrier`` are the arrivals at a barrier and the waits that they release; with ``of_all`` these are released where
    each thread of the barrier has arrived or has exited.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    why: str
    when: Value | None = None
    barrier: bool = False
    of_all: bool = False


@dataclass(frozen=True, slots=True)
class Assertion:
    """An ``assert`` that is reached where ``guard`` holds; ``position`` is the number of events before it."""

    text: str
    span: Span
    thread: str
    guard: Guard
    condition: Value
    position: int = 0
    implicit: bool = False


class Left(Enum):
    """The condition in which a thread that does not end is left for ever (docs/forward-progress.md).

    The last three are none that is known to be one: what is cut off there goes on, or stands for an execution that
    another path stands for too.
    """

    UNSTARTED = "does not start"
    STOPPED = "takes no further step"
    PENDING = "stays in a call"
    WAITING = "waits for what does not come"
    SPINNING = "goes round a loop for ever"
    DIVERGING = "goes round a loop, and no state has recurred within the bound"
    BEYOND = "goes on beyond the bound"
    LEFT_OUT = "is left out"


@dataclass(frozen=True, slots=True)
class Cut:
    """A loop that was cut off, or a wait in vain: where ``guard`` holds, the thread would go on looping or waiting.

    ``wait`` is true for waits and wait loops, whose longer executions add nothing; ``position`` is the number of events
    before it, ``start`` the number of those before the loop.  A ``fault`` is where an implicit assertion fails: what
    the thread does from there on is undefined.  With ``stopped`` something stops the thread there from outside, so that
    the execution is complete all the same.  In a graph of stuck executions ``left`` says in which condition the thread
    is left, ``at`` the event of the wait; where ``counted`` holds a spinning thread takes steps that count as progress,
    where ``queries`` does it asks a CUDA query that says "not ready".
    """

    thread: str
    span: Span
    guard: Guard
    wait: bool
    position: int = 0
    fault: bool = False
    stopped: bool = False
    left: Left | None = None
    at: str = ""
    counted: Guard | None = None
    queries: Guard | None = None
    start: int = 0


@dataclass(frozen=True, slots=True)
class Selection:
    """An index that depends on what is read, and selects the element that an access reaches where ``guard`` holds."""

    index: Value
    guard: Guard


@dataclass(frozen=True, slots=True)
class Wait:
    """A place where a thread waits: it gets there where ``reached`` holds, and gets on where ``passed`` does.

    ``position`` and ``end`` are the numbers of events before the wait and before what comes after it; ``event`` is that
    of a barrier or a call, and empty for a loop.  ``again`` is where a thread by itself has gone round a loop in vain
    before its last turn: an execution without that turn is one too (:mod:`scopec.memory.unfold.spin_loops`).
    """

    thread: str
    span: Span
    reached: Guard
    passed: Guard
    position: int
    end: int
    event: str = ""
    again: Guard | None = None


@dataclass(frozen=True, slots=True)
class Unset:
    """A read of a local variable that has no value on some path that leads there."""

    thread: str
    variable: str
    span: Span


@dataclass(frozen=True, slots=True)
class Final:
    """The final value of a local, and where it has one: its declaration may be on some paths only."""

    value: Value
    defined: Value


@dataclass(frozen=True)
class EventGraph:
    """All events, initial writes first, then thread by thread in program order, operands in no order as they stand.

    ``conditions[i]`` is the branch condition that guards call ``i``.  ``choices`` is what the program
    leaves to the implementation (a weak compare-exchange, a query), by the register that stands for it.
    ``issue`` are pairs of calls in the order in which they are made, where the program leaves that open: they order
    nothing by themselves.
    ``impossible`` are guards and values that no execution has together.  ``finals`` are the final values of observed
    registers, by thread and register; ``control`` the reads that decided whether an event is reached; ``addresses``
    the selections of the elements that they access; ``unset`` reads of locals that may have no value; ``mapped``
    accesses to host memory that is registered when they are made; ``ended`` the threads that some path brings to their
    end; ``unrolled`` the number of iterations of the longest loop; ``waits`` where threads wait.

    ``asleep`` gives, in a graph of stuck executions, for each read of a thread that sleeps in the ``wait`` of an atomic
    the notifications that would wake it if they came after a later write of what it read.  ``watches_several`` says
    that some wait loop looks at several locations in a turn.  ``settled`` are locations whose accesses are left out
    (:mod:`scopec.memory.reduce.resolve_locations`), with what they hold at the end; ``decided`` the objects that have
    no others, all turns of loops included.  ``one_race``: of a graph in which nobody waits in vain only what shows a
    race is left (:mod:`scopec.memory.reduce.certain_race`); with ``may_wait`` somebody may.  ``carried`` gives the
    reads whose values come to an event by way of settled locations, whether or not its value still mentions them.
    ``done`` are the accesses of copies, and the returns of waits that find them complete; ``phases`` what the phases of
    mbarriers relate, by the relation's name (:mod:`scopec.memory.unfold.phases`).
    """

    program: Program
    events: tuple[Event, ...]
    conditions: tuple[Value, ...]
    choices: Mapping[str, LeftOpen]
    asw: tuple[Synchronises, ...]
    issue: tuple[Synchronises, ...]
    impossible: tuple[tuple[Guard, Value], ...]
    assertions: tuple[Assertion, ...]
    cuts: tuple[Cut, ...]
    finals: Mapping[tuple[str, str], Final]
    control: Mapping[str, frozenset[str]]
    ended: frozenset[str]
    unrolled: int
    addresses: Mapping[str, Selection] = field(default_factory=dict)
    unset: tuple[Unset, ...] = ()
    mapped: frozenset[str] = frozenset()
    asleep: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    waits: tuple[Wait, ...] = ()
    watches_several: bool = False
    settled: Mapping[Location, Value] = field(default_factory=dict)
    decided: frozenset[str] = frozenset()
    one_race: bool = False
    may_wait: bool = False
    carried: Mapping[str, frozenset[str]] = field(default_factory=dict)
    done: tuple[Synchronises, ...] = ()
    phases: Mapping[str, tuple[Synchronises, ...]] = field(default_factory=dict)

    @property
    def unfinished(self) -> tuple[Cut, ...]:
        """The paths on which an execution is not complete."""
        return tuple(cut for cut in self.cuts if not cut.stopped)

    @cached_property
    def faults(self) -> tuple[Assertion, ...]:
        """The implicit assertions: what must hold for the program to be defined, where it is not known to."""
        return tuple(a for a in self.assertions if a.implicit)

    @cached_property
    def by_id(self) -> Mapping[str, Event]:
        """Events by id."""
        return {event.id: event for event in self.events}

    def in_tensor_memory(self, event: Event) -> bool:
        """Whether an event accesses tensor memory, which has an order of its own."""
        return event.location is not None and self.program.objects[event.location.object].use is ir.Use.TENSOR

    def event_of(self, register: str) -> str:
        """The event whose value a register is, or at which what it stands for is chosen."""
        return event_of(register, self.choices)

    @cached_property
    def reads_from_pairs(self) -> int:
        """The number of pairs of a write and a read of one location, with which the time of an answer grows."""
        reads = Counter(e.location for e in self.events if e.kind is Kind.READ)
        writes = Counter(e.location for e in self.events if e.writes)
        return sum(number * writes[location] for location, number in reads.items())

    @cached_property
    def location_names(self) -> Mapping[Location, str]:
        """The name of each location in a specification."""
        return location_names(self.locations, self.program)

    def at_the_end(self, formula: Formula, memory: Callable[[Location, IntType], Value]) -> Value | None:
        """A condition on the final state, over what was read; ``memory`` gives the final value of a location.

        A comparison is false where a local that it names has no value, or its arithmetic no result.  None if a thread
        whose local is named never ends: there is no complete execution then.
        """
        locals_: dict[str, Final] = {}
        places: dict[str, Location] = {}
        for name, what in formula.observed.items():
            if isinstance(what, FinalMemory):
                places[name] = what.location
            elif (what.thread, what.register) in self.finals:
                locals_[name] = self.finals[what.thread, what.register]
            else:
                return None

        def final(leaf: Reg | Builtin) -> Value:
            if leaf.name in locals_:
                return locals_[leaf.name].value
            return self.finally_(places[leaf.name], leaf.type, memory)

        def atom(comparison: Value) -> Value:
            whole = values.substitute(values.binary("&&", defined(comparison), comparison), final)
            for name in dict.fromkeys(leaf.name for leaf in values.leaves(comparison) if leaf.name in locals_):
                whole = values.binary("&&", locals_[name].defined, whole)
            return whole

        return reasoning.without_repeats(reasoning.map_atoms(formula.value, atom))

    def finally_(self, location: Location, type_: IntType, memory: Callable[[Location, IntType], Value]) -> Value:
        """The value of a location at the end; ``memory`` gives it for those that are not settled."""
        found = self.settled.get(location)
        return memory(location, type_) if found is None else values.convert(found, type_)

    @cached_property
    def locations(self) -> tuple[Location, ...]:
        """The locations that are accessed, in order of their initial writes."""
        return tuple(e.location for e in self.events if e.kind is Kind.INIT and e.location is not None)

    def accesses(self, location: Location) -> Sequence[Event]:
        """The accesses to a location, initial write first."""
        return self._accesses.get(location, ())

    @cached_property
    def _accesses(self) -> Mapping[Location, Sequence[Event]]:
        found: dict[Location, list[Event]] = {}
        for event in self.events:
            if event.location is not None:
                found.setdefault(event.location, []).append(event)
        return found


def event_of(register: str, choices: Mapping[str, LeftOpen]) -> str:
    """As :meth:`EventGraph.event_of`."""
    return choices[register].of if register in choices else register


def location_names(locations: Iterable[Location], program: Program) -> dict[Location, str]:
    """Locations with different identifiers."""
    shown = {at: shown_location(at, program) for at in locations}
    names = distinct({name: identifier(name) for name in shown.values()})
    return {at: names[name] for at, name in shown.items()}


def shown_location(location: Location, program: Program) -> str:
    """``x``, ``a[1]``, or the name of a local object with its block or thread in front."""
    object_ = program.objects[location.object]
    element = object_.element(location.index)
    if not location.instance:
        return element
    own = object_.storage in (ir.Storage.SHARED, ir.Storage.AUTOMATIC)  # called after the function that declares it
    return f"{location.instance}.{(own and element.partition('.')[2]) or element}"
