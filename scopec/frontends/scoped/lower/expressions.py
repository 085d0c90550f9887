"""Lowering of expressions: effects go to the graph in evaluation order, the rest becomes a value."""

from __future__ import annotations

from typing import assert_never

from scopec.base.diagnostics import Code, error
from scopec.base.source import Span
from scopec.frontends.scoped.beyond import beyond
from scopec.frontends.scoped.lower import calls, launches, lvalues, names, operators, resolve
from scopec.frontends.scoped.lower.context import Frame
from scopec.frontends.scoped.lower.cpp_types import ArrayType, AtomicType, VoidType, size_of
from scopec.frontends.scoped.lower.operands import (
    Array,
    Atomic,
    Computed,
    Enumerator,
    Index,
    Nothing,
    Operand,
    Variable,
)
from scopec.frontends.scoped.syntax import tree
from scopec.program import types, values
from scopec.program.types import BOOL, INT, IntType
from scopec.program.values import Const, Value

INDEX_NAMES = ("threadIdx", "blockIdx", "blockDim", "gridDim")
#: Names of the libraries that are numbers.
CONSTANTS = {
    "cudaSuccess": 0, "cudaErrorNotReady": 600, "cudaStreamDefault": 0, "cudaStreamNonBlocking": 1,
    "cudaHostRegisterDefault": 0, "cudaHostRegisterPortable": 1, "cudaHostRegisterMapped": 2, "warpSize": 32,
}  # fmt: skip


def lower_value(frame: Frame, expr: tree.Expr) -> Value:
    """Evaluate an expression to an integer value (a variable is read)."""
    return lvalues.to_value(frame, lower_operand(frame, expr), expr.span)


def lower_condition(frame: Frame, expr: tree.Expr) -> Value:
    """Evaluate an expression contextually converted to bool."""
    return values.convert(lower_value(frame, expr), BOOL)


def lower_alone(frame: Frame, expr: tree.Expr) -> Value:
    """Evaluate an expression beside which others are used whose values it must not change."""
    before = frame.changes
    value = lower_value(frame, expr)
    if frame.changes > before:
        help_ = "compare and exchange in a statement or condition of its own"
        raise beyond("a compare-exchange as part of this is", expr.span, help_)
    return value


def constant(frame: Frame, expr: tree.Expr, what: str) -> int:
    """The value of an expression that must be known when the program is compiled."""
    value = lower_value(frame, expr)
    if not isinstance(value, Const):
        raise error(Code.NOT_CONSTANT, f"{what} must be a constant", expr.span)
    return value.value


def single(init: tree.Initialiser | None, span: Span) -> tree.Expr:
    """The one value in an initialiser."""
    if init is None or len(init.arguments) != 1:
        raise error(Code.BAD_ARGUMENTS, "one initial value is wanted here", span)
    return init.arguments[0]


def lower_operand(frame: Frame, expr: tree.Expr) -> Operand:
    """What an expression denotes; its effects are appended to the graph."""
    match expr:
        case tree.Int(span, value, unsigned, long):
            written = frame.world.source.text_of(span)
            if written.startswith("'") or (value >> 31 and written.startswith("0")):
                raise beyond(f"`{written}`, whose type is not that of a decimal number, is", span)
            return Computed(Const(value, _literal_type(value, unsigned, long)))
        case tree.Bool(_, is_true):
            return Computed(values.TRUE if is_true else values.FALSE)
        case tree.Name(span, name, None):
            return lower_name(frame, name, span)
        case tree.Unary(span, op, operand):
            return operators.unary(frame, op, operand, span)
        case tree.Binary(_, ("&&" | "||"), _, _):
            return Computed(operators.short_circuit(frame, expr))
        case tree.Binary():
            return Computed(operators.binary(frame, expr))
        case tree.Conditional():
            return Computed(operators.conditional(frame, expr))
        case tree.Member(span, object_, name):
            return lvalues.member(lower_operand(frame, object_), name, span)
        case tree.Index(_, object_, index):
            return lvalues.element(lower_operand(frame, object_), lower_alone(frame, index), index.span)
        case tree.Call():
            return calls.lower_call(frame, expr)
        case tree.Construct(span, written_type, argument):
            type_ = resolve.resolve(frame, written_type)
            if not isinstance(type_, AtomicType) or not type_.ref:
                raise beyond("a temporary of this type is", span)
            return lvalues.atomic_ref(lower_operand(frame, argument), type_, argument.span, kept=False)
        case tree.Cast(span, written_type, operand):
            return _cast(frame, written_type, operand, span)
        case tree.SizeOf(span, operand):
            return Computed(Const(_sizeof(frame, operand, span), types.ULONG))
        case tree.Launch():
            return launches.launch_grid(frame, expr)
        case tree.ThreadLocal(span, kernel, launch):
            raise error(Code.UNKNOWN_NAME, f"`{kernel}#{launch}` has a meaning in expectations only", span)
        case tree.Name() | tree.Comma() | tree.Assign() | tree.Step():
            raise beyond("this here is", expr.span)
        case _:
            assert_never(expr)


def _literal_type(value: int, unsigned: bool, long: bool) -> IntType:
    """[lex.icon]: the first of the candidate types that holds the value."""
    if long:
        return types.ULONG if unsigned or value >= 1 << 63 else types.LONG
    if unsigned:
        return types.UINT if value < 1 << 32 else types.ULONG
    return INT if value < 1 << 31 else types.LONG if value < 1 << 63 else types.ULONG


def lower_name(frame: Frame, name: str, span: Span) -> Operand:
    """What a name denotes: the file's own first, then what the libraries declare."""
    if (found := frame.find(name)) is not None:
        return found
    full = frame.world.library_name(name)
    enumerator = names.order_named(full) or names.scope_named(full)
    if enumerator is not None:
        return Enumerator(enumerator)
    if name in INDEX_NAMES:
        if frame.host:
            raise error(Code.TYPE_ERROR, f"`{name}` has a meaning in kernels only", span)
        return Index(name)
    if name in CONSTANTS:
        return Computed(Const(CONSTANTS[name], INT))
    raise frame.unknown(name, span)


def discard(frame: Frame, expr: tree.Expr) -> None:
    """Evaluate an expression statement, for its effects alone."""
    match expr:
        case tree.Assign(span, op, target, value):
            operators.assign(frame, target, op, lower_value(frame, value), span)
        case tree.Step(span, op, _, target):
            operators.assign(frame, target, op[0], Const(1, INT), span)
        case tree.Call() | tree.Launch() | tree.Cast(type=tree.TypeName(name="void")):
            lower_operand(frame, expr)
        case _:
            raise beyond("a statement without an effect is", expr.span)


def _cast(frame: Frame, written: tree.TypeName, operand: tree.Expr, span: Span) -> Operand:
    match resolve.resolve(frame, written):
        case VoidType():
            lower_operand(frame, operand)
            return Nothing()
        case IntType() as type_:
            return Computed(values.cast(lower_value(frame, operand), type_))
        case _:
            raise beyond("a cast to this type is", span)


def _sizeof(frame: Frame, operand: tree.TypeName | tree.Name, span: Span) -> int:
    size = None
    if isinstance(operand, tree.TypeName):
        size = size_of(resolve.resolve(frame, operand))
    else:
        found = lower_name(frame, operand.name, operand.span)
        match found:
            case Array(_, element, length, _):
                size = size_of(ArrayType(element, length))
            case Variable() | Atomic(ref=False):
                size = size_of(lvalues.type_of(found))
            case _:
                pass
    if size is None:
        raise beyond("the size of this is", span)
    return size
