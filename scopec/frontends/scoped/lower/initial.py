"""Initialisation: what an object holds when its lifetime begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.scoped.lower import barriers, classes, expressions, lvalues, resolve
from scopec.frontends.scoped.lower.context import outside
from scopec.frontends.scoped.lower.cpp_types import (
    ArrayType,
    AtomicType,
    Field,
    HandleType,
    PointerType,
    ReferenceType,
    StructType,
    SyncType,
    Type,
    shown,
)
from scopec.frontends.scoped.lower.operands import (
    Atomic,
    Computed,
    Fields,
    Operand,
    PointerVariable,
    Register,
    Sync,
    Variable,
)
from scopec.frontends.scoped.syntax import tree
from scopec.program import ir, values
from scopec.program.types import IntType
from scopec.program.values import Const

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.scoped.lower.context import Frame


def initialise(frame: Frame, target: Operand, type_: Type, init: tree.Initialiser | None, span: Span) -> None:
    """Append the stores that initialise an object; without an initialiser only classes have something to do.

    [atomics.types.operations]: the initial value of an atomic is not set by an atomic operation.
    """
    match type_:
        case StructType():
            classes.construct(frame, target, type_, init, span)
        case ReferenceType():
            raise error(Code.TYPE_ERROR, "a reference must be initialised", span)
        case ArrayType(element, length):
            _array(frame, target, element, length, init, span)
        case _ if init is None:
            pass
        case SyncType():
            assert isinstance(target, Sync)
            barriers.initialise(frame, target, init, span)
        case IntType() | PointerType() | AtomicType(ref=False):
            _scalar(frame, target, _single(init, type_), init.span)
        case HandleType():
            if init.arguments:
                lvalues.assign(frame, target, expressions.lower_operand(frame, _one(init, type_)), span)
        case _:
            raise outside(f"a member of type {shown(type_)} is", span)


def _one(init: tree.Initialiser, type_: Type) -> tree.Expr:
    if len(init.arguments) != 1:
        raise error(Code.BAD_ARGUMENTS, f"an object of type {shown(type_)} is initialised with one value", init.span)
    return init.arguments[0]


def _single(init: tree.Initialiser, type_: Type) -> tree.Expr | None:
    """The value in an initialiser of a scalar; None for an empty list, which means zero."""
    if not init.arguments:
        return None
    expr = _one(init, type_)
    if isinstance(expr, tree.List) and len(expr.elements) <= 1:
        return expr.elements[0] if expr.elements else None
    return expr


def _scalar(frame: Frame, target: Operand, expr: tree.Expr | None, span: Span) -> None:
    value: Operand = Computed(Const(0, values.FALSE.type)) if expr is None else _operand(frame, expr)
    match target:
        case Atomic(place, type_, _, pointee):
            # As if an ordinary variable: no other thread knows of the object yet.
            lvalues.assign(frame, Variable(place, type_, False, pointee), value, span)
        case Register(name, type_, _, pointee):
            lvalues.assign(frame, Register(name, type_, False, pointee), value, span)
        case _:
            lvalues.assign(frame, target, value, span)


def _operand(frame: Frame, expr: tree.Expr) -> Operand:
    """A value; ``atomic<int>(1)`` stands for its argument where an atomic is initialised from one."""
    if isinstance(expr, tree.Construct) and len(expr.arguments) == 1:
        type_ = resolve.resolve(frame, expr.type)
        if isinstance(type_, AtomicType) and not type_.ref:
            return expressions.lower_operand(frame, expr.arguments[0])
    return expressions.lower_operand(frame, expr)


def _array(
    frame: Frame, target: Operand, element: Type, length: int, init: tree.Initialiser | None, span: Span
) -> None:
    given = init.arguments if init is not None else ()
    if len(given) > length:
        assert init is not None
        raise error(Code.BAD_ARGUMENTS, f"{len(given)} initial values for {length} elements", init.span)
    if init is None and not needs_construction(element):
        return
    for number in range(length):
        part = lvalues.element(frame, target, Const(number, lvalues.ZERO.type), span)
        if number < len(given):
            initialise(frame, part, element, from_expr(given[number]), given[number].span)
        else:
            empty = tree.Initialiser(span, (), list=True) if init is not None else None
            initialise(frame, part, element, empty, span)


def needs_construction(type_: Type) -> bool:
    """Whether an object that is declared without an initial value still has something done to it."""
    match type_:
        case StructType(fields=fields):
            return any(f.init is not None or needs_construction(f.type) for f in fields)
        case ArrayType(element, _):
            return needs_construction(element)
        case _:
            return False


def from_expr(expr: tree.Expr) -> tree.Initialiser:
    """The initialiser that an element of a list is."""
    if isinstance(expr, tree.List):
        return tree.Initialiser(expr.span, expr.elements, list=True, names=expr.names)
    return tree.Initialiser(expr.span, (expr,), list=False)


def keep_constant(frame: Frame, target: Operand, field: Field) -> None:
    """A member of a temporary that was just given a constant is that constant: nothing can change it."""
    match target, frame.builder.last:
        case (Fields(_, members), ir.Set(register, Const() as value)) if register.startswith("%"):
            member = members[field.name]
            if isinstance(member, Register) and member.name == register:
                members[field.name] = Computed(value)
        case _:
            pass


def apart(frame: Frame, name: str, type_: Type, span: Span) -> Operand:
    """A local object, in registers where it can be: what needs an address of its own is an object in memory."""
    from scopec.frontends.scoped.lower import objects

    match type_:
        case IntType():
            return Register(frame.register(name, type_), type_)
        case PointerType():
            return PointerVariable(name, type_)
        case StructType(fields=fields):
            members = {}
            for field in fields:
                if field.volatile:
                    members[field.name] = in_memory(frame, f"{name}.{field.name}", field.type, span, volatile=True)
                else:
                    members[field.name] = apart(frame, f"{name}.{field.name}", field.type, span)
            return Fields(type_, members)
        case _:
            return objects.declare(frame, f"{frame.prefix}.{name}", type_, local_storage(frame), span)


def in_memory(frame: Frame, name: str, type_: Type, span: Span, *, volatile: bool = False) -> Operand:
    """A local object in memory."""
    from scopec.frontends.scoped.lower import objects

    path = f"{frame.prefix}.{name}"
    return objects.declare(frame, path, type_, local_storage(frame), span, volatile=volatile, zero=False)


def local_storage(frame: Frame) -> ir.Storage:
    """Where local variables live: a host thread's are memory that the system allocates."""
    return ir.Storage.SYSTEM if frame.host else ir.Storage.AUTOMATIC
