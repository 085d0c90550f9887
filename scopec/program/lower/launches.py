"""Kernel launches: each becomes a grid with a body of its own, its parameters bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.diagnostics import Code, error
from scopec.program import ir, values
from scopec.program.lower import api, calls, expressions, names, statements
from scopec.program.lower.context import Frame
from scopec.program.lower.operands import Computed, Extent, Function, Nothing, Operand

if TYPE_CHECKING:
    from scopec.syntax import tree

_MOST_THREADS = 1 << 16


def launch_grid(frame: Frame, launch: tree.Launch) -> Operand:
    """Lower a launch: a new grid, and the operation that launches it."""
    kernel = frame.lookup(launch.kernel.name, launch.kernel.span)
    if not (isinstance(kernel, Function) and "__global__" in kernel.definition.type.specifiers):
        raise error(Code.BAD_LAUNCH, f"`{launch.kernel.name}` is not a kernel", launch.kernel.span)
    if not frame.host:
        raise error(Code.OUTSIDE_SUBSET, "launches from device code are outside the modelled subset", launch.span)
    if frame.loops:
        message = "a launch inside a loop is outside the modelled subset"
        raise error(Code.OUTSIDE_SUBSET, message, launch.span, "write the launches one by one")
    grid = _grid(frame, launch, kernel.definition)
    frame.world.grids[grid.name] = grid
    frame.emit(ir.LaunchGrid(grid.name), launch.span)
    return Nothing()


def _grid(frame: Frame, launch: tree.Launch, function: tree.Function) -> ir.Grid:
    configuration = launch.configuration
    if not 2 <= len(configuration) <= 4:
        message = "a launch is configured by grid, block, shared memory and stream"
        raise error(Code.BAD_LAUNCH, message, launch.span, "write kernel<<<blocks, threads>>>(…)")
    blocks, threads = (_extent(frame, e) for e in configuration[:2])
    if blocks.count * threads.count > _MOST_THREADS:
        message = f"a launch of {blocks.count * threads.count} threads"
        raise error(Code.TOO_LARGE, message, launch.span, f"launch at most {_MOST_THREADS} threads")
    if len(configuration) > 2:
        expressions.constant(frame, configuration[2], "the size of shared memory")
    stream = ir.legacy_stream(frame.device)
    if len(configuration) > 3:
        stream = api.stream_operand(frame, configuration[3])
        if stream.device != frame.device:
            message = f"stream `{stream.name}` belongs to device {stream.device}, device {frame.device} is current"
            raise error(Code.BAD_LAUNCH, message, configuration[3].span, "call cudaSetDevice before the launch")
    if len(launch.arguments) != len(function.parameters):
        message = (
            f"`{function.name}` has {len(function.parameters)} parameters, {len(launch.arguments)} arguments given"
        )
        raise error(Code.BAD_LAUNCH, message, launch.span)
    cluster = _cluster(frame, function, blocks)
    number = 1 + sum(grid.kernel == function.name for grid in frame.world.grids.values())
    name = function.name if number == 1 else f"{function.name}#{number}"
    inner = Frame(frame.world, name, host=False, device=frame.device)
    inner.return_type = names.VoidType()
    operands = [_argument(frame, p, a) for p, a in zip(function.parameters, launch.arguments, strict=True)]
    body = statements.lower_body(inner, function, operands)
    return ir.Grid(name, function.name, launch.span, blocks, threads, stream, body, frame.device, cluster=cluster)


def _cluster(frame: Frame, function: tree.Function, blocks: ir.Dim) -> ir.Dim | None:
    """What ``__cluster_dims__`` asks for; the grid must be a multiple of it (CUDA C++ Programming Guide, 5.2.1)."""
    written = function.type.cluster
    if not written:
        return None
    extents = [expressions.constant(frame, e, "the extent of a cluster") for e in written]
    cluster = ir.Dim(*extents)
    for extent, given in zip((cluster.x, cluster.y, cluster.z), (blocks.x, blocks.y, blocks.z), strict=True):
        if extent < 1 or given % extent:
            message = f"a grid of {blocks} blocks cannot be divided into clusters of {cluster}"
            raise error(Code.BAD_LAUNCH, message, function.type.span, "launch a multiple of the cluster's extent")
    return cluster


def _argument(frame: Frame, parameter: tree.Parameter, argument: tree.Expr) -> Operand:
    operand = calls.bind_parameter(frame, parameter, argument)
    if isinstance(operand, Computed) and not isinstance(operand.value, values.Const):
        message = "a kernel's argument must be a constant or the address of an object"
        raise error(Code.NOT_CONSTANT, message, argument.span, "pass a constant, or store the value in memory")
    return operand


def _extent(frame: Frame, expr: tree.Expr) -> ir.Dim:
    operand = expressions.lower_operand(frame, expr)
    if isinstance(operand, Extent) and not operand.name:
        dim = operand.dim
    else:
        value = expressions.to_value(frame, operand, expr.span)
        if not isinstance(value, values.Const):
            raise error(Code.NOT_CONSTANT, "the extent of a launch must be a constant", expr.span)
        dim = ir.Dim(value.value)
    if min(dim.x, dim.y, dim.z) < 1:
        raise error(Code.NO_THREADS, f"a launch with an extent of {min(dim.x, dim.y, dim.z)}", expr.span)
    return dim
