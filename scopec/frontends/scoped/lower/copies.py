"""CUDA API calls that copy or set memory.

A copy is work in a stream like a grid, of one thread that is no thread of the program: its reads and writes are ordered
by the stream.  Whether the call waits for it depends on the memory (CUDA runtime API, "API synchronization behavior").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.scoped.lower import expressions, lvalues, objects, pointers, streams
from scopec.frontends.scoped.lower.context import Call, Frame, outside
from scopec.frontends.scoped.lower.cpp_types import StructType, VoidType, size_of
from scopec.frontends.scoped.lower.operands import Array, Atomic, Operand, Pointer, Structure, Sync, Variable, describe
from scopec.program import ir, types
from scopec.program.transfers import HOST_SIDES, Role, Waits, copy_waits, fill_waits, role
from scopec.program.types import IntType
from scopec.program.values import Const

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.scoped.syntax import tree

_ONE = ir.Dim()

#: Numbers in memory that a copy covers.
Covered = list[tuple[ir.Place, IntType]]


def _role(frame: Frame, covered: Covered, *, on_host: bool) -> Role:
    """What the memory is that a side of a copy covers."""
    names = {place.object for place, _ in covered}
    return role(
        (ir.Storage.MAPPED if n in frame.registered else frame.world.objects[n].storage for n in names), on_host=on_host
    )


# ---------------------------------------------------------------- the calls


def copy(*, synchronous: bool) -> Callable[[Frame, tree.Call], Operand]:
    """``cudaMemcpy(to, from, bytes, kind)``, or ``cudaMemcpyAsync`` with a stream."""

    def handler(frame: Frame, call: tree.Call) -> Operand:
        to, from_, size, kind, *rest = call.arguments
        targets = _memory(frame, expressions.lower_operand(frame, to), size, to.span)
        sources = _memory(frame, expressions.lower_operand(frame, from_), size, from_.span)
        sides = _sides(frame, kind)
        stream = streams.stream_operand(frame, rest[0]) if rest else ir.legacy_stream(frame.device)
        _copy(frame, call, targets, sources, sides, stream, synchronous=synchronous)
        return streams.result(frame, call.span)

    return handler


def fill(*, synchronous: bool) -> Callable[[Frame, tree.Call], Operand]:
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
        waits = fill_waits(_role(frame, targets, on_host=False), synchronous=synchronous)
        _issue(frame, inner, call.span, stream, waits)
        return streams.result(frame, call.span)

    return handler


def _memory(frame: Frame, operand: Operand, size: tree.Expr, span: Span) -> Covered:
    """The numbers in memory that a pointer and a size in bytes cover."""
    operand = lvalues.settle(operand, span)
    if isinstance(operand, Array):
        operand = Pointer(operand)
    if not isinstance(operand, Pointer) or operand.target is None:
        raise error(Code.TYPE_ERROR, f"a pointer that is known is wanted here, not {describe(operand)}", span)
    target = operand.target
    type_ = target.element if isinstance(target, Array) else lvalues.type_of(target)
    element_size = size_of(type_) if type_ is not None else None
    if type_ is None or element_size is None:
        raise outside(f"a copy of {describe(target)} is", span)
    bytes_ = expressions.constant(frame, size, "the size of a copy")
    if bytes_ % element_size:
        raise outside("a copy of part of an object is", size.span)
    found: list[tuple[ir.Place, IntType]] = []
    for number in range(bytes_ // element_size):
        moved = pointers.moved(frame, operand, Const(number, types.INT), span)
        found += _numbers(frame, lvalues.dereference(frame, moved, span), span)
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
                yield from _numbers(frame, lvalues.member(operand, field.name, span), span)
        case Array(length=length):
            for number in range(length):
                part = lvalues.element(frame, operand, Const(number, types.INT), span)
                yield from _numbers(frame, part, span)
        case _:
            raise outside(f"a copy of {describe(operand)} is", span)


def _sides(frame: Frame, kind: tree.Expr) -> tuple[bool, bool]:
    """Which sides of a copy its kind calls host memory: the source's and the destination's."""
    number = expressions.constant(frame, kind, "the kind of a copy")
    if number not in HOST_SIDES:
        raise error(Code.BAD_ARGUMENTS, f"{number} is not a cudaMemcpyKind", kind.span, "use cudaMemcpyDefault")
    return HOST_SIDES[number]


def _copy(
    frame: Frame,
    call: tree.Call,
    targets: Covered,
    sources: Covered,
    sides: tuple[bool, bool],
    stream: ir.Stream,
    *,
    synchronous: bool,
) -> None:
    if [t.size for _, t in targets] != [t.size for _, t in sources]:
        raise outside("a copy between objects of different types is", call.span)
    from_role, to_role = (
        _role(frame, side, on_host=on_host) for side, on_host in zip((sources, targets), sides, strict=True)
    )
    waits = copy_waits(from_role, to_role, synchronous=synchronous)
    inner = _work_frame(frame, "cudaMemcpy")
    if waits is Waits.STAGING:
        frame.emit(ir.StreamSynchronize(stream.name), call.span)
        staging = _staging(frame, inner.prefix, sources, call.span)
        _move(frame, staging, sources, call.span)
        sources = staging
    _move(inner, targets, sources, call.span)
    _issue(frame, inner, call.span, stream, waits)


def _staging(frame: Frame, name: str, sources: Covered, span: Span) -> Covered:
    """The memory that a pageable buffer is copied to before the call returns."""
    made: Covered = []
    for _, type_ in sources:
        made.append((objects.passed(frame, f"{name}.staged", type_, span).place, type_))
    return made


def _move(frame: Frame, targets: Covered, sources: Covered, span: Span) -> None:
    """Read each number and write it."""
    for (to, type_), (from_, _) in zip(targets, sources, strict=True):
        value = lvalues.load(frame, from_, type_, ir.PLAIN, span)
        lvalues.store(frame, to, value, ir.PLAIN, span)


def _work_frame(frame: Frame, kind: str) -> Frame:
    number = 1 + sum(grid.kernel == kind for grid in frame.world.grids.values())
    name = kind if number == 1 else f"{kind}#{number}"
    return Frame(frame.world, name, host=True, call=Call(kind, VoidType()))


def _issue(frame: Frame, inner: Frame, span: Span, stream: ir.Stream, waits: Waits) -> None:
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
    if waits is Waits.COMPLETION:
        frame.emit(ir.WorkSynchronize(grid.name), span)
