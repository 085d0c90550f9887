"""Kernel launches: each becomes a grid with a body of its own, its parameters bound."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.base.records import dataclass
from scopec.frontends.launches import check_cluster, check_device, check_threads
from scopec.frontends.scoped.lower import (
    expressions,
    functions,
    handles,
    lvalues,
    resolve,
    streams,
    threads,
)
from scopec.frontends.scoped.lower.context import Call, Frame, outside
from scopec.frontends.scoped.lower.cpp_types import VoidType
from scopec.frontends.scoped.lower.operands import (
    Computed,
    Elements,
    Function,
    Nothing,
    Operand,
    Pointer,
    PointerVariable,
    Record,
    describe,
)
from scopec.frontends.scoped.syntax import tree
from scopec.program import ir, values

if TYPE_CHECKING:
    from scopec.base.source import Span


@dataclass(frozen=True, slots=True)
class Configuration:
    """How a kernel is launched."""

    blocks: ir.Dim
    threads: ir.Dim
    stream: ir.Stream
    cluster: ir.Dim | None = None
    cooperative: bool = False
    domain: int = 0


def launch_grid(frame: Frame, launch: tree.Launch) -> Operand:
    """Lower ``kernel<<<blocks, threads, shared, stream>>>(arguments)``."""
    kernel = expressions.lower_name(frame, launch.kernel.name, launch.kernel.span)
    given = launch.configuration
    if not 2 <= len(given) <= 4:
        message = "a launch is configured by grid, block, shared memory and stream"
        raise error(Code.BAD_LAUNCH, message, launch.span, "write kernel<<<blocks, threads>>>(…)")
    blocks, threads_ = (handles.dim_of(frame, _extent(frame, e), e.span) for e in given[:2])
    if len(given) > 2:
        expressions.constant(frame, given[2], "the size of shared memory")
    stream = ir.legacy_stream(frame.device)
    if len(given) > 3:
        stream = streams.stream_operand(frame, given[3])
        check_device(stream, frame.device, given[3].span)
    configuration = Configuration(blocks, threads_, stream)
    operands = [expressions.lower_operand(frame, a) for a in launch.arguments]
    spans = [a.span for a in launch.arguments]
    issue(frame, kernel, launch.kernel, configuration, operands, spans, launch.span)
    return Nothing()


def _extent(frame: Frame, expr: tree.Expr) -> Operand:
    if isinstance(expr, tree.List):
        return handles.extents(frame, expr.elements, expr.span)
    return expressions.lower_operand(frame, expr)


def issue(
    frame: Frame,
    kernel: Operand,
    written: tree.Expr,
    configuration: Configuration,
    operands: list[Operand],
    spans: list[Span],
    span: Span,
) -> None:
    """Launch a kernel with arguments: a new grid, and the operation that launches it."""
    function = _kernel(kernel, written, len(operands))
    if not frame.host:
        raise outside("launches from device code are", span)
    if any(loop.again is not None for loop in frame.loops) and frame.nesting:
        message = "a launch inside a loop is outside the modelled subset"
        raise error(Code.OUTSIDE_SUBSET, message, span, "write the launches one by one")
    grid = _grid(frame, function, configuration, operands, spans, span)
    frame.world.grids[grid.name] = grid
    frame.emit(ir.LaunchGrid(grid.name), span)


def _kernel(kernel: Operand, written: tree.Expr, given: int) -> tree.Function:
    name = written.name if isinstance(written, tree.Name) else "this"
    if not isinstance(kernel, Function):
        raise error(Code.BAD_LAUNCH, f"`{name}` is {describe(kernel)}, not a kernel", written.span)
    if "__global__" not in kernel.definition.type.specifiers:
        raise error(Code.BAD_LAUNCH, f"`{name}` is not a kernel", written.span)
    if (wanted := len(kernel.definition.parameters)) != given:
        raise error(Code.BAD_LAUNCH, f"`{name}` has {wanted} parameters, {given} arguments given", written.span)
    return kernel.definition


def _grid(
    frame: Frame, function: tree.Function, how: Configuration, operands: list[Operand], spans: list[Span], span: Span
) -> ir.Grid:
    check_threads(how.blocks, how.threads, span)
    cluster = _cluster(frame, function, how, span)
    number = 1 + sum(grid.kernel == function.name for grid in frame.world.grids.values())
    name = function.name if number == 1 else f"{function.name}#{number}"
    inner = Frame(frame.world, name, host=False, call=Call(function.name, VoidType()), device=frame.device)
    bound: list[Operand] = []
    for parameter, operand, at in zip(function.parameters, operands, spans, strict=True):
        type_ = resolve.resolve(frame, parameter.type)
        known = functions.bind_parameter(frame, parameter, type_, operand, at)
        bound.append(threads.passed(frame, inner, known, f"{name}.{parameter.name}", at))
    body = functions.lower_thread_body(inner, function, bound)
    return ir.Grid(
        name, function.name, span, how.blocks, how.threads, how.stream, body, frame.device,
        cluster, how.cooperative, how.domain,
    )  # fmt: skip


def _cluster(frame: Frame, function: tree.Function, how: Configuration, span: Span) -> ir.Dim | None:
    """The clusters of a launch, by ``__cluster_dims__`` or an attribute of the launch."""
    written = function.type.cluster
    cluster = how.cluster
    if written:
        if cluster is not None:
            message = f"`{function.name}` has cluster dimensions: the launch cannot give others"
            raise error(Code.BAD_LAUNCH, message, span, "remove `__cluster_dims__`, or the attribute")
        cluster = ir.Dim(*(expressions.constant(frame, e, "the extent of a cluster") for e in written))
        span = function.type.span
    if cluster is not None:
        check_cluster(cluster, how.blocks, span)
    return cluster


# ---------------------------------------------------------------- launches through the API


def launch_kernel(frame: Frame, call: tree.Call, *, cooperative: bool) -> Operand:
    """``cudaLaunchKernel`` and ``cudaLaunchCooperativeKernel``: (function, grid, block, args, shared, stream)."""
    arguments = call.arguments
    kernel = _function(frame, arguments[0])
    blocks, threads_ = (handles.dim_of(frame, _extent(frame, e), e.span) for e in arguments[1:3])
    operands, spans = _argument_array(frame, arguments[3] if len(arguments) > 3 else None)
    if len(arguments) > 4:
        expressions.constant(frame, arguments[4], "the size of shared memory")
    stream = streams.stream_operand(frame, arguments[5]) if len(arguments) > 5 else ir.legacy_stream(frame.device)
    check_device(stream, frame.device, call.span)
    how = Configuration(blocks, threads_, stream, cooperative=cooperative)
    issue(frame, kernel, arguments[0], how, operands, spans, call.span)
    return streams.result(frame, call.span)


def _function(frame: Frame, expr: tree.Expr) -> Operand:
    operand = expressions.lower_operand(frame, expr)
    return operand.target if isinstance(operand, Pointer) and isinstance(operand.target, Function) else operand


def _argument_array(frame: Frame, expr: tree.Expr | None) -> tuple[list[Operand], list[Span]]:
    """What the array of pointers to arguments points to."""
    if expr is None:
        return [], []
    array = lvalues.settle(expressions.lower_operand(frame, expr), expr.span)
    match array:
        case Elements(items):
            pointed = [lvalues.dereference(frame, item, expr.span) for item in items]
            return [_value(o, expr.span) for o in pointed], [expr.span] * len(pointed)
        case Pointer(None) | Computed(values.Const(0, _)):
            return [], []
        case _:
            raise error(Code.TYPE_ERROR, "an array of pointers to the arguments is wanted here", expr.span)


def _value(operand: Operand, span: Span) -> Operand:
    return lvalues.settle(operand, span) if isinstance(operand, PointerVariable) else operand


def launch_kernel_ex(frame: Frame, call: tree.Call) -> Operand:
    """``cudaLaunchKernelEx(&config, kernel, arguments…)``."""
    config = lvalues.dereference(frame, expressions.lower_operand(frame, call.arguments[0]), call.arguments[0].span)
    if not isinstance(config, Record):
        raise error(Code.TYPE_ERROR, "the address of a cudaLaunchConfig_t is wanted here", call.arguments[0].span)
    kernel = _function(frame, call.arguments[1])
    span = call.span

    def of(name: str) -> Operand | None:
        return handles.member_value(config.members.get(name))

    blocks = handles.dim_of(frame, config.members.get("gridDim", Record()), span)
    threads_ = handles.dim_of(frame, config.members.get("blockDim", Record()), span)
    stream_member = of("stream")
    stream = ir.legacy_stream(frame.device)
    if stream_member is not None:
        stream = streams.as_stream(frame, stream_member, span)
        check_device(stream, frame.device, span)
    how = _with_attributes(frame, Configuration(blocks, threads_, stream), of("attrs"), of("numAttrs"), span)
    operands = [expressions.lower_operand(frame, a) for a in call.arguments[2:]]
    issue(frame, kernel, call.arguments[1], how, operands, [a.span for a in call.arguments[2:]], span)
    return streams.result(frame, call.span)


def _number(frame: Frame, operand: Operand, span: Span) -> int:
    value = lvalues.to_value(frame, operand, span)
    if not isinstance(value, values.Const):
        raise error(Code.NOT_CONSTANT, "the configuration of a launch must be constant", span)
    return value.value


def _with_attributes(
    frame: Frame, how: Configuration, attrs: Operand | None, count: Operand | None, span: Span
) -> Configuration:
    """What launch attributes add: a cluster, a cooperative launch, a memory synchronization domain."""
    if attrs is None:
        return how
    attrs = lvalues.settle(attrs, span)
    items: list[Operand]
    match attrs:
        case Elements(items):
            pass
        case Pointer(Elements(items)):
            pass
        case Pointer(Record() as one):
            items = [one]
        case _:
            raise error(Code.TYPE_ERROR, "an array of launch attributes is wanted here", span)
    for item in items[: 0 if count is None else _number(frame, count, span)]:
        assert isinstance(item, Record)
        kind = _number(frame, handles.member_value(item.members.get("id")) or Computed(values.FALSE), span)
        value = item.members.get("val", Record())
        assert isinstance(value, Record)
        match kind:
            case 4:
                extents = handles.dim_of(frame, value.members.get("clusterDim", Record()), span)
                how = replace(how, cluster=extents)
            case 2:
                setting = handles.member_value(value.members.get("cooperative"))
                how = replace(how, cooperative=setting is not None and bool(_number(frame, setting, span)))
            case 10:
                setting = handles.member_value(value.members.get("memSyncDomain"))
                how = replace(how, domain=_number(frame, setting, span) if setting is not None else 0)
            case 0:
                pass
            case _:
                raise outside("this launch attribute is", span)
    return how
