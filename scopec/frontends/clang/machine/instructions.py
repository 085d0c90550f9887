"""Results and operands of instructions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import error
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.numbers import Offset, arithmetic, compare, kept, number, resized
from scopec.frontends.clang.machine import points_to
from scopec.frontends.clang.machine.addresses import as_number, distance, pointed, pointer_number
from scopec.frontends.clang.machine.memory import (
    NULL,
    Address,
    Code,
    Content,
    Held,
    Memory,
    Nowhere,
    Private,
    Record,
    Unset,
    covered,
    element,
)
from scopec.frontends.clang.machine.opaque import Formula, Opaque, Origin, made_of
from scopec.frontends.clang.machine.partly_set import combined, resized_part
from scopec.frontends.clang.machine.state import Done, State
from scopec.frontends.clang.machine.undefined import check_division, no_result
from scopec.program import faults, ir, values
from scopec.program.values import Const, Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from scopec.frontends.clang.machine.memory import Layout
    from scopec.frontends.clang.machine.recording import Recording

_NARROW_BITS = 32
#: Among so many numbers with names of their own it is told apart which one an index means, in objects of so many bytes.
_MOST_NAMES, _MOST_BYTES = 16, 1024
#: The target of an assignment.
_ASSIGNED = re.compile(r"(.*?[^\s=!<>+\-*/%&|^])\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)", re.DOTALL)


def part_of(machine: Recording, state: State, content: Content, index: llvm.Operand) -> Content:
    """A part of a structure in a register."""
    if not isinstance(content, Record):
        return content
    known = value_of(machine, state, llvm.Typed(llvm.Int(32), index))
    if not isinstance(known, Const):
        raise machine.refused(state, "an element of a vector that is chosen at run time is")
    return content.parts[known.value]


def inserted(machine: Recording, state: State, whole: Record, indices: list[llvm.Operand], content: Content) -> Record:
    """A structure in a register with another part."""
    known = value_of(machine, state, llvm.Typed(llvm.Int(32), indices[0]))
    assert isinstance(known, Const)
    parts = list(whole.parts)
    if len(indices) > 1:
        inner = parts[known.value]
        assert isinstance(inner, Record)
        content = inserted(machine, state, inner, indices[1:], content)
    parts[known.value] = content
    return Record(tuple(parts))


def operand(machine: Recording, state: State, typed: llvm.Typed) -> Content:  # one case an operand
    """The value of an operand."""
    match typed.operand:
        case llvm.Local(name):
            return state.frame.env.get(name, Unset())
        case llvm.Number(value):
            return number(value, typed.type.bits if isinstance(typed.type, llvm.Int) else 64)
        case llvm.Null():
            return NULL
        case llvm.Zero():
            return _zero(typed.type)
        case llvm.Undefined(poison):
            if poison and isinstance(typed.type, llvm.Int):
                no_result(machine, state)
            return empty(typed.type) if isinstance(typed.type, (llvm.Struct, llvm.Array)) else Unset()
        case llvm.Real(text):
            return Opaque(llvm.size(typed.type), origin=Origin.CONSTANT, formula=Formula(text) if text else None)
        case llvm.Global(name):
            return Address(machine.world.global_region(machine.side, name, machine.thread, machine.block))
        case llvm.Aggregate(items):
            return Record(tuple(operand(machine, state, item) for item in items))
        case llvm.Expression(llvm.Element() as part):
            return element_address(machine, state, part)
        case llvm.Expression(llvm.Cast(opcode, given, type_)):
            return converted(machine, state, opcode, operand(machine, state, given), type_)
        case llvm.Expression(llvm.Arithmetic(opcode, type_, left, right)):
            return computed(machine, state, opcode, type_, left, right)
        case llvm.Text() | llvm.Expression():
            raise machine.refused(state, "a text in a register is")


def value_of(machine: Recording, state: State, typed: llvm.Typed) -> Value:
    """An operand that must be a number."""
    return as_number(machine, state, operand(machine, state, typed))


def pointer_of(machine: Recording, state: State, typed: llvm.Typed, size: int = 0) -> Address:
    """An operand that must be a pointer whose target is known; one that was read is told apart first.

    With ``size`` so many bytes are accessed there.
    """
    content = operand(machine, state, typed)
    match content:
        case Address():
            return content
        case Held():
            raise tell_apart(machine, state, typed, content, Memory, size)
        case Const(value) if value == 0:
            return NULL
        case Unset():
            raise error(Codes.UNINITIALISED, "this follows a pointer that has no value", machine.span(state))
        case _:
            raise machine.refused(state, "a pointer that is made of a number is")


def tell_apart(
    machine: Recording, state: State, typed: llvm.Typed, held: Held, kind: type[Memory] | type[Code], size: int = 0
) -> Exception:
    """Go on for each address that a pointer to an object or a function may hold; what to raise then.

    Of a pointer that was a number these are all elements; those of so many bytes, if there are some: accesses to others
    are undefined (C++20 [basic.lval]/11), but for those of single bytes.
    """
    assert isinstance(typed.operand, llvm.Local)
    name, span = typed.operand.name, machine.span(state)
    known = [
        (address, found) for address, found in machine.world.pointers.items()
        if isinstance(address.region, kind) and (held.among is None or found in held.among)
    ]  # fmt: skip
    if size > 1 and held.among is not None and points_to.ELSEWHERE in held.among:
        layouts = machine.world.layouts
        known = [(a, n) for a, n in known if element(layouts[a.region], a.offset, size)] or known  # type: ignore[index]
    for address, found in known:
        following, after = machine.builder.label(), state.copy()
        after.frame.env[name] = address
        if len(known) == 1:  # and no states differ in it
            after.replace(held, address)
        machine.builder.split(compare("eq", kept(held.value), number(found, 64)), span, machine.later(after), following)
        machine.builder.place(following)
    text = machine.world.text_of(span)
    target = _ASSIGNED.match(text)
    machine.emit(state, faults.of_pointer(values.FALSE, target[1] if target else text))
    machine.builder.end(span)
    return Done()


def _end(layout: Layout) -> int:
    """The byte behind the last number of a region, of those in its first bytes."""
    whole = (leaf for leaf in layout.leaves if all(count for count, _ in leaf.extents))
    ends = (leaf.offset + sum((n - 1) * far for n, far in leaf.extents) + leaf.type.size for leaf in whole)
    end = max(ends, default=0)
    if end <= _MOST_BYTES:
        return end
    return max((at + leaf.type.size for at, leaf in covered(layout, 0, _MOST_BYTES)), default=0)


def place_of(machine: Recording, state: State, typed: llvm.Typed, type_: llvm.Type) -> Address:
    """The place at which a number of a type is accessed; where that may be one of several names, the paths are split
    first.
    """
    size = llvm.size(type_)
    address = pointer_of(machine, state, typed, size)
    layout = machine.world.layouts.get(address.region) if isinstance(address.region, Memory) else None
    if layout is None or layout.known is not None or len(address.offset.terms) != 1:
        return address
    ((factor, index),) = address.offset.terms
    end = _end(layout)
    within = range(address.offset.constant % factor, end - size + 1, factor) if factor > 0 else range(0)
    if not isinstance(typed.operand, llvm.Local) or not 0 < len(within) <= _MOST_NAMES:
        return address
    if element(layout, address.offset, size) or not all(element(layout, Offset(at), size) for at in within):
        return address
    span = machine.span(state)
    for at in within:
        following, after = machine.builder.label(), state.copy()
        after.frame.env[typed.operand.name] = Address(address.region, Offset(at))
        found = number((at - address.offset.constant) // factor, index.type.bits)
        machine.builder.split(compare("eq", kept(index), found), span, machine.later(after), following)
        machine.builder.place(following)
    machine.emit(state, faults.of_pointer(values.FALSE, machine.world.text_of(span)))
    machine.builder.end(span)
    raise Done


def element_address(
    machine: Recording,
    state: State,
    part: llvm.Element,
    of_unknown: Callable[[Recording, State, Address, int], Offset | None] | None = None,
) -> Content:
    """The address that ``getelementptr`` computes.

    ``of_unknown`` is the offset for an index that is not modelled, from an address on, of elements so many bytes apart.
    """
    base = pointer_of(machine, state, part.pointer)
    offset, current = base.offset, llvm.Array(0, part.type)
    type_: llvm.Type = current
    for index in part.indices:
        content = operand(machine, state, index)
        if of_unknown and isinstance(content, Opaque) and not content.lost and isinstance(type_, llvm.Array):
            found = of_unknown(machine, state, Address(base.region, offset), llvm.size(type_.element))
            if found is not None:
                offset, type_ = found, type_.element
                continue
        value = as_number(machine, state, content)
        match type_:
            case llvm.Array(_, inner):
                offset = offset.plus(llvm.size(inner), value)
                type_ = inner
            case llvm.Struct(fields):
                assert isinstance(value, Const)
                offset = offset.plus(llvm.offsets(type_)[value.value], number(1, 64))
                type_ = fields[value.value]
            case _:
                raise AssertionError(part)
    return Address(base.region, offset)


def computed(
    machine: Recording, state: State, opcode: str, type_: llvm.Type, left: llvm.Operand, right: llvm.Operand
) -> Content:
    """The result of an arithmetic instruction, with a check where C++ has none."""
    if not isinstance(type_, (llvm.Int, llvm.Float)):
        raise machine.refused(state, "arithmetic on vectors is")
    one, other = (operand(machine, state, llvm.Typed(type_, side)) for side in (left, right))
    if isinstance(type_, llvm.Float) or isinstance(one, Opaque) or isinstance(other, Opaque):
        return made_of(llvm.size(type_), one, other, by=opcode)
    if opcode == "sub" and isinstance(one, Address) and isinstance(other, Address) and one.region == other.region:
        return arithmetic("sub", distance(one.offset), distance(other.offset))
    if opcode == "and" and isinstance(one, Address) and isinstance(one.region, Code) and other == number(1, 64):
        return number(0, 64)  # a pointer to a member function that is not virtual: functions have even addresses
    if opcode == "add" and isinstance(other, Address):
        one, other = other, one
    if opcode in ("add", "sub") and isinstance(one, Address) and _is_address(one) and not _is_address(other):
        return Address(one.region, one.offset.plus(1 if opcode == "add" else -1, as_number(machine, state, other)))
    if opcode == "or" and isinstance(one, Address) and _is_sum(one, other):
        return Address(one.region, one.offset.plus(1, as_number(machine, state, other)))
    bits = type_.bits
    if (partly := combined(opcode, bits, one, other)) is not None:
        return partly
    first, second = as_number(machine, state, one, bits), as_number(machine, state, other, bits)
    check_division(machine, state, opcode, first, second)
    return arithmetic(opcode, first, second)


#: No local variable needs to lie otherwise.
_ALIGNMENT = 16


def _is_sum(one: Address, other: Content) -> bool:
    """Whether an address in local memory lies so that the bits of a number are free in it, as compilers know."""
    if not isinstance(one.region, Private) or one.offset.terms or not isinstance(other, Const):
        return False
    return 0 < other.value < _ALIGNMENT and not one.offset.constant & other.value


def _is_address(content: Content) -> bool:
    return isinstance(content, Held) or (isinstance(content, Address) and not isinstance(content.region, Nowhere))


def _is_narrow(machine: Recording, content: Content) -> bool:
    """Whether something is an address in shared or local memory, which numbers of 32 bits hold (PTX ISA, "cvta")."""
    storage = machine.world.storage(content.region) if isinstance(content, Address) else None
    own = isinstance(content, Address) and isinstance(content.region, Private)
    return own or storage in (ir.Storage.SHARED, ir.Storage.AUTOMATIC)


def compared(
    machine: Recording,
    state: State,
    opcode: str,
    predicate: str,
    type_: llvm.Type,
    left: llvm.Operand,
    right: llvm.Operand,
) -> Content:
    """The truth of a comparison."""
    one, other = (operand(machine, state, llvm.Typed(type_, side)) for side in (left, right))
    if opcode == "fcmp" or isinstance(one, Opaque) or isinstance(other, Opaque):
        return either(machine, state, made_of(1, one, other, by=f"{opcode} {predicate} "))
    if isinstance(type_, llvm.Pointer):
        return _compare_pointers(machine, state, predicate, one, other)
    if _is_address(one) or _is_address(other):
        return _compare_pointers(machine, state, predicate, one, other)
    return compare(predicate, as_number(machine, state, one), as_number(machine, state, other))


def either(machine: Recording, state: State, of: Opaque) -> Value:
    """A truth that a value decides of which nothing is known."""
    choice = machine.target(state, values.TRUE.type)
    if of.origin is Origin.CLOCK:
        machine.emit(state, ir.Decide(choice.name, "clock"))
    else:
        formula = of.formula or Formula("")
        where = " on the host" if formula.text and machine.side.host else ""  # it may round otherwise
        machine.emit(state, ir.Decide(choice.name, "unknown", formula.text + where, formula.of))
    return choice


def _compare_pointers(machine: Recording, state: State, predicate: str, one: Content, other: Content) -> Content:
    if isinstance(one, Address) and isinstance(other, Address):
        if one.region == other.region:
            return compare(predicate, distance(one.offset), distance(other.offset))
        if predicate in ("eq", "ne"):
            return values.FALSE if predicate == "eq" else values.TRUE
    if predicate not in ("eq", "ne"):
        return compare(predicate, as_number(machine, state, one), as_number(machine, state, other))
    for pointer, null in ((one, other), (other, one)):
        if isinstance(pointer, Address) and _is_address(pointer) and isinstance(null, Const) and not null.value:
            return values.FALSE if predicate == "eq" else values.TRUE
    return compare(predicate, pointer_number(machine, state, one), pointer_number(machine, state, other))


def converted(machine: Recording, state: State, opcode: str, content: Content, type_: llvm.Type) -> Content:
    """A value as another type."""
    if isinstance(content, Opaque) and type_ == llvm.Int(1):
        return either(machine, state, content)
    if isinstance(type_, llvm.Float) or isinstance(content, Opaque):
        return made_of(llvm.size(type_), content, by=opcode)
    match opcode:
        case "trunc" | "zext" | "sext":
            assert isinstance(type_, llvm.Int)
            if isinstance(content, Unset):
                return resized_part(opcode, content, type_.bits)
            if type_.bits >= _NARROW_BITS and _is_narrow(machine, content):
                return content
            return resized(opcode, as_number(machine, state, content), type_.bits)
        case "ptrtoint":
            if _is_address(content):
                return content  # an address stays one until it is computed with
            return as_number(machine, state, content)
        case "inttoptr":
            if isinstance(content, (Address, Unset, Held)):
                return content
            return pointed(machine, state, as_number(machine, state, content))
        case _:
            return content


def selected(
    machine: Recording, state: State, condition: llvm.Typed, then: llvm.Typed, otherwise: llvm.Typed
) -> Content:
    """The result of ``select``."""
    truth = value_of(machine, state, condition)
    if isinstance(truth, Const):
        return operand(machine, state, then if truth.value else otherwise)
    one, other = operand(machine, state, then), operand(machine, state, otherwise)
    if one == other:
        return one
    if isinstance(one, Opaque) or isinstance(other, Opaque):
        return Opaque(llvm.size(then.type), origin=made_of(0, one, other).origin)
    if not isinstance(then.type, llvm.Pointer):
        bits = 8 * llvm.size(then.type)
        return values.choose(truth, as_number(machine, state, one, bits), as_number(machine, state, other, bits))
    chosen = values.choose(truth, pointer_number(machine, state, one), pointer_number(machine, state, other))
    return Held(chosen, points_to.either(*(_among(machine, side) for side in (one, other))))


def _among(machine: Recording, pointer: Content) -> points_to.Among:
    match pointer:
        case Held(_, among):
            return among
        case Address() if not pointer.offset.terms:
            return frozenset([machine.world.pointer(pointer)])
        case _:
            return None


def _zero(type_: llvm.Type) -> Content:
    match type_:
        case llvm.Int(bits):
            return number(0, bits)
        case llvm.Pointer():
            return NULL
        case llvm.Struct(fields):
            return Record(tuple(map(_zero, fields)))
        case llvm.Array(count, inner):
            return Record((_zero(inner),) * count)
        case _:
            return Opaque(llvm.size(type_), formula=Formula("0"))


def empty(type_: llvm.Type) -> Record:
    """A structure of which nothing has a value."""
    match type_:
        case llvm.Struct(fields):
            inner = fields
        case llvm.Array(count, part):
            inner = (part,) * count
        case _:
            raise AssertionError(type_)
    return Record(tuple(empty(t) if isinstance(t, (llvm.Struct, llvm.Array)) else Unset() for t in inner))
