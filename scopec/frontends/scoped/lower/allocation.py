"""CUDA API calls on memory: what is allocated, and what is registered."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.scoped.lower import expressions, handles, lvalues, objects, streams
from scopec.frontends.scoped.lower.context import Frame, outside
from scopec.frontends.scoped.lower.cpp_types import VoidType
from scopec.frontends.scoped.lower.operands import (
    Array,
    Atomic,
    Nothing,
    Operand,
    Pointer,
    PointerVariable,
    Structure,
    Sync,
    Variable,
    describe,
)
from scopec.program import ir

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.scoped.syntax import tree

SUCCESS = streams.SUCCESS
_ONE = ir.Dim()


# ---------------------------------------------------------------- allocation


def allocate(function: str, storage: ir.Storage) -> Callable[[Frame, tree.Call], Operand]:
    """``cudaMalloc(&p, bytes)`` and its kin: new objects of the type that the pointer points to."""

    def handler(frame: Frame, call: tree.Call) -> Operand:
        variable = _pointer_variable(frame, call.arguments[0])
        bytes_ = expressions.constant(frame, call.arguments[1], "the size")
        element = variable.type.target
        if isinstance(element, VoidType):
            raise outside("memory without a type is", call.span, "allocate it through a pointer to its type")
        if frame.nesting:
            raise outside(f"{function} under a condition or in a loop is", call.span)
        count = handles.elements_in(bytes_, element, call.span)
        made = objects.allocated(frame, variable.name, element, count, storage, call.span)
        variable.binding = Pointer(made)
        frame.emit(ir.ApiCall(function), call.span)
        return SUCCESS

    return handler


def _pointer_variable(frame: Frame, expr: tree.Expr) -> PointerVariable:
    operand = lvalues.settle(expressions.lower_operand(frame, expr), expr.span)
    if isinstance(operand, Pointer) and isinstance(operand.target, PointerVariable):
        return operand.target
    message = f"the address of a pointer variable of the host is wanted here, not {describe(operand)}"
    raise error(Code.TYPE_ERROR, message, expr.span)


def free(function: str) -> Callable[[Frame, tree.Call], Operand]:
    """``cudaFree(p)`` and its kin: nothing that the two questions see."""

    def handler(frame: Frame, call: tree.Call) -> Operand:
        lvalues.settle(expressions.lower_operand(frame, call.arguments[0]), call.span)
        if function != "free":
            frame.emit(ir.ApiCall(function), call.span)
        return SUCCESS if function != "free" else Nothing()

    return handler


def device_pointer(frame: Frame, call: tree.Call) -> Operand:
    """``cudaHostGetDevicePointer(&d, h, flags)``: another pointer to the same memory."""
    variable = _pointer_variable(frame, call.arguments[0])
    source = lvalues.settle(expressions.lower_operand(frame, call.arguments[1]), call.span)
    lvalues.bind(frame, variable, source, call.span)
    frame.emit(ir.ApiCall("cudaHostGetDevicePointer"), call.span)
    return SUCCESS


def symbol_address(frame: Frame, call: tree.Call) -> Operand:
    """``cudaGetSymbolAddress(&p, symbol)``."""
    variable = _pointer_variable(frame, call.arguments[0])
    symbol = expressions.lower_operand(frame, call.arguments[1])
    lvalues.bind(frame, variable, lvalues.address(symbol, call.arguments[1].span), call.span)
    frame.emit(ir.ApiCall("cudaGetSymbolAddress"), call.span)
    return SUCCESS


def host_register(frame: Frame, call: tree.Call) -> Operand:
    """``cudaHostRegister(p, bytes, flags)``: the memory is mapped memory from here on."""
    span = call.arguments[0].span
    names = _object_names(frame, expressions.lower_operand(frame, call.arguments[0]), span)
    whole = 0
    for name in names:
        object_ = frame.world.objects[name]
        if object_.storage is not ir.Storage.SYSTEM:
            message = f"cudaHostRegister takes host memory, `{name}` is {object_.storage.value} memory"
            raise error(Code.TYPE_ERROR, message, span)
        if name in frame.registered:
            raise error(Code.BAD_ARGUMENTS, f"`{name}` is registered already", span, "call cudaHostUnregister before")
        whole += object_.size * len(object_.values)
    size = expressions.constant(frame, call.arguments[1], "the size")
    if size < whole:
        message = f"{size} of the {whole} bytes of `{names[0]}` are registered"
        raise error(Code.OUTSIDE_SUBSET, message, call.arguments[1].span, "register the whole object")
    streams.flags(frame, call.arguments[2:])
    if not frame.nesting:
        frame.registered.update(names)
    frame.world.registered.update(names)
    frame.emit(ir.ApiCall("cudaHostRegister", tuple(names), maps=True), call.span)
    return SUCCESS


def host_unregister(frame: Frame, call: tree.Call) -> Operand:
    """``cudaHostUnregister(p)``: the memory is pageable again from here on."""
    span = call.arguments[0].span
    names = _object_names(frame, expressions.lower_operand(frame, call.arguments[0]), span)
    for name in names:
        if name not in frame.world.registered:
            message = f"`{name}` is not registered"
            raise error(Code.BAD_ARGUMENTS, message, span, "call cudaHostRegister before")
    frame.registered.difference_update(names)
    frame.emit(ir.ApiCall("cudaHostUnregister", tuple(names)), call.span)
    return SUCCESS


def _object_names(frame: Frame, operand: Operand, span: Span) -> list[str]:
    """The objects that a pointer's target consists of."""
    operand = lvalues.settle(operand, span)
    target = operand.target if isinstance(operand, Pointer) else operand
    match target:
        case Variable(place) | Atomic(place) | Sync(place):
            return [place.object]
        case Array(object_) | Structure(object_):
            prefixes = (f"{object_}.", f"{object_}[")
            return [n for n in frame.world.objects if n == object_ or n.startswith(prefixes)]
        case _:
            raise error(Code.TYPE_ERROR, "the address of an object is wanted here", span)
