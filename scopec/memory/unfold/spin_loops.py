"""Turns of a loop that need not be executed more than once: waiting, and retrying."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.memory.events.events import Event, Kind
from scopec.memory.unfold.unfolding import value_at
from scopec.program import ir, values
from scopec.program.effects import effects, written
from scopec.program.observe import Location, instance
from scopec.program.values import Const, Reg, Value
from scopec.program.warp import WARP

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scopec.memory.events.events import LeftOpen
    from scopec.memory.events.guards import Guard
    from scopec.memory.unfold.unfolding import State, Unfolding
    from scopec.program.loops.loops import Loop


def only_waits(out: Unfolding, entry: State, back: State, live: Iterable[str], events: Sequence[Event]) -> bool:
    """Whether going round again leaves everything as it was (memory-models note, wait loops).

    ``entry`` and ``back`` are the states at the loop's head before and after a turn, of which ``events`` are.  If so,
    failed turns are independent of each other.  Removing one from a consistent execution removes happens-before edges
    but no value that others read, so outcomes need only the last turn, and races with the accesses of a failed turn
    need one of these.  Where threads meet in a turn, all who meet go round together (:class:`Vote`), and a turn of all
    of them is removed.

    A read-modify-write that stores what it read (a failed exchange of a spin lock) counts as a read here: who read from
    it reads the same value from the write before it, which it directly follows in coherence order, and release
    sequences through it go on without it.
    """
    if any(back.registers.get(r) != entry.registers.get(r) for r in live):
        return False
    return all(silent(out, e) or e.guard.excludes(back.guard) or _restores(out, e, back.guard) for e in events)


def silent(out: Unfolding, event: Event, *, made_before: bool = True) -> bool:
    """Whether an event changes nothing that another thread could see.

    Where the turn has been ``made_before``, what is done the first time only and meetings with others are no change: of
    a wait loop one turn that fails is executed, with all who meet in it.  Nor is a trap: who traps does not go round.
    """
    match event.kind:
        case Kind.READ | Kind.FENCE | Kind.PROXY_FENCE | Kind.INIT_FENCE | Kind.TENSOR_BEFORE | Kind.TENSOR_AFTER:
            return True
        case Kind.CALL:
            call = out.calls.get(event.id)  # none of a notification
            trace = "change" if call is None else effects(call).trace
            return trace == "question" or (made_before and trace in ("first time", "trap"))
        case Kind.ARRIVE | Kind.WAIT:
            return made_before and out.joint and not out.barriers[event.id].barrier.named
        case _:
            return False


def _restores(out: Unfolding, write: Event, where: Guard) -> bool:
    """Whether a write is half of an RMW that stores the value that it read, on the paths of a guard."""
    if write.rmw is None or write.value is None or write.location is None or not out.reductions.retries:
        return False
    stored = _on(out, where, write.value)
    if isinstance(stored, Reg) and stored.name == write.rmw:
        return True  # whatever was there
    possible = out.stored(write.location.object)
    if possible is None:
        return False
    own = _brought(out, write.thread)
    conditions = [values.substitute(condition, lambda leaf: own.get(leaf.name, leaf)) for condition in out.conditions]
    for value in possible:
        # Values that the branches taken rule out need not be restored.
        excluded = any(
            [leaf.name for leaf in values.leaves(condition)] == [write.rmw]
            and where.excludes(out.guards.literal(number, bool(value_at(condition, value, write.rmw))))
            for number, condition in enumerate(conditions)
        )
        if not excluded and value_at(write.value, value, write.rmw) != value:
            return False
    return True


def _brought(out: Unfolding, thread: str) -> dict[str, Value]:
    """The known registers of exchanges before all threads are executed: those of the lane itself."""
    lane = next(t.lane % WARP for t in out.program.threads if t.name == thread)
    found: dict[str, Value] = {}
    for event in out.events:
        if event.kind is Kind.ARRIVE and event.thread == thread:
            passage = out.barriers[event.id]
            for what, value in ((ir.brought(lane), passage.brought), (ir.came(lane), values.TRUE)):
                key = (passage.barrier, passage.name, passage.phase, what)
                if passage.barrier.lanes is not None and value is not None and key in out.exchanged:
                    found[out.exchanged[key].name] = values.cast(value, out.exchanged[key].type)
    return found


# ---------------------------------------------------------------- retry loops


def spurious_failure(loop: Loop) -> str:
    """The register that says whether a retry loop has failed without a reason."""
    return f"%spurious_failure {loop.head}"


def retries(
    out: Unfolding, thread: ir.Thread, entry: State, back: State, live: Iterable[str], events: Sequence[Event]
) -> bool:
    """Whether a loop does a turn again as it was when its weak compare-exchange fails without a reason.

    Such a turn reads, and stores what the next turn stores again at a place that no other thread writes.  Like a failed
    turn of a wait loop it may be removed: what others read of it they read of the next turn, and no release of the
    thread comes between.  So one such failure in a loop stands for any number of them; failures with a reason, another
    value found, are not limited by this.
    """
    own = {e.id for e in events}
    weak = [choice for choice in out.choices.values() if choice.what == "weak" and choice.of in own]
    return bool(weak) and all(_stutters(out, thread, entry, back, live, events, choice) for choice in weak)


def _stutters(
    out: Unfolding,
    thread: ir.Thread,
    entry: State,
    back: State,
    live: Iterable[str],
    events: Sequence[Event],
    weak: LeftOpen,
) -> bool:
    read, choice = weak.of, weak.register
    expected = next((e for c in out.conditions if (e := _expected(c, read, choice)) is not None), None)
    if expected is None:
        return False

    def failed(value: Value) -> Value:
        """A value where the compare-exchange found what it expected, and failed."""
        return values.substitute(
            value,
            lambda leaf: values.FALSE if leaf.name == choice else expected if leaf.name == read else leaf,
        )

    own = {e.id: e for e in events}
    there = own[read].guard  # other paths have a compare-exchange of their own, or none
    for register in live:
        before, after = entry.registers.get(register), back.registers.get(register)
        if before != after and (before is None or after is None or failed(_on(out, there, after)) != before):
            return False
    for event in events:
        if event.guard.excludes(there):
            continue
        if event.kind is not Kind.WRITE:
            if not silent(out, event):
                return False
            continue
        if event.rmw is not None and failed(event.guard.value(out.conditions)) == values.FALSE:
            continue  # the successful exchange
        if event.value is None or event.order is not None or event.location is None:
            return False
        stored = failed(event.value)
        mentioned = out.events_of(stored) & set(own)
        restored = isinstance(stored, Reg) and stored.name in own and own[stored.name].location == event.location
        if (mentioned and not restored) or _written_by_others(out, thread, event.location):
            return False
    return True


def _on(out: Unfolding, paths: Guard, value: Value) -> Value:
    """A value on some paths, with the conditions that are decided there."""
    decided = {
        condition: Const(int(not truth), condition.type)
        for number, condition in enumerate(out.conditions)
        for truth in (True, False)
        if paths.excludes(out.guards.literal(number, truth))
    }

    def simpler(one: Value, parts: Sequence[Value]) -> Value:
        return values.choose(*parts) if isinstance(one, values.Choose) else values.rebuild(one, parts)

    return values.fold(value, simpler, decided.get)


def _expected(condition: Value, read: str, choice: str) -> Value | None:
    """The value that a weak compare-exchange expects, from the condition of its success."""
    match condition:
        case values.Binary("&&", values.Binary("==", Reg(name, _), expected, _), Reg(chosen, _), _) if (
            name == read and chosen == choice
        ):
            return expected
        case values.Unary("!", operand, _):
            return _expected(operand, read, choice)
        case _:
            return None


def _written_by_others(out: Unfolding, thread: ir.Thread, location: Location) -> bool:
    """Whether another thread may write a location."""
    object_ = out.program.objects[location.object]
    for other in out.program.threads:
        if other.name == thread.name or instance(object_, other) != location.instance:
            continue
        for node in other.body.nodes.values():
            place = written(node)
            if place is None:
                continue
            elsewhere = isinstance(place.index, Const) and place.index.value != location.index
            if place.object == location.object and not elsewhere:
                return True
    return False
