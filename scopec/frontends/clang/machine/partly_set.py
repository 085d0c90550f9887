"""Numbers of which some bits have no value yet.

Clang writes a bit-field with the number that it is in: it reads that, clears the bits of the field, and puts the value
there.  Those beside it may be unset as before; who reads them reads what has no value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.records import replace
from scopec.frontends.clang.llvm.numbers import arithmetic, number, resized
from scopec.frontends.clang.machine.memory import Address, Held, Record, Unset
from scopec.frontends.clang.machine.opaque import Opaque
from scopec.program.values import Const

if TYPE_CHECKING:
    from scopec.frontends.clang.machine.memory import Content, Private
    from scopec.frontends.clang.machine.recording import Recording
    from scopec.program.values import Value


def combined(opcode: str, bits: int, one: Content, other: Content) -> Content | None:
    """What an instruction makes of a number that has no value, or has some bits; None where that has none."""
    if isinstance(other, Unset) and opcode in ("and", "or"):
        one, other = other, one
    if not isinstance(one, Unset) or isinstance(other, (Address, Held, Opaque, Record, Unset)):
        return None
    if isinstance(other, Const):
        given = _given(opcode, (1 << bits) - 1, one.given, other.value & (1 << bits) - 1)
    else:
        given = one.given if opcode == "or" else 0
    return _of(one, given, arithmetic(opcode, _value(one, bits), other), bits) if given else None


def _given(opcode: str, every: int, given: int, by: int) -> int:
    """The bits that are given of a result; ``given`` are those of the operand."""
    match opcode:
        case "and":
            return given | every & ~by
        case "or":
            return given | by
        case "shl" if by < every.bit_length():
            return given << by & every | (1 << by) - 1
        case "lshr" if by < every.bit_length():
            return given >> by | every & ~(every >> by)
        case "ashr" if by < every.bit_length() and given > every >> 1:  # the sign is given
            return given >> by | every & ~(every >> by)
        case _:
            return 0


def _value(one: Unset, bits: int) -> Value:
    return number(0, bits) if one.value is None else one.value


def _of(one: Unset, given: int, value: Value, bits: int) -> Content:
    return value if given == (1 << bits) - 1 else replace(one, value=value, given=given)


def resized_part(opcode: str, one: Unset, bits: int) -> Content:
    """A number of which some bits have a value as one of another width."""
    if one.value is None:
        return one
    own, every = one.value.type.bits, (1 << bits) - 1
    if opcode == "sext" and not one.given >> own - 1:
        return Unset(one.of)
    given = one.given | every & ~((1 << own) - 1)
    return _of(one, given & every, resized(opcode, one.value, bits), bits)


def with_fields(machine: Recording, region: Private, at: int, one: Unset) -> Content:
    """What a local variable holds: where all its bit-fields have a value, what is between them is no matter."""
    if one.value is None or region not in machine.named:
        return one
    size = one.value.type.size
    for leaf in machine.side.debug.leaves(machine.named[region][1]):
        known = leaf.bits and all(part.width for part in leaf.bits)
        if known and leaf.offset == at and leaf.type.size == size and not leaf.extents:
            fields = sum(((1 << part.width) - 1) << part.shift for part in leaf.bits)
            return one if fields & ~one.given else arithmetic("and", one.value, number(fields, one.value.type.bits))
    return one
