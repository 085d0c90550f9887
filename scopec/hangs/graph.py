"""The graph of stuck executions: each thread as far as it gets, and the conditions in which it may be left for ever."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.hangs.final_status import FinalStatus
from scopec.hangs.spin_loops import SpinningRun
from scopec.memory.events.events import Cut, EventGraph, Left
from scopec.memory.reductions import Reductions
from scopec.memory.unfold import warp_collectives
from scopec.memory.unfold.asw import Ordering
from scopec.memory.unfold.blocking import Blocking
from scopec.memory.unfold.collected import graph, safe_assertions, started
from scopec.memory.unfold.counted_barriers import open_phases
from scopec.memory.unfold.stopping import stopping
from scopec.memory.unfold.symbolic import run
from scopec.memory.unfold.unfolding import Unfolding
from scopec.program import ir, types, values
from scopec.program.names import identifier
from scopec.program.values import Const
from scopec.progress.system import ISSUING_CALLS, WAITING_CALLS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scopec.base.source import Span
    from scopec.hangs.context import Context
    from scopec.memory.events.guards import Guard
    from scopec.program.values import Value
    from scopec.progress.system import System

_CALLS = (*ISSUING_CALLS, *WAITING_CALLS, ir.StreamQuery, ir.EventQuery)


@dataclass(frozen=True)
class StuckGraph:
    """An event graph whose threads need not end, and how each of them stands in its executions.

    ``timeouts`` are the waits that give up after so many turns; ``wakes_one_of`` the objects that a `notify_one` is
    for, and that several threads may sleep on: it is taken to wake them all.
    """

    graph: EventGraph
    statuses: Mapping[str, FinalStatus]
    timeouts: frozenset[Span] = frozenset()
    wakes_one_of: frozenset[str] = frozenset()


def build(context: Context, unroll: int, reductions: Reductions | None = None) -> StuckGraph:
    """The graph of stuck executions of a system, at most ``unroll`` turns of a loop before a period and in it.

    ``reductions`` are those that hold for the question, all if none are given.  Raises InputError for what an event
    graph cannot be made of.
    """
    reductions = reductions or Reductions()
    found = _build(context, unroll, frozenset(), reductions)
    safe = safe_assertions(found.graph) if reductions.safe_assertions else frozenset()
    return _build(context, unroll, safe, reductions) if safe else found


def _build(context: Context, unroll: int, safe: frozenset[tuple[str, Span, str]], reductions: Reductions) -> StuckGraph:
    system, program = context.system, context.system.program
    starts: dict[str, Guard] = {}
    begun: dict[str, Guard] = {}

    def executed(joint: bool, ahead: Mapping[tuple[str, int], int]) -> Unfolding:
        nonlocal context
        context = context.fresh()
        out = Unfolding(program, safe, joint, ahead, reductions)
        for thread, guard in started(out):
            begun[thread.name] = guard
            if thread.name in context.taking_part and thread.name not in {host.name for host in system.hosts}:
                starts[thread.name] = _may_start(out, thread, guard)
                guard &= starts[thread.name]
            run(SpinningRun(out, replace(thread, body=context.slice.bodies[thread.name]), unroll, context), guard)
        return out

    out = warp_collectives.in_step(executed)
    idle = tuple(t for t in system.everyone if t.name not in {p.name for p in program.threads})
    for thread in idle:
        assert thread.grid is not None
        launch = out.launches.get(thread.grid)
        begun[thread.name] = out.guards.never if launch is None else next(e.guard for e in out.events if e.id == launch)
        starts[thread.name] = _may_start(out, thread, begun[thread.name])
    exchanged = warp_collectives.resolve(out)
    stops = stopping(out, Ordering(out))
    quorums = open_phases(out)
    ordering = Ordering(out)
    blocking = Blocking(
        out, ordering, quorums, idle, lambda barrier: barrier.named or not system.exited_hold(barrier.group), stops
    )
    impossible = [*exchanged, *blocking.run(), *_queries(context, ordering, blocking)]
    statuses = {
        thread.name: _status(thread, system, out, blocking, begun, starts.get(thread.name, out.guards.always))
        for thread in system.everyone
    }
    asleep = {
        read: tuple(event for event, at, _ in context.notifications if at == location)
        for read, location, _ in context.sleeping
    }
    sleepers = {(at, thread) for _, at, thread in context.sleeping}
    one_of = {
        at.object
        for _, at, everyone in context.notifications
        if not everyone and sum(here == at for here, _ in sleepers) > 1
    }
    found = graph(out, impossible, asleep=asleep)
    return StuckGraph(found, statuses, frozenset(context.timeouts), frozenset(one_of))


def _may_start(out: Unfolding, thread: ir.Thread, guard: Guard) -> Guard:
    """Where the implementation starts a thread; elsewhere it never does."""
    here = out.literal(out.choose(f"{identifier(thread.name)}_S", "starts"))
    span = thread.body.nodes[thread.body.entry].span
    out.cuts.append(Cut(thread.name, span, guard & ~here, True, 0, left=Left.UNSTARTED))
    return here


def _queries(context: Context, ordering: Ordering, blocking: Blocking) -> Iterator[tuple[Guard, Value]]:
    """What no execution has: a query that says for ever that work is not complete which is."""
    open_ = dict.fromkeys(context.queries, blocking.out.guards.never)
    for call, grid, path, _ in ordering.completions():
        if call.id in open_:
            open_[call.id] |= path & blocking.grid_stuck(grid)
    events = {event.id: event for event in blocking.out.events}
    for query, work in open_.items():
        ready = values.binary("!=", blocking.out.chosen(query, "result", types.INT), Const(0, types.INT))
        yield events[query].guard & ~work, ready


def _status(
    thread: ir.Thread, system: System, out: Unfolding, blocking: Blocking, begun: Mapping[str, Guard], starts: Guard
) -> FinalStatus:
    never = out.guards.never
    cuts = [cut for cut in out.cuts if cut.thread == thread.name and not cut.stopped]
    stopped = blocking.stopped(thread.name)
    launch = out.creations.get(thread.name) if thread.grid is None else out.launches.get(thread.grid)
    launched = begun.get(thread.name, never)
    if launch is not None:
        launched &= ~blocking.before[launch]
    begins = launched & ~blocking.begins_late.get(thread.name, never)

    def left(*finals: Left) -> Guard:
        found = never
        for cut in cuts:
            if cut.left in finals:
                found |= cut.guard
        return found

    in_call, nowhere = never, never
    for cut in cuts:
        if cut.left is Left.WAITING and isinstance(out.calls.get(cut.at), _CALLS):
            in_call |= cut.guard
        if cut.left is Left.WAITING and cut.at in out.barriers and out.barriers[cut.at].barrier.chance:
            nowhere |= cut.guard
    counted, queries = never, never
    for cut in cuts:
        if cut.left in (Left.SPINNING, Left.DIVERGING):
            assert cut.counted is not None
            assert cut.queries is not None
            counted |= cut.guard & cut.counted
            queries |= cut.guard & cut.queries
    ended = never
    for name, state in out.ends:
        if name == thread.name:
            ended |= state.guard
    if not any(thread.name == t.name for t in system.program.threads):
        ended = begins & starts
    ended = (ended & ~blocking.stuck[thread.name]) | (launched & stopped)
    pending = left(Left.PENDING)
    return FinalStatus(
        thread=thread.name,
        launched=launched,
        started=begins & starts,
        may_start=begins & ~starts & ~stopped,
        ended=ended,
        spinning=left(Left.SPINNING),
        diverging=left(Left.DIVERGING),
        counted=counted,
        queries=queries,
        waiting=left(Left.WAITING) & ~in_call & ~nowhere,
        pending=pending | in_call,
        may_return=pending,
        stopped=left(Left.STOPPED),
        beyond=left(Left.BEYOND),
    )
