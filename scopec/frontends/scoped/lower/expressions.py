"""Lowering of expressions: effects go to the graph in evaluation order, the rest becomes a value."""

from __future__ import annotations

from typing import assert_never

from scopec.base.diagnostics import Code, error
from scopec.base.source import Span
from scopec.frontends.c.expressions import literal
from scopec.frontends.c.syntax import tree
from scopec.frontends.scoped.lower import calls, launches, lvalues, operators, resolve
from scopec.frontends.scoped.lower.context import Frame
from scopec.frontends.scoped.lower.cpp_types import ArrayType, AtomicType, VoidType, size_of
from scopec.frontends.scoped.lower.operands import Array, Atomic, Computed, Nothing, Operand, Variable
from scopec.frontends.scoped.out_of_subset import out_of_subset
from scopec.program import types, values
from scopec.program.types import INT, IntType
from scopec.program.values import Const


def lower_operand(frame: Frame, expr: tree.Expr) -> Operand:
    """The denotation of an expression; its effects are appended to the graph."""
    match expr:
        case tree.Int(span, value):
            written = frame.world.source.text_of(span)
            if written.startswith("'") or (value >> 31 and written.startswith("0")):
                raise out_of_subset(f"`{written}`, whose type is not that of a decimal number, is", span)
            return Computed(literal(frame, expr))
        case tree.Bool(_, is_true):
            return Computed(values.TRUE if is_true else values.FALSE)
        case tree.Name(span, name, None):
            return frame.named(name, span)
        case tree.Unary(span, op, operand):
            return operators.unary(frame, op, operand, span)
        case tree.Binary(_, ("&&" | "||"), _, _):
            return Computed(operators.short_circuit(frame, expr))
        case tree.Binary():
            return Computed(operators.binary(frame, expr))
        case tree.Conditional():
            return Computed(operators.conditional(frame, expr))
        case tree.Member(span, object_, name):
            return lvalues.member(frame.operand(object_), name, span)
        case tree.Index(_, object_, index):
            return lvalues.element(frame.operand(object_), frame.alone(index), index.span)
        case tree.Call():
            return calls.lower_call(frame, expr)
        case tree.Construct(span, written_type, argument):
            type_ = resolve.resolve(frame, written_type)
            if not isinstance(type_, AtomicType) or not type_.ref:
                raise out_of_subset("a temporary of this type is", span)
            return lvalues.atomic_ref(frame.operand(argument), type_, argument.span, kept=False)
        case tree.Cast(span, written_type, operand):
            return _cast(frame, written_type, operand, span)
        case tree.SizeOf(span, operand):
            return Computed(Const(_sizeof(frame, operand, span), types.ULONG))
        case tree.Launch():
            return launches.launch_grid(frame, expr)
        case tree.ThreadLocal(span, kernel, launch):
            raise error(Code.UNKNOWN_NAME, f"`{kernel}#{launch}` has a meaning in expectations only", span)
        case tree.Name() | tree.Comma() | tree.Assign() | tree.Step():
            raise out_of_subset("this here is", expr.span)
        case _:
            assert_never(expr)


def discard(frame: Frame, expr: tree.Expr) -> None:
    """Evaluate an expression statement, for its effects alone."""
    match expr:
        case tree.Assign(span, op, target, value):
            operators.assign(frame, target, op, frame.value(value), span)
        case tree.Step(span, op, _, target):
            operators.assign(frame, target, op[0], Const(1, INT), span)
        case tree.Call() | tree.Launch() | tree.Cast(type=tree.TypeName(name="void")):
            frame.operand(expr)
        case _:
            raise out_of_subset("a statement without an effect is", expr.span)


def _cast(frame: Frame, written: tree.TypeName, operand: tree.Expr, span: Span) -> Operand:
    match resolve.resolve(frame, written):
        case VoidType():
            frame.operand(operand)
            return Nothing()
        case IntType() as type_:
            return Computed(values.cast(frame.value(operand), type_))
        case _:
            raise out_of_subset("a cast to this type is", span)


def _sizeof(frame: Frame, operand: tree.TypeName | tree.Name, span: Span) -> int:
    size = None
    if isinstance(operand, tree.TypeName):
        size = size_of(resolve.resolve(frame, operand))
    else:
        found = frame.named(operand.name, operand.span)
        match found:
            case Array(_, element, length, _):
                size = size_of(ArrayType(element, length))
            case Variable() | Atomic(ref=False):
                size = size_of(lvalues.type_of(found))
            case _:
                pass
    if size is None:
        raise out_of_subset("the size of this is", span)
    return size
