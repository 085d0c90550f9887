"""Collective barriers: a step that arrives, and one that waits and leaves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from scopec.program import ir, types, values
from scopec.program.collective import by_chance
from scopec.program.names import identifier
from scopec.program.warp import EVERY_LANE, WARP
from scopec.progress.steps import DONE, MET, OUTCOME, Step, Wait
from scopec.progress.terms import (
    EMPTY,
    Fn,
    Id,
    Number,
    Of,
    Sort,
    Term,
    among,
    at,
    block,
    both,
    call,
    domain_of,
    each,
    either,
    equal,
    every,
    if_,
    implies,
    label,
    negated,
    op,
    set_of,
    size,
    some,
    table,
    term,
    those,
    thread,
    tuple_of,
    union,
)
from scopec.progress.transition import Definition, Laws, Table, Transition, Update, Variable

if TYPE_CHECKING:
    from scopec.progress.system import System


Collective: TypeAlias = ir.SyncThreads | ir.GroupSync


def collective(system: System) -> list[Collective]:
    """The collective barriers of a system."""
    at_ = (s.operation.at for s in system.steps.values() if isinstance(s.operation, Wait))
    return [operation for operation in at_ if not isinstance(operation, ir.NamedBarrier)]


def _vote(operation: Collective | ir.NamedBarrier) -> ir.Vote | None:
    return None if isinstance(operation, ir.GroupSync) else operation.vote


def table_of(operation: Collective) -> str:
    """The table that gives each thread the barrier that it uses here."""
    if isinstance(operation, ir.SyncThreads):
        return "BlockOf"
    match operation.group:
        case ir.Group.WARP:
            name = "WarpOf" if operation.mask == EVERY_LANE else f"WarpOf_{operation.mask:x}"
            name += f"_{identifier(operation.of)}" if operation.of else ""
            return name if operation.exchange is None else f"{name}_{identifier(operation.exchange.name)}"
        case ir.Group.TILE:
            return f"TileOf_{operation.mask}"
        case ir.Group.CLUSTER:
            return "ClusterOf"
        case ir.Group.GRID:
            return "WholeOf"


def _exchange(operation: Collective) -> ir.Exchange | None:
    """The exchange of lanes; who meets by chance gives nothing."""
    return operation.exchange if isinstance(operation, ir.GroupSync) and not by_chance(operation) else None


def _barrier(of: ir.Thread, operation: Collective) -> Id:
    """The barrier of a thread: its group, which of a block's, of what, and its mask or size."""
    if isinstance(operation, ir.SyncThreads):
        return block(of.block_name)

    def one(number: int, whole: str) -> Id:
        exchange = "" if operation.exchange is None else operation.exchange.name
        of = (operation.of,) if operation.of else ()
        return Id(Sort.BARRIER, (operation.group, number, whole, operation.mask, exchange, *of))

    match operation.group:
        case ir.Group.WARP:
            return one(of.lane // WARP, of.block_name)
        case ir.Group.TILE:
            return one(of.lane // operation.mask, of.block_name)
        case ir.Group.CLUSTER:
            return one(0, of.cluster_name)
        case ir.Group.GRID:
            return one(0, of.grid or of.name)


def tables(system: System) -> Iterator[tuple[str, Table]]:
    """The barriers of each thread, and the threads that each joins."""
    groups = {table_of(operation): operation for operation in collective(system)}
    joins: dict[Id, list[Id]] = {}
    for name, operation in sorted(groups.items()):
        own = {thread(t.name): _barrier(t, operation) for t in system.threads}
        if name != "BlockOf":
            yield name, own
        warp = isinstance(operation, ir.GroupSync) and operation.group is ir.Group.WARP
        mask = operation.mask if warp else EVERY_LANE  # type: ignore[union-attr]
        for t in system.threads:
            if mask >> t.lane % WARP & 1:
                joins.setdefault(own[thread(t.name)], []).append(thread(t.name))
    if any(_exchange(operation) or by_chance(operation) for operation in groups.values()):
        yield "LaneOf", {thread(t.name): Number(t.lane % WARP) for t in system.threads}
    if groups:
        yield "Joins", {barrier: set_of(*threads) for barrier, threads in joins.items()}


def variables(system: System) -> Iterator[Variable]:
    """The variables of the state about barriers."""
    found = collective(system)
    if found:
        barriers = domain_of("Joins")
        inside = every("b", barriers, op(Fn.SUBSET, at("arrived", "b"), at("Joins", "b")))
        yield Variable("arrived", "threads that wait at each barrier", table("b", barriers, EMPTY), (inside,))
    if any(_vote(s.operation.at) for s in system.steps.values() if isinstance(s.operation, Wait)):
        yield Variable("ballot", "votes at barriers, then their outcome", table("t", "DeviceThreads", 0))
    if any(_exchange(operation) for operation in found):
        yield Variable("brought", "what lanes bring to an exchange", table("t", "DeviceThreads", 0))
        kept = "lanes of an exchange that is over, with what they brought"
        yield Variable("met", kept, table("t", "DeviceThreads", EMPTY))


def _may_leave(name: str, who: str, come: Term) -> Definition:
    law = f"{who} has arrived, or the phase is over already"
    over = negated(among("t", at("arrived", "b")))
    return Definition(name, ("t", "b"), either(over, every("u", at("Joins", "b"), come)), (law,))


_HERE = among("u", at("arrived", "b"))
BARRIERS = Laws(
    "Barriers",
    "barriers of blocks, clusters, grids, warps and tiles: when a thread may leave",
    (
        _may_leave("Released", "every thread of the barrier that has not exited", either(_HERE, call("Done", "u"))),
        _may_leave("Complete", "every thread of the barrier", _HERE),
    ),
)
_MEETING = call("Meeting", "t", "b")
EXCHANGES = Laws(
    "Exchanges",
    "exchanges between the lanes of a warp: what each has brought",
    (
        Definition(
            "Meeting",
            ("t", "b"),
            if_(
                among("t", at("arrived", "b")),
                each(tuple_of(at("LaneOf", "u"), at("brought", "u")), "u", at("arrived", "b")),
                at("met", "t"),
            ),
        ),
        Definition("Came", ("t", "b", "n"), some("m", _MEETING, equal(at("m", 1), "n"))),
        Definition(
            "Brought",
            ("t", "b", "n"),
            op(Fn.ONLY, each(at("m", 2), "m", those("x", _MEETING, equal(at("x", 1), "n")))),
        ),
    ),
)


def definitions(system: System) -> Iterator[Laws]:
    """The conditions on which a thread may leave a barrier, and its result."""
    found = collective(system)
    if found:
        yield BARRIERS
    if any(map(_exchange, found)):
        yield EXCHANGES


def arrive(step: Step, operation: Collective) -> Transition:
    """Arriving: the thread joins those that have, with its vote, or what it brings."""
    if by_chance(operation):
        return _come(step, operation)
    vote, updates = _vote(operation), [Update("arrived", at(table_of(operation), "t"), union("@", set_of("t")))]
    if vote is not None:
        updates.append(Update("ballot", term("t"), cast(vote)))
    if (exchange := _exchange(operation)) is not None:
        updates.append(Update("brought", term("t"), Of(exchange.value)))
    return Transition(step, updates=tuple(updates))


def leave(system: System, step: Step, operation: Collective) -> Transition:
    """Waiting and leaving: the first thread that leaves ends the phase for all.

    Of a vote it puts the outcome in the place of the votes; of an exchange it keeps for the others what all brought.
    """
    if by_chance(operation):
        return _meet(step, operation)
    if isinstance(operation, ir.GroupSync) and not operation.waits:
        return Transition(step, negated(among("t", at("arrived", at(table_of(operation), "t")))))
    vote, barrier, exchange = _vote(operation), at(table_of(operation), "t"), _exchange(operation)
    there, joined = at("arrived", barrier), at("Joins", barrier)
    or_own = if_(among("t", there), joined, set_of("t"))
    updates = [Update("arrived", barrier, if_(among("t", "@"), EMPTY, "@"))]
    outcomes: dict[str, Term] = {}
    over = both(among("t", there), among("u", there))
    if exchange is not None:
        given = if_(equal("u", "t"), EMPTY, if_(over, call("Meeting", "t", barrier), at("met", "u")))
        updates.append(Update("met", None, table("u", "DeviceThreads", given), or_own))
        brought = table("u", "DeviceThreads", if_(over, 0, at("brought", "u")))
        updates.append(Update("brought", None, brought, if_(among("t", there), joined, EMPTY)))
        for name in sorted({leaf.name for result in exchange.results for leaf in values.leaves(result)}):
            if ir.is_exchanged(name):
                lane, takes_part = ir.exchanged_by(name)
                found = call("Came" if takes_part else "Brought", "t", barrier, lane)
                outcomes[name] = if_(found, 1, 0) if takes_part else found
    if vote is not None:
        outcome = tally(vote, there)
        kept = if_(over, outcome, at("ballot", "u"))
        updates.append(Update("ballot", None, table("u", "DeviceThreads", if_(equal("u", "t"), 0, kept)), or_own))
        outcomes[OUTCOME] = if_(among("t", there), outcome, at("ballot", "t"))
    group = operation.group if isinstance(operation, ir.GroupSync) else None
    guard = call("Complete" if system.exited_hold(group) else "Released", "t", barrier)
    return Transition(step, guard, tuple(updates), outcomes=outcomes)


def _come(step: Step, operation: Collective) -> Transition:
    """Coming to where some lanes meet by chance: one lane after the other.

    They are there at once, so in this order there is each execution.
    """
    barrier = at(table_of(operation), "t")
    first = op(Fn.BELOW, at("LaneOf", "u"), at("LaneOf", "t"))
    due = implies(first, among("u", at("arrived", barrier)))
    updates = (Update("arrived", barrier, union("@", set_of("t"))),)
    return _or_nothing(step, every("u", at("Joins", barrier), due), updates)


def _meet(step: Step, operation: Collective) -> Transition:
    """Going on together."""
    barrier = at(table_of(operation), "t")
    updates = (Update("arrived", barrier, if_(among("t", "@"), EMPTY, "@")),)
    return _or_nothing(step, call("Complete", "t", barrier), updates)


def _or_nothing(step: Step, met: Term, updates: tuple[Update, ...]) -> Transition:
    """A step of an execution, where a condition holds: elsewhere there is none such, and all that is left is to end."""
    nothing = Update("pc", None, table("v", "Threads", if_(met, at("pc", "v"), label(DONE))))
    return Transition(step, updates=(*updates, nothing), outcomes={MET: if_(met, 1, 0)})


def cast(vote: ir.Vote) -> Term:
    """The vote of a thread."""
    return if_(Of(values.convert(vote.predicate, types.BOOL), truth=True), 1, 0)


def tally(vote: ir.Vote, there: Term, ballot: Term | None = None) -> Term:
    """The outcome of a vote among the threads that are ``there``; ``ballot`` is what the thread v votes."""
    yes = equal(at("ballot", "v") if ballot is None else ballot, 1)
    match vote.function:
        case "count":
            return size(those("v", there, yes))
        case "and":
            return if_(every("v", there, yes), 1, 0)
        case "or":
            return if_(some("v", there, yes), 1, 0)
