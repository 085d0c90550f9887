"""Waits that a clock bounds, and watchdogs: waits that end in a trap when they take too long.

A clock may end a wait in any turn, or never.  With ``timeouts = never`` it ends none.  A watchdog that does nothing
before its trap is then left out; if it does something, executions in which it fires are kept, and schedules are not.
With ``timeouts = eventually`` such a wait ends at last, as one that counts its turns does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from scopec.base.records import replace
from scopec.program import ir, types, values
from scopec.program.conditions import looked_through
from scopec.program.effects import effects, place_of, registers
from scopec.program.loops.facts import AGAIN, facts
from scopec.program.values import Reg

if TYPE_CHECKING:
    from collections.abc import Callable

    from scopec.base.source import Span
    from scopec.program.effects import Trace
    from scopec.program.loops.facts import Exit

#: Effects of a thread that traps then which nobody notices, unlike a read, which may race, and a failure.
_BEFORE_TRAP: frozenset[Trace] = frozenset({"none", "order", "outside", "trap"})
#: The barriers at which threads of a watched wait may meet, in every turn.
_MEETING = (ir.SyncThreads, ir.GroupSync)


def not_fired(body: ir.Body, unnoticed: Callable[[str], bool]) -> tuple[ir.Body, dict[Span, bool]]:
    """The graph in which no watchdog fires, and where there are some: whether they do anything before their traps.

    What those do is followed in executions.  ``unnoticed`` are objects that a program does not have as such.
    """
    nodes = dict(body.nodes)
    found: dict[Span, bool] = {}
    for fact in facts(looked_through(body)):
        for late in fact.exits_by("clock") if fact.idle(AGAIN, but=_MEETING) else ():
            way = trapping(body, late.branch.then if late.leaves else late.branch.otherwise)
            if way is None:
                continue
            does = any(not _is_nothing(body.nodes[n], unnoticed) for n in way)
            if does:
                _decide(nodes, late, "watchdog")
            else:
                nodes[late.number] = replace(late.branch, condition=values.FALSE if late.leaves else values.TRUE)
            found[late.branch.span] = does
    return replace(body, nodes=nodes) if found else body, found


def given_up(body: ir.Body) -> ir.Body:
    """The graph in which what a clock bounds ends at last."""
    nodes = dict(body.nodes)
    for fact in facts(looked_through(body)):
        for late in fact.exits_by("clock"):
            _decide(nodes, late, "timeout")
    return replace(body, nodes=nodes) if len(nodes) > len(body.nodes) else body


def _decide(nodes: dict[int, ir.Node], where: Exit, what: Literal["watchdog", "timeout"]) -> None:
    """Let something else decide whether a loop is left at an exit."""
    branch, after = nodes[where.number], max(nodes) + 1
    assert isinstance(branch, ir.Branch)
    late = Reg(f"{min(registers(branch.condition))}_late", types.BOOL)
    nodes[where.number] = ir.Do(ir.Decide(late.name, what), branch.span, after)
    nodes[after] = replace(branch, condition=late if where.leaves else values.unary("!", late))


def _is_nothing(node: ir.Node, unnoticed: Callable[[str], bool]) -> bool:
    if not isinstance(node, ir.Do) or effects(node.operation).trace in _BEFORE_TRAP:
        return True
    place = place_of(node.operation)
    return place is not None and unnoticed(place.object)


def trapping(body: ir.Body, number: int) -> set[int] | None:
    """The nodes before the traps to which a node leads, and these; None if it leads elsewhere, or to a barrier."""
    work, seen = [number], set[int]()
    while work:
        if (n := work.pop()) in seen:
            continue
        seen.add(n)
        match body.nodes[n]:
            case ir.Do(ir.Trap()):
                continue
            case ir.Exit() | ir.Do(ir.SyncThreads() | ir.GroupSync() | ir.NamedBarrier()):
                return None
            case node:
                work += ir.successors(node)
    return seen
