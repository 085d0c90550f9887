"""Lowering of expressions: effects go to the graph in evaluation order, the rest becomes a value."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from scopec.base.diagnostics import Code, error
from scopec.base.source import Span
from scopec.frontends.scoped.lower import (
    calls,
    conversions,
    lvalues,
    names,
    operators,
    resolve,
)
from scopec.frontends.scoped.lower.context import Frame, outside
from scopec.frontends.scoped.lower.cpp_types import (
    ArrayType,
    PointerType,
    StructType,
    Type,
    size_of,
)
from scopec.frontends.scoped.lower.operands import (
    Atomic,
    Computed,
    Enumerator,
    Event,
    Group,
    HostThread,
    Index,
    Operand,
    Pointer,
    PointerVariable,
    Record,
    Stream,
    StreamHandle,
    Sync,
    Text,
    TypeNamed,
    Variable,
)
from scopec.frontends.scoped.syntax import tree
from scopec.program import ir, types, values
from scopec.program.builder import Builder
from scopec.program.types import BOOL, INT, IntType
from scopec.program.values import Const, Value

INDEX_NAMES = ("threadIdx", "blockIdx", "blockDim", "gridDim")
#: Names of the libraries that are numbers: error codes, and flags that change nothing here.
CONSTANTS = {
    "cudaSuccess": 0, "cudaErrorNotReady": 600, "cudaErrorLaunchFailure": 719,
    "cudaErrorCooperativeLaunchTooLarge": 720,
    "cudaStreamDefault": 0, "cudaStreamNonBlocking": 1, "cudaEventDefault": 0, "cudaEventBlockingSync": 1,
    "cudaEventDisableTiming": 2, "cudaEventInterprocess": 4, "cudaEventRecordDefault": 0, "cudaEventWaitDefault": 0,
    "cudaHostRegisterDefault": 0, "cudaHostRegisterPortable": 1, "cudaHostRegisterMapped": 2,
    "cudaHostAllocDefault": 0, "cudaHostAllocPortable": 1, "cudaHostAllocMapped": 2, "cudaHostAllocWriteCombined": 4,
    "cudaMemAttachGlobal": 1, "cudaMemAttachHost": 2, "cudaMemcpyHostToHost": 0, "cudaMemcpyHostToDevice": 1,
    "cudaMemcpyDeviceToHost": 2, "cudaMemcpyDeviceToDevice": 3, "cudaMemcpyDefault": 4, "cudaDeviceMapHost": 8,
    "cudaDeviceScheduleAuto": 0, "cudaDeviceScheduleSpin": 1, "cudaDeviceScheduleYield": 2, "cudaCpuDeviceId": -1,
    "cudaLaunchAttributeIgnore": 0, "cudaLaunchAttributeCooperative": 2, "cudaLaunchAttributeClusterDimension": 4,
    "cudaLaunchAttributeMemSyncDomainMap": 9, "cudaLaunchAttributeMemSyncDomain": 10,
    "cudaLaunchMemSyncDomainDefault": 0, "cudaLaunchMemSyncDomainRemote": 1, "warpSize": 32,
}  # fmt: skip


# ---------------------------------------------------------------- values


def lower_value(frame: Frame, expr: tree.Expr) -> Value:
    """Evaluate an expression to an integer value (an atomic or variable is read)."""
    return lvalues.to_number(frame, lower_operand(frame, expr), expr.span)


def lower_condition(frame: Frame, expr: tree.Expr) -> Value:
    """Evaluate an expression contextually converted to bool."""
    return truth(frame, lower_operand(frame, expr), expr.span)


def truth(frame: Frame, operand: Operand, span: Span) -> Value:
    """An operand contextually converted to bool; a pointer is true if it points to something."""
    operand = lvalues.settle(operand, span)
    if isinstance(operand, Pointer):
        return values.TRUE if operand.target is not None else values.FALSE
    return values.convert(lvalues.to_value(frame, operand, span), BOOL)


def constant(frame: Frame, expr: tree.Expr, what: str) -> int:
    """The value of an expression that must be known when the program is compiled."""
    value = lower_value(frame, expr)
    if not isinstance(value, Const):
        raise error(Code.NOT_CONSTANT, f"{what} must be a constant", expr.span)
    return value.value


def peek(frame: Frame, expr: tree.Expr) -> Operand:
    """What an expression denotes, without its effects."""
    world = frame.world
    apart = replace(
        world, objects=dict(world.objects), streams=dict(world.streams), events=dict(world.events),
        grids=dict(world.grids), others=list(world.others), shared=dict(world.shared),
        regions={name: list(regions) for name, regions in world.regions.items()},
    )  # fmt: skip
    scratch = replace(
        frame, world=apart, builder=Builder(), variables=dict(frame.variables), ambiguous=set(frame.ambiguous)
    )
    return lower_operand(scratch, expr)


def lower_operand(frame: Frame, expr: tree.Expr) -> Operand:
    """What an expression denotes; its effects are appended to the graph."""
    match expr:
        case tree.Int(_, value, unsigned, long):
            return Computed(Const(value, _literal_type(value, unsigned, long)))
        case tree.Bool(_, is_true):
            return Computed(values.TRUE if is_true else values.FALSE)
        case tree.Str():
            return Text()
        case tree.Name(span, name, _):
            return lower_name(frame, name, span)
        case tree.Unary():
            return operators.unary(frame, expr)
        case tree.Binary(_, ("&&" | "||"), _, _):
            return Computed(operators.short_circuit(frame, expr))
        case tree.Binary(_, op, left, right):
            return operators.binary(frame, op, left, right, expr.span)
        case tree.Conditional():
            return operators.conditional(frame, expr)
        case tree.Comma(_, left, right):
            discard(frame, left)
            return lower_operand(frame, right)
        case tree.Assign():
            return operators.assign(frame, expr)
        case tree.Step(span, op, prefix, target):
            stepped = lower_operand(frame, target)
            return operators.update(frame, stepped, op[0], Computed(Const(1, INT)), span, old=not prefix)
        case tree.Member(span, object_, name):
            return lvalues.member(_object(frame, object_), name, span)
        case tree.Index(_, object_, index):
            return _index(frame, object_, index)
        case tree.Call():
            return calls.lower_call(frame, expr)
        case tree.Construct(span, type_, arguments, is_list, given_names):
            meant = resolve.resolve(frame, type_)
            return conversions.construct(frame, meant, tree.Initialiser(span, arguments, is_list, given_names), span)
        case tree.Cast(span, type_, operand):
            return conversions.cast(frame, resolve.resolve(frame, type_), operand, span)
        case tree.SizeOf():
            return Computed(Const(_sizeof(frame, expr), types.ULONG))
        case tree.Launch():
            return calls.lower_launch(frame, expr)
        case tree.List(span):
            raise outside("a list of values is", span, "write the type in front of it")
        case tree.ThreadLocal(span, kernel, launch):
            raise error(Code.UNKNOWN_NAME, f"`{kernel}#{launch}` has a meaning in expectations only", span)
        case tree.Float(span):
            raise outside("a floating-point number is", span)
        case _:
            assert_never(expr)


def _literal_type(value: int, unsigned: bool, long: bool) -> IntType:
    """[lex.icon]: the first of the candidate types that holds the value (hexadecimal ones may be unsigned)."""
    if long:
        return types.ULONG if unsigned or value >= 1 << 63 else types.LONG
    if unsigned:
        return types.UINT if value < 1 << 32 else types.ULONG
    return INT if value < 1 << 31 else types.LONG if value < 1 << 63 else types.ULONG


def lower_name(frame: Frame, name: str, span: Span) -> Operand:
    """What a name denotes: the file's own first, then what the libraries declare."""
    found = frame.find(name)
    if found is not None:
        return found
    full = frame.world.globals.library_name(name)
    short = names.unqualified(full)
    order = names.order_named(full)
    if order is not None:
        return Enumerator(order)
    scope = names.scope_named(full)
    if scope is not None:
        return Enumerator(scope)
    if name in INDEX_NAMES:
        if frame.host:
            raise error(Code.TYPE_ERROR, f"`{name}` has a meaning in kernels only", span)
        return Index(name)
    if short in CONSTANTS:
        return Computed(Const(CONSTANTS[short], INT))
    if name in ("cudaStreamLegacy", "cudaStreamPerThread"):
        if name == "cudaStreamPerThread":
            raise outside("the default stream of a thread is", span, "create a stream")
        return StreamHandle(ir.legacy_stream(frame.device))
    match full:
        case "std::endl" | "std::flush" | "endl" | "stderr" | "stdout" | "__func__" | "__FUNCTION__":
            return Text()
        case _:
            raise frame.unknown(name, span)


