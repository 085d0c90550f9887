"""Operators: arithmetic, comparisons, logic, choices and assignment."""

from __future__ import annotations

from scopec.base.diagnostics import Code, InputError, error
from scopec.base.source import Span
from scopec.frontends.scoped.lower import expressions, lvalues, pointers
from scopec.frontends.scoped.lower.context import Frame, outside
from scopec.frontends.scoped.lower.cpp_types import AtomicType, PointerType, Type
from scopec.frontends.scoped.lower.operands import (
    Array,
    Atomic,
    Computed,
    Enumerator,
    Operand,
    Register,
    Variable,
    describe,
)
from scopec.frontends.scoped.syntax import tree
from scopec.program import faults, ir, types, values
from scopec.program.types import BOOL, IntType
from scopec.program.values import Const, Reg, Value


def unary(frame: Frame, expr: tree.Unary) -> Operand:
    """``op operand``."""
    match expr.op:
        case "&":
            return _address(frame, expr)
        case "*":
            return lvalues.dereference(frame, expressions.lower_operand(frame, expr.operand), expr.span)
        case "!":
            return Computed(values.unary("!", expressions.lower_condition(frame, expr.operand)))
        case op:
            return Computed(values.unary(op, expressions.lower_value(frame, expr.operand)))


def _address(frame: Frame, expr: tree.Unary) -> Operand:
    # `&a[n]` may be the address one past the end, which is only wrong to follow.
    if isinstance(expr.operand, tree.Index):
        base = expressions.lower_operand(frame, expr.operand.object)
        position = expressions.lower_value(frame, expr.operand.index)
        if isinstance(base, Array) and isinstance(position, Const) and position.value == base.length:
            return pointers.moved(frame, base, position, expr.span)
        return lvalues.address(lvalues.element(frame, base, position, expr.operand.span, followed=False), expr.span)
    return lvalues.address(expressions.lower_operand(frame, expr.operand), expr.operand.span)


def binary(frame: Frame, op: str, left: tree.Expr, right: tree.Expr, span: Span) -> Operand:
    """``left op right``, but for ``&&`` and ``||``."""
    first = expressions.lower_operand(frame, left)
    if isinstance(first, Enumerator):
        second = expressions.lower_operand(frame, right)
        if isinstance(second, Enumerator) and op in ("==", "!="):
            return Computed(values.TRUE if (first == second) == (op == "==") else values.FALSE)
        raise error(Code.TYPE_ERROR, f"a {describe(first)} is compared with == and !=", span)
    first = _held(frame, first, left, right)
    second = expressions.lower_operand(frame, right)
    if op in ("==", "!="):
        equal = pointers.equal(frame, first, second, span)
        if equal is not None:
            return Computed(equal if op == "==" else values.unary("!", equal))
    if op in ("+", "-") and _is_pointer(first):
        return _pointer_arithmetic(frame, op, first, second, span)
    if op == "+" and _is_pointer(second):
        return _pointer_arithmetic(frame, op, second, first, span)
    a = lvalues.to_number(frame, first, left.span)
    b = lvalues.to_number(frame, second, right.span)
    return Computed(frame.computed(values.binary(op, a, b), span))


def _held(frame: Frame, operand: Operand, expr: tree.Expr, right: tree.Expr) -> Operand:
    """The left operand, read before the right one is evaluated (where the order can be told)."""
    type_ = lvalues.type_of(operand)
    if isinstance(operand, (Variable, Atomic)) and isinstance(type_, (IntType, AtomicType)):
        return Computed(lvalues.to_value(frame, operand, expr.span))
    if isinstance(operand, (Computed, Register)) and _modifies(right):
        value = lvalues.to_value(frame, operand, expr.span)
        if not isinstance(value, Const):
            saved = frame.temporary(value.type)
            frame.emit(ir.Set(saved.name, value), expr.span)
            return Computed(saved, operand.pointee)
    return operand


def _is_pointer(operand: Operand) -> bool:
    return isinstance(operand, Array) or isinstance(lvalues.type_of(operand), PointerType)


def _pointer_arithmetic(frame: Frame, op: str, pointer: Operand, other: Operand, span: Span) -> Operand:
    if _is_pointer(other):
        left, right = (pointers.as_value(frame, o, span).value for o in (pointer, other))
        return Computed(values.binary("-", left, right))
    steps = lvalues.to_value(frame, other, span)
    return pointers.moved(frame, pointer, values.unary("-", steps) if op == "-" else steps, span)


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


def short_circuit(frame: Frame, expr: tree.Binary) -> Value:
    """``&&`` and ``||``: the right side is evaluated only if the left side leaves the answer open."""
    left = expressions.lower_condition(frame, expr.left)
    if isinstance(left, Const):
        decided = bool(left.value) == (expr.op == "||")
        return left if decided else expressions.lower_condition(frame, expr.right)
    if not has_effect(frame, expr.right):
        return values.binary(expr.op, left, expressions.lower_condition(frame, expr.right))
    result = frame.temporary(BOOL)
    frame.emit(ir.Set(result.name, values.FALSE if expr.op == "&&" else values.TRUE), expr.left.span)
    more, done = frame.builder.label(), frame.builder.label()
    then, otherwise = (more, done) if expr.op == "&&" else (done, more)
    frame.builder.split(left, expr.left.span, then, otherwise)
    frame.builder.place(more)
    with frame.nested():
        frame.emit(ir.Set(result.name, expressions.lower_condition(frame, expr.right)), expr.right.span)
    frame.builder.place(done)
    return result


