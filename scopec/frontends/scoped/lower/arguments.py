"""Arguments of calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.c.syntax import tree
from scopec.frontends.scoped.lower.operands import Enumerator
from scopec.program import ir

if TYPE_CHECKING:
    from scopec.frontends.scoped.lower.context import Frame


def arguments_of(call: tree.Call, least: int, most: int) -> tuple[tree.Expr, ...]:
    """The arguments of a call; InputError if there are fewer or more."""
    if not least <= len(call.arguments) <= most:
        wanted = str(least) if least == most else f"{least} to {most}"
        plural = "" if wanted == "1" else "s"
        message = f"{wanted} argument{plural} wanted here, {len(call.arguments)} given"
        raise error(Code.BAD_ARGUMENTS, message, call.span)
    return call.arguments


def order_of(frame: Frame, expr: tree.Expr) -> ir.Order:
    """The memory order that an argument names."""
    operand = frame.operand(expr)
    if isinstance(operand, Enumerator) and isinstance(operand.value, ir.Order):
        return operand.value
    raise error(Code.TYPE_ERROR, "a memory order is wanted here", expr.span, "such as cuda::memory_order_acquire")


def scope_of(frame: Frame, expr: tree.TypeName | tree.Expr) -> ir.Scope:
    """The thread scope that an argument, also one of a template, names."""
    operand = None if isinstance(expr, tree.TypeName) else frame.operand(expr)
    if isinstance(operand, Enumerator) and isinstance(operand.value, ir.Scope):
        return operand.value
    raise error(Code.TYPE_ERROR, "a thread scope is wanted here", expr.span, "such as cuda::thread_scope_device")
