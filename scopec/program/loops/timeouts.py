"""Loops that wait, and give up after so many turns: the registers that count the turns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from scopec.program import ir, values
from scopec.program.effects import registers
from scopec.program.loops.facts import Facts
from scopec.program.values import Const, Reg

if TYPE_CHECKING:
    from scopec.program.loops.loops import Loop
    from scopec.program.values import Value

#: Up to how many turns are counted to find the value with which a loop gives up.
_MOST_TURNS = 1 << 16


def clocks(body: ir.Body, loop: Loop) -> Mapping[str, int]:
    """The registers that count the turns of a loop that also ends otherwise, with what each turn adds.

    Such a register grows by a constant in every turn, and all that it decides is whether to leave the loop.  Unlike
    those of :mod:`counts` it is not begun anew, and its limit need not be far.
    """
    fact = Facts(body, loop)
    counted = any(one.names & fact.steps.keys() for one in fact.exits)
    otherwise = any(one.names & (fact.computed - fact.steps.keys()) for one in fact.exits)
    return fact.steps if counted and otherwise else {}


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
