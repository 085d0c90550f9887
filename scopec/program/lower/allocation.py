"""CUDA API calls on memory: what is allocated, and what is copied.

A copy is work in a stream like a grid, of one thread that is no thread of the program: its reads and writes are ordered
by the stream.  A call that waits for its copy waits for the stream.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.diagnostics import Code, error
from scopec.program import ir, types
from scopec.program.lower import expressions, handles, objects, places, pointers, streams
from scopec.program.lower.context import Call, Frame, outside
from scopec.program.lower.kinds import StructType, VoidType, as_float, size_of
from scopec.program.lower.operands import (
    Array,
    Atomic,
    Computed,
    Nothing,
    Operand,
    Pointer,
    PointerVariable,
    Record,
    Structure,
    Sync,
    Variable,
    describe,
)
from scopec.program.types import IntType
from scopec.program.values import Const

if TYPE_CHECKING:
    from scopec.source import Span
    from scopec.syntax import tree

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
    operand = places.settle(expressions.lower_operand(frame, expr), expr.span)
    if isinstance(operand, Pointer) and isinstance(operand.target, PointerVariable):
        return operand.target
    message = f"the address of a pointer variable of the host is wanted here, not {describe(operand)}"
    raise error(Code.TYPE_ERROR, message, expr.span)


def host_malloc(frame: Frame, call: tree.Call) -> Operand:
    """``malloc(bytes)``, or ``calloc(count, size)``: memory whose type the cast around it tells."""
    if not frame.host:
        raise outside("dynamic memory on the device is", call.span)
    product = 1
    for argument in call.arguments:
        product *= expressions.constant(frame, argument, "the size")
    return Pointer(Record({"malloc": Computed(Const(product, types.LONG))}))


def free(function: str) -> Callable[[Frame, tree.Call], Operand]:
    """``cudaFree(p)`` and its kin: nothing that the two questions see."""

    def handler(frame: Frame, call: tree.Call) -> Operand:
        places.settle(expressions.lower_operand(frame, call.arguments[0]), call.span)
        if function != "free":
            frame.emit(ir.ApiCall(function), call.span)
        return SUCCESS if function != "free" else Nothing()

    return handler


def device_pointer(frame: Frame, call: tree.Call) -> Operand:
    """``cudaHostGetDevicePointer(&d, h, flags)``: another pointer to the same memory."""
    variable = _pointer_variable(frame, call.arguments[0])
    source = places.settle(expressions.lower_operand(frame, call.arguments[1]), call.span)
    places.bind(frame, variable, source, call.span)
    frame.emit(ir.ApiCall("cudaHostGetDevicePointer"), call.span)
    return SUCCESS


def symbol_address(frame: Frame, call: tree.Call) -> Operand:
    """``cudaGetSymbolAddress(&p, symbol)``."""
    variable = _pointer_variable(frame, call.arguments[0])
    symbol = expressions.lower_operand(frame, call.arguments[1])
    places.bind(frame, variable, places.address(symbol, call.arguments[1].span), call.span)
    frame.emit(ir.ApiCall("cudaGetSymbolAddress"), call.span)
    return SUCCESS


def host_register(frame: Frame, call: tree.Call) -> Operand:
    """Registered host memory is mapped memory: the object's storage changes, for the whole program."""
    span = call.arguments[0].span
    names = _object_names(frame, expressions.lower_operand(frame, call.arguments[0]), span)
    whole = 0
    for name in names:
        object_ = frame.world.objects[name]
        if object_.storage not in (ir.Storage.SYSTEM, ir.Storage.MAPPED):
            message = f"cudaHostRegister takes host memory, `{name}` is {object_.storage.value} memory"
            raise error(Code.TYPE_ERROR, message, span)
        whole += object_.size * len(object_.values)
    size = expressions.constant(frame, call.arguments[1], "the size")
    if size < whole:
        message = f"{size} of the {whole} bytes of `{names[0]}` are registered"
        raise error(Code.OUTSIDE_SUBSET, message, call.arguments[1].span, "register the whole object")
    streams.flags(frame, call.arguments[2:])
    for name in names:
        frame.world.objects[name] = replace(frame.world.objects[name], storage=ir.Storage.MAPPED)
    frame.emit(ir.ApiCall("cudaHostRegister"), call.span)
    return SUCCESS


