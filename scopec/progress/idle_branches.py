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


def without_idle_branches(body: ir.Body) -> ir.Body:
    """The graph without branches both of whose ways are the same."""
    while True:
        idle = {n: node.then for n, node in body.nodes.items() if isinstance(node, ir.Branch) and _is_idle(node, body)}
        past = {n: then for n, then in idle.items() if then not in idle}  # the last of several first
        if not past:
            return body
        nodes = {n: _led(node, past) for n, node in body.nodes.items() if n not in past}
        body = replace(body, entry=past.get(body.entry, body.entry), nodes=nodes)


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


def _led(node: ir.Node, past: dict[int, int]) -> ir.Node:
    """A node that goes on where it would behind the branches that go."""
    match node:
        case ir.Do():
            return replace(node, next=past.get(node.next, node.next))
        case ir.Branch():
            then, otherwise = (past.get(way, way) for way in (node.then, node.otherwise))
            return replace(node, then=then, otherwise=otherwise)
        case ir.Exit():
            return node
