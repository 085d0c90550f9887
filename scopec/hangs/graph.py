"""The graph of stuck executions: each thread as far as it gets, and the conditions in which it may be left for ever."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from scopec.base import passes
from scopec.base.passes import Pass
from scopec.base.records import dataclass
from scopec.hangs.context import Context
from scopec.hangs.final_status import FinalStatus
from scopec.hangs.slicing import sliced
from scopec.hangs.spin_loops import SpinningRun
from scopec.memory.events.events import Cut, EventGraph, Left
from scopec.memory.reductions import Reductions
from scopec.memory.unfold import warp_collectives
from scopec.memory.unfold.asw import Ordering
from scopec.memory.unfold.blocking import Blocking
from scopec.memory.unfold.collected import collected, graph, safe_assertions, started
from scopec.memory.unfold.counted_barriers import open_phases
from scopec.memory.unfold.stopping import stopping
from scopec.memory.unfold.symbolic import run
from scopec.memory.unfold.unfolding import Unfolding
from scopec.program import ir, types, values
from scopec.program.names import identifier
from scopec.program.values import Const
from scopec.progress.system import ISSUING_CALLS, QUERIES, WAITING_CALLS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Self

    from scopec.base.passes import Passed
    from scopec.base.source import Span
    from scopec.hangs.slicing import Slice
    from scopec.memory.events.guards import Guard
    from scopec.program.values import Value
    from scopec.progress.system import System

_CALLS = (*ISSUING_CALLS, *WAITING_CALLS, *QUERIES)


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


@dataclass(frozen=True)
class Making:
    """An intermediate stage of a search: the slice, then the unfolded threads, at last the graph.

    Loops have at most ``unroll`` turns before a period and in it.  ``slices`` gives the slice with or without the
    reduction ``mute``; ``stops`` is whether nothing is promised to anyone, ``safe`` the assertions that are known to
    hold.  ``begun`` and ``starts`` give the paths on which a thread is launched, and started.
    """

    system: System
    slices: Callable[[bool], Slice]
    unroll: int
    reductions: Reductions = Reductions()
    stops: bool = False
    safe: frozenset[tuple[str, Span, str]] = frozenset()
    slice: Slice | None = None
    out: Unfolding | None = None
    left: Context | None = None
    begun: Mapping[str, Guard] = field(default_factory=dict)
    starts: Mapping[str, Guard] = field(default_factory=dict)
    blocking: Blocking | None = None
    impossible: tuple[tuple[Guard, Value], ...] = ()
    statuses: Mapping[str, FinalStatus] = field(default_factory=dict)
    found: StuckGraph | None = None

    @property
    def unfolded(self) -> Unfolding:
        """The results of symbolic execution."""
        assert self.out is not None
        return self.out

    @property
    def context(self) -> Context:
        """The context in which the threads were executed."""
        assert self.left is not None
        return self.left

    @property
    def matters(self) -> Slice:
        """The slice."""
        assert self.slice is not None
        return self.slice

    @property
    def blocked(self) -> Blocking:
        """The paths on which threads wait in vain."""
        assert self.blocking is not None
        return self.blocking

    @property
    def made(self) -> StuckGraph:
        """The graph."""
        assert self.found is not None
        return self.found

    def makes(self, reduction: str) -> bool:
        """Whether a reduction holds for the model, and is not switched off."""
        found: bool = getattr(self.reductions, reduction)
        return found

    def without(self, reduction: str) -> Self:
        """The same with a reduction switched off."""
        return replace(self, reductions=self.reductions.without({reduction}))

    @property
    def sizes(self) -> Mapping[str, int]:
        """The sizes of the graph's parts, if there is a graph."""
        if self.found is None:
            return {}
        made = self.found.graph
        return {
            "events": len(made.events),
            "choices": len(made.choices),
            "assertions": len(made.assertions),
            "orders of threads": len(made.asw),
        }

    @property
    def form(self) -> str:
        """The form that there is: a program, or the events of stuck executions."""
        return "program" if self.out is None else "hangs"

    @property
    def text(self) -> str:
        """The form in print."""
        # Start-up: most calls print no form.
        from scopec.memory.show import show_events
        from scopec.program.show import show_program

        if self.out is None:
            return show_program(self.system.program) + "".join(_left_out(self.slice) if self.slice else ())
        return show_events(self.found.graph if self.found else collected(self.out, self.impossible))


# ---------------------------------------------------------------- the passes


def execute_periods(stage: Making) -> Making:
    """Every thread executed as far as it gets, with the periods of its loops."""
    system, program = stage.system, stage.system.program
    starts: dict[str, Guard] = {}
    begun: dict[str, Guard] = {}
    context = Context(system, stage.matters, stage.stops)

    def executed(joint: bool, ahead: warp_collectives.Turns, _: warp_collectives.Turns) -> Unfolding:
        nonlocal context
        context = context.fresh()
        out = Unfolding(program, stage.safe, joint, ahead, reductions=stage.reductions)
        for thread, guard in started(out):
            begun[thread.name] = guard
            if thread.name in context.taking_part and thread.name not in {host.name for host in system.hosts}:
                starts[thread.name] = _may_start(out, thread, guard)
                guard &= starts[thread.name]
            body = stage.matters.bodies[thread.name]
            run(SpinningRun(out, replace(thread, body=body), stage.unroll, context), guard)
        return out

    out = warp_collectives.in_step(executed, rounds=False, races=False)
    for thread in _idle(system):
        assert thread.grid is not None
        launch = out.launches.get(thread.grid)
        begun[thread.name] = out.guards.never if launch is None else next(e.guard for e in out.events if e.id == launch)
        starts[thread.name] = _may_start(out, thread, begun[thread.name])
    return replace(stage, out=out, left=context, begun=begun, starts=starts)


