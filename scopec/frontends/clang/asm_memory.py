"""Inline PTX: accesses to memory, and fences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.clang import llvm
from scopec.frontends.clang.assembler import BIT, INT, LONG, Assembler, Lowerings, llvm_type
from scopec.frontends.clang.calls import ORDERS
from scopec.frontends.ptx import forms, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scopec.frontends.ptx.table import Type

#: The letters that types have in mangled names.
_LETTERS = {
    ("u", 8): "h", ("u", 16): "t", ("u", 32): "j", ("u", 64): "m",
    ("s", 8): "a", ("s", 16): "s", ("s", 32): "i", ("s", 64): "l",
    ("f", 16): "D", ("f", 32): "f", ("f", 64): "d",
}  # fmt: skip


def _elements(asm: Assembler, operand: forms.Operand, access: table.Access) -> Iterator[llvm.Typed]:
    """The addresses of the elements that are accessed."""
    if not isinstance(operand, forms.Element):
        raise error(Code.BAD_ARGUMENTS, "an address is wanted here, such as [%rd1]", operand.span)
    base = asm.address(operand.name, operand.span)
    if access.space in ("global", "shared"):
        which = llvm.Typed(BIT, llvm.Number(int(access.space == "shared")))
        asm.call("in_space", llvm.Void(), base, which)
    for n in range(access.count):
        distance = operand.offset + n * access.type.bits // 8
        there = base
        if distance:
            where = llvm.Typed(LONG, llvm.Number(distance))
            there = llvm.Typed(llvm.Pointer(), asm.emit(llvm.Element(llvm.Int(8), base, (where,))))
        yield there


def _items(operand: forms.Operand, access: table.Access) -> Sequence[forms.Operand]:
    """The registers, or values, that so many elements are."""
    found = operand.items if isinstance(operand, forms.Vector) else (operand,)
    if len(found) != access.count:
        raise error(Code.BAD_ARGUMENTS, f"{access.count} of them are wanted here", operand.span)
    return found


def _access(asm: Assembler, item: forms.Instruction, count: int) -> tuple[table.Access, tuple[forms.Operand, ...]]:
    """What an access is, and its operands without a cache policy."""
    access = table.access(item)
    operands = asm.operands(item, count + access.hint)
    return access, operands[:count]


def _mode(access: table.Access) -> tuple[llvm.Typed, llvm.Typed]:
    """Order and scope as the intrinsics have them."""
    assert access.mode.order is not None
    order = llvm.Typed(INT, llvm.Number(ORDERS.index(access.mode.order)))
    return order, llvm.Typed(INT, llvm.Number(int(access.mode.scope)))


def _ld(asm: Assembler, item: forms.Instruction) -> None:
    access, (target, place) = _access(asm, item, 2)
    type_ = llvm_type(access.type)
    for register, there in zip(_items(target, access), _elements(asm, place, access), strict=True):
        if access.mode.atomic:
            found = asm.call("load", type_, there, *_mode(access), letter=_letter(access.type))
        else:
            found = asm.emit(llvm.Load(type_, there, access.mode.volatile))
        asm.store(asm.target(register), found, type_, item.span, signed=access.type.kind == "s")


def _st(asm: Assembler, item: forms.Instruction) -> None:
    access, (place, given) = _access(asm, item, 2)
    type_ = llvm_type(access.type)
    values = [asm.value(one, type_) for one in _items(given, access)]
    for value, there in zip(values, _elements(asm, place, access), strict=True):
        typed = llvm.Typed(type_, value)
        if access.mode.atomic:
            asm.call("store", llvm.Void(), there, typed, *_mode(access), letter=_letter(access.type))
        else:
            asm.do(llvm.Store(typed, there, access.mode.volatile))


def _atom(asm: Assembler, item: forms.Instruction) -> None:
    """``atom`` and ``red``, which wants no result."""
    wants, given = int(item.operation[0] == "atom"), 2 if table.operation_of(item) == "cas" else 1
    access, operands = _access(asm, item, wants + 1 + given)
    type_ = llvm_type(access.type)
    values = [llvm.Typed(type_, asm.value(one, type_)) for one in operands[wants + 1 :]]
    (there,) = _elements(asm, operands[wants], access)
    name, letter = table.UPDATES[access.operation], _letter(access.type)
    found = asm.call(name, type_, there, *values, *_mode(access), letter=letter)
    if wants:
        asm.store(asm.target(operands[0]), found, type_, item.span)


def _fence(asm: Assembler, item: forms.Instruction) -> None:
    asm.operands(item, 0)
    fence = table.fence(item)
    order, scope = ORDERS.index(fence.order), int(fence.scope)
    asm.call("fence", llvm.Void(), *(llvm.Typed(INT, llvm.Number(n)) for n in (order, scope)))


def _letter(type_: Type) -> str:
    return _LETTERS["u" if type_.kind == "b" else type_.kind, type_.bits]


#: What accesses and fences are lowered by.
MEMORY: Lowerings = {"ld": _ld, "st": _st, "atom": _atom, "red": _atom, "fence": _fence, "membar": _fence}
