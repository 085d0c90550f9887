"""The file's own functions: the body in place of a call."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.scoped.lower import (
    conversions,
    expressions,
    initial,
    lvalues,
    objects,
    pointers,
    resolve,
    statements,
)
from scopec.frontends.scoped.lower.context import Block, Call, outside
from scopec.frontends.scoped.lower.cpp_types import (
    ArrayType,
    AtomicType,
    EnumType,
    HandleType,
    PointerType,
    ReferenceType,
    SyncType,
    Type,
    VoidType,
)
from scopec.frontends.scoped.lower.operands import (
    Array,
    Atomic,
    Computed,
    Enumerator,
    Fields,
    Function,
    Nothing,
    Operand,
    Pointer,
    PointerVariable,
    Register,
    Structure,
    Text,
    Variable,
)
from scopec.frontends.scoped.lower.scan import assigned_names, names_in_memory, reassigned_names, walk
from scopec.frontends.scoped.syntax import tree
from scopec.program import ir, values
from scopec.program.types import IntType

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.scoped.lower.context import Frame


# ---------------------------------------------------------------- calls


def call(frame: Frame, function: tree.Function, given: tuple[tree.Expr, ...], span: Span) -> Operand:
    """Lower a call of one of the file's functions by lowering its body in place; returns the result."""
    name, parameters = function.name, function.parameters
    if "__global__" in function.type.specifiers:
        raise error(Code.BAD_LAUNCH, f"a kernel is launched, not called: {name}<<<…>>>(…)", span)
    if not _is_visible(frame, function):
        raise error(Code.TYPE_ERROR, f"`{name}` is not {'a host' if frame.host else 'a device'} function", span)
    if name in frame.calls:
        raise outside(f"`{name}` is recursive: recursion is", span)
    if len(given) != len(parameters):
        message = f"`{name}` has {len(parameters)} parameters, {len(given)} arguments given"
        raise error(Code.BAD_ARGUMENTS, message, span)
    operands = []
    for parameter, argument in zip(parameters, given, strict=True):
        operand = expressions.lower_operand(frame, argument)
        operands.append(bind_parameter(frame, parameter, _type(frame, parameter.type), operand, argument.span))
    saved = (frame.call, frame.loops, frame.calls)
    frame.calls = (*frame.calls, name)
    frame.loops = []
    frame.call = _call_of(function, len(frame.scopes), _type(frame, function.type))
    frame.call.after = frame.builder.label()
    frame.scopes.append(Block(enter_parameters(frame, function, operands)))
    result = lower_function_body(frame, function)
    frame.scopes.pop()
    frame.call, frame.loops, frame.calls = saved
    return result


def _is_visible(frame: Frame, function: tree.Function) -> bool:
    """Whether the compiler of this side has the function."""
    specifiers = set(function.type.specifiers)
    device = "__device__" in specifiers
    here = ("__host__" in specifiers or not device) if frame.host else device
    return bool(specifiers & {"constexpr", "consteval"}) or frame.constant or here


def _type(frame: Frame, type_: tree.TypeName) -> Type:
    """A type as a called function sees it."""
    outer = frame.call
    frame.call = replace(outer, depth=len(frame.scopes))
    try:
        return resolve.resolve(frame, type_)
    finally:
        frame.call = outer


def _call_of(function: tree.Function, depth: int, type_: Type) -> Call:
    return Call(
        function.name,
        type_,
        depth,
        body=function.body,
        assigned=frozenset(assigned_names(function.body)),
        in_memory=names_in_memory(function.body),
        reassigned=reassigned_names(function.body),
    )


def lower_function_body(frame: Frame, function: tree.Function) -> Operand:
    """The body of the function that the frame has entered, and the label behind it; returns the result.

    That of a function which returns something is what its only ``return`` has, at its end.
    """
    called = frame.call
    assert called.after is not None
    if not isinstance(called.type, VoidType) and not _only_returns_at_the_end(function):
        raise outside(f"`{function.name}` returns a value in several ways: that is", function.name_span)
    statements.lower_block(frame, function.body)
    frame.clean(frame.scopes[-1])
    frame.builder.place(called.after)
    if isinstance(called.type, VoidType):
        return Nothing()
    if called.returned is None:
        raise error(Code.TYPE_ERROR, f"`{function.name}` returns no value", function.span)
    return called.returned


def _only_returns_at_the_end(function: tree.Function) -> bool:
    found = [node for node in walk(function.body) if isinstance(node, tree.Return)]
    return len(found) == 1 and found[0] is function.body.statements[-1]


# ---------------------------------------------------------------- parameters


def bind_parameter(frame: Frame, parameter: tree.Parameter, type_: Type, operand: Operand, span: Span) -> Operand:
    """What a parameter means, given its argument."""
    match type_:
        case AtomicType(value=element, scope=scope, ref=True):
            return conversions.atomic_ref(operand, element, scope, span)
        case PointerType():
            bound = pointers.checked(operand, type_, span)
            return bound if isinstance(bound, (Pointer, Function, Text)) else pointers.as_value(frame, bound, span)
        case ReferenceType(target, volatile):
            return reference(frame, operand, target, volatile=volatile, span=span)
        case IntType():
            return Computed(values.cast(lvalues.to_value(frame, operand, span), type_))
        case EnumType() | HandleType():
            return operand
        case _:
            raise outside("a parameter of this type is", parameter.span)


