"""Replaces mbarriers whose phases the program settles by barriers (:mod:`scopec.program.settled_phases`).

Every arrival has to release to the waits that acquire.  Waits pass at their first look then, or never: a turn that
finds nothing changes nothing (:func:`scopec.memory.unfold.spin_loops.only_waits`).  Where a choice decides who does
something, as which lane of a warp makes the mbarriers, they have to be settled in each case, by the schedule of that
case; what is not done in a case orders nothing there.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from scopec.base.records import dataclass, replace
from scopec.memory.events.events import Event, EventGraph, Kind, Synchronises
from scopec.memory.events.rewriting import among, meeting, of_events
from scopec.memory.events.scopes import inclusive
from scopec.memory.reduce.commuting import computed
from scopec.memory.reduce.constant_order import ConstantOrder
from scopec.memory.reduce.phase_schedule import Schedule, scheduled
from scopec.memory.reduce.substituting import Substituting
from scopec.program import ir, values
from scopec.program.settled_phases import Kind as Did
from scopec.program.settled_phases import settled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from scopec.memory.unfold.unfolding import Unfolding
    from scopec.program.settled_phases import Operation
    from scopec.program.values import Builtin, Reg, Value

#: The version of the CUDA document whose scopes include least.
_STRICTEST = 2


def resolve_phases(graph: EventGraph, out: Unfolding) -> EventGraph:
    """A graph with barriers in the place of mbarriers; the same one where one of them is not settled.

    ``out`` is what symbolic execution has found, with what each operation is.
    """
    seq_cst = any(ir.Order.SEQ_CST in (e.order, e.failure) for e in graph.events)
    open_ = seq_cst or not out.phases.looks or out.phases.ordered
    schedules = () if open_ else scheduled(graph, out)
    if not schedules:
        return graph
    given = {name: value for schedule in schedules for name, value in schedule.known.items()}

    def substituted(value: Value) -> Value:
        return values.substitute(value, leaf)

    def leaf(reg: Reg | Builtin) -> Value:
        return given.get(reg.name, reg)

    known = Substituting(graph, substituted, given).graph()
    if any(a.implicit and a.condition == values.FALSE for a in known.assertions):
        return graph
    resolved = [_Resolved(out, graph, known, one.outcomes, own) for one in schedules for own in one.operations.values()]
    if not all(one.synchronises for one in resolved):
        return graph
    edges = tuple(dict.fromkeys(edge for one in resolved for edge in one.edges()))
    order = ConstantOrder(replace(known, asw=(*known.asw, *edges)))
    if not all(
        settled([*own, *one.vain.get(at, ())], _Executed(order, one).before)
        for one in schedules
        for at, own in one.operations.items()
    ):
        return graph
    return _with_barriers(known, resolved, edges, schedules)


class _Executed:
    """The order in which every execution carries out the operations of a schedule, if it takes these phases.

    It is more than happens-before: an agent's arrival is behind the waits before its issue, for these decide whether it
    is issued at all, and before who finds its phase over, though what a thread did before the issue does not
    happen-before that.
    """

    def __init__(self, order: ConstantOrder, schedule: Schedule) -> None:
        self._order = order
        self._events = order.graph.by_id
        operations = [o for own in schedule.operations.values() for o in own]
        self._waits = [o for o in operations if o.kind is Did.WAIT]
        #: The arrivals of agents, each with the waits that find its phase over.
        self._arrivals = [
            (a, [w for w in own if w.kind is Did.WAIT and w.phase == a.phase])
            for own in schedule.operations.values()
            for a in own
            if a.later
        ]

    def before(self, one: Operation, other: Operation) -> bool:
        """Whether an operation is carried out before another one."""
        reached, left = [one], self._arrivals
        for first in reached:
            if self._happens(first, other):
                return True
            ahead = [pair for pair in left if self._decides(first, pair[0])]
            left = [pair for pair in left if pair not in ahead]
            found = [wait for _, waits in ahead for wait in waits]
            if other in found:
                return True
            reached += [wait for wait in found if wait not in reached]
        return False

    def _happens(self, one: Operation, other: Operation) -> bool:
        """A copy's operation comes after what its issue comes after."""
        first, second = (self._events[o.name] for o in (one, other))
        if first.agent:
            return self._order.before(first, second)
        return self._order.before(first, self._events[second.agent] if second.agent else second)

    def _decides(self, one: Operation, arrival: Operation) -> bool:
        """Whether an operation is a wait before the issue of an agent's arrival, or surely before one.

        What a thread itself has changed before a wait may be seen later than what the wait finds.
        """
        waits = (w for w in self._waits if w.thread == arrival.thread and self._happens(w, arrival))
        return any(
            one == wait or ((one.kind is Did.WAIT or one.thread != wait.thread) and self._happens(one, wait))
            for wait in waits
        )