def _object(frame: Frame, expr: tree.Expr) -> Operand:
    """The object in front of a dot."""
    operand = lower_operand(frame, expr)
    if isinstance(operand, PointerVariable):
        help_ = "write `->`"
        raise error(Code.TYPE_ERROR, f"`{operand.name}` is a pointer", expr.span, help_)
    return operand


# ---------------------------------------------------------------- elements, discarded values, closures, sizes


def _index(frame: Frame, object_: tree.Expr, index: tree.Expr) -> Operand:
    operand = lower_operand(frame, object_)
    return lvalues.element(frame, operand, lower_value(frame, index), index.span)


def discard(frame: Frame, expr: tree.Expr) -> None:
    """Evaluate an expression for its effects alone (a discarded volatile lvalue is read, [expr.context])."""
    if isinstance(expr, tree.Step):
        expr = replace(expr, prefix=True)
    operand = lower_operand(frame, expr)
    simple = isinstance(expr, (tree.Name, tree.Index, tree.Unary, tree.Member))
    if isinstance(operand, Variable) and operand.volatile and simple:
        lvalues.to_value(frame, operand, expr.span)


def is_reference_object(operand: Operand) -> bool:
    """Whether copying an operand makes another name for the same thing: an atomic_ref, a group, a handle."""
    return isinstance(
        operand,
        (Atomic, Group, StreamHandle, Stream, Event, Record, Enumerator, HostThread, Text, Sync, TypeNamed),
    )  # fmt: skip


def unevaluated_type(frame: Frame, expr: tree.Expr) -> Type | None:
    """The type of an operand that is not evaluated, so that a pointer in it need not point to anything."""
    match expr:
        case tree.Unary(_, "*", operand) | tree.Index(_, operand, _):
            inner = unevaluated_type(frame, operand)
            if isinstance(inner, (PointerType, ArrayType)):
                return inner.target if isinstance(inner, PointerType) else inner.element
            return None
        case tree.Member(_, object_, name):
            inner = unevaluated_type(frame, object_)
            field = inner.field(name) if isinstance(inner, StructType) else None
            return field.type if field is not None else lvalues.type_of(peek(frame, expr))
        case _:
            denoted = peek(frame, expr)
            return denoted.type if isinstance(denoted, TypeNamed) else lvalues.type_of(denoted)


def _sizeof(frame: Frame, expr: tree.SizeOf) -> int:
    type_: Type | None
    if isinstance(expr.operand, tree.TypeName):
        type_ = resolve.resolve(frame, expr.operand)
    else:
        type_ = unevaluated_type(frame, expr.operand)
    size = size_of(type_) if type_ is not None else None
    if type_ is None or size is None:
        raise error(Code.TYPE_ERROR, "the size of this is not modelled", expr.span)
    return size
