"""An execution that gets stuck: the place at which each thread is left, and the reason why it stays there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property

from scopec.base.records import dataclass
from scopec.base.source import Span
from scopec.hangs.final_status import FinalStatus
from scopec.hangs.missing import missing_order
from scopec.memory.events.events import Cut, Event, Kind, Left, shown_location
from scopec.memory.execution import Execution
from scopec.program import ir
from scopec.progress.schedule import Behind, Moment, Standing
from scopec.progress.steps import DONE, IDLE
from scopec.progress.stuck import NEVER, SILENT, not_started
from scopec.progress.system import System

#: A label for threads that run: where they are is told by the execution.
_RUNS = "runs"


@dataclass(frozen=True)
class StuckExecution(Execution):
    """An execution in which nothing changes any more, and how each thread of the system stands in it."""

    system: System = field(kw_only=True)
    statuses: Mapping[str, FinalStatus] = field(kw_only=True)
    timeouts: frozenset[Span] = field(kw_only=True)

    @cached_property
    def cuts(self) -> Mapping[str, Cut]:
        """For each thread that is left somewhere for ever where that is."""
        return {cut.thread: cut for cut in self.graph.cuts if cut.left is not None and cut.guard.holds(self.outcomes)}

    def period(self, thread: str) -> list[Event]:
        """The events that a thread goes through again and again."""
        cut = self.cuts.get(thread)
        if cut is None or cut.left is not Left.SPINNING:
            return []
        return [e for e in self.events if e.thread == thread and e.last]

    @cached_property
    def behind(self) -> list[Behind]:
        """The threads that do not end: where each is left, and why."""
        return _behind(self)

    @cached_property
    def missing_order(self) -> str | None:
        """The order that it lacks and every interleaving of the threads' steps has."""
        return missing_order(self)

    def reason(self, kind: str, *, ends: bool) -> str:
        """The reason in a verdict; ``ends`` says whether every schedule of a sequentially consistent memory ends."""
        said = "an execution that the memory model allows gets stuck"
        if kind == "progresses":
            said = "an execution that the memory model allows takes no steps that count as progress from some point on"
        if ends:
            said += ", though no schedule of a sequentially consistent memory does"
        return f"{said}; {self.patience}" if self.patience else said

    @cached_property
    def patience(self) -> str | None:
        """The waits that go on for ever though they give up after so many turns, in a sentence; None if none does."""
        going = {c.span.line for c in self.cuts.values() if c.left is Left.SPINNING and c.span in self.timeouts}
        if not going:
            return None
        lines = f"line{'s' * (len(going) > 1)} {', '.join(map(str, sorted(going)))}"
        return f"the wait at {lines} does not give up (timeouts = never)"


def _behind(execution: StuckExecution) -> list[Behind]:
    """For each thread that does not end where it is left, and why."""
    found, moment = [], _moment(execution)
    for thread in execution.system.everyone:
        cut = execution.cuts.get(thread.name)
        if moment.labels[thread.name] == IDLE:
            if execution.statuses[thread.name].launched.holds(execution.outcomes):
                found.append(not_started(execution.system, thread, moment))
        elif moment.labels[thread.name] != DONE and cut is not None:
            found.append(_left(execution, thread, cut))
    return found


def _moment(execution: StuckExecution) -> Moment:
    """The state of the threads, as far as it says why others have not started."""
    statuses, outcomes = execution.statuses, execution.outcomes

    def label(thread: ir.Thread) -> str:
        status = statuses[thread.name]
        if not status.started.holds(outcomes):
            return IDLE
        return DONE if status.ended.holds(outcomes) else _RUNS

    system = execution.system
    labels = {thread.name: label(thread) for thread in system.everyone}
    in_call = {h.name for h in system.hosts if statuses[h.name].pending.holds(outcomes)}
    pending = next(iter(system.api_labels), _RUNS)
    labels |= dict.fromkeys(in_call, pending)
    launched = {t.grid for t in system.everyone if t.grid and statuses[t.name].launched.holds(outcomes)}
    issued = tuple(grid for grid in system.grids if grid in launched)
    idle = [t for t in system.everyone if labels[t.name] == IDLE]
    waiting = {t.grid for t in idle if not statuses[t.name].may_start.holds(outcomes)}
    late = {
        grid: tuple(g for g in issued[:n] if system.ordered(g, grid)) if grid in waiting else ()
        for n, grid in enumerate(issued)
    }
    return Moment(labels, {}, {}, issued, late)


