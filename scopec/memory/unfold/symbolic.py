"""Symbolic execution of one thread: its events, with loops unrolled and branches merged where they meet."""

from __future__ import annotations

from functools import cached_property, reduce
from operator import or_
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.base.records import replace
from scopec.memory.events.events import Cut, Event, Kind
from scopec.memory.unfold import copies, spin_loops, straight
from scopec.memory.unfold.accesses import TooComplexError
from scopec.memory.unfold.operations import Operations
from scopec.memory.unfold.turns import Round
from scopec.memory.unfold.unfolding import ReadsTablesError, State, Unfolding, Vote, merge
from scopec.program import ir, reasoning, values
from scopec.program.collective import Barrier
from scopec.program.loops.facts import Facts
from scopec.program.loops.loops import Element, Loop
from scopec.program.loops.watchdogs import trapping
from scopec.program.values import Const, Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scopec.base.source import Span
    from scopec.memory.events.guards import Guard


#: The most turns of a loop that may end in each, and of one of which it is known in which it ends.
LONGEST_COUNTED_LOOP, LONGEST_KNOWN_LOOP = 64, 4096
#: So many turns are often, and so many events many, for a loop that may end in each of them.
_OFTEN, _MANY = 4, 300


def execute(out: Unfolding, thread: ir.Thread, guard: Guard, unroll: int, observed: frozenset[str]) -> None:
    """Add to ``out`` what a thread does where ``guard`` holds.

    Loops end by themselves, or are unrolled ``unroll`` times, or wait (see :meth:`ThreadRun.only_waits`).
    """
    if not straight.executed(out, thread, guard, observed):
        run(ThreadRun(out, thread, unroll, observed), guard)


def run(thread: ThreadRun, guard: Guard) -> None:
    """Execute a thread where ``guard`` holds; InputError where its graph becomes too large."""
    try:
        thread.run(guard)
    except TooComplexError as failure:
        span, message = failure.args
        raise error(Code.TOO_LARGE, message, span) from None