def conditional(frame: Frame, expr: tree.Conditional) -> Operand:
    """``condition ? then : otherwise``: only one of the sides is evaluated."""
    condition = expressions.lower_condition(frame, expr.condition)
    if isinstance(condition, Const):
        chosen, left = (expr.then, expr.otherwise) if condition.value else (expr.otherwise, expr.then)
        return _as_common(frame, expressions.lower_operand(frame, chosen), left, chosen.span)
    if not has_effect(frame, expr.then) and not has_effect(frame, expr.otherwise):
        first, second = (expressions.lower_value(frame, side) for side in (expr.then, expr.otherwise))
        return Computed(values.choose(condition, first, second))
    then, otherwise, done = (frame.builder.label() for _ in range(3))
    frame.builder.split(condition, expr.condition.span, then, otherwise)
    with frame.nested():
        frame.builder.place(then)
        first = expressions.lower_value(frame, expr.then)
        result = frame.temporary(types.LONG)
        frame.emit(ir.Set(result.name, first), expr.then.span)
        frame.builder.jump(done)
        frame.builder.place(otherwise)
        second = expressions.lower_value(frame, expr.otherwise)
        frame.emit(ir.Set(result.name, second), expr.otherwise.span)
    frame.builder.place(done)
    if first.type == second.type:
        return Computed(Reg(result.name, first.type))
    return Computed(values.cast(result, types.common_type(first.type, second.type)))


def _as_common(frame: Frame, operand: Operand, other: tree.Expr, span: Span) -> Operand:
    """The side of a conditional operator that is known to be chosen, in the common type of both."""
    try:
        wanted = _value_type(expressions.unevaluated_type(frame, other))
    except InputError:
        return operand  # what is never evaluated, an element that does not exist perhaps, has no say
    have = _value_type(lvalues.type_of(operand))
    if have is None or wanted is None or have == wanted:
        return operand
    return Computed(values.cast(lvalues.to_value(frame, operand, span), types.common_type(have, wanted)))


def _value_type(type_: Type | None) -> IntType | None:
    match type_:
        case IntType():
            return type_
        case AtomicType(value=IntType() as inside):
            return inside
        case _:
            return None


def has_effect(frame: Frame, expr: tree.Expr) -> bool:
    """Whether evaluating an expression appends anything to the graph: a read of memory, a check included."""
    match expr:
        case tree.Int() | tree.Bool() | tree.Str() | tree.SizeOf() | tree.ThreadLocal():
            return False
        case tree.Name(span, name, _):
            return isinstance(expressions.lower_name(frame, name, span), (Variable, Atomic))
        case tree.Unary(_, "&", operand):
            return not isinstance(operand, tree.Name)
        case tree.Unary(_, "*", _):
            return True
        case tree.Unary(_, _, operand) | tree.Cast(_, _, operand):
            return has_effect(frame, operand)
        case tree.Binary(_, op, left, right):
            by = right.value if isinstance(right, tree.Int) else None
            return faults.may_fault(op, by) or has_effect(frame, left) or has_effect(frame, right)
        case tree.Conditional(_, condition, then, otherwise):
            return any(has_effect(frame, e) for e in (condition, then, otherwise))
        case tree.Member(_, tree.Name(_, name), _) if name in expressions.INDEX_NAMES:
            return False
        case _:
            return True


# ---------------------------------------------------------------- assignment


def assign(frame: Frame, expr: tree.Assign) -> Operand:
    """``target = value`` and ``target op= value``; the value is evaluated first ([expr.ass]/1)."""
    if expr.op is not None:
        value = expressions.lower_operand(frame, expr.value)
        target = expressions.lower_operand(frame, expr.target)
        return update(frame, target, expr.op, value, expr.span, old=False)
    source = expressions.lower_operand(frame, expr.value)
    if isinstance(source, (Variable, Atomic)) and not lvalues.is_class(source):
        source = lvalues.read_once(frame, source, expr.value.span)
    target = expressions.lower_operand(frame, expr.target)
    lvalues.assign(frame, target, source, expr.span)
    if isinstance(target, Atomic) and target.pointee is None:  # the result is the new value
        return Computed(values.cast(lvalues.to_value(frame, source, expr.span), target.type))
    return target


def update(frame: Frame, target: Operand, op: str, value: Operand, span: Span, *, old: bool) -> Operand:
    """``target op= value``: one atomic step on an atomic, a read and a write otherwise.  ``old``: the value before."""
    if _is_pointer(target):
        raise outside("a pointer that steps is", span, "use an index")
    operand = lvalues.to_value(frame, value, span)
    match target:
        case Atomic() if op in faults.PARTIAL:
            raise error(Code.TYPE_ERROR, f"an atomic has no operator `{op}=`", span, "use compare_exchange")
        case Atomic(place, type_, scope):
            result = frame.temporary(type_)
            new = values.convert(values.binary(op, result, operand), type_)
            frame.emit(ir.Rmw(result.name, place, new, ir.Mode(lvalues.SEQ_CST, scope)), span)
            return Computed(result if old else new)
        case Register() | Variable():
            before = lvalues.to_value(frame, target, span)
            if old and isinstance(target, Register):
                saved = frame.temporary(before.type)
                frame.emit(ir.Set(saved.name, before), span)
                before = saved
            new = frame.computed(values.binary(op, before, operand), span)
            lvalues.assign(frame, target, Computed(values.convert(new, target.type)), span)
            return Computed(before) if old else target
        case _:
            raise error(Code.TYPE_ERROR, f"{describe(target)} cannot be updated", span)
