"""Lowering of expressions: effects go to the graph in evaluation order, the rest becomes a value."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from scopec.diagnostics import Code, error
from scopec.program import ir, types, values
from scopec.program.lower import calls, names
from scopec.program.lower.context import Frame
from scopec.program.lower.operands import (
    Array,
    Atomic,
    Computed,
    Enumerator,
    Event,
    Extent,
    Nothing,
    Operand,
    Pointer,
    Register,
    Stream,
    StreamHandle,
    Variable,
    describe,
)
from scopec.program.types import BOOL, INT, IntType
from scopec.program.values import Builtin, Const, Reg, Value
from scopec.source import Span
from scopec.syntax import tree

_INDEX_NAMES = ("threadIdx", "blockIdx", "blockDim", "gridDim")
_ERROR_CODES = {"cudaSuccess": 0, "cudaErrorNotReady": 600}
SEQ_CST = ir.Order.SEQ_CST


def lower_value(frame: Frame, expr: tree.Expr) -> Value:
    """Evaluate an expression to an integer value (an atomic or variable is read)."""
    return to_value(frame, lower_operand(frame, expr), expr.span)


def to_value(frame: Frame, operand: Operand, span: Span) -> Value:
    """Read an operand: lvalue-to-rvalue conversion, or an atomic's ``operator T``."""
    match operand:
        case Computed(value):
            return value
        case Register(name, type_):
            return Reg(name, type_)
        case Variable(place, type_, volatile):
            result = frame.temporary(type_)
            frame.emit(ir.Load(result.name, place, ir.VOLATILE if volatile else ir.PLAIN), span)
            return result
        case Atomic(place, type_, scope):
            result = frame.temporary(type_)
            frame.emit(ir.Load(result.name, place, ir.Mode(SEQ_CST, scope)), span)
            return result
        case Nothing():
            raise error(Code.TYPE_ERROR, "this call has no value (void)", span)
        case _:
            raise error(Code.TYPE_ERROR, f"a number is wanted here, not {describe(operand)}", span)


def lower_condition(frame: Frame, expr: tree.Expr) -> Value:
    """Evaluate an expression contextually converted to bool."""
    return values.convert(lower_value(frame, expr), BOOL)


def constant(frame: Frame, expr: tree.Expr, what: str) -> int:
    """The value of an expression that must be known when the program is compiled."""
    value = lower_value(frame, expr)
    if not isinstance(value, Const):
        raise error(Code.NOT_CONSTANT, f"{what} must be a constant", expr.span)
    return value.value


def lower_operand(frame: Frame, expr: tree.Expr) -> Operand:
    """What an expression denotes; its effects are appended to the graph."""
    match expr:
        case tree.Int(_, value, unsigned, long):
            return Computed(Const(value, _literal_type(value, unsigned, long)))
        case tree.Bool(_, truth):
            return Computed(values.TRUE if truth else values.FALSE)
        case tree.Str(span):
            raise error(Code.OUTSIDE_SUBSET, "a string is outside the modelled subset here", span)
        case tree.Name(span, name):
            return _name(frame, name, span)
        case tree.Unary():
            return _unary(frame, expr)
        case tree.Binary(_, ("&&" | "||"), _, _):
            return Computed(_short_circuit(frame, expr))
        case tree.Binary(_, op, left, right):
            return _binary(frame, op, left, right)
        case tree.Conditional():
            return Computed(_conditional(frame, expr))
        case tree.Assign():
            return _assign(frame, expr)
        case tree.Step(span, op, prefix, target):
            return _step(frame, op[0], prefix, target, span)
        case tree.Member(span, object_, name):
            return _member(frame, object_, name, span)
        case tree.Index(span, object_, index):
            return _index(frame, object_, index, span)
        case tree.Call():
            return calls.lower_call(frame, expr)
        case tree.Construct(span, type_, arguments):
            return construct(frame, frame.world.resolve(type_), arguments, span)
        case tree.Cast(span, type_, operand):
            return _cast(frame, type_, operand, span)
        case tree.SizeOf():
            return Computed(Const(_sizeof(frame, expr), types.ULONG))
        case tree.Launch():
            return calls.lower_launch(frame, expr)
        case tree.Comma(_, left, right):
            discard(frame, left)
            return lower_operand(frame, right)
        case tree.MemberOf(span) | tree.This(span) | tree.List(span) | tree.Lambda(span):
            raise error(Code.OUTSIDE_SUBSET, "this expression is outside the modelled subset", span)
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


