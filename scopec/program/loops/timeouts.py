"""Loops that wait, and give up after so many turns: the registers that count the turns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from scopec.program import ir, values
from scopec.program.effects import registers, uses_and_definitions
from scopec.program.loops.counts import added
from scopec.program.loops.headers import in_every_turn
from scopec.program.loops.loops import Loop
from scopec.program.values import Const, Reg

if TYPE_CHECKING:
    from scopec.program.values import Value

#: Up to how many turns are counted to find the value with which a loop gives up.
_MOST_TURNS = 1 << 16


def clocks(body: ir.Body, loop: Loop) -> Mapping[str, int]:
    """The registers that count the turns of a loop that also ends otherwise, with what each turn adds.

    Such a register grows by a constant in every turn, and all that it decides is whether to leave the loop.
    """
    inside = loop.nodes()
    nodes = {n: body.nodes[n] for n in inside}
    defined: dict[str, list[int]] = {}
    used: dict[str, list[int]] = {}
    for number, node in nodes.items():
        reads, writes = uses_and_definitions(node)
        for name in writes:
            defined.setdefault(name, []).append(number)
        for name in reads:
            used.setdefault(name, []).append(number)
    found: dict[str, int] = {}
    for name, places in defined.items():
        step = _step(nodes[places[0]], name) if len(places) == 1 else None
        if step is None or not in_every_turn(nodes, loop.head, places[0]):
            continue
        if all(n == places[0] or _leaves(nodes[n], inside) for n in used.get(name, ())):
            found[name] = step
    leaving = [
        registers(node.condition) for node in nodes.values() if isinstance(node, ir.Branch) and _leaves(node, inside)
    ]
    counted = any(names & set(found) for names in leaving)
    otherwise = any((names & set(defined)) - set(found) for names in leaving)
    return found if counted and otherwise else {}


def gives_up(condition: Value, held: Mapping[str, Value], steps: Mapping[str, int], stays: bool) -> int | None:
    """After how many more turns a condition is no longer ``stays``, whatever is read; None if that is not found.

    ``held`` are the registers' values, of those that count turns constants; ``steps`` what a turn adds to these.
    """
    mentioned = [name for name in steps if name in registers(condition)]
    now = {name: value for name in mentioned if isinstance(value := held.get(name), Const)}
    if not mentioned or len(now) < len(mentioned):
        return None
    for turns in range(_MOST_TURNS):

        def advanced(leaf: Reg | values.Builtin, turns: int = turns) -> Value:
            known = now.get(leaf.name)
            return leaf if known is None else after(known, steps[leaf.name], turns)

        decided = values.substitute(condition, advanced)
        if isinstance(decided, Const) and bool(decided.value) is not stays:
            return turns
    return None


def after(value: Const, step: int, turns: int) -> Const:
    """What a register that counts turns holds after some more."""
    return Const(value.type.wrap(value.value + step * turns), value.type)


def _step(node: ir.Node, name: str) -> int | None:
    """What a node adds to a register, None if it does anything else with it."""
    match node:
        case ir.Do(ir.Set(_, value)):
            return added(value, name)
        case _:
            return None


def _leaves(node: ir.Node, inside: set[int]) -> bool:
    """Whether a node decides to leave a loop."""
    return isinstance(node, ir.Branch) and (node.then in inside) != (node.otherwise in inside)
