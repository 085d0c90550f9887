"""Waits that a clock bounds, and watchdogs: those that are left for a trap when it says that they take too long.

A clock may say so at any time, or never.  With ``timeouts = never`` it does not say so of a wait: a watchdog that does
nothing before its trap is left out, and of one that does, executions have that and schedules do not.  With ``timeouts =
eventually`` such a wait is left at last, as one that counts its turns is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from scopec.program import ir, types, values
from scopec.program.conditions import decided_by, looked_through
from scopec.program.effects import place_of, registers
from scopec.program.loops.counts import idle
from scopec.program.loops.loops import loops
from scopec.program.values import Reg

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from scopec.base.source import Span

#: What nobody could notice of a thread that traps then.
_NOTHING = (ir.Set, ir.Silent, ir.Decide, ir.Operand, ir.Called, ir.Fence, ir.Trap)


def not_fired(body: ir.Body, unnoticed: Callable[[str], bool]) -> tuple[ir.Body, dict[Span, bool]]:
    """The graph in which no watchdog fires, and where there are some: whether they do anything before their traps.

    What those do is followed in executions.  ``unnoticed`` are objects that a program does not have as such.
    """
    nodes = dict(body.nodes)
    found: dict[Span, bool] = {}
    told = looked_through(body).nodes
    for loop in loops(body):
        inside = {n: told[n] for n in loop.nodes()}
        if all(idle(inside, node) or _meets(node) for node in inside.values()):
            for number, branch, leaves in _by_clock(inside):
                way = trapping(body, branch.then if leaves else branch.otherwise)
                if way is None:
                    continue
                does = any(not _is_nothing(body.nodes[n], unnoticed) for n in way)
                if does:
                    _decide(nodes, number, "watchdog", leaves=leaves)
                else:
                    nodes[number] = replace(branch, condition=values.FALSE if leaves else values.TRUE)
                found[branch.span] = does
    return replace(body, nodes=nodes) if found else body, found


def given_up(body: ir.Body) -> ir.Body:
    """The graph in which what a clock bounds ends at last."""
    nodes, told = dict(body.nodes), looked_through(body).nodes
    for loop in loops(body):
        inside = {n: told[n] for n in loop.nodes()}
        for number, _, leaves in _by_clock(inside):
            _decide(nodes, number, "timeout", leaves=leaves)
    return replace(body, nodes=nodes) if len(nodes) > len(body.nodes) else body


def _by_clock(inside: Mapping[int, ir.Node]) -> Iterator[tuple[int, ir.Branch, bool]]:
    """The branches at which a clock that the loop looks at decides whether to leave it, and how they come out then."""
    late = decided_by(inside, "clock")
    leaving = {
        n: b for n, b in inside.items() if isinstance(b, ir.Branch) and (b.then in inside) != (b.otherwise in inside)
    }
    for number, branch in leaving.items():
        if (names := registers(branch.condition)) and names <= late:
            yield number, branch, branch.otherwise in inside


def _decide(nodes: dict[int, ir.Node], number: int, what: Literal["watchdog", "timeout"], *, leaves: bool) -> None:
    """Let something else decide a branch: how it comes out where that is true."""
    branch, after = nodes[number], max(nodes) + 1
    assert isinstance(branch, ir.Branch)
    late = Reg(f"{min(registers(branch.condition))}_late", types.BOOL)
    nodes[number] = ir.Do(ir.Decide(late.name, what), branch.span, after)
    nodes[after] = replace(branch, condition=late if leaves else values.unary("!", late))


def _meets(node: ir.Node) -> bool:
    return isinstance(node, ir.Do) and isinstance(node.operation, (ir.SyncThreads, ir.GroupSync))


def _is_nothing(node: ir.Node, unnoticed: Callable[[str], bool]) -> bool:
    if not isinstance(node, ir.Do) or isinstance(node.operation, _NOTHING):
        return True
    place = place_of(node.operation)
    return place is not None and unnoticed(place.object)


def trapping(body: ir.Body, number: int) -> set[int] | None:
    """What lies before the traps to which a node leads, and these; None if it leads elsewhere, or to a barrier."""
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