def _name(frame: Frame, name: str, span: Span) -> Operand:
    order = names.order_named(name)
    if order is not None:
        return Enumerator(order)
    scope = names.scope_named(name)
    if scope is not None:
        return Enumerator(scope)
    if name in _INDEX_NAMES:
        if frame.host:
            raise error(Code.TYPE_ERROR, f"`{name}` has a meaning in kernels only", span)
        return Extent(ir.Dim(), name)
    if name in _ERROR_CODES:
        return Computed(Const(_ERROR_CODES[name], INT))
    if name == "cudaStreamLegacy":
        return StreamHandle(ir.legacy_stream(frame.device))
    return frame.lookup(name, span)


# ---------------------------------------------------------------- operators


def _unary(frame: Frame, expr: tree.Unary) -> Operand:
    match expr.op:
        case "&":
            return _address(frame, expr.operand)
        case "*":
            operand = lower_operand(frame, expr.operand)
            match operand:
                case Pointer(Variable() | Atomic() as target):
                    return target
                case Pointer(Array(element=element)) | Array(element=element):
                    return element
                case _:
                    raise error(Code.TYPE_ERROR, f"`*` wants a pointer, not {describe(operand)}", expr.span)
        case op:
            return Computed(values.unary(op, lower_value(frame, expr.operand)))


def _address(frame: Frame, operand_expr: tree.Expr) -> Pointer:
    operand = lower_operand(frame, operand_expr)
    match operand:
        case Variable() | Atomic() | Array() | Register() | Stream() | Event():
            return Pointer(operand)
        case _:
            raise error(Code.TYPE_ERROR, f"{describe(operand)} has no address", operand_expr.span)


def _binary(frame: Frame, op: str, left: tree.Expr, right: tree.Expr) -> Operand:
    enumerators = _enumerators(frame, left, right)
    if enumerators is not None and op in ("==", "!="):
        same = enumerators[0] == enumerators[1]
        return Computed(values.TRUE if same == (op == "==") else values.FALSE)
    first = lower_value(frame, left)
    if not isinstance(first, Const) and _modifies(right):
        saved = frame.temporary(first.type)
        frame.emit(ir.Set(saved.name, first), left.span)
        first = saved
    second = lower_value(frame, right)
    if op in ("/", "%") and isinstance(second, Const) and second.value == 0:
        raise error(Code.TYPE_ERROR, "division by zero", right.span)
    return Computed(values.binary(op, first, second))


def _enumerators(frame: Frame, left: tree.Expr, right: tree.Expr) -> tuple[object, object] | None:
    """Both values where both sides name a scope or an order."""
    found: list[object] = []
    for side in (left, right):
        if not isinstance(side, tree.Name):
            return None
        operand = _name(frame, side.name, side.span)
        if not isinstance(operand, Enumerator):
            return None
        found.append(operand.value)
    return found[0], found[1]


def _modifies(expr: tree.Expr) -> bool:
    """Whether evaluating an expression can change a register that was read before it."""
    match expr:
        case tree.Assign() | tree.Step() | tree.Call():
            return True
        case tree.Binary(_, _, left, right):
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
    frame.emit(ir.Set(result.name, lower_condition(frame, expr.right)), expr.right.span)
    frame.builder.place(done)
    return result


def _conditional(frame: Frame, expr: tree.Conditional) -> Value:
    condition = lower_condition(frame, expr.condition)
    if isinstance(condition, Const):
        return lower_value(frame, expr.then if condition.value else expr.otherwise)
    if not has_effect(frame, expr.then) and not has_effect(frame, expr.otherwise):
        return values.choose(condition, lower_value(frame, expr.then), lower_value(frame, expr.otherwise))
    then, otherwise, done = (frame.builder.label() for _ in range(3))
    frame.builder.split(condition, expr.condition.span, then, otherwise)
    frame.builder.place(then)
    first = lower_value(frame, expr.then)
    result = frame.temporary(types.LONG)
    frame.emit(ir.Set(result.name, first), expr.then.span)
    frame.builder.jump(done)
    frame.builder.place(otherwise)
    second = lower_value(frame, expr.otherwise)
    frame.emit(ir.Set(result.name, second), expr.otherwise.span)
    frame.builder.place(done)
    if first.type == second.type:
        return Reg(result.name, first.type)
    return values.convert(result, types.common_type(first.type, second.type))


