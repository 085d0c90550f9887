"""Alignment of what asynchronous operations access, beyond that of the numbers in it."""

from __future__ import annotations

import re
from math import gcd
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import error
from scopec.base.files import source_of
from scopec.frontends.clang.llvm.numbers import arithmetic, compare, number
from scopec.frontends.clang.machine.access import follows_null
from scopec.frontends.clang.machine.addresses import distance
from scopec.frontends.clang.machine.memory import Address, Memory
from scopec.frontends.clang.machine.undefined import meaningless
from scopec.program import ir, values
from scopec.program.values import Binary, Const, Convert, Value

if TYPE_CHECKING:
    from scopec.frontends.clang.intrinsics.call import Call
    from scopec.frontends.clang.llvm.numbers import Offset

_ALIGN = re.compile(r", align (\d+)")


def check_alignment(call: Call, address: Address, alignment: int, what: str) -> Memory:
    """The memory that an address is in, which is aligned there, else what follows is undefined."""
    machine, state = call.machine, call.state
    region = address.region
    if not isinstance(region, Memory):
        raise follows_null(machine, state)
    check_declaration(call, region, alignment, what)
    condition, text = _aligned(address, alignment), f"the addresses of {what} are aligned to {alignment} bytes"
    if condition == values.FALSE:
        raise meaningless(machine, state, text)
    if condition != values.TRUE:
        machine.emit(state, ir.Assert(condition, text, implicit=True))
    return region


def is_multiple(offset: Offset, alignment: int) -> bool:
    """Whether an offset is seen to be a multiple of an alignment, but for its constant."""
    return all(n * _divisor(value, alignment) % alignment == 0 for n, value in offset.terms)


def _aligned(address: Address, alignment: int) -> Value:
    offset = address.offset
    if is_multiple(offset, alignment) and not offset.constant % alignment:
        return values.TRUE
    return compare("eq", arithmetic("and", distance(offset), number(alignment - 1, 64)), number(0, 64))


def _divisor(value: Value, most: int) -> int:
    """The greatest divisor of an alignment of which a number is seen to be a multiple."""
    match value:
        case Const(known):
            return gcd(known, most)
        case Convert(inner):
            return _divisor(inner, most)
        case Binary("*", left, right):
            return min(_divisor(left, most) * _divisor(right, most), most)
        case Binary("+" | "-", left, right):
            return gcd(_divisor(left, most), _divisor(right, most))
        case Binary("<<", left, Const(shift)):
            return min(_divisor(left, most) << shift, most)
        case _:
            return 1


def check_declaration(call: Call, region: Memory, alignment: int, what: str) -> None:
    """Raise InputError where a variable is declared with less than the alignment that is needed.

    What a directive declares stands for memory that is allocated.
    """
    world, side = call.machine.world, call.machine.side
    for name in (name for (_, name), of in world.symbols.items() if of == region):
        found = _ALIGN.search(side.module.variables.get(name, ""))
        debug = side.module.variable(name).debug if found is not None and int(found[1]) < alignment else ()
        if found is None or not debug:
            continue
        declared = world.span(side.debug.variable(debug[0]).place)
        if "//@" not in source_of(declared, world.source).line(declared.line):
            message = f"`{region.name}` is aligned to {found[1]} bytes, not to {alignment}, as for {what}"
            help_ = f"declare it `alignas({alignment})`"
            raise error(Codes.BAD_ARGUMENTS, message, call.machine.span(call.state), help_)