def _left(execution: StuckExecution, thread: ir.Thread, cut: Cut) -> Behind:
    match cut.left:
        case Left.SPINNING:
            return _spinning(execution, thread, cut)
        case Left.PENDING:
            why = "the call may wait while device threads run"
            return Behind(thread.name, f"is still in {cut.at}", why, cut.span, Standing.BLOCKED)
        case Left.STOPPED:
            model = execution.system.model
            why = f"`{model.name}` owes it nothing: {model.why}" if model.why else "nothing is promised to any thread"
            return Behind(thread.name, f"stops before line {cut.span.line}", why, cut.span, Standing.REFUSED)
        case _:
            return _waiting(execution, thread, cut)


def _spinning(execution: StuckExecution, thread: ir.Thread, cut: Cut) -> Behind:
    period = execution.period(thread.name)
    lines = sorted({e.span.line for e in period} | {cut.span.line})
    where = f"line {lines[0]}" if len(lines) == 1 else f"lines {lines[0]} to {lines[-1]}"
    if execution.statuses[thread.name].silent.holds(execution.outcomes):
        why, standing = SILENT, Standing.SILENT
    else:
        seen = list(dict.fromkeys(_value(execution, e) for e in period))
        last = "the last value" if len(seen) == 1 else "the last values"
        why, standing = (f"it reads {' and '.join(seen)}, {last}" if seen else "nothing lets it out"), Standing.SPINNING
        if cut.span in execution.timeouts:
            why += ", and does not give up (timeouts = never)"
    return Behind(thread.name, f"goes round at {where}, again and again", why, cut.span, standing)


def _value(execution: StuckExecution, read: Event) -> str:
    assert read.location is not None
    return f"{shown_location(read.location, execution.graph.program)} = {execution.values[read.id]}"


def _waiting(execution: StuckExecution, thread: ir.Thread, cut: Cut) -> Behind:
    event = execution.graph.by_id[cut.at]
    if event.kind is Kind.READ:
        assert event.location is not None
        name = shown_location(event.location, execution.graph.program)
        if event.id in execution.graph.asleep:
            why = f"it saw {_value(execution, event)}, and nobody notifies it after a later write"
            return Behind(thread.name, f"waits on {name} to be notified", why, cut.span, Standing.BLOCKED)
        never = NEVER.get(execution.graph.program.objects[event.location.object].use, "{} never has the value for it")
        return Behind(thread.name, f"waits on {name}", never.format(name), cut.span, Standing.BLOCKED)
    if event.kind is Kind.WAIT:
        missing = [f"{name} has not arrived" for name in _missing(execution, event)]
        why = ", ".join(missing) or "a thread that has exited has not arrived"
        where = f"waits at {event.text.removeprefix('leave ')}"
        return Behind(thread.name, where, why, cut.span, Standing.BLOCKED)
    ends = [edge.why for edge in execution.graph.asw if event.id in edge.after]
    named = [why.removeprefix("completion of ").removeprefix("end of ") for why in ends if " of " in why]
    left = [name for name in named if not _has_ended(execution, name)]
    why = ", ".join(f"{name} has not {'ended' if name in execution.statuses else 'completed'}" for name in left)
    return Behind(thread.name, f"waits in {event.text}", why or "it waits in vain", cut.span, Standing.BLOCKED)


def _has_ended(execution: StuckExecution, name: str) -> bool:
    """Whether a thread, or every thread of a grid, has ended."""
    of = [t.name for t in execution.system.everyone if name in (t.name, t.grid)]
    return all(execution.statuses[thread].ended.holds(execution.outcomes) for thread in of)


def _missing(execution: StuckExecution, wait: Event) -> list[str]:
    """The threads that arrive at a barrier on some path, and not on the one taken."""
    executed = {e.id for e in execution.events}
    arrivals = {a for edge in execution.graph.asw if edge.barrier and wait.id in edge.after for a in edge.before}
    by_id = execution.graph.by_id
    arrived = {by_id[a].thread for a in arrivals if a in executed}
    return list(dict.fromkeys(by_id[a].thread for a in sorted(arrivals) if by_id[a].thread not in arrived))