def has_effect(frame: Frame, expr: tree.Expr) -> bool:
    """Whether evaluating an expression appends anything to the graph (a read of memory included)."""
    match expr:
        case tree.Int() | tree.Bool() | tree.Str() | tree.SizeOf() | tree.ThreadLocal():
            return False
        case tree.Name(span, name):
            return isinstance(_name(frame, name, span), (Variable, Atomic))
        case tree.Unary(_, "&", _):
            return False
        case tree.Unary(_, "*", _):
            return True
        case tree.Unary(_, _, operand) | tree.Cast(_, _, operand):
            return has_effect(frame, operand)
        case tree.Binary(_, _, left, right):
            return has_effect(frame, left) or has_effect(frame, right)
        case tree.Conditional(_, condition, then, otherwise):
            return any(has_effect(frame, e) for e in (condition, then, otherwise))
        case tree.Member(_, tree.Name(_, name), _) if name in _INDEX_NAMES:
            return False
        case _:
            return True


# ---------------------------------------------------------------- assignment


def assign(frame: Frame, target: Operand, value: Value, span: Span) -> None:
    """Store a value in what ``target`` denotes (an atomic is stored seq_cst, [atomics.types.operations])."""
    match target:
        case Register(_, _, constant=True):
            raise error(Code.TYPE_ERROR, "a const variable cannot be assigned to", span)
        case Register(name, type_):
            frame.emit(ir.Set(name, values.convert(value, type_)), span)
        case Variable(place, type_, volatile):
            mode = ir.VOLATILE if volatile else ir.PLAIN
            frame.emit(ir.Store(place, values.convert(value, type_), mode), span)
        case Atomic(place, type_, scope):
            frame.emit(ir.Store(place, values.convert(value, type_), ir.Mode(SEQ_CST, scope)), span)
        case _:
            raise error(Code.TYPE_ERROR, f"{describe(target)} cannot be assigned to", span)


def _assign(frame: Frame, expr: tree.Assign) -> Operand:
    if expr.op is None:
        value = lower_value(frame, expr.value)
        target = lower_operand(frame, expr.target)
        assign(frame, target, value, expr.span)
        return _assigned(target, value)
    value = lower_value(frame, expr.value)
    target = lower_operand(frame, expr.target)
    return update(frame, target, expr.op, value, expr.span, old=False)


def _assigned(target: Operand, value: Value) -> Operand:
    """The result of an assignment: the variable itself, or an atomic's new value."""
    return Computed(values.convert(value, target.type)) if isinstance(target, Atomic) else target


def _step(frame: Frame, op: str, prefix: bool, target_expr: tree.Expr, span: Span) -> Operand:
    target = lower_operand(frame, target_expr)
    return update(frame, target, op, Const(1, INT), span, old=not prefix)


def update(frame: Frame, target: Operand, op: str, value: Value, span: Span, *, old: bool) -> Operand:
    """``target op= value``: one atomic step on an atomic, a read and a write otherwise.  ``old``: the value before."""
    match target:
        case Atomic(place, type_, scope):
            result = frame.temporary(type_)
            new = values.convert(values.binary(op, result, value), type_)
            frame.emit(ir.Rmw(result.name, place, new, ir.Mode(SEQ_CST, scope)), span)
            return Computed(result if old else new)
        case Register() | Variable():
            before = to_value(frame, target, span)
            if old and isinstance(target, Register):
                saved = frame.temporary(target.type)
                frame.emit(ir.Set(saved.name, before), span)
                before = saved
            assign(frame, target, values.convert(values.binary(op, before, value), target.type), span)
            return Computed(before) if old else target
        case _:
            raise error(Code.TYPE_ERROR, f"{describe(target)} cannot be updated", span)


# ---------------------------------------------------------------- members, elements, casts


def _member(frame: Frame, object_: tree.Expr, name: str, span: Span) -> Operand:
    operand = lower_operand(frame, object_)
    if isinstance(operand, Extent) and name in ("x", "y", "z"):
        if operand.name:
            return Computed(Builtin(f"{operand.name}.{name}", types.UINT))
        return Computed(Const(getattr(operand.dim, name), types.UINT))
    if isinstance(operand, Atomic):
        raise error(Code.TYPE_ERROR, f"`{name}` is a member function: call it", span, f"write .{name}(…)")
    raise error(Code.TYPE_ERROR, f"{describe(operand)} has no member `{name}`", span)


