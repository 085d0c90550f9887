"""Code that is executed while the program is lowered: what gives objects of static storage duration their values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.program import ir
from scopec.program.types import ArithmeticFault
from scopec.program.values import Builtin, Reg, Value, evaluate

if TYPE_CHECKING:
    from scopec.base.source import Span

_MOST_STEPS = 100_000


def run(body: ir.Body, objects: Mapping[str, ir.Object], memory: dict[str, list[int | None]]) -> None:
    """Execute a graph; ``memory`` has the values of objects and is changed.

    Raises InputError for whatever is not known before the program runs.
    """
    registers: dict[str, int] = {}
    number = body.entry
    for _ in range(_MOST_STEPS):
        node = body.nodes[number]
        match node:
            case ir.Exit():
                return
            case ir.Branch(condition, span, then, otherwise):
                number = then if _value(condition, registers, span) else otherwise
            case ir.Do(operation, span, following):
                _perform(operation, registers, objects, memory, span)
                number = following
    raise error(Code.TOO_LARGE, "this initial value takes too long to compute", node.span)


def _value(value: Value, registers: Mapping[str, int], span: Span) -> int:
    def known(leaf: Reg | Builtin) -> int:
        if leaf.name not in registers:
            raise error(Code.NOT_CONSTANT, "this initial value must be a constant", span)
        return registers[leaf.name]

    try:
        return evaluate(value, known)
    except ArithmeticFault as fault:
        raise error(Code.TYPE_ERROR, str(fault), span) from None


def _perform(
    operation: ir.Operation,
    registers: dict[str, int],
    objects: Mapping[str, ir.Object],
    memory: dict[str, list[int | None]],
    span: Span,
) -> None:
    match operation:
        case ir.Set(target, value):
            registers[target] = _value(value, registers, span)
        case ir.Load(target, place, _):
            held = memory[place.object][_element(place, registers, objects, span)]
            if held is None:
                raise error(Code.NOT_CONSTANT, "this initial value must be a constant", span)
            registers[target] = held
        case ir.Assert(condition, text, True):
            if not _value(condition, registers, span):
                raise error(Code.TYPE_ERROR, f"{text}, and this initial value must be a constant", span)
        case ir.Store(place, value, _) | ir.BarrierInit(place, value):
            wrapped = objects[place.object].type.wrap(_value(value, registers, span))
            memory[place.object][_element(place, registers, objects, span)] = wrapped
        case _:
            raise error(Code.NOT_CONSTANT, "this initial value must be a constant", span)


def _element(place: ir.Place, registers: Mapping[str, int], objects: Mapping[str, ir.Object], span: Span) -> int:
    index = _value(place.index, registers, span)
    if not 0 <= index < len(objects[place.object].values):
        raise error(Code.TYPE_ERROR, f"`{place.object}` has no element {index}", span)
    return index
