"""Local declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.scoped.lower import (
    classes,
    conversions,
    expressions,
    functions,
    handles,
    initial,
    lvalues,
    objects,
    pointers,
    resolve,
)
from scopec.frontends.scoped.lower.context import outside
from scopec.frontends.scoped.lower.cpp_types import (
    ADDRESS,
    ArrayType,
    AtomicType,
    AutoType,
    EnumType,
    HandleType,
    PointerType,
    ReferenceType,
    StructType,
    SyncType,
    Type,
    VoidType,
)
from scopec.frontends.scoped.lower.operands import (
    Computed,
    Nothing,
    Operand,
    Pointer,
    PointerVariable,
    Register,
    Text,
    describe,
)
from scopec.frontends.scoped.syntax import tree
from scopec.program import ir, values
from scopec.program.types import IntType

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.scoped.lower.context import Frame

_ELSEWHERE = {"__device__", "__managed__", "__constant__", "extern"}


def declare(frame: Frame, declaration: tree.Declaration) -> None:
    """Declare the names of a declaration in the current block."""
    written = declaration.type
    base = resolve.resolve(frame, written)
    for declarator in declaration.declarators:
        type_ = base
        if not (declarator.init is None and None in declarator.sizes):
            type_ = classes.declared_type(frame, base, written, declarator)
        _declare_one(frame, type_, written, declarator)


def _declare_one(frame: Frame, type_: Type, written: tree.TypeName, declarator: tree.Declarator) -> None:
    specifiers, span = set(written.specifiers), declarator.span
    if "__shared__" in specifiers:
        frame.bind(declarator.name, _shared(frame, type_, written, declarator), span)
        return
    if specifiers & _ELSEWHERE or ("static" in specifiers and not specifiers & {"constexpr", "const"}):
        raise outside("a local variable of this storage is", span)
    frame.bind(declarator.name, local(frame, type_, written, declarator), span)


def _shared(frame: Frame, type_: Type, written: tree.TypeName, declarator: tree.Declarator) -> Operand:
    """A shared variable: one object in each block, whichever function declares it."""
    span = declarator.span
    if frame.host:
        raise error(Code.TYPE_ERROR, "`__shared__` belongs in kernels", written.span)
    if "extern" in written.specifiers:
        raise outside("an array as long as the launch says is", span)
    if declarator.init is not None:
        raise error(Code.TYPE_ERROR, "a shared variable cannot have an initial value", declarator.init.span)
    key = (frame.prefix, str(span))
    if key not in frame.world.shared:
        name = f"{frame.prefix}.{declarator.name}"
        volatile = "volatile" in written.specifiers
        frame.world.shared[key] = objects.declare(frame, name, type_, ir.Storage.SHARED, span, volatile=volatile)
    return frame.world.shared[key]


def _single(init: tree.Initialiser | None, span: Span, what: str) -> tree.Expr:
    if init is None or len(init.arguments) != 1:
        raise error(Code.BAD_ARGUMENTS, f"{what} is initialised with one value", span)
    return init.arguments[0]


def local(frame: Frame, type_: Type, written: tree.TypeName, declarator: tree.Declarator) -> Operand:
    """What a local name denotes: a register, an object in memory, or another name for something."""
    init, name, span = declarator.init, declarator.name, declarator.span
    specifiers = set(written.specifiers)
    match type_:
        case AutoType():
            value = _single(init, span, "an auto variable")
            return _auto(frame, declarator, expressions.lower_operand(frame, value), written, value.span)
        case PointerType(AutoType()):
            raise outside("`auto*` is", span, "write its type")
        case AtomicType(value=element, scope=scope, ref=True):
            referred = _single(init, span, "an atomic_ref")
            return conversions.atomic_ref(expressions.lower_operand(frame, referred), element, scope, referred.span)
        case ReferenceType(target, volatile):
            referred = _single(init, span, "a reference")
            operand = expressions.lower_operand(frame, referred)
            if not isinstance(target, AutoType):
                operand = functions.reference(frame, operand, target, volatile=volatile, span=referred.span)
            return functions.kept(frame, declarator.name, operand, referred.span)
        case PointerType():
            return _pointer(frame, type_, declarator)
        case IntType():
            if "volatile" in specifiers or name in frame.call.in_memory:
                return _in_memory(frame, type_, declarator, volatile="volatile" in specifiers)
            return _register(frame, type_, declarator, specifiers)
        case ArrayType(element=PointerType() | HandleType()) if frame.host:
            return handles.array(frame, name, type_, init, span)
        case ArrayType() if "constexpr" in specifiers:
            raise outside("a table of constants is", span)
        case ArrayType() | AtomicType() | SyncType():
            return _in_memory(frame, type_, declarator, volatile="volatile" in specifiers)
        case StructType():
            return _object(frame, type_, declarator, volatile="volatile" in specifiers)
        case HandleType():
            return handles.declare(frame, type_, declarator)
        case EnumType(enum_name):
            raise outside(f"a local variable of type {enum_name} is", span)
        case VoidType():
            raise error(Code.TYPE_ERROR, "a variable cannot have type void", span)


def _in_memory(frame: Frame, type_: Type, declarator: tree.Declarator, *, volatile: bool) -> Operand:
    made = initial.in_memory(frame, declarator.name, type_, declarator.span, volatile=volatile)
    initial.initialise(frame, made, type_, declarator.init, declarator.span)
    return made


def _object(frame: Frame, type_: StructType, declarator: tree.Declarator, *, volatile: bool) -> Operand:
    """An object of a class: in memory if its address is taken, else its members live apart."""
    if volatile or declarator.name in frame.call.in_memory:
        made = initial.in_memory(frame, declarator.name, type_, declarator.span, volatile=volatile)
    else:
        made = initial.apart(frame, declarator.name, type_, declarator.span)
    initial.initialise(frame, made, type_, declarator.init, declarator.span)
    return made


def _pointer(frame: Frame, type_: PointerType, declarator: tree.Declarator) -> Operand:
    """A pointer: followed at compile time if it is only set in straight code, else an address in a register."""
    name, span, init = declarator.name, declarator.span, declarator.init
    value: Operand | None = None
    if init is not None:
        expr = _single(init, span, "a pointer") if init.arguments else tree.Int(span, 0)
        value = pointers.checked(expressions.lower_operand(frame, expr), type_, expr.span)
        if isinstance(value, Text):
            return value
    if name in frame.call.in_memory and not frame.host:
        made = initial.in_memory(frame, name, type_, span)
        if value is not None:
            lvalues.assign(frame, made, value, span)
        return made
    runtime = name in frame.call.reassigned and not frame.host
    if isinstance(value, (Pointer, PointerVariable)) or (value is None and not runtime):
        if not runtime:
            return PointerVariable(name, type_, value)
        value = pointers.as_value(frame, value, span) if value is not None else None
    register = frame.register(name, ADDRESS)
    if value is not None:
        frame.emit(ir.Set(register, pointers.as_value(frame, value, span).value), span)
    return Register(register, ADDRESS, False, type_)


def _register(frame: Frame, type_: IntType, declarator: tree.Declarator, specifiers: set[str]) -> Operand:
    init = declarator.init
    value = None
    if init is not None:
        if len(init.arguments) > 1:
            raise error(Code.BAD_ARGUMENTS, "a number is initialised with one value", declarator.span)
        value = expressions.lower_value(frame, init.arguments[0]) if init.arguments else values.Const(0, type_)
        value = values.convert(value, type_)
    constant = bool(specifiers & {"const", "constexpr"})
    if constant and isinstance(value, values.Const):
        return Computed(value)
    if "constexpr" in specifiers:
        message = f"`{declarator.name}` is constexpr: its value must be a constant"
        raise error(Code.NOT_CONSTANT, message, declarator.span)
    name = frame.register(declarator.name, type_)
    if value is not None:
        frame.emit(ir.Set(name, value), declarator.span)
    if isinstance(value, values.Const) and declarator.name not in frame.call.assigned:
        return Computed(value)  # never anything else, so as good as a constant
    return Register(name, type_, constant)


def _auto(frame: Frame, declarator: tree.Declarator, operand: Operand, written: tree.TypeName, span: Span) -> Operand:
    if declarator.reference or written.reference:
        return functions.kept(frame, declarator.name, operand, span)
    if isinstance(operand, Nothing):
        raise error(Code.TYPE_ERROR, "this call has no value (void)", span)
    if expressions.is_reference_object(operand):
        return operand  # an atomic_ref, a group, a handle
    if not isinstance(lvalues.type_of(operand), (IntType, AtomicType)):
        raise outside(f"`auto` for {describe(operand)} is", span, "write its type")
    result = lvalues.to_value(frame, operand, span)
    if "const" in written.specifiers and isinstance(result, values.Const):
        return Computed(result)
    if declarator.name in frame.call.in_memory:
        made = initial.in_memory(frame, declarator.name, result.type, declarator.span)
        lvalues.assign(frame, made, Computed(result), span)
        return made
    name = frame.register(declarator.name, result.type)
    frame.emit(ir.Set(name, result), declarator.span)
    if isinstance(result, values.Const) and declarator.name not in frame.call.assigned:
        return Computed(result)
    return Register(name, result.type, "const" in written.specifiers)