def _index(frame: Frame, object_: tree.Expr, index: tree.Expr, span: Span) -> Operand:
    operand = lower_operand(frame, object_)
    if isinstance(operand, Pointer) and isinstance(operand.target, Array):
        operand = operand.target
    if not isinstance(operand, Array):
        raise error(Code.TYPE_ERROR, f"{describe(operand)} has no elements", span)
    position = lower_value(frame, index)
    length = len(frame.world.objects[operand.object].values)
    if isinstance(position, Const) and not 0 <= position.value < length:
        raise error(Code.TYPE_ERROR, f"element {position.value} of an array of {length}", index.span)
    place = ir.Place(operand.object, position)
    match operand.element:
        case Variable(_, type_, volatile):
            return Variable(place, type_, volatile)
        case Atomic(_, type_, scope):
            return Atomic(place, type_, scope)


def _cast(frame: Frame, type_: tree.TypeName, operand: tree.Expr, span: Span) -> Operand:
    target = frame.world.resolve(type_)
    match target:
        case names.VoidType():
            discard(frame, operand)
            return Nothing()
        case IntType():
            return Computed(values.convert(lower_value(frame, operand), target))
        case names.PointerType() | names.StreamType() | names.EventType():
            return lower_operand(frame, operand)
        case _:
            raise error(Code.TYPE_ERROR, "a cast to this type is outside the modelled subset", span)


def discard(frame: Frame, expr: tree.Expr) -> None:
    """Evaluate an expression for its effects alone (a discarded volatile lvalue is read, [expr.context])."""
    if isinstance(expr, tree.Step):
        expr = replace(expr, prefix=True)
    operand = lower_operand(frame, expr)
    if isinstance(operand, Variable) and operand.volatile and isinstance(expr, (tree.Name, tree.Index, tree.Unary)):
        to_value(frame, operand, expr.span)


def construct(frame: Frame, type_: names.Type, arguments: tuple[tree.Expr, ...], span: Span) -> Operand:
    """``Type(arguments)``."""
    match type_:
        case IntType():
            if len(arguments) > 1:
                raise error(Code.BAD_ARGUMENTS, "a number is made from one value", span)
            value = lower_value(frame, arguments[0]) if arguments else Const(0, type_)
            return Computed(values.convert(value, type_))
        case names.AtomicType(value=element, scope=scope, ref=True):
            if len(arguments) != 1:
                raise error(Code.BAD_ARGUMENTS, "an atomic_ref refers to one object", span)
            return atomic_ref(lower_operand(frame, arguments[0]), element, scope, arguments[0].span)
        case names.DimType():
            if len(arguments) > 3:
                raise error(Code.BAD_ARGUMENTS, "a dim3 has three dimensions", span)
            extents = [constant(frame, a, "an extent of a launch") for a in arguments]
            return Extent(ir.Dim(*extents))
        case _:
            raise error(Code.OUTSIDE_SUBSET, "a temporary of this type is outside the modelled subset", span)


def atomic_ref(operand: Operand, element: IntType, scope: ir.Scope, span: Span) -> Atomic:
    """An ``atomic_ref<element, scope>`` to what ``operand`` denotes."""
    match operand:
        case Variable(place, type_, _) | Atomic(place, type_, _) if type_ == element:
            return Atomic(place, type_, scope)
        case Variable(_, type_, _) | Atomic(_, type_, _) | Register(_, type_, _):
            message = f"an atomic_ref<{element.name}> cannot refer to an object of type {type_.name}"
            raise error(Code.TYPE_ERROR, message, span)
        case _:
            raise error(Code.TYPE_ERROR, f"an atomic_ref refers to an object, not to {describe(operand)}", span)


def _sizeof(frame: Frame, expr: tree.SizeOf) -> int:
    if isinstance(expr.operand, tree.TypeName):
        type_ = frame.world.resolve(expr.operand)
        match type_:
            case IntType() | names.AtomicType(value=IntType()):
                return (type_ if isinstance(type_, IntType) else type_.value).size
            case names.PointerType() | names.StreamType() | names.EventType():
                return 8
            case _:
                raise error(Code.TYPE_ERROR, "the size of this type is not modelled", expr.span)
    operand = lower_operand(frame, expr.operand) if isinstance(expr.operand, tree.Name) else None
    match operand:
        case Register(_, type_, _) | Variable(_, type_, _) | Atomic(_, type_, _):
            return type_.size
        case Array(name):
            object_ = frame.world.objects[name]
            return object_.size * len(object_.values)
        case _:
            raise error(Code.TYPE_ERROR, "sizeof is modelled for types and variables", expr.span)
