"""The loops of a thread that may go round for ever.

A loop is not cut off: at its head a thread may begin its *period*, one or more whole turns after which the state is
unchanged, that change no memory and in which each read takes the write that is last in coherence order.  With two
turns as the bound, and another thread that does ``if (f.load() == 1) x.store(1);``, of

    while (x.load() == 0) f.store(1);

there is, with ``?`` where the thread may begin its period,

    ? read x: 0, write f = 1    ? read x: 0, write f = 1    ? read x: if 0, BEYOND; else the way out
    period: last read of x, last read of f: if 0 and 1, SPINNING; else LEFT_OUT

*What is found is a hang.*  Append to such an execution the turns of all periods, one after the other, for ever.  Each
read finds the last value again, so each turn takes the same path; each store stores what is there, and comes last in
coherence order.  Who reads from it is in a period too, and reads the last write: no model of scopec's forbids that.

*Every hang is found.*  In a stuck execution memory changes no more from some point on, and later reads find the last
values ([intro.progress]).  A thread that goes round there repeats a state, and the turns between are a period; if it
repeats none within the bound, it is DIVERGING, and nothing is said.  What a period leaves out is no part of one:

- the write of a store or a read-modify-write.  It stores what is there: who reads from it reads the same from the write
  before it, and the execution without it has less order, and no other values;
- a path on which another value is stored, or an operation changes something each time: who takes it for ever is not
  stuck.  Where that lasts longer than the bound it is BEYOND;
- the way out of the loop, and giving up after a number of turns: who takes it has not begun a period;
- an inner loop that only waits, and does not end: that one has a period of its own, begun at its own head.

Turns before the period are executed as they are, except for those that change nothing: as with the writes, the
execution without these has less order, and no other values, so it is stuck as well.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.hangs.operations import LeftRun, Period
from scopec.memory.events.events import Kind, Left
from scopec.memory.unfold import spin_loops
from scopec.memory.unfold.accesses import TooComplexError
from scopec.memory.unfold.symbolic import LONGEST_COUNTED_LOOP
from scopec.memory.unfold.unfolding import State, merge
from scopec.program import ir, values
from scopec.program.effects import effects, registers
from scopec.program.loops.counters import after, gives_up
from scopec.program.loops.facts import Facts
from scopec.program.loops.loops import Loop, live_registers
from scopec.program.values import Const, Reg

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scopec.base.source import Span
    from scopec.memory.events.guards import Guard
    from scopec.program.values import Value


class SpinningRun(LeftRun):
    """One thread of a graph of stuck executions.

    A wait that counts its turns gives up at last, even if its limit lies beyond the turns that are followed.
    """

    # ---- loops

    def loop(self, loop: Loop) -> None:
        """Go round a loop, whole turns and then for ever, or in a period until it ends."""
        if self.trying:
            super().loop(loop)
            return
        if loop.head in self.barred:
            return
        needed = self.needed(loop)
        if needed is not None and needed[1]:
            self.catch_up(loop)
        self.agree(loop)
        self.inside.append(loop)
        self.counters.append({} if needed is None else Facts(self.body, loop).counters)
        if self.period is None:
            self.rounds(loop, needed)
        else:
            self.through(loop, needed)
        self.inside.pop()
        self.counters.pop()

    def branch(self, state: State, condition: Value, span: Span, then: int, otherwise: int) -> None:
        """Go both ways, each where the condition comes out so; a wait that counts its turns may give up here."""
        if not self.trying and self.counters:
            inside, counts = self.inside[-1].nodes(), self.counters[-1]
            if (then in inside) != (otherwise in inside) and registers(condition) & counts.keys():
                if self.period is not None:  # it does not go round for ever
                    self.unchanged(state, values.FALSE, span)
                    return
                turns_ = gives_up(condition, state.registers, counts, stays=then in inside)
                if turns_ is not None:
                    state = self.may_give_up(state, turns_, span, otherwise if then in inside else then)
        super().branch(state, condition, span, then, otherwise)

    def may_give_up(self, state: State, turns_: int, span: Span, out: int) -> State:
        """The state of a thread that does not give up; it goes on at ``out`` where it does, so many turns later."""
        (late, state), counts = self.either(state, "late", span), self.counters[-1]
        later = {r: after(held, counts[r], turns_) for r in counts if isinstance(held := state.registers[r], Const)}
        self.go(out, replace(late, registers={**state.registers, **later}))
        return state

    def needed(self, loop: Loop) -> tuple[int, bool] | None:
        """The turns that an ordinary graph needs of a loop, and whether it only waits; None if it ends by itself."""
        self.votes.pop(loop.head, None)
        before, pending = self.here()
        self.trying = True
        self.inside.append(loop)
        self.retrying.discard(loop.head)
        try:
            found = self.attempt(loop)
        except TooComplexError:
            found = self.unroll, False
        self.inside.pop()
        self.trying = False
        self.back_to(before, pending)
        if found is not None and found[1] and self.tells(loop):
            return self.unroll, False
        return found

    def tells(self, loop: Loop) -> bool:
        """Whether a turn of a loop may wake another thread."""
        nodes = (self.body.nodes[n] for n in loop.nodes())
        return any(isinstance(node, ir.Do) and isinstance(node.operation, ir.Notify) for node in nodes)

    def rounds(self, loop: Loop, needed: tuple[int, bool] | None) -> None:
        """Turns of a loop that change something, at whose beginnings the thread may begin to turn for ever."""
        span, begin = self.span_of(loop), list[State]()
        limit, waits = (LONGEST_COUNTED_LOOP, False) if needed is None else needed
        outer = self.barred
        if needed == (1, True) and not self.may_be_left_in(loop):
            self.barred = outer | (loop.nodes() - Facts(self.body, loop).leaving)
        before: list[tuple[State, int]] = []
        for _ in range(limit):
            if not self.pending.get(loop.head):
                break
            entry = self.merged(loop.head)
            before.append((entry, len(self.out.events)))
            self.pending[loop.head] = [entry if needed is None else self.may_turn(entry, begin, span)]
            self.once(loop)
            self.skip_barred(outer, span)
            if needed is not None:
                self.leave_out_idle_turns(loop, before, needed)
        self.barred = outer
        if self.pending.get(loop.head):
            state = self.merged(loop.head)
            before.append((state, len(self.out.events)))
            self.pending[loop.head] = [state if waits else self.may_turn(state, begin, span)]
            self.barred = outer | (loop.nodes() - Facts(self.body, loop).leaving)
            self.once(loop)
            self.leave_out_idle_turns(loop, before, (limit, False))
            for node in sorted((self.barred - outer) | {loop.head}):
                for left in self.pending.pop(node, []):
                    self.leave(left.guard, Left.BEYOND, span, wait=False)
            self.barred = outer
        if begin:
            # How often it has gone round does not matter where it never gives up.
            counts = {r: begin[0].registers[r] for r in self.counters[-1]}
            alike = [replace(state, registers={**state.registers, **counts}) for state in begin]
            self.spin(loop, merge(alike, self.out.conditions))

    def may_be_left_in(self, loop: Loop) -> bool:
        """Whether the thread may be left for ever inside a turn of a loop."""
        operations = [node.operation for n in loop.nodes() if isinstance(node := self.body.nodes[n], ir.Do)]
        return (
            self.context.may_stop(self.thread)
            or any(isinstance(element, Loop) for element in loop.rest)
            or any(effects(op).waits or self.context.may_pend(self.thread, op) for op in operations)
        )

    def may_turn(self, state: State, begin: list[State], span: Span) -> State:
        """The state of a thread that does not turn from here on; the one in which it does goes to ``begin``."""
        spinning, state = self.either(state, "turns", span)
        begin.append(spinning)
        return state

    def skip_barred(self, outer: set[int], span: Span) -> None:
        """Leave out what lies behind nodes that are not executed because they lead nowhere new."""
        for node in sorted(self.barred - outer):
            for state in self.pending.pop(node, []):
                self.leave(state.guard, Left.LEFT_OUT, span)

    def leave_out_idle_turns(self, loop: Loop, before: list[tuple[State, int]], needed: tuple[int, bool]) -> None:
        """Leave out the paths on which the last turns left everything as it was.

        ``before`` are the states before each turn, with the number of events there were.
        """
        if not self.pending.get(loop.head) or not self.out.reductions.spin_loops:
            return
        back, span = self.merged(loop.head), self.span_of(loop)
        if needed[1]:
            gone = back.guard
        else:
            gone = self.out.guards.never
            live = self.live[loop.head] - self.counters[-1].keys()
            for entry, mark in reversed(before):
                gone |= self.same(entry, back, live, self.changed(mark) | gone)
        self.leave(gone, Left.LEFT_OUT, span)
        left = back.guard & ~gone
        self.pending[loop.head] = [] if left.never else [replace(back, guard=left)]

    def changed(self, mark: int) -> Guard:
        """The paths on which the events since a mark change something that another thread could see."""
        found = self.out.guards.never
        for event in self.out.events[mark:]:
            if spin_loops.silent(self.out, event, made_before=False):  # the first such turn is left out as well
                continue
            if event.kind is Kind.WRITE and event.rmw is not None and event.value is not None:
                old = Reg(event.rmw, event.value.type)
                found |= event.guard & ~self.guard_of(values.binary("==", event.value, old))
            else:
                found |= event.guard
        return found

    def same(self, entry: State, back: State, live: Iterable[str], unless: Guard) -> Guard:
        """The paths on which registers hold what they held; none if ``unless`` covers all that are left."""
        found = back.guard & ~unless
        for register in sorted(live):
            if found.never:
                break
            one, other = entry.registers.get(register), back.registers.get(register)
            if one is None and other is None:
                continue
            if one is None or other is None or entry.lacks(register) or back.lacks(register):
                return self.out.guards.never
            if one != other:
                found &= self.guard_of(values.binary("==", one, other))
        return found

    # ---- periods

    def spin(self, loop: Loop, begin: State) -> None:
        """Go round for ever: whole turns until the state is what it was at the beginning."""
        span, live = self.span_of(loop), self.live_inside(loop) - self.counters[-1].keys()
        pending, self.pending = self.pending, {}
        never = self.out.guards.never
        self.period = Period(loop.head, self.out.guards.always if self.trivial(loop) else never, never)
        state, mark = begin, len(self.out.events)
        for _ in range(1 if self.agrees(loop.head) else self.unroll):
            self.pending[loop.head] = [state]
            self.once(loop)
            if self.agrees(loop.head):
                vote = self.vote(loop, self.out.events[mark:], self.votes[loop.head].again)
                self.out.votes.append(vote)
            for node in [n for n in self.pending if n != loop.head]:
                for left in self.pending.pop(node):
                    self.leave(left.guard, Left.LEFT_OUT, span)
            if not self.pending.get(loop.head):
                break
            back = self.merged(loop.head)
            recurs = self.same(begin, back, live, never)
            self.leave(recurs, Left.SPINNING, span)
            state = replace(back, guard=back.guard & ~recurs)
            self.pending = {}
            if state.guard.never:
                break
        else:
            self.leave(state.guard, Left.DIVERGING, span)
        self.pending, self.period = pending, None

    def live_inside(self, loop: Loop) -> frozenset[str]:
        """The registers that matter to a thread that never leaves a loop."""
        inside = loop.nodes()
        nodes: dict[int, ir.Node] = {n: self.deciding.nodes[n] for n in inside}
        for node in list(nodes.values()):
            nodes |= {n: ir.Exit(node.span) for n in ir.successors(node) if n not in inside}
        return live_registers(replace(self.deciding, entry=loop.head, nodes=nodes))[loop.head]

    def trivial(self, loop: Loop) -> bool:
        """Whether a loop is a trivial infinite loop of a host thread ([stmt.iter.general]): it counts."""
        head = self.body.nodes[loop.head]
        empty = isinstance(head, ir.Branch) and head.condition == values.TRUE and head.then == loop.head
        return self.thread.is_host and empty

    def through(self, loop: Loop, needed: tuple[int, bool] | None) -> None:
        """A loop inside a turn that is made for ever: it ends, or is what the thread turns in instead."""
        span = self.span_of(loop)
        for _ in range(LONGEST_COUNTED_LOOP if needed is None else needed[0] + 1):
            if not self.pending.get(loop.head):
                return
            self.once(loop)
        for left in self.pending.pop(loop.head, []):
            if needed is not None and needed[1]:
                self.leave(left.guard, Left.LEFT_OUT, span)
            else:
                self.leave(left.guard, Left.DIVERGING, span)
