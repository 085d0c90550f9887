"""Groups of cooperative_groups: what they are, and their barriers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.scoped.lower import calls, expressions
from scopec.frontends.scoped.lower.context import outside
from scopec.frontends.scoped.lower.operands import Computed, Group, Nothing, Operand, describe
from scopec.frontends.scoped.syntax import tree
from scopec.program import ir, types, values
from scopec.program.types import UINT
from scopec.program.values import Builtin, Const, Value

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.scoped.lower.context import Frame

FUNCTIONS = ("this_thread_block", "this_grid", "this_cluster", "tiled_partition", "sync", "this_multi_grid")
_KINDS = {"this_thread_block": "block", "this_grid": "grid", "this_cluster": "cluster"}


def make(frame: Frame, call: tree.Call, name: str) -> Operand:
    """``this_grid()``, ``tiled_partition<N>(block)``, or ``sync(group)``."""
    if frame.host:
        raise error(Code.TYPE_ERROR, f"`{name}` can be called in kernels only", call.span)
    match name:
        case "sync":
            (argument,) = calls.arguments_of(call, 1, 1)
            operand = expressions.lower_operand(frame, argument)
            if not isinstance(operand, Group):
                raise error(Code.TYPE_ERROR, f"a group is wanted here, not {describe(operand)}", argument.span)
            return _sync(frame, operand, call.span)
        case "tiled_partition":
            return _tile(frame, call)
        case "this_multi_grid":
            raise outside("groups of several grids are", call.span)
        case _:
            calls.arguments_of(call, 0, 0)
            return Group(_KINDS[name])


def _tile(frame: Frame, call: tree.Call) -> Operand:
    """Tiles of a block: neighbouring lanes of a warp, as many as its template argument says."""
    assert isinstance(call.function, tree.Name)
    if call.function.arguments:
        (size_expr,) = call.function.arguments
        calls.arguments_of(call, 1, 1)
    else:
        _, size_expr = calls.arguments_of(call, 2, 2)
    if isinstance(size_expr, tree.TypeName):
        raise error(Code.TYPE_ERROR, "the size of a tile is wanted here", size_expr.span)
    size = expressions.constant(frame, size_expr, "the size of a tile")
    if size not in (1, 2, 4, 8, 16, 32):
        raise error(Code.BAD_ARGUMENTS, f"there are no tiles of {size} threads", size_expr.span, "use 1 to 32")
    return Group("tile", size)


def _sync(frame: Frame, group: Group, span: Span) -> Operand:
    match group.kind:
        case "block":
            frame.emit(ir.SyncThreads(), span)
        case "grid":
            frame.emit(ir.GroupSync(ir.Group.GRID), span)
        case "cluster":
            frame.emit(ir.GroupSync(ir.Group.CLUSTER), span)
        case _ if group.size == 1:
            pass
        case _:
            frame.emit(ir.GroupSync(ir.Group.TILE, group.size), span)
    return Nothing()


def member(frame: Frame, call: tree.Call, group: Group, name: str) -> Operand:
    """Lower a call of a group's member function."""
    match name:
        case "sync":
            calls.arguments_of(call, 0, 0)
            return _sync(frame, group, call.span)
        case "size" | "num_threads":
            return Computed(_size(group, call.span))
        case "thread_rank":
            return Computed(_rank(group, call.span))
        case "is_valid":
            return Computed(values.TRUE)
        case "meta_group_rank" if group.kind == "tile":
            return Computed(values.binary("/", _linear("threadIdx", "blockDim"), Const(group.size, UINT)))
        case "num_blocks" if group.kind == "grid":
            return Computed(_count("gridDim"))
        case "block_rank" if group.kind == "grid":
            return Computed(_linear("blockIdx", "gridDim"))
        case "block_rank" if group.kind == "cluster":
            return Computed(Builtin("clusterRank", UINT))
        case "num_blocks" if group.kind == "cluster":
            return Computed(Builtin("clusterSize", UINT))
        case _:
            raise error(Code.UNMODELLED_CALL, f"scopec does not model a group's `{name}`", call.span)


def _count(of: str) -> Value:
    x, y, z = (Builtin(f"{of}.{axis}", UINT) for axis in "xyz")
    return values.binary("*", values.binary("*", x, y), z)


def _linear(index: str, extent: str) -> Value:
    """The linear number of a position: x fastest."""
    x, y, z = (Builtin(f"{index}.{axis}", UINT) for axis in "xyz")
    width, height = Builtin(f"{extent}.x", UINT), Builtin(f"{extent}.y", UINT)
    rows = values.binary("+", values.binary("*", z, height), y)
    return values.binary("+", values.binary("*", rows, width), x)


def _size(group: Group, span: Span) -> Value:
    match group.kind:
        case "block":
            return _count("blockDim")
        case "grid":
            return values.binary("*", _count("gridDim"), _count("blockDim"))
        case "tile":
            return Const(group.size, UINT)
        case _:
            raise outside("the size of a cluster in threads is", span)


def _rank(group: Group, span: Span) -> Value:
    block = _linear("threadIdx", "blockDim")
    match group.kind:
        case "block":
            return block
        case "grid":
            before = values.binary("*", _linear("blockIdx", "gridDim"), _count("blockDim"))
            return values.cast(values.binary("+", before, block), types.ULONG)
        case "tile":
            return values.binary("%", block, Const(group.size, UINT))
        case _:
            raise outside("the rank of a thread in a cluster is", span)