def _object_names(frame: Frame, operand: Operand, span: Span) -> list[str]:
    """The objects that a pointer's target consists of."""
    operand = places.settle(operand, span)
    target = operand.target if isinstance(operand, Pointer) else operand
    match target:
        case Variable(place) | Atomic(place) | Sync(place):
            return [place.object]
        case Array(object_) | Structure(object_):
            prefixes = (f"{object_}.", f"{object_}[")
            return [n for n in frame.world.objects if n == object_ or n.startswith(prefixes)]
        case _:
            raise error(Code.TYPE_ERROR, "the address of an object is wanted here", span)


# ---------------------------------------------------------------- copies


def copy(*, wait: bool) -> Callable[[Frame, tree.Call], Operand]:
    """``cudaMemcpy(to, from, bytes, kind)``, or ``cudaMemcpyAsync`` with a stream."""

    def handler(frame: Frame, call: tree.Call) -> Operand:
        to, from_, size, *rest = call.arguments
        targets = _memory(frame, expressions.lower_operand(frame, to), size, to.span)
        sources = _memory(frame, expressions.lower_operand(frame, from_), size, from_.span)
        if rest:
            streams.flags(frame, (rest[0],))
        stream = streams.stream_operand(frame, rest[1]) if len(rest) > 1 else ir.legacy_stream(frame.device)
        _copy(frame, call, targets, sources, stream, wait=wait)
        return SUCCESS

    return handler


def copy_symbol(*, to_symbol: bool, wait: bool) -> Callable[[Frame, tree.Call], Operand]:
    """``cudaMemcpyToSymbol(symbol, from, bytes, offset, kind, stream)`` and ``cudaMemcpyFromSymbol``."""

    def handler(frame: Frame, call: tree.Call) -> Operand:
        to, from_, size, *rest = call.arguments
        if rest and expressions.constant(frame, rest[0], "the offset"):
            raise outside("an offset into a symbol is", rest[0].span)
        symbol, other = (to, from_) if to_symbol else (from_, to)
        whole = places.address(expressions.lower_operand(frame, symbol), symbol.span)
        in_symbol = _memory(frame, whole, size, symbol.span)
        outside_ = _memory(frame, expressions.lower_operand(frame, other), size, other.span)
        targets, sources = (in_symbol, outside_) if to_symbol else (outside_, in_symbol)
        stream = streams.stream_operand(frame, rest[2]) if len(rest) > 2 else ir.legacy_stream(frame.device)
        _copy(frame, call, targets, sources, stream, wait=wait)
        return SUCCESS

    return handler


def fill(*, wait: bool) -> Callable[[Frame, tree.Call], Operand]:
    """``cudaMemset(p, byte, bytes)``, or ``cudaMemsetAsync`` with a stream."""

    def handler(frame: Frame, call: tree.Call) -> Operand:
        to, value, size, *rest = call.arguments
        byte = expressions.constant(frame, value, "the value") & 0xFF
        targets = _memory(frame, expressions.lower_operand(frame, to), size, to.span)
        stream = streams.stream_operand(frame, rest[0]) if rest else ir.legacy_stream(frame.device)
        inner = _work_frame(frame, "cudaMemset")
        for place, type_ in targets:
            pattern = int.from_bytes(bytes([byte]) * type_.size, "little")
            inner.emit(ir.Store(place, Const(type_.wrap(pattern), type_), ir.PLAIN), call.span)
        _issue(frame, inner, call.span, stream, wait=wait)
        return SUCCESS

    return handler


