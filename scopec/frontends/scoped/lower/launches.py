"""Kernel launches: each becomes a grid with a body of its own, its parameters bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.launches import check_threads
from scopec.frontends.scoped.lower import calls, lvalues, resolve, statements
from scopec.frontends.scoped.lower.cpp_types import AtomicType, PointerType
from scopec.frontends.scoped.lower.operands import Computed, Kernel, Nothing, Operand, Register, describe
from scopec.frontends.scoped.out_of_subset import out_of_subset
from scopec.program import ir, values
from scopec.program.types import IntType

if TYPE_CHECKING:
    from scopec.frontends.c.syntax import tree
    from scopec.frontends.scoped.lower.context import Frame


def launch_grid(frame: Frame, launch: tree.Launch) -> Operand:
    """Lower ``kernel<<<blocks, threads, shared, stream>>>(arguments)``."""
    kernel = frame.named(launch.kernel.name, launch.kernel.span)
    if not isinstance(kernel, Kernel):
        message = f"`{launch.kernel.name}` is {describe(kernel)}, not a kernel"
        raise error(Code.BAD_LAUNCH, message, launch.kernel.span)
    if not frame.host:
        raise out_of_subset("a launch from device code is", launch.span)
    if frame.loops:
        raise out_of_subset("a launch in a loop is", launch.span, "write the launches one by one")
    given = launch.configuration
    if not 2 <= len(given) <= 4:
        message = "a launch is configured by grid, block, shared memory and stream"
        raise error(Code.BAD_LAUNCH, message, launch.span, "write kernel<<<blocks, threads>>>(…)")
    blocks, threads = (_extent(frame, e) for e in given[:2])
    check_threads(blocks, threads, launch.span)
    if len(given) > 2:
        frame.constant(given[2], "the size of shared memory")
    stream = calls.stream_of(frame, given[3]) if len(given) > 3 else ir.legacy_stream(0)
    function, grids = kernel.definition, frame.world.grids
    number = 1 + sum(grid.kernel == function.name for grid in grids.values())
    name = function.name if number == 1 else f"{function.name}#{number}"
    body = _body(frame, name, function, launch)
    grids[name] = ir.Grid(name, function.name, launch.span, blocks, threads, stream, body)
    frame.emit(ir.LaunchGrid(name), launch.span)
    return Nothing()


def _extent(frame: Frame, expr: tree.Expr) -> ir.Dim:
    extent = frame.constant(expr, "the extent of a launch")
    if extent < 1:
        raise error(Code.NO_THREADS, f"a launch with an extent of {extent}", expr.span)
    return ir.Dim(extent)


def _body(frame: Frame, name: str, function: tree.Function, launch: tree.Launch) -> ir.Body:
    if len(function.parameters) != len(launch.arguments):
        message = (
            f"`{function.name}` has {len(function.parameters)} parameters, {len(launch.arguments)} arguments given"
        )
        raise error(Code.BAD_LAUNCH, message, launch.kernel.span)
    inner = type(frame)(frame.world, name, host=False, assigned=statements.assigned(function))
    scope: dict[str, Operand] = {}
    for parameter, argument in zip(function.parameters, launch.arguments, strict=True):
        if parameter.name in scope:
            raise error(Code.DUPLICATE, f"two parameters are called `{parameter.name}`", parameter.span)
        scope[parameter.name] = _bound(frame, inner, parameter, argument)
    return statements.lower_body(inner, function, scope)


def _bound(frame: Frame, inner: Frame, parameter: tree.Parameter, argument: tree.Expr) -> Operand:
    """The meaning of a parameter, given its argument: a constant, a register that begins with one, or an object."""
    match resolve.resolve(frame, parameter.type):
        case AtomicType(ref=True) as type_:
            return lvalues.atomic_ref(frame.operand(argument), type_, argument.span, kept=True)
        case PointerType() as type_:
            return lvalues.pointer(frame.operand(argument), type_, argument.span)
        case IntType() as type_ if "volatile" not in parameter.type.specifiers:
            value = values.Const(type_.wrap(frame.constant(argument, "what a launch passes")), type_)
            if parameter.name not in inner.assigned:
                return Computed(value)
            register = inner.register(parameter.name, type_)
            inner.emit(ir.Set(register, value), parameter.span)
            return Register(register, type_)
        case _:
            raise out_of_subset("a parameter of this type is", parameter.span)
