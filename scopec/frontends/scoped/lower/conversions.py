"""Casts, and values that are constructed from others."""

from __future__ import annotations

from scopec.base.diagnostics import Code, error
from scopec.base.source import Span
from scopec.frontends.scoped.lower import expressions, functions, handles, lvalues, pointers
from scopec.frontends.scoped.lower.context import Frame, outside
from scopec.frontends.scoped.lower.cpp_types import (
    ArrayType,
    AtomicType,
    EnumType,
    HandleType,
    PointerType,
    SyncType,
    Type,
    VoidType,
    shown,
)
from scopec.frontends.scoped.lower.operands import (
    Atomic,
    Computed,
    Elements,
    Enumerator,
    Nothing,
    Operand,
    Pointer,
    PointerVariable,
    Record,
    Register,
    Text,
    Variable,
    describe,
)
from scopec.frontends.scoped.syntax import tree
from scopec.program import ir, values
from scopec.program.types import IntType
from scopec.program.values import Const


def cast(frame: Frame, target: Type, operand: tree.Expr, span: Span) -> Operand:
    """``(Type)operand`` and ``static_cast<Type>(operand)``."""
    match target:
        case VoidType():
            expressions.discard(frame, operand)
            return Nothing()
        case IntType():
            value = expressions.lower_operand(frame, operand)
            if isinstance(value, Enumerator):
                return Computed(Const(int(list(type(value.value)).index(value.value)), target))
            return Computed(values.cast(lvalues.to_value(frame, value, operand.span), target))
        case PointerType():
            return pointer_cast(target, expressions.lower_operand(frame, operand), span)
        case _:
            from scopec.frontends.scoped.lower.cpp_types import ReferenceType

            value = expressions.lower_operand(frame, operand)
            if isinstance(target, ReferenceType):
                return functions.reference(frame, value, target.target, volatile=target.volatile, span=span)
            if lvalues.type_of(value) == target or isinstance(target, HandleType):
                return value
            raise error(Code.TYPE_ERROR, f"a cast to {shown(target)} is outside the modelled subset", span)


def pointer_cast(target: PointerType, operand: Operand, span: Span) -> Operand:
    """Pointers are cast to ``void*`` and back, and between integers of one size."""
    settled = lvalues.settle(operand, span) if not _is_unset(operand) else operand
    if isinstance(target.target, (VoidType, PointerType)) or isinstance(settled, PointerVariable):
        return settled
    match settled:
        case Pointer(PointerVariable() | Record() | Elements() | None):
            return settled
        case Text():
            return settled
        case _:
            return pointers.checked(settled, target, span)


def _is_unset(operand: Operand) -> bool:
    return isinstance(operand, PointerVariable) and operand.binding is None


def construct(frame: Frame, type_: Type, init: tree.Initialiser, span: Span) -> Operand:
    """``Type(arguments)``."""
    arguments = init.arguments
    match type_:
        case IntType():
            if len(arguments) > 1:
                raise error(Code.BAD_ARGUMENTS, "a number is made from one value", span)
            value = expressions.lower_value(frame, arguments[0]) if arguments else Const(0, type_)
            return Computed(values.cast(value, type_))
        case AtomicType(value=element, scope=scope, ref=True):
            if len(arguments) != 1:
                raise error(Code.BAD_ARGUMENTS, "an atomic_ref refers to one object", span)
            return atomic_ref(expressions.lower_operand(frame, arguments[0]), element, scope, arguments[0].span)
        case PointerType():
            operand = expressions.lower_operand(frame, arguments[0]) if arguments else Pointer(None)
            return pointer_cast(type_, operand, span)
        case EnumType() if len(arguments) == 1:
            return expressions.lower_operand(frame, arguments[0])
        case HandleType():
            return handles.construct(frame, type_, arguments, span)
        case SyncType() | ArrayType() | AtomicType() | VoidType() | _:
            raise outside("a temporary of this type is", span)


def atomic_ref(operand: Operand, element: IntType | PointerType, scope: ir.Scope, span: Span) -> Operand:
    """An ``atomic_ref<element, scope>`` to what ``operand`` denotes."""
    match operand:
        case Variable(place, type_, _, pointee) | Atomic(place, type_, _, pointee):
            have = pointee if pointee is not None else type_
            if have == element:
                return Atomic(place, type_, scope, pointee)
            message = f"an atomic_ref<{shown(element)}> cannot refer to an object of type {shown(have)}"
            raise error(Code.TYPE_ERROR, message, span)
        case Register(_, type_, _, pointee):
            have = pointee if pointee is not None else type_
            if have == element:
                raise outside("an atomic_ref to this local variable is", span, "declare the reference by its full type")
            message = f"an atomic_ref<{shown(element)}> cannot refer to an object of type {shown(have)}"
            raise error(Code.TYPE_ERROR, message, span)
        case _:
            raise error(Code.TYPE_ERROR, f"an atomic_ref refers to an object, not to {describe(operand)}", span)
