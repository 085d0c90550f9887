"""Calls of the host: launches, streams, events, synchronisation, threads; and what ends threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.program import ir
from scopec.progress.rules.ending import fired
from scopec.progress.steps import DONE, IDLE, Pending
from scopec.progress.terms import (
    EMPTY,
    TRUE,
    Fn,
    Term,
    among,
    at,
    both,
    call,
    either,
    equal,
    event,
    grid,
    if_,
    label,
    negated,
    op,
    set_of,
    stream,
    table,
    term,
    those,
    thread,
    union,
)
from scopec.progress.transition import Transition, Update

if TYPE_CHECKING:
    from scopec.progress.steps import Step
    from scopec.progress.system import System


def transition(system: System, step: Step) -> Transition | None:
    """The transition of a host call's step; None for a step that is none of those that this module knows."""
    match step.operation:
        case ir.LaunchGrid(name):
            updates = [Update("issued", None, op(Fn.APPEND, "issued", grid(name)))]
            if system.events:
                earlier = call("Before", stream(system.program.grids[name].stream.name))
                early = [grid(f) for f in system.grids if (f, name) in system.overlapping]
                late = those("f", earlier, negated(among("f", set_of(*early)))) if early else earlier
                lets = [at("after", grid(first)) for first in system.lets.get(name, ())]
                updates.append(Update("after", grid(name), union(late, *lets) if lets else late))
            return Transition(step, updates=tuple(updates))
        case ir.TriggerDependents() if not system.triggers_seen:
            return Transition(step)
        case ir.TriggerDependents():
            triggered = union("triggered", set_of(at("BlockOf", "t")))
            return Transition(step, updates=(Update("triggered", None, triggered),))
        case ir.EventRecord(recorded, to):
            before = call("Before", stream(to))
            return Transition(
                step, updates=(Update("event", event(recorded), before), Update("fence", stream(to), before))
            )
        case ir.EventWait(waited, to):
            if system.acts(waited, to):
                after: Term = union(call("Before", stream(to)), at("event", event(waited)))
            else:
                mine = union(at("fence", stream(to)), at("event", event(waited)))
                after = those("g", mine, negated(call("GridDone", "g")))
            return Transition(step, updates=(Update("fence", stream(to), after),))
        case ir.DeviceSynchronize() | ir.StreamSynchronize() | ir.EventSynchronize() as made if system.snapshots:
            return Transition(step, updates=(Update("awaited", term("t"), _work(system, made)),))
        case ir.DeviceSynchronize() | ir.StreamSynchronize() | ir.EventSynchronize() | ir.WorkSynchronize() as made:
            return Transition(step, _done(system, made))
        case ir.AwaitGrid() as made:
            return Transition(step, _done(system, made))
        case ir.LaunchSynchronize(_, of, fires):
            return Transition(step, fired(of, fires))
        case ir.LaunchQuery(_, _, of, fires, late):
            return Transition(step, choice=_grids_done(grid(of)) if late else fired(of, fires))
        case Pending():
            completed = call("AllDoneOf", at("awaited", "t")) if system.issues else TRUE
            return Transition(step, completed, (Update("awaited", term("t"), EMPTY),))
        case ir.StreamQuery() | ir.EventQuery() as query:
            return Transition(step, choice=_done(system, query))
        case ir.EndProcess() | ir.Trap():
            always, idle = (set_of(*(thread(t.name) for t in ts)) for ts in system.stopped_by(step))
            stopped = among("u", always)
            if idle != EMPTY:
                stopped = either(stopped, both(among("u", idle), equal(at("pc", "u"), label(IDLE))))
            ended = table("u", "Threads", if_(stopped, label(DONE), at("pc", "u")))
            return Transition(step, updates=(Update("pc", None, ended),))
        case ir.CreateThread(name):
            child = next(t for t in system.hosts if t.name == name)
            return Transition(step, updates=(Update("pc", thread(name), label(system.begin(child).label)),))
        case ir.JoinThread(name):
            return Transition(step, call("Done", thread(name)))
        case _:
            return None


def _grids_done(*grids: Term) -> Term:
    return call("AllDoneOf", set_of(*grids))


def _work(system: System, made: ir.Operation) -> Term:
    """The set of grids that a call waits for or asks about."""
    if isinstance(made, (ir.WorkSynchronize, ir.AwaitGrid)):
        return set_of(grid(made.grid))
    if isinstance(made, (ir.EventSynchronize, ir.EventQuery)):
        return at("event", event(made.event)) if made.event in system.events else EMPTY
    grids, streams = system.program.grids.values(), system.waited(made)
    wanted = [g for g in grids if g.stream.name in streams]
    if len(wanted) == len(grids):
        return call("Issued")
    work = op(Fn.MEET, call("Issued"), set_of(*(grid(g.name) for g in wanted)))
    return union(work, *(at("fence", stream(name)) for name in streams)) if system.events else work


def _done(system: System, made: ir.Operation) -> Term:
    """Whether all of it has completed."""
    if not system.issues:
        return TRUE
    work = _work(system, made)
    return call("AllIssuedDone") if work == call("Issued") else call("AllDoneOf", work)