def wait_in_vain(stage: Making) -> Making:
    """Threads that wait for what does not come, and what no execution has for it."""
    out, system = stage.unfolded, stage.system
    exchanged = warp_collectives.resolve(out)
    stops = stopping(out, Ordering(out))
    quorums = open_phases(out)
    ordering = Ordering(out)
    blocking = Blocking(
        out,
        ordering,
        quorums,
        _idle(system),
        lambda barrier: barrier.named or not system.exited_hold(barrier.group),
        stops,
    )
    impossible = (*exchanged, *blocking.run(), *_queries(stage.context, ordering, blocking))
    return replace(stage, blocking=blocking, impossible=impossible)


def final_statuses(stage: Making) -> Making:
    """Each thread with the conditions on which it is left in one way or another."""
    out, system, always = stage.unfolded, stage.system, stage.unfolded.guards.always
    statuses = {
        thread.name: _status(thread, system, out, stage.blocked, stage.begun, stage.starts.get(thread.name, always))
        for thread in system.everyone
    }
    return replace(stage, statuses=statuses)


def stuck_graph(stage: Making) -> Making:
    """The graph."""
    context = stage.context
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
    found = graph(stage.unfolded, stage.impossible, asleep=asleep)
    return replace(stage, found=StuckGraph(found, stage.statuses, frozenset(context.timeouts), frozenset(one_of)))


def without_safe(stage: Making) -> Making:
    """The same without the assertions that hold whatever is read."""
    safe = safe_assertions(stage.made.graph)
    return passes.run(_UNFOLDING, replace(stage, safe=safe)) if safe else stage


def stop_anywhere(stage: Making) -> Making:
    """The graph if each thread may stop anywhere."""
    return passes.run(PASSES[1:-1], replace(stage, stops=True, safe=frozenset()))


def _silence(stage: Making) -> str | None:
    """Whether some thread may be silent for ever: nothing is promised to anyone then."""
    silent = any(not status.silent.never for status in stage.made.statuses.values())
    return "some thread does nothing for ever" if silent else None


_UNFOLDING: tuple[Pass[Making], ...] = (
    Pass(
        execute_periods,
        "every path of a thread, with the turns of a loop that it may make for ever: these read the last value of each "
        "location, and change nothing",
        execute_periods,
        inside=("constants", "spin_loops", "retries"),
        shown="stuck_graph",
    ),
    Pass(
        wait_in_vain,
        "exchanges, stopped threads and phases as in the events; who waits for what does not come waits for ever",
        wait_in_vain,
        inside=("phases",),
        shown="stuck_graph",
    ),
    Pass(final_statuses, "the paths on which each thread has ended, spins, waits, or is not started", final_statuses),
    Pass(
        stuck_graph,
        "initial writes, and what launches, completion, streams and barriers order",
        stuck_graph,
        inside=("pairs",),
    ),
)
#: All of them, in their order.
PASSES: tuple[Pass[Making], ...] = (
    Pass(
        sliced,
        "the accesses that may decide whether threads end; the others are gone, or their values are",
        lambda stage: replace(stage, slice=stage.slices(stage.makes("mute"))),
        inside=("mute",),
        shown="stuck_graph",
    ),
    *_UNFOLDING,
    Pass(
        without_safe,
        "the checks that hold whatever is read, which are left out then",
        without_safe,
        reduction="safe_assertions",
    ),
    Pass(
        stop_anywhere,
        "all of this again with threads that may stop anywhere: nothing is promised where one is silent for ever",
        stop_anywhere,
        _silence,
    ),
)


def build(begun: Making, log: list[Passed] | None = None) -> StuckGraph:
    """The graph of stuck executions of a system; InputError for what an event graph cannot be made of."""
    return passes.run(PASSES, begun, log=log).made


def _left_out(matters: Slice) -> Iterator[str]:
    for names, what in ((matters.mute, "accesses to"), (matters.valueless - matters.mute, "values of")):
        if names:
            yield f"{what} {', '.join(sorted(names))} are left out\n"


def _idle(system: System) -> tuple[ir.Thread, ...]:
    """The threads of a system that its program does not have: of launches whose threads do nothing."""
    own = {thread.name for thread in system.program.threads}
    return tuple(thread for thread in system.everyone if thread.name not in own)


def _may_start(out: Unfolding, thread: ir.Thread, guard: Guard) -> Guard:
    """The paths on which the implementation starts a thread; elsewhere it never does."""
    here = out.literal(out.choose(f"{identifier(thread.name)}_S", "starts"))
    span = thread.body.nodes[thread.body.entry].span
    out.cuts.append(Cut(thread.name, span, guard & ~here, True, 0, left=Left.UNSTARTED))
    return here


def _queries(context: Context, ordering: Ordering, blocking: Blocking) -> Iterator[tuple[Guard, Value]]:
    """Combinations that no execution has: a query that says for ever that work is not complete which is."""
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
