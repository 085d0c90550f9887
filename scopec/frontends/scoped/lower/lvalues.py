"""Objects and the ways to them: elements, addresses, reads and assignments."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from scopec.base.diagnostics import Code, error
from scopec.frontends.scoped.lower.cpp_types import AtomicType, Element, PointerType, shown
from scopec.frontends.scoped.lower.operands import (
    Array,
    Atomic,
    Computed,
    Index,
    Operand,
    Pointer,
    Register,
    Stream,
    Variable,
    describe,
)
from scopec.frontends.scoped.out_of_subset import out_of_subset
from scopec.program import ir, types, values
from scopec.program.types import INT, IntType
from scopec.program.values import Builtin, Const, Reg, Value

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.scoped.lower.context import Frame


def type_of(operand: Variable | Atomic | Array) -> Element:
    """The type of an object in memory, of an array that of its elements."""
    match operand:
        case Variable(_, type_, _):
            return type_
        case Atomic(_, type_, scope, _):
            return AtomicType(type_, scope, ref=False)
        case Array(_, element, _, _):
            return element


def at(object_: str, index: Value, type_: Element, *, volatile: bool) -> Variable | Atomic:
    """The element with a number."""
    match type_:
        case IntType():
            return Variable(ir.Place(object_, index), type_, volatile)
        case AtomicType(value, scope, _):
            return Atomic(ir.Place(object_, index), value, scope)
        case _:
            assert_never(type_)


# ---------------------------------------------------------------- members, elements, addresses


def member(operand: Operand, name: str, span: Span) -> Operand:
    """``operand.name``."""
    if isinstance(operand, Index) and name in ("x", "y", "z"):
        return Computed(Builtin(f"{operand.name}.{name}", types.UINT))
    if isinstance(operand, Atomic):
        raise error(Code.TYPE_ERROR, f"`{name}` is a member function: call it", span, f"write .{name}(…)")
    raise error(Code.TYPE_ERROR, f"{describe(operand)} has no member `{name}`", span)


def element(operand: Operand, position: Value, span: Span) -> Operand:
    """``operand[position]``."""
    match operand:
        case Array(object_, type_, _, volatile) | Pointer(Array(object_, type_, _, volatile)):
            return at(object_, position, type_, volatile=volatile)
        case Pointer(target) if position == Const(0, INT):
            return target
        case Pointer():
            raise out_of_subset("an index of a pointer that is not to a whole array is", span)
        case _:
            raise error(Code.TYPE_ERROR, f"{describe(operand)} has no elements", span)


def dereference(operand: Operand, span: Span) -> Operand:
    """``*operand``."""
    if isinstance(operand, (Pointer, Array)):
        return element(operand, Const(0, INT), span)
    raise error(Code.TYPE_ERROR, f"`*` wants a pointer, not {describe(operand)}", span)


def address(operand: Operand, span: Span) -> Operand:
    """``&operand``; of an element only where its index is that of one element for ever."""
    match operand:
        case Variable(place) | Atomic(place, ref=False):
            _fixed(place, span)
            return Pointer(operand)
        case Stream(name, False):
            return Stream(name, address=True)
        case _:
            raise out_of_subset(f"the address of {describe(operand)} is", span)


def _fixed(place: ir.Place, span: Span) -> None:
    if any(isinstance(leaf, Reg) for leaf in values.leaves(place.index)):
        raise out_of_subset("an address that is kept of an element whose index may change is", span)


def atomic_ref(operand: Operand, type_: AtomicType, span: Span, *, kept: bool) -> Atomic:
    """An ``atomic_ref`` to what ``operand`` denotes, which another variable may be (``kept``)."""
    match operand:
        case Variable(place, have, _) | Atomic(place, have, _, _):
            if have != type_.value:
                message = f"an {shown(type_)} cannot refer to an object of type {shown(have)}"
                raise error(Code.TYPE_ERROR, message, span)
            if kept:
                _fixed(place, span)
            return Atomic(place, have, type_.scope, ref=True)
        case Register():
            raise out_of_subset("an atomic_ref to a local variable is", span)
        case _:
            raise error(Code.TYPE_ERROR, f"an atomic_ref refers to an object, not to {describe(operand)}", span)


def pointer(operand: Operand, type_: PointerType, span: Span) -> Pointer:
    """A pointer of a type to what ``operand``, an address or an array, points to."""
    target = operand.target if isinstance(operand, Pointer) else operand
    if not isinstance(operand, (Pointer, Array)) or not isinstance(target, (Variable, Atomic, Array)):
        raise error(Code.TYPE_ERROR, f"the address of an object is wanted here, not {describe(operand)}", span)
    if type_of(target) != type_.target:
        message = f"an object of type {shown(type_.target)} is wanted here, not {shown(type_of(target))}"
        raise error(Code.TYPE_ERROR, message, span)
    match target:
        case Variable(place, have, volatile):
            return Pointer(Variable(place, have, volatile or type_.volatile))
        case Array(name, inside, length, volatile):
            return Pointer(Array(name, inside, length, volatile or type_.volatile))
        case Atomic():
            return Pointer(target)


# ---------------------------------------------------------------- reading and assignment


def assign(frame: Frame, target: Operand, value: Value, span: Span) -> None:
    """Store a value in what ``target`` denotes."""
    match target:
        case Register(constant=True):
            raise error(Code.TYPE_ERROR, "a const variable cannot be assigned to", span)
        case Register(name, type_, _):
            frame.emit(ir.Set(name, values.cast(value, type_)), span)
        case Variable(place, type_, volatile):
            mode = ir.VOLATILE if volatile else ir.PLAIN
            frame.emit(ir.Store(place, values.cast(value, type_), mode), span)
        case Atomic():
            raise out_of_subset("an atomic that is assigned to without `store` is", span)
        case _:
            raise error(Code.TYPE_ERROR, f"{describe(target)} cannot be assigned to", span)
