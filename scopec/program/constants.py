"""Registers and values that are known before a thread runs, and checks that hold by them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from scopec.program import ir
from scopec.program.effects import overwritten
from scopec.program.values import TRUE, Builtin, Choose, Const, Convert, Reg, Value, substitute


def constants(body: ir.Body, builtins: Mapping[str, int]) -> dict[str, Const]:
    """The registers that a body sets at one place only, to what builtins and such registers give."""
    operations = [node.operation for node in body.nodes.values() if isinstance(node, ir.Do)]
    places = Counter(register for operation in operations for register in overwritten(operation))
    left = {op.target: op.value for op in operations if isinstance(op, ir.Set) and places[op.target] == 1}
    found: dict[str, Const] = {}
    while known := {r: folded for r, v in left.items() if isinstance(folded := fold(v, found, builtins), Const)}:
        found |= known
        left = {r: v for r, v in left.items() if r not in found}
    return found


def fold(value: Value, registers: Mapping[str, Const], builtins: Mapping[str, int]) -> Value:
    """A value with the registers and builtins replaced that are known."""

    def leaf(inner: Reg | Builtin) -> Value:
        if isinstance(inner, Builtin):
            return Const(builtins[inner.name], inner.type)
        return registers.get(inner.name, inner)

    return substitute(value, leaf)


def always_holding(body: ir.Body, threads: Iterable[ir.Thread]) -> frozenset[int]:
    """The implicit assertions of a body that hold in each of its threads by what is known before it runs."""
    found = {n: node.operation for n, node in body.nodes.items() if isinstance(node, ir.Do)}
    holding = {n: op.condition for n, op in found.items() if isinstance(op, ir.Assert) and op.implicit}
    for thread in threads if holding else ():
        builtins = thread.builtins or {}
        known = constants(thread.body, builtins)
        holding = {n: c for n, c in holding.items() if fold(c, known, builtins) == TRUE}
    return frozenset(holding)


def alternatives(value: Value) -> frozenset[int] | None:
    """The constants of which a value is one, whatever decides which; None where it is computed otherwise."""
    match value:
        case Const(number):
            return frozenset({number})
        case Choose(_, then, otherwise):
            one, other = alternatives(then), alternatives(otherwise)
            return None if one is None or other is None else one | other
        case Convert(operand, type_):
            inner = alternatives(operand)
            return None if inner is None else frozenset(map(type_.wrap, inner))
        case _:
            return None
