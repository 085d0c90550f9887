"""Branches both of whose ways are the same: what they ask decides nothing.

Two ways are the same if they lead to one node, or to nodes that do the same and then go on in the same ways::

    1: x, ok = cas a from 0 to 1 -> 2
    2: if ok -> 3 else 4                 1: x, ok = cas a from 0 to 1 -> 3
    3: i = 1 -> 5                 is     3: i = 1 -> 5
    4: i = 1 -> 5                        4: i = 1 -> 5
    5: exit                              5: exit

A thread does the same on either way, so without the branch it has the behaviours that it has.  Operations at which it
meets others are the same only where they are one: by their places they are told apart.  A branch that leads to itself
stays, and so do several that lead to each other: that is a thread that goes round for ever.
"""

from __future__ import annotations

from scopec.base.records import replace
from scopec.program import ir
from scopec.program.effects import effects
from scopec.program.specialise import redirect


def without_idle_branches(body: ir.Body) -> ir.Body:
    """The graph without branches both of whose ways are the same."""
    while True:
        idle = {n: node.then for n, node in body.nodes.items() if isinstance(node, ir.Branch) and _is_idle(node, body)}
        past = {n: then for n, then in idle.items() if then not in idle}  # the last of several first
        if not past:
            return body
        body = _without(body, past)


def _without(body: ir.Body, past: dict[int, int]) -> ir.Body:
    """The graph without some nodes, of each of which it is said where a thread goes on instead."""

    def target(number: int) -> int:
        return past.get(number, number)

    nodes = {n: redirect(node, target) for n, node in body.nodes.items() if n not in past}
    return replace(body, entry=target(body.entry), nodes=nodes)


def _is_idle(branch: ir.Branch, body: ir.Body) -> bool:
    """Whether both ways of a branch are the same."""
    seen: set[tuple[int, int]] = set()
    work = [(branch.then, branch.otherwise)]
    while work:
        one, other = pair = work.pop()
        if one == other or pair in seen:
            continue
        if not _is_same(body.nodes[one], body.nodes[other]):
            return False
        seen.add(pair)
        work += zip(ir.successors(body.nodes[one]), ir.successors(body.nodes[other]), strict=True)
    return True


def _is_same(one: ir.Node, other: ir.Node) -> bool:
    """Whether two nodes do the same, wherever they stand and lead."""
    match one, other:
        case ir.Do(operation), ir.Do(same):
            done = effects(operation)
            return operation == same and not (done.waits or done.changes)
        case ir.Branch(condition), ir.Branch(same):
            return condition == same
        case ir.Exit(), ir.Exit():
            return True
        case _:
            return False