class ThreadRun(Operations):
    """The symbolic execution of one thread."""

    def __init__(self, out: Unfolding, thread: ir.Thread, unroll: int, observed: frozenset[str]) -> None:
        super().__init__(out, thread, observed)
        self.body, self.flow = out.flows.of(thread.body, observed)
        self.unroll = unroll
        self.read_later, self.own = self.flow.read_later, self.flow.own
        self.pending: dict[int, list[State]] = {}
        self.barred: set[int] = set()
        self.votes: dict[int, Vote] = {}

    @cached_property
    def live(self) -> Mapping[int, frozenset[str]]:
        """The registers whose values may still matter at each node."""
        counters = copies.counters(self.body).keys()  # which each issue and each wait reads
        return {node: found | counters for node, found in self.flow.live.items()} if counters else self.flow.live

    def run(self, guard: Guard) -> None:
        """Execute the thread where ``guard`` holds."""
        self.pending = {self.body.entry: [self.start(guard)]}
        self.elements(self.flow.order)
        assert not any(self.pending.values()), f"{self.thread.name} is left without a word"

    def elements(self, elements: Iterable[Element]) -> None:
        """Execute a part of the thread, where control has reached it."""
        for element in elements:
            if isinstance(element, Loop):
                self.loop(element)
            else:
                self.node(element)

    # ---- loops

    def loop(self, loop: Loop) -> None:
        """Unroll a loop: whole if it ends by itself, once and a last time if it only waits, else to the bound.

        A retry loop (:func:`turns.retries`) is unrolled once more, for the one time that it may fail without a reason.
        """
        if loop.head in self.barred:
            return
        self.votes.pop(loop.head, None)
        before, pending = self.here()
        outermost, self.trying = not self.trying, True
        self.inside.append(loop)
        self.retrying.discard(loop.head)
        turns_: tuple[int, bool] | None
        try:
            turns_ = self.attempt(loop)
        except TooComplexError:
            if not outermost:  # the loop around this one is what makes it too large
                self.inside.pop()
                raise
            turns_ = self.unroll, False
        finally:
            self.trying = not outermost
        if turns_ is not None:
            bound, wait = turns_
            self.back_to(before, pending)
            if wait:
                self.catch_up(loop)
            self.agree(loop)
            if loop.head in self.retrying:
                reset = {spin_loops.spurious_failure(loop): values.FALSE}
                entering = self.pending[loop.head]
                self.pending[loop.head] = [replace(e, registers={**e.registers, **reset}) for e in entering]
            self.bounded(loop, bound + (loop.head in self.retrying), wait=wait)
        self.inside.pop()

    def here(self) -> tuple[tuple[int, ...], dict[int, list[State]]]:
        """The state to which a trial can be undone."""
        return self.out.mark(), {n: list(states) for n, states in self.pending.items()}

    def back_to(self, mark: tuple[int, ...], pending: dict[int, list[State]]) -> None:
        """Undo a trial."""
        self.out.undo(mark)
        self.pending = pending

    def attempt(self, loop: Loop) -> tuple[int, bool] | None:
        """Go round a loop until it ends by itself (None); else how many turns are needed, and whether it only waits.

        A loop that only waits needs one failed turn, and the way out.  A turn that changes nothing but which reads the
        registers stand for counts nothing: no further one ends the loop.
        """
        form: dict[str, frozenset[object]] | None = None
        self.catch_up(loop)
        left, ends, tables = self.left(loop), bool(Facts(self.body, loop).outside), self.out.tables
        for passes in range(LONGEST_KNOWN_LOOP):
            if not self.pending.get(loop.head):
                self.out.unrolled = max(self.out.unrolled, passes - 1)
                return None
            often = passes >= _OFTEN and len(self.out.events) > _MANY
            if often and self.out.tables != tables and self.left(loop) != left:
                raise ReadsTablesError
            if passes > LONGEST_COUNTED_LOOP and (not ends or self.left(loop) != left):
                break
            entry, mark = self.merged(loop.head), len(self.out.events)
            before, form = form, self.form(entry, loop.head)
            if form == before:
                break
            self.once(loop)
            if passes == 0 and self.pending.get(loop.head):
                live, events, back = self.live[loop.head], self.out.events[mark:], self.merged(loop.head)
                if self.only_waits(entry, back, live, events):
                    # Who traps does not go round, but nobody meets anyone then.
                    firing = (s.guard for n, states in self.pending.items() if trapping(self.body, n) for s in states)
                    again = reduce(or_, firing, back.guard).where(entry.guard).value(self.out.conditions)
                    self.votes[loop.head] = self.vote(loop, events, again)
                    read = {e.location for e in events if e.kind is Kind.READ}
                    self.out.watches_several = self.out.watches_several or len(read) > 1
                    return self.out.turns.get((self.thread.name, loop.head), 1), True
                if self.out.reductions.retries and spin_loops.retries(self.out, self.thread, entry, back, live, events):
                    self.retrying.add(loop.head)
                    return self.unroll, False
        return self.unroll, False

    def left(self, loop: Loop) -> int:
        """The number of ways on which a thread has come out of a loop, and of those before it."""
        return sum(len(states) for node, states in self.pending.items() if node != loop.head)

    def catch_up(self, loop: Loop) -> None:
        """Go round a loop until the threads that it meets are in theirs."""
        for _ in range(self.out.ahead.get((self.thread.name, loop.head), 0)):
            self.once(loop)

    def vote(self, loop: Loop, events: Sequence[Event], again: Value) -> Vote:
        """The vote of a thread in a turn: whether it goes round again, and whom it meets."""
        arrivals = tuple(e.id for e in events if e.kind is Kind.ARRIVE)
        passages = (self.out.barriers[arrival] for arrival in arrivals)
        meetings = tuple((passage.barrier, passage.phase) for passage in passages)
        return Vote((self.thread.name, loop.head), meetings, arrivals, again)

    def agree(self, loop: Loop) -> None:
        """Note that a thread meets others in a loop that waits, if it does."""
        vote = self.votes.get(loop.head)
        if vote is not None and vote.meetings:
            self.out.votes.append(vote)

    def form(self, state: State, node: int) -> dict[str, frozenset[object]]:
        """The shapes of the values in the registers that matter at a node, whichever reads they are from."""
        return {r: reasoning.form(held) for r, held in state.registers.items() if r in self.live[node]}

    def only_waits(self, entry: State, back: State, live: Iterable[str], events: Sequence[Event]) -> bool:
        """Whether a turn of a loop left everything as it was."""
        return self.out.reductions.spin_loops and spin_loops.only_waits(self.out, entry, back, live, events)

    def bounded(self, loop: Loop, bound: int, *, wait: bool) -> None:
        """At most ``bound`` whole iterations, then a last one of which only the way out is executed."""
        reached, mark, start = self.merged(loop.head).guard, len(self.out.cuts), len(self.out.events)
        together = loop.head in self.votes and self.votes[loop.head].meetings
        for _ in range(bound):
            events = len(self.out.events)
            self.once(loop)
            if together and self.pending.get(loop.head):
                self.round(loop, start, events, self.merged(loop.head).guard)
        self.out.unrolled = max(self.out.unrolled, bound)
        again = None if together or not self.pending.get(loop.head) else self.merged(loop.head).guard
        outer, events = self.barred, len(self.out.events)
        self.barred = outer | (loop.nodes() - Facts(self.body, loop).leaving)
        self.once(loop)
        beyond = self.out.guards.never
        for node in sorted((self.barred - outer) | {loop.head}):
            for state in self.pending.pop(node, []):
                here = len(self.out.events)
                self.out.cuts.append(Cut(self.thread.name, self.span_of(loop), state.guard, wait, here, start=start))
                beyond |= state.guard
        self.barred = outer
        if together:
            self.round(loop, start, events, beyond)
        if wait:
            passed = reduce(lambda left, cut: left & ~cut.guard, self.out.cuts[mark:], reached)
            self.waited(self.span_of(loop), reached, passed, start, again)

    def round(self, loop: Loop, entered: int, mark: int, back: Guard) -> None:
        """Note a turn of a loop in which a thread meets others, of which the events are since a mark.

        Of the turn that would be one too many only the way out is executed, so it may lack meetings of a whole one.
        """
        events = [event for event in self.out.events[mark:] if not event.guard.excludes(back)]
        arrivals = tuple(event.id for event in events if event.kind is Kind.ARRIVE)
        passages = (self.out.barriers[arrival] for arrival in arrivals)
        meetings: list[tuple[Barrier, Value | None]] = [(passage.barrier, passage.phase) for passage in passages]
        whole = next((r for r in self.out.rounds if r.instance == (self.thread.name, loop.head, entered)), None)
        if whole is not None:
            meetings += [(barrier, None) for barrier, _ in whole.meetings[len(meetings) :]]
        accesses = tuple(event for event in events if event.is_access)
        waits = len(arrivals) == sum(event.kind is Kind.WAIT for event in events)
        place = self.thread.name, loop.head
        self.out.rounds.append(Round(place, entered, back, tuple(meetings), arrivals, accesses, waits))

    def once(self, loop: Loop) -> None:
        """Go round a loop once."""
        self.node(loop.head)
        self.elements(loop.rest)

    def span_of(self, loop: Loop) -> Span:
        """A place to name a loop by: its first branch."""
        return Facts(self.body, loop).span

    # ---- nodes

    def merged(self, node: int) -> State:
        """The state in which control reaches a node."""
        return merge(self.pending[node], self.out.conditions)

    def go(self, node: int, state: State) -> None:
        """Let control reach a node; registers that are not read from there on are forgotten."""
        if state.guard.never:
            return
        later = self.read_later[node]
        unset = {name: where for name, where in state.unset.items() if name in later and state.lacks(name)}
        nowhere = {name for name, where in unset.items() if state.guard.excludes(~where)}
        kept = {
            name: held
            for name, held in state.registers.items()
            if (name in later or name not in self.own) and name not in nowhere
        }
        unset = {name: where for name, where in unset.items() if name not in nowhere}
        self.pending.setdefault(node, []).append(replace(state, registers=kept, unset=unset))

    def node(self, number: int) -> None:
        """Execute a node, if control has reached it."""
        if number in self.barred or not self.pending.get(number):
            return
        state = merge(self.pending.pop(number), self.out.conditions)
        match self.body.nodes[number]:
            case ir.Exit():
                self.out.ends.append((self.thread.name, state))
            case ir.Branch(condition, span, then, otherwise):
                self.branch(state, condition, span, then, otherwise)
            case ir.Do(operation, span, following):
                self.go(following, self.perform(state, operation, span))

    def branch(self, state: State, condition: Value, span: Span, then: int, otherwise: int) -> None:
        """Go both ways, each where the condition comes out so."""
        value = self.value(state, condition, span)
        if isinstance(value, Const):
            self.go(then if value.value else otherwise, state)
            return
        control = state.control | self.out.events_of(value)
        for target, side in ((then, True), (otherwise, False)):
            self.go(target, replace(self.where(state, value, side=side), control=control))
