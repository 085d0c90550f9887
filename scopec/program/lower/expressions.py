"""Lowering of expressions: effects go to the graph in evaluation order, the rest becomes a value."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from scopec.diagnostics import Code, error
from scopec.program import ir, types, values
from scopec.program.lower import calls, functions, handles, initial, names, places, pointers, resolve
from scopec.program.lower.builder import Builder
from scopec.program.lower.context import Frame, outside
from scopec.program.lower.kinds import (
    ADDRESS,
    ArrayType,
    AtomicType,
    EnumType,
    FloatType,
    HandleType,
    PointerType,
    StructType,
    SyncType,
    Type,
    VoidType,
    align_of,
    shown,
    size_of,
)
from scopec.program.lower.operands import (
    Array,
    Atomic,
    Closure,
    Computed,
    Console,
    Either,
    Elements,
    Enumerator,
    Event,
    Fields,
    Group,
    HostThread,
    Index,
    Known,
    Nothing,
    Opaque,
    Operand,
    Pointer,
    PointerVariable,
    Record,
    Register,
    StopState,
    Stream,
    StreamHandle,
    Structure,
    Sync,
    Text,
    TypeNamed,
    Variable,
    describe,
)
from scopec.program.types import BOOL, INT, IntType
from scopec.program.values import Const, Reg, Value
from scopec.source import Span
from scopec.syntax import tree

INDEX_NAMES = ("threadIdx", "blockIdx", "blockDim", "gridDim")
#: Names of the libraries that are numbers: error codes, and flags that change nothing here.
CONSTANTS = {
    "cudaSuccess": 0, "cudaErrorNotReady": 600, "cudaErrorCooperativeLaunchTooLarge": 720,
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
    return places.to_number(frame, lower_operand(frame, expr), expr.span)


def lower_condition(frame: Frame, expr: tree.Expr) -> Value:
    """Evaluate an expression contextually converted to bool."""
    return truth(frame, lower_operand(frame, expr), expr.span)


def truth(frame: Frame, operand: Operand, span: Span) -> Value:
    """An operand contextually converted to bool; a pointer is true if it points to something."""
    operand = places.settle(operand, span)
    if isinstance(operand, Pointer):
        return values.TRUE if operand.target is not None else values.FALSE
    return values.convert(places.to_value(frame, operand, span), BOOL)


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
        grids=dict(world.grids), others=list(world.others), static_locals=dict(world.static_locals),
        regions={name: list(regions) for name, regions in world.regions.items()},
    )  # fmt: skip
    scratch = replace(
        frame, world=apart, builder=Builder(), variables=dict(frame.variables), ambiguous=set(frame.ambiguous)
    )
    return lower_operand(scratch, expr)


def type_of(frame: Frame, expr: tree.Expr) -> Type:
    """``decltype(expr)``."""
    type_ = unevaluated_type(frame, expr)
    if type_ is None:
        raise outside("decltype of this is", expr.span)
    return type_


def may_be_class(frame: Frame, call: tree.Call) -> bool:
    """Whether a call may return an object of a class: it calls a function of the file."""
    return calls.own_function(frame, call) is not None


def lower_operand(frame: Frame, expr: tree.Expr) -> Operand:
    """What an expression denotes; its effects are appended to the graph."""
    match expr:
        case tree.Int(_, value, unsigned, long):
            return Computed(Const(value, _literal_type(value, unsigned, long)))
        case tree.Bool(_, is_true):
            return Computed(values.TRUE if is_true else values.FALSE)
        case tree.Str():
            return Text()
        case tree.Float():
            return Opaque()
        case tree.Name(span, name, _):
            return lower_name(frame, name, span)
        case tree.MemberOf(span, type_, name):
            return _static_member(resolve.resolve(frame, type_), name, span)
        case tree.This(span):
            if frame.call.this is None:
                raise error(Code.TYPE_ERROR, "`this` has a meaning in member functions only", span)
            return Pointer(frame.call.this)
        case tree.Unary():
            return _unary(frame, expr)
        case tree.Binary(_, ("&&" | "||"), _, _):
            return Computed(_short_circuit(frame, expr))
        case tree.Binary(_, op, left, right):
            return _binary(frame, op, left, right, expr.span)
        case tree.Conditional():
            return _conditional(frame, expr)
        case tree.Comma(_, left, right):
            discard(frame, left)
            return lower_operand(frame, right)
        case tree.Assign():
            return _assign(frame, expr)
        case tree.Step(span, op, prefix, target):
            stepped = lower_operand(frame, target)
            return update(frame, stepped, op[0], Computed(Const(1, INT)), span, old=not prefix)
        case tree.Member(span, object_, name):
            return places.member(frame, _object(frame, object_), name, span)
        case tree.Index(_, object_, index):
            return _index(frame, object_, index)
        case tree.Call():
            return calls.lower_call(frame, expr)
        case tree.Construct(span, type_, arguments, is_list, given_names):
            meant = resolve.resolve(frame, type_)
            return construct(frame, meant, tree.Initialiser(span, arguments, is_list, given_names), span)
        case tree.Cast(span, type_, operand):
            return _cast(frame, resolve.resolve(frame, type_), operand, span)
        case tree.SizeOf():
            return Computed(Const(_sizeof(frame, expr), types.ULONG))
        case tree.Launch():
            return calls.lower_launch(frame, expr)
        case tree.Lambda():
            return _closure(frame, expr)
        case tree.List(span):
            raise outside("a list of values is", span, "write the type in front of it")
        case tree.ThreadLocal(span, kernel, launch):
            raise error(Code.UNKNOWN_NAME, f"`{kernel}#{launch}` has a meaning in expectations only", span)
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
    full = frame.space.library_name(name)
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
        case "std::cout" | "std::cerr" | "std::clog" | "cout" | "cerr":
            return Console()
        case "std::endl" | "std::flush" | "endl" | "stderr" | "stdout" | "__func__" | "__FUNCTION__":
            return Text()
        case "std::nostopstate":
            return Text()
        case _:
            raise frame.unknown(name, span)


def _static_member(type_: Type, name: str, span: Span) -> Operand:
    if isinstance(type_, StructType):
        found = type_.space.names.get(name)
        if found is not None:
            return found
        if name in type_.functions:
            from scopec.program.lower.operands import Function, Overload

            return Function(name, tuple(Overload(f, type_.space, f) for f in type_.functions[name]))
    raise error(Code.UNKNOWN_NAME, f"{shown(type_)} has no static member `{name}`", span)


def _object(frame: Frame, expr: tree.Expr) -> Operand:
    """The object in front of a dot."""
    operand = lower_operand(frame, expr)
    if isinstance(operand, PointerVariable):
        help_ = "write `->`"
        raise error(Code.TYPE_ERROR, f"`{operand.name}` is a pointer", expr.span, help_)
    return operand


# ---------------------------------------------------------------- operators


def _unary(frame: Frame, expr: tree.Unary) -> Operand:
    match expr.op:
        case "&":
            return _address(frame, expr)
        case "*":
            return places.dereference(frame, lower_operand(frame, expr.operand), expr.span)
        case "!":
            return Computed(values.unary("!", lower_condition(frame, expr.operand)))
        case op:
            operand = lower_operand(frame, expr.operand)
            if places.is_float(operand):
                return places.forget(frame, operand, expr.operand.span)
            return Computed(values.unary(op, places.to_number(frame, operand, expr.operand.span)))


def _address(frame: Frame, expr: tree.Unary) -> Operand:
    # `&a[n]` may be the address one past the end, which is only wrong to follow.
    if isinstance(expr.operand, tree.Index):
        base = lower_operand(frame, expr.operand.object)
        position = lower_value(frame, expr.operand.index)
        if isinstance(base, Array) and isinstance(position, Const) and position.value == base.length:
            return pointers.moved(frame, base, position, expr.span)
        return places.address(places.element(frame, base, position, expr.operand.span), expr.span)
    return places.address(lower_operand(frame, expr.operand), expr.operand.span)


def _binary(frame: Frame, op: str, left: tree.Expr, right: tree.Expr, span: Span) -> Operand:
    first = lower_operand(frame, left)
    if isinstance(first, Console) and op == "<<":
        return _printed(frame, first, right, span)
    if isinstance(first, Enumerator):
        second = lower_operand(frame, right)
        if isinstance(second, Enumerator) and op in ("==", "!="):
            return Computed(values.TRUE if (first == second) == (op == "==") else values.FALSE)
        raise error(Code.TYPE_ERROR, f"a {describe(first)} is compared with == and !=", span)
    first = _held(frame, first, left, right)
    second = lower_operand(frame, right)
    if places.is_float(first) or places.is_float(second):
        places.forget(frame, first, left.span)
        return places.forget(frame, second, right.span)
    if op in ("==", "!="):
        equal = pointers.equal(frame, first, second, span)
        if equal is not None:
            return Computed(equal if op == "==" else values.unary("!", equal))
    if op in ("+", "-") and _is_pointer(first):
        return _pointer_arithmetic(frame, op, first, second, span)
    if op == "+" and _is_pointer(second):
        return _pointer_arithmetic(frame, op, second, first, span)
    a = places.to_number(frame, first, left.span)
    b = places.to_number(frame, second, right.span)
    if op in ("/", "%") and isinstance(b, Const) and b.value == 0:
        raise error(Code.TYPE_ERROR, "division by zero", right.span)
    return Computed(values.binary(op, a, b))


def _held(frame: Frame, operand: Operand, expr: tree.Expr, right: tree.Expr) -> Operand:
    """The left operand, read before the right one is evaluated (where the order can be told)."""
    type_ = places.type_of(operand)
    if isinstance(operand, (Variable, Atomic, Either)) and isinstance(type_, (IntType, AtomicType)):
        return Computed(places.to_value(frame, operand, expr.span))
    if isinstance(operand, (Computed, Register)) and _modifies(right):
        value = places.to_value(frame, operand, expr.span)
        if not isinstance(value, Const):
            saved = frame.temporary(value.type)
            frame.emit(ir.Set(saved.name, value), expr.span)
            return Computed(saved, operand.pointee)
    return operand


def _is_pointer(operand: Operand) -> bool:
    return isinstance(operand, Array) or isinstance(places.type_of(operand), PointerType)


def _pointer_arithmetic(frame: Frame, op: str, pointer: Operand, other: Operand, span: Span) -> Operand:
    if _is_pointer(other):
        left, right = (pointers.as_value(frame, o, span).value for o in (pointer, other))
        return Computed(values.binary("-", left, right))
    steps = places.to_value(frame, other, span)
    return pointers.moved(frame, pointer, values.unary("-", steps) if op == "-" else steps, span)


def _printed(frame: Frame, console: Console, right: tree.Expr, span: Span) -> Operand:
    operand = lower_operand(frame, right)
    places.forget(frame, operand, right.span)
    frame.emit(ir.InputOutput(), span)
    return console


def _modifies(expr: tree.Expr) -> bool:
    """Whether evaluating an expression can change a register that was read before it."""
    match expr:
        case tree.Assign() | tree.Step() | tree.Call():
            return True
        case tree.Binary(_, _, left, right) | tree.Comma(_, left, right):
            return _modifies(left) or _modifies(right)
        case tree.Unary(_, _, operand) | tree.Cast(_, _, operand) | tree.Member(_, operand, _):
            return _modifies(operand)
        case tree.Conditional(_, condition, then, otherwise):
            return _modifies(condition) or _modifies(then) or _modifies(otherwise)
        case tree.Index(_, object_, index):
            return _modifies(object_) or _modifies(index)
        case _:
            return False


def _short_circuit(frame: Frame, expr: tree.Binary) -> Value:
    """``&&`` and ``||``: the right side is evaluated only if the left side leaves the answer open."""
    left = lower_condition(frame, expr.left)
    if isinstance(left, Const):
        decided = bool(left.value) == (expr.op == "||")
        return left if decided else lower_condition(frame, expr.right)
    if not has_effect(frame, expr.right):
        return values.binary(expr.op, left, lower_condition(frame, expr.right))
    result = frame.temporary(BOOL)
    frame.emit(ir.Set(result.name, values.FALSE if expr.op == "&&" else values.TRUE), expr.left.span)
    more, done = frame.builder.label(), frame.builder.label()
    then, otherwise = (more, done) if expr.op == "&&" else (done, more)
    frame.builder.split(left, expr.left.span, then, otherwise)
    frame.builder.place(more)
    with frame.nested():
        frame.emit(ir.Set(result.name, lower_condition(frame, expr.right)), expr.right.span)
    frame.builder.place(done)
    return result


def _conditional(frame: Frame, expr: tree.Conditional) -> Operand:
    condition = lower_condition(frame, expr.condition)
    if isinstance(condition, Const):
        return lower_operand(frame, expr.then if condition.value else expr.otherwise)
    if not has_effect(frame, expr.then) and not has_effect(frame, expr.otherwise):
        return _chosen(frame, condition, lower_operand(frame, expr.then), lower_operand(frame, expr.otherwise), expr)
    then, otherwise, done = (frame.builder.label() for _ in range(3))
    frame.builder.split(condition, expr.condition.span, then, otherwise)
    with frame.nested():
        frame.builder.place(then)
        first, pointee = _arm(frame, expr.then)
        result = frame.temporary(types.LONG)
        if first is not None:
            frame.emit(ir.Set(result.name, first), expr.then.span)
        frame.builder.jump(done)
        frame.builder.place(otherwise)
        second, other = _arm(frame, expr.otherwise)
        if second is not None:
            frame.emit(ir.Set(result.name, second), expr.otherwise.span)
    frame.builder.place(done)
    if first is None or second is None:
        return Opaque()
    if first.type == second.type:
        return Computed(Reg(result.name, first.type), pointee or other)
    return Computed(values.convert(result, types.common_type(first.type, second.type)))


def _arm(frame: Frame, expr: tree.Expr) -> tuple[Value | None, PointerType | None]:
    """The value of a side, None for a floating-point number, and what it points to if it is a pointer."""
    operand = lower_operand(frame, expr)
    if places.is_float(operand):
        places.forget(frame, operand, expr.span)
        return None, None
    if _is_pointer(operand):
        computed = pointers.as_value(frame, operand, expr.span)
        return computed.value, computed.pointee
    return places.to_value(frame, operand, expr.span), None


def _chosen(frame: Frame, condition: Value, then: Operand, otherwise: Operand, expr: tree.Conditional) -> Operand:
    if places.is_float(then) or places.is_float(otherwise):
        places.forget(frame, then, expr.then.span)
        return places.forget(frame, otherwise, expr.otherwise.span)
    if isinstance(then, Text) or isinstance(otherwise, Text):
        return Text()
    if _is_pointer(then) or _is_pointer(otherwise):
        first = pointers.as_value(frame, _null_or(then), expr.then.span)
        second = pointers.as_value(frame, _null_or(otherwise), expr.otherwise.span)
        chosen = values.choose(condition, first.value, second.value)
        return Computed(chosen, first.pointee or second.pointee)
    first_value = places.to_value(frame, then, expr.then.span)
    return Computed(values.choose(condition, first_value, places.to_value(frame, otherwise, expr.otherwise.span)))


def _null_or(operand: Operand) -> Operand:
    return Pointer(None) if operand == Computed(Const(0, INT)) else operand


def has_effect(frame: Frame, expr: tree.Expr) -> bool:
    """Whether evaluating an expression appends anything to the graph (a read of memory included)."""
    match expr:
        case tree.Int() | tree.Bool() | tree.Str() | tree.Float() | tree.SizeOf() | tree.ThreadLocal() | tree.This():
            return False
        case tree.Name(span, name, _):
            return isinstance(lower_name(frame, name, span), (Variable, Atomic, Either))
        case tree.MemberOf():
            return False
        case tree.Unary(_, "&", operand):
            return not isinstance(operand, tree.Name)
        case tree.Unary(_, "*", _):
            return True
        case tree.Unary(_, _, operand) | tree.Cast(_, _, operand):
            return has_effect(frame, operand)
        case tree.Binary(_, _, left, right):
            return has_effect(frame, left) or has_effect(frame, right)
        case tree.Conditional(_, condition, then, otherwise):
            return any(has_effect(frame, e) for e in (condition, then, otherwise))
        case tree.Member(_, tree.Name(_, name), _) if name in INDEX_NAMES:
            return False
        case _:
            return True


# ---------------------------------------------------------------- assignment


def _assign(frame: Frame, expr: tree.Assign) -> Operand:
    if expr.op is not None:
        value = lower_operand(frame, expr.value)
        target = lower_operand(frame, expr.target)
        return update(frame, target, expr.op, value, expr.span, old=False)
    if isinstance(expr.value, tree.List):
        target = lower_operand(frame, expr.target)
        type_ = places.type_of(target)
        if type_ is None:
            raise outside("this assignment of a list is", expr.span)
        source = functions.initial_operand(frame, type_, expr.value)
    else:
        source = lower_operand(frame, expr.value)
        if isinstance(source, (Variable, Atomic, Either)) and not places.is_class(source):
            source = places.read_once(frame, source, expr.value.span)
        target = lower_operand(frame, expr.target)
    places.assign(frame, target, source, expr.span)
    if isinstance(target, Atomic) and target.pointee is None:  # the result is the new value
        return Computed(values.convert(places.to_value(frame, source, expr.span), target.type))
    return target


def update(frame: Frame, target: Operand, op: str, value: Operand, span: Span, *, old: bool) -> Operand:
    """``target op= value``: one atomic step on an atomic, a read and a write otherwise.  ``old``: the value before."""
    if places.is_float(target):
        places.forget(frame, target, span)
        places.assign(frame, target, value, span)
        return Opaque() if old else target
    if _is_pointer(target):
        return _moved(frame, target, op, value, span, old=old)
    operand = places.to_value(frame, value, span)
    match target:
        case Atomic(place, type_, scope):
            result = frame.temporary(type_)
            new = values.convert(values.binary(op, result, operand), type_)
            frame.emit(ir.Rmw(result.name, place, new, ir.Mode(places.SEQ_CST, scope)), span)
            return Computed(result if old else new)
        case Register() | Variable() | Either() | Known():
            before = places.to_value(frame, target, span)
            if old and isinstance(target, Register):
                saved = frame.temporary(before.type)
                frame.emit(ir.Set(saved.name, before), span)
                before = saved
            type_ = before.type if isinstance(target, (Either, Known)) else target.type
            places.assign(frame, target, Computed(values.convert(values.binary(op, before, operand), type_)), span)
            return Computed(before) if old else target
        case _:
            raise error(Code.TYPE_ERROR, f"{describe(target)} cannot be updated", span)


def _moved(frame: Frame, target: Operand, op: str, value: Operand, span: Span, *, old: bool) -> Operand:
    before = places.settle(target, span)
    if not isinstance(before, Pointer):
        before = pointers.as_value(frame, before, span)
        saved = frame.temporary(ADDRESS)
        frame.emit(ir.Set(saved.name, before.value), span)
        before = Computed(saved, before.pointee)
    places.assign(frame, target, _pointer_arithmetic(frame, op, before, value, span), span)
    return before if old else target


# ---------------------------------------------------------------- elements, casts, constructed values


def _index(frame: Frame, object_: tree.Expr, index: tree.Expr) -> Operand:
    operand = lower_operand(frame, object_)
    return places.element(frame, operand, lower_value(frame, index), index.span)


def _cast(frame: Frame, target: Type, operand: tree.Expr, span: Span) -> Operand:
    match target:
        case VoidType():
            discard(frame, operand)
            return Nothing()
        case IntType():
            value = lower_operand(frame, operand)
            if isinstance(value, Enumerator):
                return Computed(Const(int(list(type(value.value)).index(value.value)), target))
            return Computed(values.convert(places.to_value(frame, value, operand.span), target))
        case PointerType():
            return _pointer_cast(frame, target, lower_operand(frame, operand), span)
        case FloatType():
            return places.forget(frame, lower_operand(frame, operand), span)
        case _:
            from scopec.program.lower.kinds import ReferenceType

            value = lower_operand(frame, operand)
            if isinstance(target, ReferenceType):
                return functions.reference(frame, value, target.target, volatile=target.volatile, span=span)
            if places.type_of(value) == target or isinstance(target, HandleType):
                return value
            if isinstance(target, StructType):
                return construct(frame, target, tree.Initialiser(span, (operand,), list=False), span)
            raise error(Code.TYPE_ERROR, f"a cast to {shown(target)} is outside the modelled subset", span)


def _pointer_cast(frame: Frame, target: PointerType, operand: Operand, span: Span) -> Operand:
    """Pointers are cast to ``void*`` and back, and between integers of one size."""
    settled = places.settle(operand, span) if not _is_unset(operand) else operand
    if isinstance(target.target, (VoidType, PointerType)) or isinstance(settled, PointerVariable):
        return settled
    match settled:
        case _ if handles.is_allocation(settled):
            return handles.allocation_of(frame, settled, target.target, span)
        case Pointer(PointerVariable() | Record() | Elements() | None):
            return settled
        case Text():
            return settled
        case _:
            return pointers.checked(frame, settled, target, span)


def _is_unset(operand: Operand) -> bool:
    return isinstance(operand, PointerVariable) and operand.binding is None


def discard(frame: Frame, expr: tree.Expr) -> None:
    """Evaluate an expression for its effects alone (a discarded volatile lvalue is read, [expr.context])."""
    if isinstance(expr, tree.Step):
        expr = replace(expr, prefix=True)
    operand = lower_operand(frame, expr)
    simple = isinstance(expr, (tree.Name, tree.Index, tree.Unary, tree.Member))
    if isinstance(operand, Variable) and operand.volatile and simple:
        places.forget(frame, operand, expr.span)


def construct(frame: Frame, type_: Type, init: tree.Initialiser, span: Span) -> Operand:
    """``Type(arguments)``."""
    arguments = init.arguments
    match type_:
        case IntType():
            if len(arguments) > 1:
                raise error(Code.BAD_ARGUMENTS, "a number is made from one value", span)
            value = lower_value(frame, arguments[0]) if arguments else Const(0, type_)
            return Computed(values.convert(value, type_))
        case AtomicType(value=element, scope=scope, ref=True):
            if len(arguments) != 1:
                raise error(Code.BAD_ARGUMENTS, "an atomic_ref refers to one object", span)
            return atomic_ref(lower_operand(frame, arguments[0]), element, scope, arguments[0].span)
        case StructType():
            return initial.temporary(frame, type_, init, span)
        case PointerType():
            operand = lower_operand(frame, arguments[0]) if arguments else Pointer(None)
            return _pointer_cast(frame, type_, operand, span)
        case FloatType():
            for argument in arguments:
                places.forget(frame, lower_operand(frame, argument), argument.span)
            return Opaque()
        case EnumType() if len(arguments) == 1:
            return lower_operand(frame, arguments[0])
        case HandleType():
            return handles.construct(frame, type_, arguments, span)
        case SyncType() | ArrayType() | AtomicType() | VoidType() | _:
            raise outside("a temporary of this type is", span)


def handle(frame: Frame, name: str, type_: HandleType, span: Span) -> Operand:
    """A library's handle as a member of an object."""
    return handles.fresh(frame, name, type_, span)


