"""Constants of LLVM code, as numbers and addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.numbers import Offset, number
from scopec.frontends.clang.machine.memory import Address, Content, Unset
from scopec.frontends.clang.machine.opaque import Opaque

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scopec.frontends.clang.machine.memory import Code, Memory


def contents(
    regions: Callable[[str], Memory | Code], type_: llvm.Type, operand: llvm.Operand, at: int = 0
) -> Iterator[tuple[int, Content]]:
    """The numbers and pointers of a constant by their offsets; what is left out is zero.

    ``regions`` gives the memory that a name stands for.
    """
    match type_, operand:
        case llvm.Array(_, element), llvm.Aggregate(items):
            for position, item in enumerate(items):
                yield from contents(regions, element, item.operand, at + position * llvm.size(element))
        case llvm.Struct(), llvm.Aggregate(items):
            for offset, field, item in zip(llvm.offsets(type_), type_.fields, items, strict=True):
                yield from contents(regions, field, item.operand, at + offset)
        case llvm.Array(count, element), (llvm.Zero() | llvm.Undefined()):
            for position in range(count):
                yield from contents(regions, element, operand, at + position * llvm.size(element))
        case llvm.Struct(), (llvm.Zero() | llvm.Undefined()):
            for offset, field in zip(llvm.offsets(type_), type_.fields, strict=True):
                yield from contents(regions, field, operand, at + offset)
        case llvm.Array(), llvm.Text(text):
            for position, byte in enumerate(text):
                yield at + position, number(byte, 8)
        case llvm.Int(bits), llvm.Number(value):
            yield at, number(value, bits)
        case llvm.Int(bits), llvm.Zero():
            yield at, number(0, bits)
        case llvm.Float(size), _:
            yield at, Opaque(size)
        case llvm.Pointer(), (llvm.Zero() | llvm.Null()):
            yield at, number(0, 64)
        case llvm.Pointer(), llvm.Expression(llvm.Cast("inttoptr", llvm.Typed(_, llvm.Number(value)), _)):
            yield at, number(value, 64)  # where a virtual base is, in a table of virtual functions
        case llvm.Pointer(), _:
            found = constant_address(regions, operand)
            if found is not None:
                yield at, found
        case llvm.Int(), llvm.Expression(llvm.Cast("ptrtoint", inner, _)):
            yield at, constant_address(regions, inner.operand) or Unset()
        case llvm.Int(), llvm.Expression():  # it is not known, and not zero
            yield at, Unset()
        case _:
            pass


def constant_address(regions: Callable[[str], Memory | Code], operand: llvm.Operand) -> Address | None:
    """The address that a constant is, None if it is none that is known."""
    match operand:
        case llvm.Global(name):
            return Address(regions(name))
        case llvm.Expression(llvm.Cast(_, inner, _)):
            return constant_address(regions, inner.operand)
        case llvm.Expression(llvm.Element() as part):
            base = constant_address(regions, part.pointer.operand)
            if base is None:
                return None
            return Address(base.region, base.offset.moved(Offset(constant_distance(part))))
        case _:
            return None


def constant_distance(part: llvm.Element) -> int:
    """The bytes that known indices go on."""
    type_, distance = llvm.Array(0, part.type), 0
    current: llvm.Type = type_
    for index in part.indices:
        known = index.operand.value if isinstance(index.operand, llvm.Number) else 0
        match current:
            case llvm.Array(_, element):
                distance += known * llvm.size(element)
                current = element
            case llvm.Struct(fields):
                distance += llvm.offsets(current)[known]
                current = fields[known]
            case _:
                raise AssertionError(current)
    return distance
