"""Operations at which a thread may be left for ever: before one, in a wait, in a call."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.memory.events.events import Cut, Event, Kind, Left
from scopec.memory.unfold.symbolic import ThreadRun
from scopec.memory.unfold.unfolding import State
from scopec.program import ir, values
from scopec.program.effects import effects
from scopec.program.loops.loops import live_registers
from scopec.program.names import identifier
from scopec.program.values import Const, Reg, Value
from scopec.progress.describe import call_in_words
from scopec.progress.slicing import without_idle_stores
from scopec.progress.steps import called

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.base.source import Span
    from scopec.hangs.context import Context
    from scopec.memory.events.guards import Guard
    from scopec.memory.unfold.unfolding import Unfolding
    from scopec.program.observe import Location


@dataclass
class Period:
    """The turns that a thread makes for ever, of the loop with this ``head``, as far as they have been executed.

    ``counted`` is where a step of them counts as progress, ``queries`` where one asks a query that says "not ready".
    """

    head: int
    counted: Guard
    queries: Guard


class LeftRun(ThreadRun):
    """One thread of a graph of stuck executions.

    ``context`` says what matters, and where a thread may be left.  With a ``period`` the thread makes it for ever.
    While a loop is gone round to see what kind it is (``trying``), nobody is left anywhere.
    """

    def __init__(self, out: Unfolding, thread: ir.Thread, unroll: int, context: Context) -> None:
        super().__init__(out, thread, unroll, frozenset())
        self.context = context
        self.deciding = without_idle_stores(self.body, context.slice.deciding)
        self.period: Period | None = None
        #: For each loop around, outermost first, the registers that count its turns, with what each adds.
        self.counters: list[Mapping[str, int]] = []

    @cached_property
    def live(self) -> dict[int, frozenset[str]]:
        """The registers whose values may still decide something at each node."""
        return live_registers(self.deciding)

    # ---- where a thread is left

    def leave(self, guard: Guard, how: Left, span: Span, at: str = "", *, wait: bool = True) -> None:
        """Leave the thread for ever where a guard holds."""
        if guard.never:
            return
        cut = Cut(self.thread.name, span, guard, wait, len(self.out.events), left=how, at=at)
        if self.period is not None and how in (Left.SPINNING, Left.DIVERGING):
            cut = replace(cut, counted=self.period.counted, queries=self.period.queries)
        self.out.cuts.append(cut)

    def either(self, state: State, what: str, span: Span) -> tuple[State, State]:
        """The state where the implementation, or the schedule, chooses something, and the one where it does not."""
        stem = f"{identifier(self.thread.name)}_L{span.line}_S"
        number = sum(choice.of.startswith(stem) for choice in self.out.choices.values())
        chosen = self.guard_of(self.out.choose(f"{stem}{number + 1}", what))
        return replace(state, guard=state.guard & chosen), replace(state, guard=state.guard & ~chosen)

    def guard_of(self, value: Value) -> Guard:
        """The paths on which a condition holds."""
        if isinstance(value, Const):
            return self.out.guards.always if value.value else self.out.guards.never
        return self.out.guards.literal(*self.out.condition(value))

    def agrees(self, head: int) -> bool:
        """Whether a loop waits for what the lanes of a warp agree on."""
        return head in self.votes and bool(self.votes[head].meetings)

    # ---- operations

    def perform(self, state: State, operation: ir.Operation, span: Span) -> State:
        """The state after an operation; the thread may be left before or in it."""
        if self.trying:
            return self.plainly(state, operation, span)
        silent = isinstance(operation, (ir.Set, ir.Assert, ir.Operand, ir.Called))
        if self.period is not None:
            if not silent and self.context.counts(self.thread, operation):
                self.period.counted |= state.guard
            return self.again(state, operation, self.period, span)
        if self.context.may_stop(self.thread):
            inside = any(evaluation.vector for evaluation in state.evaluations)  # whole: it stops before all of it
            if not inside and (not silent or (isinstance(operation, ir.Operand) and operation.vector)):
                stopped, state = self.either(state, "stops", span)
                self.leave(stopped.guard, Left.STOPPED, span)
        state = self.plainly(state, operation, span)
        if isinstance(operation, ir.Call) and self.context.may_pend(self.thread, operation):
            pending, state = self.either(state, "pends", span)
            self.leave(pending.guard, Left.PENDING, span, call_in_words(called(operation), self.out.program))
        return state

    def plainly(self, state: State, operation: ir.Operation, span: Span) -> State:
        """An operation that is made once; what no thread could notice is left out."""
        match operation:
            case ir.Load(place=place) | ir.Store(place=place) | ir.Rmw(place=place) | ir.CompareExchange(place=place):
                if place.object in self.context.slice.mute:
                    return self.unnoticed(state, operation)
                return super().perform(state, self.context.slice.simplified(operation), span)
            case ir.Decide(target, "clock" | "watchdog" as what):
                if not self.trying and self.inside:
                    self.context.timeouts.add(self.span_of(self.inside[-1]))
                if what == "watchdog":
                    return self.set(state, target, values.FALSE)
                return super().perform(state, operation, span)
            case ir.Notify(place, everyone) if not self.trying:
                self.notify(state, place, span, everyone=everyone)
                return state
            case _:
                return super().perform(state, operation, span)

    def unnoticed(self, state: State, operation: ir.Operation) -> State:
        """An access that decides nothing, and that nothing synchronises with."""
        match operation:
            case ir.Load(target, place, _) | ir.Rmw(target, place, _, _):
                return self.set(state, target, Const(0, self.out.program.objects[place.object].type))
            case ir.CompareExchange(target, succeeded, place):
                state = self.set(state, target, Const(0, self.out.program.objects[place.object].type))
                return self.set(state, succeeded, values.FALSE)
            case _:
                return state

    def notify(self, state: State, place: ir.Place, span: Span, *, everyone: bool) -> None:
        """A notification wakes threads that sleep."""

        def note(here: State, at: Location) -> tuple[Value, ...]:
            text = f"notify {'all' if everyone else 'one'} {self.out.program.objects[at.object].element(at.index)}"
            event = self.event(here, self.blank(here, Kind.CALL, span, text))
            self.context.notifications.append((event.id, at, everyone))
            return ()

        self.at_each(state, place, span, note)

    def event(self, state: State, event: Event) -> Event:
        """Add an event; a read of a period takes the last write."""
        return super().event(state, replace(event, last=self.period is not None and event.kind is Kind.READ))

    def may_fail(self, state: State, old: Reg, equal: Value) -> tuple[Value, ...]:
        """A weak compare-exchange may fail without a reason: not in a loop that then does the same turn again."""
        if not self.trying and self.inside and self.inside[-1].head in self.retrying:
            return (equal,)
        return super().may_fail(state, old, equal)

    def wait(self, state: State, operation: ir.Await, span: Span) -> State:
        """Block until a condition holds, or for ever.

        For ever: the last value does not satisfy the condition.  The ``wait`` of an atomic may also have seen an older
        value: it looks again only when it is notified.
        """
        if self.trying:
            return super().wait(state, operation, span)
        location = self.location(state, operation.place, span)
        blocked, state = self.either(state, "waits", span)
        read, met = self.turn(blocked, replace(operation, new=None), location, span)
        if operation.notified:
            self.context.sleeping.append((read.name, location, self.thread.name))
        else:
            self.out.events[-1] = replace(self.out.events[-1], last=True)
        self.leave(blocked.guard & ~met, Left.WAITING, span, read.name)
        self.leave(met, Left.LEFT_OUT, span)
        return self.met(state, operation, location, span)[0]

    def met(self, state: State, operation: ir.Await, location: Location, span: Span) -> tuple[State, Reg]:
        """The state in which what a thread waits for is there, and what it has read."""
        read, met = self.turn(state, operation, location, span)
        self.leave(state.guard & ~met, Left.LEFT_OUT, span)
        return self.set(replace(state, guard=met), operation.target, read), read

    # ---- operations of a period

    def again(self, state: State, operation: ir.Operation, period: Period, span: Span) -> State:
        """An operation that is made again and again: a path on which it changes something is left out.

        What is stored where the value decides nothing changes nothing.
        """
        valueless = self.context.slice.valueless
        match operation:
            case ir.Store(place=place) | ir.Rmw(place=place) | ir.CompareExchange(place=place) if (
                place.object in self.context.slice.mute
            ):
                return self.unnoticed(state, operation)
            case ir.Store(place=place) if place.object in valueless:
                return state
            case ir.Store(place, value, _):
                stored = self.value(state, value, span)

                def store(here: State, at: Location) -> tuple[Value, ...]:
                    return (values.binary("==", self.read(here, at, ir.PLAIN, span), stored),)

                return self.unchanged(state, self.at_each(state, place, span, store)[-1], span)
            case ir.Rmw(target, place, new, mode):

                def update(here: State, at: Location) -> tuple[Value, ...]:
                    old = self.read(here, at, mode, span)
                    if place.object in valueless:
                        return old, values.TRUE
                    return old, values.binary("==", self.value(self.set(here, target, old), new, span), old)

                old, same = self.at_each(state, place, span, update)
                return self.unchanged(self.set(state, target, old), same, span)
            case ir.CompareExchange():
                return self.exchanged(state, operation, span)
            case ir.Decide(target, "failure" | "timeout"):  # it does not fail for ever without a reason
                return self.set(state, target, values.TRUE)
            case ir.StreamQuery(target) | ir.EventQuery(target) | ir.LaunchQuery(target):
                after = super().perform(state, operation, span)
                self.context.queries.append(self.out.events[-1].id)
                not_ready = values.binary("!=", after.registers[target], Const(0, values.TRUE.type))
                period.queries |= state.guard & self.guard_of(not_ready)
                return after
            case ir.Load():
                return self.plainly(state, operation, span)
            case ir.Await(place=place):
                after, read = self.met(state, replace(operation, new=None), self.location(state, place, span), span)
                if operation.new is None:
                    return after
                return self.unchanged(after, values.binary("==", self.value(after, operation.new, span), read), span)
            case ir.SyncThreads() | ir.GroupSync(of="") if self.inside[-1].head == period.head and self.agrees(
                period.head
            ):
                return self.plainly(state, operation, span)  # all who meet go round together
            case _ if isinstance(operation, ir.BarrierOperation):
                raise AssertionError("barriers are numbers in memory here")
            case _ if not isinstance(operation, ir.Access):
                if effects(operation).changes:  # each time
                    return self.unchanged(state, values.FALSE, span)
                return self.plainly(state, operation, span)

    def exchanged(self, state: State, operation: ir.CompareExchange, span: Span) -> State:
        """A compare-exchange fails, only where the value differs, or stores what is there."""
        expected = self.value(state, operation.expected, span)
        desired = self.value(state, operation.desired, span)

        def attempt(here: State, at: Location) -> tuple[Value, ...]:
            old = self.read(here, at, operation.mode, span)
            equal = values.binary("==", old, expected)
            read = self.out.events[-1]
            if read.order is not operation.failure:
                success = here.guard & self.guard_of(equal)
                self.out.events[-1] = replace(read, success=success, failure=operation.failure)
            same = values.binary("==", desired, old)
            return old, equal, values.binary("||", values.unary("!", equal), same)

        old, equal, same = self.at_each(state, operation.place, span, attempt)
        state = self.set(self.set(state, operation.target, old), operation.succeeded, equal)
        return self.unchanged(state, same, span)

    def unchanged(self, state: State, same: Value, span: Span) -> State:
        """The state where memory is as it was."""
        guard = self.guard_of(same)
        self.leave(state.guard & ~guard, Left.LEFT_OUT, span)
        return replace(state, guard=state.guard & guard)
