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
    FloatType,
    HandleType,
    PointerType,
    ReferenceType,
    StructType,
    SyncType,
    Type,
    VoidType,
    size_of,
)
from scopec.frontends.scoped.lower.operands import (
    Array,
    Closure,
    Computed,
    Elements,
    Enumerator,
    Fields,
    Nothing,
    Opaque,
    Operand,
    Pointer,
    PointerVariable,
    Register,
    Structure,
    Text,
    describe,
)
from scopec.frontends.scoped.syntax import tree
from scopec.program import ir, values
from scopec.program.types import IntType

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.scoped.lower.context import Frame

_GLOBAL_ONLY = {"__device__", "__managed__", "__constant__"}


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
    if specifiers & _GLOBAL_ONLY or ("extern" in specifiers):
        raise outside("a local variable of this storage is", span)
    if "static" in specifiers and not specifiers & {"constexpr", "const"}:
        frame.bind(declarator.name, _static(frame, type_, written, declarator), span)
        return
    frame.bind(declarator.name, local(frame, type_, written, declarator), span)


def _shared(frame: Frame, type_: Type, written: tree.TypeName, declarator: tree.Declarator) -> Operand:
    """A shared variable: one object in each block, whichever function declares it.

    A dynamic array (``extern __shared__``) has as many elements as the launch says.
    """
    span = declarator.span
    if frame.host:
        raise error(Code.TYPE_ERROR, "`__shared__` belongs in kernels", written.span)
    if declarator.init is not None:
        raise error(Code.TYPE_ERROR, "a shared variable cannot have an initial value", declarator.init.span)
    key = ("shared", frame.prefix, str(span))
    if key not in frame.world.static_locals:
        if "extern" in written.specifiers:
            size = size_of(type_) or 1
            count = frame.shared_bytes // size
            if count < 1:
                message = f"the launch gives {frame.shared_bytes} bytes of shared memory, too few for one element"
                raise error(Code.BAD_LAUNCH, message, span, "pass the size as the third launch parameter")
            dynamic = ("dynamic shared", frame.prefix)
            if dynamic in frame.world.static_locals:
                message = "a second dynamic shared array, which lies where the first one does, is"
                raise outside(message, span, "use one array, and the places in it")
            type_ = ArrayType(type_, count)
        name = f"{frame.prefix}.{declarator.name}"
        volatile = "volatile" in written.specifiers
        made = objects.declare(frame, name, type_, ir.Storage.SHARED, span, volatile=volatile)
        frame.world.static_locals[key] = made
        if "extern" in written.specifiers:
            frame.world.static_locals["dynamic shared", frame.prefix] = made
    return frame.world.static_locals[key]


def _static(frame: Frame, type_: Type, written: tree.TypeName, declarator: tree.Declarator) -> Operand:
    """A static local variable: one object, initialised before the program runs."""
    span = declarator.span
    key = ("static", str(span))
    if key not in frame.world.static_locals:
        storage = ir.Storage.SYSTEM if frame.host else ir.Storage.DEVICE
        name = f"{frame.call.name}.{declarator.name}"
        made = objects.declare(frame, name, type_, storage, span, volatile="volatile" in written.specifiers)
        objects.give_values(frame, made, type_, declarator.init, span)
        frame.world.static_locals[key] = made
    return frame.world.static_locals[key]


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
            value = _single(init, span, "an auto variable")
            operand = expressions.lower_operand(frame, value)
            if not isinstance(operand, Array) and not isinstance(lvalues.type_of(operand), PointerType):
                raise error(Code.TYPE_ERROR, f"a pointer is wanted here, not {describe(operand)}", value.span)
            return _auto(frame, declarator, operand, written, value.span)
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
            return _in_memory(frame, type_, declarator, volatile=False)
        case ArrayType() | AtomicType() | SyncType():
            return _in_memory(frame, type_, declarator, volatile="volatile" in specifiers)
        case StructType():
            return _object(frame, type_, declarator, volatile="volatile" in specifiers)
        case FloatType():
            if "volatile" in specifiers or name in frame.call.in_memory:
                return _in_memory(frame, type_, declarator, volatile="volatile" in specifiers)
            for argument in init.arguments if init else ():
                lvalues.forget(frame, expressions.lower_operand(frame, argument), argument.span)
            return Opaque()
        case HandleType():
            return handles.declare(frame, type_, declarator)
        case EnumType(enum_name):
            operand = expressions.lower_operand(frame, _single(init, span, f"a {enum_name}"))
            if not isinstance(operand, Enumerator):
                raise error(Code.TYPE_ERROR, f"a {enum_name} is wanted here", span)
            return operand
        case VoidType():
            raise error(Code.TYPE_ERROR, "a variable cannot have type void", span)


def declare_value(
    frame: Frame, type_: Type, written: tree.TypeName, declarator: tree.Declarator, value: Operand, span: Span
) -> None:
    """Declare a local name with a value that is known as an operand."""
    if isinstance(type_, AutoType):
        frame.bind(declarator.name, _auto(frame, declarator, value, written, span), declarator.span)
        return
    made = initial.apart(frame, declarator.name, type_, declarator.span)
    initial.copy(frame, made, value, type_, span)
    frame.bind(declarator.name, made, declarator.span)


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
    classes.at_the_end(frame, made, type_, declarator.span)
    return made


def _pointer(frame: Frame, type_: PointerType, declarator: tree.Declarator) -> Operand:
    """A pointer: followed at compile time if it is only set in straight code, else an address in a register."""
    name, span, init = declarator.name, declarator.span, declarator.init
    value: Operand | None = None
    if init is not None:
        expr = _single(init, span, "a pointer") if init.arguments else tree.Int(span, 0)
        value = pointers.checked(frame, expressions.lower_operand(frame, expr), type_, expr.span)
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
    match operand:
        case Nothing():
            raise error(Code.TYPE_ERROR, "this call has no value (void)", span)
        case Structure() | Fields():
            made = functions.by_value(frame, operand, span)
            type_ = lvalues.type_of(made)
            assert type_ is not None
            classes.at_the_end(frame, made, type_, declarator.span)
            return made
        case Closure() | Elements():
            return operand
        case _:
            pass
    if expressions.is_reference_object(operand):
        return operand  # an atomic_ref, a group, a handle
    type_ = lvalues.type_of(operand)
    if isinstance(type_, PointerType):
        return _auto_pointer(frame, declarator, operand, type_, span)
    if not isinstance(type_, (IntType, AtomicType)):
        return functions.by_value(frame, operand, span)
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


def _auto_pointer(
    frame: Frame, declarator: tree.Declarator, operand: Operand, type_: PointerType, span: Span
) -> Operand:
    operand = lvalues.settle(operand, span)
    if isinstance(operand, Pointer) and (declarator.name not in frame.call.reassigned or frame.host):
        return PointerVariable(declarator.name, type_, operand)
    value = pointers.as_value(frame, operand, span)
    register = frame.register(declarator.name, ADDRESS)
    frame.emit(ir.Set(register, value.value), span)
    return Register(register, ADDRESS, False, type_)