def is_reference_object(operand: Operand) -> bool:
    """Whether copying an operand makes another name for the same thing: an atomic_ref, a group, a handle."""
    return isinstance(
        operand,
        (Atomic, Group, StreamHandle, Stream, Event, Record, Enumerator, StopState, HostThread, Opaque, Text, Sync,
         TypeNamed, Console),
    )  # fmt: skip


def atomic_ref(operand: Operand, element: IntType | PointerType, scope: ir.Scope, span: Span) -> Operand:
    """An ``atomic_ref<element, scope>`` to what ``operand`` denotes."""
    match operand:
        case Either(cases):
            return Either(tuple((c, atomic_ref(o, element, scope, span)) for c, o in cases))
        case Variable(place, type_, _, pointee) | Atomic(place, type_, _, pointee):
            have = pointee if pointee is not None else type_
            if have == element:
                return Atomic(place, type_, scope, pointee)
            message = f"an atomic_ref<{shown(element)}> cannot refer to an object of type {shown(have)}"
            raise error(Code.TYPE_ERROR, message, span)
        case Register(_, type_, _, pointee):
            have = pointee if pointee is not None else type_
            if have == element:
                raise outside("an atomic_ref to this local variable is", span, "declare the reference by its full type")
            message = f"an atomic_ref<{shown(element)}> cannot refer to an object of type {shown(have)}"
            raise error(Code.TYPE_ERROR, message, span)
        case _:
            raise error(Code.TYPE_ERROR, f"an atomic_ref refers to an object, not to {describe(operand)}", span)