def _with_barriers(
    graph: EventGraph, resolved: Sequence[_Resolved], edges: Sequence[Synchronises], schedules: Sequence[Schedule]
) -> EventGraph:
    """A graph with an arrival or a wait in the place of what threads do to mbarriers."""
    operations = (o for one in schedules for own in one.operations.values() for o in own)
    met = {o.name: o for o in operations if o.kind in (Did.ARRIVE, Did.WAIT) and not o.later}
    numbers = schedules[0].numbers  # the same in all
    kept = {e.id for e in graph.events if not e.guard.never and (e.location not in numbers or e.id in met)}
    done = list(dict.fromkeys(edge for one in resolved for edge in one.done(kept)))
    events = tuple(_met(e, met[e.id]) if e.id in met else e for e in graph.events)
    asw = tuple(among((*graph.asw, *edges), kept))
    left = of_events(replace(graph, events=events, done=(*graph.done, *done), phases={}), kept, asw)
    found = Substituting(left, lambda value: value, {}).graph()  # without conditions of what is not kept
    asked = {leaf.name for value in computed(found) for leaf in values.leaves(value)}
    return replace(
        found,
        choices={name: choice for name, choice in graph.choices.items() if name in asked},
        settled={**graph.settled, **numbers},
    )


def _met(event: Event, operation: Operation) -> Event:
    if operation.kind is Did.ARRIVE:
        return meeting(event, Kind.ARRIVE, "arrive at", f" in phase {operation.phase}")
    return meeting(event, Kind.WAIT, f"find phase {operation.phase} of", " over")


@dataclass(frozen=True)
class _Resolved:
    """The operations on one mbarrier in a schedule, and what they order in the graph with what is known.

    ``before`` is the graph without that, whose conditions have these ``outcomes``.
    """

    out: Unfolding
    before: EventGraph
    graph: EventGraph
    outcomes: Mapping[int, bool]
    operations: Sequence[Operation]

    def events(self, kind: Did) -> Mapping[int, list[Event]]:
        """The events of the operations of a kind, by phase; an agent's arrivals are completions."""
        found: dict[int, list[Event]] = defaultdict(list)
        for operation in self.operations:
            if (Did.COMPLETE if operation.later else operation.kind) is kind:
                found[operation.phase].append(self.graph.by_id[operation.name])
        return found

    @property
    def synchronises(self) -> bool:
        """Whether all is there in every execution of the case, and arrivals synchronise with waits for their phase."""
        threads = {t.name: t for t in self.out.program.threads}
        arrivals, waits = self.events(Did.ARRIVE), self.events(Did.WAIT)
        come = [e for own in arrivals.values() for e in own]
        return (
            all(self.before.by_id[o.name].guard.along(self.outcomes).always for o in self.operations)
            and all(e.order is ir.Order.RELEASE for e in come)
            and all(e.order is ir.Order.ACQUIRE for own in waits.values() for e in own)
            and all(
                inclusive(a, w, threads, _STRICTEST)
                for phase, own in arrivals.items()
                for a in own
                for w in waits[phase]
            )
        )

    def edges(self) -> Iterator[Synchronises]:
        """The arrivals of each phase, before the waits that find it over."""
        arrivals, waits = self.events(Did.ARRIVE), self.events(Did.WAIT)
        for phase in arrivals.keys() & waits.keys():
            before, after = (tuple(e.id for e in side[phase]) for side in (arrivals, waits))
            yield Synchronises(before, after, "arrivals", barrier=True)

    def done(self, kept: set[str]) -> Iterator[Synchronises]:
        """The accesses of copies, before the waits that find the phase over in which these are complete."""
        waits = self.events(Did.WAIT)
        for phase, completions in self.events(Did.COMPLETE).items():
            copies = {c.agent for c in completions}
            copies |= {one for copy in copies for one in self.out.copies[copy].earlier}
            accesses = tuple(e.id for e in self.graph.events if e.agent in copies and e.id in kept)
            if accesses and phase in waits:
                yield Synchronises(accesses, tuple(w.id for w in waits[phase]), "completion of a copy")