def by_value(frame: Frame, operand: Operand, span: Span) -> Operand:
    """A copy of what an operand denotes, as ``auto`` makes it."""
    operand = lvalues.settle(operand, span)
    match operand:
        case Variable(pointee=None) | Register(pointee=None) | Atomic(pointee=None):
            return Computed(lvalues.to_value(frame, operand, span))
        case Variable() | Register() | Atomic():
            return pointers.as_value(frame, operand, span)
        case Array():
            return Pointer(operand)
        case Structure() | Fields():
            raise outside("an object of a class that is returned or passed by value is", span)
        case _:
            return operand


def kept(frame: Frame, name: str, operand: Operand, span: Span) -> Operand:
    """What a reference to an operand refers to: of a value, a temporary that has it now and for ever.

    The registers that a value is computed from may change before it is read.
    """
    match operand:
        case Computed(value, pointee) if not isinstance(value, values.Const):
            register = frame.register(f"%{name}", value.type)
            frame.emit(ir.Set(register, value), span)
            return Computed(values.Reg(register, value.type), pointee)
        case _:
            return operand


def reference(frame: Frame, operand: Operand, target: Type, *, volatile: bool, span: Span) -> Operand:
    """What a reference refers to, checked against its declared type; one to a constant may refer to a value."""
    match operand, target:
        case (Computed(value, pointee), IntType()) if pointee is None:
            return Computed(values.cast(value, target))
        case (Computed() | Pointer() | PointerVariable(), PointerType()):
            return operand
        case (Atomic(), IntType()):
            return Computed(values.cast(lvalues.to_value(frame, operand, span), target))
        case (Enumerator(), EnumType()) | (_, HandleType()) | (_, SyncType()):
            return operand
        case (Atomic(_, _, _), AtomicType(value=element, scope=scope, ref=True)):
            return conversions.atomic_ref(operand, element, scope, span)
        case (Array(_, _, element, length, _), ArrayType(wanted, extent)) if element == wanted and length == extent:
            return operand
        case _:
            return lvalues.seen_as(operand, target, volatile=volatile, span=span)


def enter_parameters(frame: Frame, function: tree.Function, operands: list[Operand]) -> dict[str, Operand]:
    """The scope of a function's parameters.

    A parameter that the body assigns to becomes a register of its own; others keep their (constant) value.
    """
    scope: dict[str, Operand] = {}
    assigned, in_memory = frame.call.assigned, frame.call.in_memory
    for parameter, operand in zip(function.parameters, operands, strict=True):
        if parameter.name in scope:
            raise error(Code.DUPLICATE, f"two parameters are called `{parameter.name}`", parameter.span)
        if parameter.name:
            scope[parameter.name] = _entered(frame, parameter, operand, assigned, in_memory)
    return scope


def _entered(
    frame: Frame, parameter: tree.Parameter, operand: Operand, assigned: frozenset[str], in_memory: frozenset[str]
) -> Operand:
    name, span = parameter.name, parameter.span
    if parameter.type.reference:
        return kept(frame, name, operand, span)
    match operand:
        case Computed(value, None) if name in in_memory:
            made = objects.declare(
                frame, f"{frame.prefix}.{name}", value.type, initial.local_storage(frame), span, zero=False
            )
            lvalues.assign(frame, made, operand, span)
            return made
        case Computed(value, None) if name in assigned or not isinstance(value, values.Const):
            register = frame.register(name, value.type)
            frame.emit(ir.Set(register, value), span)
            return Register(register, value.type)
        case Computed(value, pointee):
            return _pointer_register(frame, name, value, pointee, span) if pointee is not None else operand
        case Pointer() if name in frame.call.reassigned:
            address = pointers.as_value(frame, operand, span)
            return _pointer_register(frame, name, address.value, address.pointee, span)
        case Pointer():
            have = lvalues.type_of(operand)
            known = have if isinstance(have, PointerType) else PointerType(VoidType())
            return PointerVariable(name, known, operand) if name in assigned else operand
        case _:
            return operand


def _pointer_register(frame: Frame, name: str, value: values.Value, pointee: PointerType | None, span: Span) -> Operand:
    from scopec.frontends.scoped.lower.cpp_types import ADDRESS

    register = frame.register(name, ADDRESS)
    frame.emit(ir.Set(register, value), span)
    return Register(register, ADDRESS, False, pointee)


# ---------------------------------------------------------------- whole bodies


def lower_thread_body(frame: Frame, function: tree.Function, operands: list[Operand]) -> ir.Body:
    """The graph of a kernel, of main, or of a host thread's function."""
    from scopec.base.source import Span

    frame.calls = (function.name,)
    frame.call = _call_of(function, 0, frame.call.type)
    frame.scopes = [Block(enter_parameters(frame, function, operands))]
    statements.lower_block(frame, function.body)
    frame.clean(frame.scopes[-1])
    end = function.body.span
    frame.builder.end(Span(end.file, end.end_line, max(1, end.end_column - 1), end.end_line, end.end_column))
    return frame.finish()