def _closure(frame: Frame, expr: tree.Lambda) -> Operand:
    """A lambda: it sees the scopes around it; what it captures by value is copied now."""
    scopes = [dict(block.names) for block in frame.scopes[frame.call.depth :]]
    captured: dict[str, Operand] = {}
    for name, init in expr.by_value:
        operand = lower_operand(frame, init) if init is not None else lower_name(frame, name, expr.span)
        captured[name] = _captured(frame, name, operand, expr.span)
    if expr.default == "=":
        from scopec.program.lower.scan import walk

        mentioned = {node.name for node in walk(expr.body) if isinstance(node, tree.Name)}
        for names_ in scopes:
            for name, operand in names_.items():
                if name in mentioned and name not in expr.by_reference:
                    captured[name] = _captured(frame, name, operand, expr.span)
    return Closure(expr, (*scopes, captured), frame.call.this)


def _captured(frame: Frame, name: str, operand: Operand, span: Span) -> Operand:
    """The copy of a variable that a lambda has: of one with automatic storage only ([expr.prim.lambda.capture])."""
    match operand:
        case Variable(place=ir.Place(object=object_)) | Array(object=object_) | Structure(object=object_):
            found = (o for n, o in frame.world.objects.items() if n == object_ or n.startswith(f"{object_}."))
            if next(found).storage is ir.Storage.SHARED:
                return operand
        case Register() | PointerVariable() | Fields() | Elements() | Computed():
            pass
        case _:
            return operand
    if isinstance(operand, (Array, Elements)):
        raise outside("an array that a lambda captures by value is", span, "capture it by reference")
    return functions.kept(frame, name, functions.by_value(frame, operand, span), span)


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
            return field.type if field is not None else places.type_of(peek(frame, expr))
        case _:
            denoted = peek(frame, expr)
            return denoted.type if isinstance(denoted, TypeNamed) else places.type_of(denoted)


def _sizeof(frame: Frame, expr: tree.SizeOf) -> int:
    type_: Type | None
    if isinstance(expr.operand, tree.TypeName):
        type_ = resolve.resolve(frame, expr.operand)
    else:
        type_ = unevaluated_type(frame, expr.operand)
    size = size_of(type_) if type_ is not None else None
    if type_ is None or size is None:
        raise error(Code.TYPE_ERROR, "the size of this is not modelled", expr.span)
    return align_of(type_) if expr.alignment else size
