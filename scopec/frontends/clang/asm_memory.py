"""Inline PTX: accesses to memory, and fences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.clang import llvm
from scopec.frontends.clang.assembler import BIT, INT, LONG, Assembler, Lowerings, llvm_type
from scopec.frontends.clang.calls import ORDERS
from scopec.frontends.ptx import forms, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scopec.frontends.ptx.table import Type

#: The letters that types have in mangled names.
_LETTERS = {
    ("u", 8): "h", ("u", 16): "t", ("u", 32): "j", ("u", 64): "m",
    ("s", 8): "a", ("s", 16): "s", ("s", 32): "i", ("s", 64): "l",
    ("f", 16): "D", ("f", 32): "f", ("f", 64): "d",
}  # fmt: skip


def _place(asm: Assembler, operand: forms.Operand, access: table.Access) -> llvm.Typed:
    """The address that is accessed."""
    if not isinstance(operand, forms.Element):
        raise error(Code.BAD_ARGUMENTS, "an address is wanted here, such as [%rd1]", operand.span)
    base = asm.address(operand.name, operand.span)
    if access.space in ("global", "shared"):
        which = llvm.Typed(BIT, llvm.Number(int(access.space == "shared")))
        asm.call("in_space", llvm.Void(), base, which)
    if not operand.offset:
        return base
    where = llvm.Typed(LONG, llvm.Number(operand.offset))
    return llvm.Typed(llvm.Pointer(), asm.emit(llvm.Element(llvm.Int(8), base, (where,))))


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
    """Order and scope as the intrinsics have them; -1 and whether it is volatile, of an access without order."""
    mode = access.mode
    order = -1 if mode.order is None else ORDERS.index(mode.order)
    return llvm.Typed(INT, llvm.Number(order)), llvm.Typed(
        INT, llvm.Number(int(mode.scope if mode.atomic else mode.volatile))
    )


def _ld(asm: Assembler, item: forms.Instruction) -> None:
    access, (target, place) = _access(asm, item, 2)
    type_, registers = llvm_type(access.type), _items(target, access)
    there = _place(asm, place, access)
    found: list[llvm.Operand]
    if access.count > 1:
        vector = llvm.Struct((type_,) * access.count)
        whole = llvm.Typed(vector, asm.call("vector_load", vector, there, *_mode(access)))
        found = [asm.emit(llvm.Extract(whole, (llvm.Number(n),))) for n in range(access.count)]
    elif access.mode.atomic:
        found = [asm.call("load", type_, there, *_mode(access), letter=_letter(access.type))]
    else:
        found = [asm.emit(llvm.Load(type_, there, access.mode.volatile))]
    for register, value in zip(registers, found, strict=True):
        asm.store(asm.target(register), value, type_, item.span, signed=access.type.kind == "s")


def _st(asm: Assembler, item: forms.Instruction) -> None:
    access, (place, given) = _access(asm, item, 2)
    type_ = llvm_type(access.type)
    values = [llvm.Typed(type_, asm.value(one, type_)) for one in _items(given, access)]
    there = _place(asm, place, access)
    if access.count > 1:
        asm.call("vector_store", llvm.Void(), there, *_mode(access), *values)
    elif access.mode.atomic:
        asm.call("store", llvm.Void(), there, *values, *_mode(access), letter=_letter(access.type))
    else:
        asm.do(llvm.Store(values[0], there, access.mode.volatile))


def _atom(asm: Assembler, item: forms.Instruction) -> None:
    """``atom`` and ``red``, which wants no result."""
    wants, given = int(item.operation[0] == "atom"), 2 if table.operation_of(item) == "cas" else 1
    access, operands = _access(asm, item, wants + 1 + given)
    type_ = llvm_type(access.type)
    values = [llvm.Typed(type_, asm.value(one, type_)) for one in operands[wants + 1 :]]
    there = _place(asm, operands[wants], access)
    name, letter = table.UPDATES[access.operation], _letter(access.type)
    found = asm.call(name, type_ if wants else llvm.Void(), there, *values, *_mode(access), letter=letter)
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
