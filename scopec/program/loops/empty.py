"""Loops that do nothing but count to a limit: threads go past them.

Such a loop changes registers alone, none of which is read after it, and is left to one place.  A register counts its
turns, and is of no other use in it: each turn adds the same number, and comes to an exit that compares the count with a
constant.  So whatever it begins with, the loop ends: as long as it goes on the count is on one side of the limit and
comes nearer, and a step from there to the limit or beyond it does not leave the count's type.

None of its branches depends on what the thread has read, so no control dependency goes with it, which a memory model
may name: one leads from a read to all that comes after a branch.

Nobody notices how long a thread takes for that: a turn is owed, or not, as the step after it is.  It is not so where
the host provides no progress (``host_progress = none``): a device is not quiet while a thread is in such a loop, and
nothing is owed to that thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.records import replace
from scopec.program import ir
from scopec.program.effects import registers, uses_and_definitions
from scopec.program.loops.facts import facts
from scopec.program.loops.loops import Loop, live_registers
from scopec.program.specialise import redirect
from scopec.program.values import Binary, Const, Reg

if TYPE_CHECKING:
    from scopec.program.loops.facts import Exit, Facts

_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def without_empty_loops(body: ir.Body, observed: frozenset[str] = frozenset()) -> ir.Body:
    """The graph without such loops, inner ones first; the ``observed`` registers matter at the end of the thread."""
    live, found = live_registers(body, observed), _found(body)
    for fact in facts(body):
        after = _left_for(fact, live)
        if after is not None and any(_limits(fact, one) for one in fact.exits) and not _branches_by(fact, found):
            kept = {n: node for n, node in body.nodes.items() if n not in fact.nodes}
            leaving = {fact.loop.head: after}
            nodes = {n: redirect(node, lambda f, to=leaving: to.get(f, f)) for n, node in kept.items()}  # type: ignore[misc]
            return without_empty_loops(replace(body, nodes=nodes), observed)
    return body


def _left_for(fact: Facts, live: dict[int, frozenset[str]]) -> int | None:
    """Where a loop without another one in it goes on, if nobody notices what it does."""
    inner = any(isinstance(element, Loop) for element in fact.loop.rest)
    if inner or len(fact.outside) != 1 or fact.body.entry in fact.nodes or fact.entries != {fact.loop.head}:
        return None
    (following,) = fact.outside
    return following if fact.idle({"none"}) and not fact.computed & live[following] else None


def _found(body: ir.Body) -> set[str]:
    """The registers that may hold more than the thread computes from constants: results of reads, say."""
    found = set[str]()
    defined = [(node, uses_and_definitions(node)) for node in body.nodes.values()]
    changed = True
    while changed:
        changed = False
        for node, (used, names) in defined:
            assigns = isinstance(node, ir.Do) and isinstance(node.operation, ir.Set)
            if not names <= found and (not assigns or used & found):
                found |= names
                changed = True
    return found


def _branches_by(fact: Facts, names: set[str]) -> bool:
    """Whether a branch in a loop looks at one of some registers."""
    return any(isinstance(node, ir.Branch) and registers(node.condition) & names for node in fact.nodes.values())


def _limits(fact: Facts, one: Exit) -> bool:
    """Whether the count of a loop's turns comes to an exit."""
    match one.branch.condition:
        case Binary(op, Reg(name, type_), Const(limit, _), _) if op in _OPPOSITE and fact.in_every_turn(one.number):
            stays = _OPPOSITE[op] if one.leaves else op
        case _:
            return False
    step = fact.steps.get(name)
    if step is None or not _adds(fact.nodes[fact.defined[name][0]], Reg(name, type_)):
        return False
    last = limit - (stays == "<") + (stays == ">")  # the last count with which it goes on
    return (step > 0) == (stays in ("<", "<=")) and type_.wrap(last + step) == last + step


def _adds(node: ir.Node, count: Reg) -> bool:
    """Whether a node adds to a register, or subtracts from it, in the register's own type."""
    match node:
        case ir.Do(ir.Set(_, Binary("+" | "-", left, right, type_))):
            return type_ == count.type and not type_.is_float and count in (left, right)
        case _:
            return False
