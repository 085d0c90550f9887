"""Branch conditions: replaces registers copied just before a branch, and finds branches on unmodelled values.

PTX computes the condition of a branch into a register, as in ``setp.gt.u32 %p, %n, 1000; @%p bra L;``: the branch is
one on the condition ``n > 1000``.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from scopec.base.records import replace
from scopec.program import ir, values
from scopec.program.effects import registers, uses_and_definitions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.program.values import Value


def looked_through(body: ir.Body) -> ir.Body:
    """The graph in which branches look at what the registers were set to that nothing but an assignment leads from."""
    before: dict[int, list[int]] = defaultdict(list)
    for number, node in body.nodes.items():
        for following in ir.successors(node):
            before[following].append(number)
    nodes = {
        number: replace(node, condition=_condition(body, number, node.condition, before))
        if isinstance(node, ir.Branch)
        else node
        for number, node in body.nodes.items()
    }
    return replace(body, nodes=nodes)


def _condition(body: ir.Body, number: int, condition: Value, before: Mapping[int, list[int]]) -> Value:
    """A condition at a node, over registers that no assignment straight before it sets."""
    set_since: set[str] = set()
    while number != body.entry and len(before[number]) == 1:
        (number,) = before[number]
        match body.nodes[number]:
            case ir.Do(ir.Set(target, value)):
                if target in registers(condition) and target not in set_since:
                    if registers(value) & {*set_since, target}:
                        break
                    condition = _with(condition, target, value)
                set_since.add(target)
            case _:
                break
    return condition


def _with(condition: Value, target: str, value: Value) -> Value:
    return values.substitute(condition, lambda leaf: value if leaf.name == target else leaf)


def decided_by(inside: Mapping[int, ir.Node], *what: str) -> set[str]:
    """The registers that nothing sets in some nodes but what is not modelled, of some kinds, or copies of such."""
    setting: dict[str, list[ir.Node]] = defaultdict(list)
    for node in inside.values():
        for name in uses_and_definitions(node)[1]:
            setting[name].append(node)
    found: set[str] = set()

    def decides(node: ir.Node) -> bool:
        match node:
            case ir.Do(ir.Decide(_, kind)):
                return kind in what
            case ir.Do(ir.Set(_, value)):
                return bool(names := registers(value)) and names <= found
            case _:
                return False

    while more := {name for name, nodes in setting.items() if all(map(decides, nodes))} - found:
        found |= more
    return found