def _memory(frame: Frame, operand: Operand, size: tree.Expr, span: Span) -> list[tuple[ir.Place, IntType]]:
    """The numbers in memory that a pointer and a size in bytes cover."""
    operand = places.settle(operand, span)
    if isinstance(operand, Array):
        operand = Pointer(operand)
    if not isinstance(operand, Pointer) or operand.target is None:
        raise error(Code.TYPE_ERROR, f"a pointer that is known is wanted here, not {describe(operand)}", span)
    target = operand.target
    type_ = target.element if isinstance(target, Array) else places.type_of(target)
    element_size = size_of(type_) if type_ is not None else None
    if type_ is None or element_size is None:
        raise outside(f"a copy of {describe(target)} is", span)
    bytes_ = expressions.constant(frame, size, "the size of a copy")
    if bytes_ % element_size:
        raise outside("a copy of part of an object is", size.span)
    found: list[tuple[ir.Place, IntType]] = []
    for number in range(bytes_ // element_size):
        moved = pointers.moved(frame, operand, Const(number, types.INT), span)
        found += _numbers(frame, places.dereference(frame, moved, span), span)
    return found


def _numbers(frame: Frame, operand: Operand, span: Span) -> Iterator[tuple[ir.Place, IntType]]:
    match operand:
        case Variable(place) | Atomic(place) | Sync(place):
            object_ = frame.world.objects[place.object]
            if not isinstance(place.index, Const):
                raise error(Code.NOT_CONSTANT, "what a copy covers must be known", span)
            if not 0 <= place.index.value < len(object_.values):
                message = f"the copy goes beyond `{place.object}`"
                raise error(Code.BAD_ARGUMENTS, message, span, f"it has {len(object_.values)} elements")
            yield place, object_.type
        case Structure(type=StructType(fields=fields)):
            for field in fields:
                yield from _numbers(frame, places.member(frame, operand, field.name, span), span)
        case Array(length=length):
            for number in range(length):
                part = places.element(frame, operand, Const(number, types.INT), span)
                yield from _numbers(frame, part, span)
        case _:
            raise outside(f"a copy of {describe(operand)} is", span)


def _copy(
    frame: Frame,
    call: tree.Call,
    targets: list[tuple[ir.Place, IntType]],
    sources: list[tuple[ir.Place, IntType]],
    stream: ir.Stream,
    *,
    wait: bool,
) -> None:
    if [t.size for _, t in targets] != [t.size for _, t in sources]:
        raise outside("a copy between objects of different types is", call.span)
    inner = _work_frame(frame, "cudaMemcpy")
    for (to, type_), (from_, source) in zip(targets, sources, strict=True):
        if as_float(type_) is not None:
            places.assign(inner, Variable(to, type_), Variable(from_, source), call.span)
            continue
        value = places.load(inner, from_, type_, ir.PLAIN, call.span)
        places.store(inner, to, value, ir.PLAIN, call.span)
    _issue(frame, inner, call.span, stream, wait=wait)


def _work_frame(frame: Frame, kind: str) -> Frame:
    number = 1 + sum(grid.kernel == kind for grid in frame.world.grids.values())
    name = kind if number == 1 else f"{kind}#{number}"
    return Frame(frame.world, name, host=True, call=Call(kind, VoidType(), frame.space))


def _issue(frame: Frame, inner: Frame, span: Span, stream: ir.Stream, *, wait: bool) -> None:
    if not frame.host:
        raise error(Code.TYPE_ERROR, "this is a function of the host", span)
    if any(loop.again is not None for loop in frame.loops) and frame.nesting:
        raise outside("a copy inside a loop is", span, "write the copies one by one")
    inner.builder.end(span)
    grid = ir.Grid(
        inner.prefix, inner.call.name, span, _ONE, _ONE, stream, inner.finish(), stream.device, work=ir.Work.COPY
    )
    frame.world.grids[grid.name] = grid
    frame.emit(ir.LaunchGrid(grid.name), span)
    if wait:
        frame.emit(ir.StreamSynchronize(stream.name), span)
