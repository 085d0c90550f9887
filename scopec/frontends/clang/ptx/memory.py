"""Inline PTX: accesses to memory, and fences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.clang.intrinsics.call import ORDERS, VOLATILE_BIT
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.ptx.assembler import INT, Assembler, Lowerings, llvm_type
from scopec.frontends.ptx import forms, table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from scopec.frontends.ptx.table import Type

#: The letters that types have in mangled names.
_LETTERS = {
    ("u", 8): "h", ("u", 16): "t", ("u", 32): "j", ("u", 64): "m",
    ("s", 8): "a", ("s", 16): "s", ("s", 32): "i", ("s", 64): "l",
    ("f", 16): "D", ("f", 32): "f", ("f", 64): "d", ("u", 128): "o",
}  # fmt: skip


#: The bits of the vectors of which elements may be left out.
_WITH_SINKS = 256
#: The number of the test whether an address is in the state space that an access names.
_SPACES = {"global": 0, "shared": 1, "shared::cta": 1, "shared::cluster": 2}


def place(asm: Assembler, operand: forms.Operand, space: str, *, element: bool = False) -> llvm.Typed:
    """The address that is accessed, in a state space; with ``element`` that of an array may be one."""
    match operand:
        case forms.Element(span, ""):
            help_ = "a variable or a register has an address"
            raise error(Code.OUTSIDE_SUBSET, "an address that is a number is outside the modelled subset", span, help_)
        case forms.Element(span, name, offset):
            base = asm.address(name, span)
        case forms.Indexed() if element:
            base, offset = asm.indexed(operand), 0
        case _:
            raise error(Code.BAD_ARGUMENTS, "an address is wanted here, such as [%rd1]", operand.span)
    if space in _SPACES:
        asm.call("in_space", llvm.Void(), base, llvm.Typed(INT, llvm.Number(_SPACES[space])))
    return asm.moved(base, offset)


def _place(asm: Assembler, operand: forms.Operand, access: table.Access) -> llvm.Typed:
    return place(asm, operand, access.space, element=not access.operation)


def _items(operand: forms.Operand, access: table.Access) -> Sequence[forms.Operand]:
    """The registers, or values, that so many elements are."""
    found = operand.items if isinstance(operand, forms.Vector) else (operand,)
    if len(found) != access.count:
        raise error(Code.BAD_ARGUMENTS, f"{access.count} of them are wanted here", operand.span)
    return found


def _sinks(items: Sequence[forms.Operand], access: table.Access) -> set[int]:
    """The elements of 32 bytes that are ``_``: "data from corresponding memory location is not read" (ISA, "ld")."""
    if access.count * access.type.bits != _WITH_SINKS:
        return set()
    return {n for n, item in enumerate(items) if isinstance(item, forms.Name) and item.name == "_"}


def _elements(
    asm: Assembler, there: llvm.Typed, access: table.Access, sinks: Collection[int] = ()
) -> Iterator[tuple[int, llvm.Typed]]:
    """The elements to access, in no order where there are several, without those that nobody wants.

    PTX ISA, "Vector Data-types": "modelled as a set of equivalent memory operations with a scalar data-type, executed
    in an unspecified order on the elements in the vector".
    """
    size, several = llvm.size(llvm_type(access.type)), access.count > 1

    def comes(n: int) -> None:
        about = (size, access.count, n, not access.operation)
        if several:
            asm.call("element", llvm.Void(), there, *(llvm.Typed(INT, llvm.Number(int(one))) for one in about))

    for n in range(access.count):
        comes(n)
        if n not in sinks:
            yield n, asm.moved(there, n * size)
    comes(access.count)


def _access(asm: Assembler, item: forms.Instruction, count: int) -> tuple[table.Access, tuple[forms.Operand, ...]]:
    """The access of an instruction, and its operands without a cache policy."""
    access = table.access(item)
    operands = asm.operands(item, count + access.hint)
    return access, operands[:count]


def _mode(access: table.Access) -> tuple[llvm.Typed, llvm.Typed]:
    """Order and scope of an access that has some, as the intrinsics have them."""
    assert access.mode.order is not None
    scope = access.mode.scope | VOLATILE_BIT * access.mode.volatile
    return llvm.Typed(INT, llvm.Number(ORDERS.index(access.mode.order))), llvm.Typed(INT, llvm.Number(scope))


def _side_effect(asm: Assembler) -> None:
    """Mark an access in an ``asm volatile``: compilers take it for a volatile one, whatever the instruction is."""
    if asm.side_effects:
        asm.call("side_effect", llvm.Void())


def _ld(asm: Assembler, item: forms.Instruction) -> None:
    access, (target, place) = _access(asm, item, 2)
    type_, registers = llvm_type(access.type), _items(target, access)
    there = _place(asm, place, access)
    found: dict[int, llvm.Operand] = {}
    for n, element in _elements(asm, there, access, _sinks(registers, access)):
        if access.mode.atomic:
            found[n] = asm.call("load", type_, element, *_mode(access), letter=letter(access.type))
        else:
            if item.operation[0] == "ldu" or "nc" in item.operation:
                asm.call("read_only", llvm.Void())
            found[n] = asm.emit(llvm.Load(type_, element, access.mode.volatile))
    _side_effect(asm)
    for n, value in found.items():
        asm.store(asm.target(registers[n]), value, type_, item.span, signed=access.type.kind == "s")


def _st(asm: Assembler, item: forms.Instruction) -> None:
    access, (place, given) = _access(asm, item, 2)
    type_, items = llvm_type(access.type), _items(given, access)
    sinks = _sinks(items, access)
    values = {n: llvm.Typed(type_, asm.value(one, type_)) for n, one in enumerate(items) if n not in sinks}
    there = _place(asm, place, access)
    for n, element in _elements(asm, there, access, sinks):
        if access.mode.atomic:
            asm.call("store", llvm.Void(), element, values[n], *_mode(access), letter=letter(access.type))
        else:
            asm.do(llvm.Store(values[n], element, access.mode.volatile))
    _side_effect(asm)


def _atom(asm: Assembler, item: forms.Instruction) -> None:
    """``atom`` and ``red``, which wants no result."""
    wants, given = int(item.operation[0] == "atom"), 2 if table.operation_of(item) == "cas" else 1
    access, operands = _access(asm, item, wants + 1 + given)
    type_ = llvm_type(access.type)
    values = [[llvm.Typed(type_, asm.value(o, type_)) for o in _items(one, access)] for one in operands[wants + 1 :]]
    there = _place(asm, operands[wants], access)
    name = table.UPDATES[access.operation]
    result, found = type_ if wants else llvm.Void(), list[llvm.Operand]()
    for n, element in _elements(asm, there, access):
        given_ = [one[n] for one in values]
        found.append(asm.call(name, result, element, *given_, *_mode(access), letter=letter(access.type)))
    _side_effect(asm)
    for register, value in zip(_items(operands[0], access) if wants else (), found, strict=False):
        asm.store(asm.target(register), value, type_, item.span)


def _fence(asm: Assembler, item: forms.Instruction) -> None:
    asm.operands(item, 0)
    match item.operation:
        case ("fence", "proxy", "async"):
            asm.call("fence_async", llvm.Void(), llvm.Typed(INT, llvm.Number(0)))
        case ("fence", "proxy", "async", "global" | "shared::cta" | "shared::cluster" as space):
            asm.call("fence_async", llvm.Void(), llvm.Typed(INT, llvm.Number(1 if space == "global" else 2)))
        case ("fence", "mbarrier_init", "release", "cluster"):
            asm.call("mbarrier_fence_init", llvm.Void())
        case _:
            fence = table.fence(item)
            order, scope = ORDERS.index(fence.order), int(fence.scope)
            asm.call("fence", llvm.Void(), *(llvm.Typed(INT, llvm.Number(n)) for n in (order, scope)))


def letter(type_: Type) -> str:
    """The letter that a type has in a mangled name."""
    return _LETTERS["u" if type_.kind == "b" else type_.kind, type_.bits]


#: The lowering of accesses and fences.
MEMORY: Lowerings = {"ld": _ld, "ldu": _ld, "st": _st, "atom": _atom, "red": _atom, "fence": _fence, "membar": _fence}
