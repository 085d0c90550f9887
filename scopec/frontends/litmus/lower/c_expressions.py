"""Threads of the C dialects: expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from scopec.base.diagnostics import Code, error
from scopec.frontends.c import expressions as c
from scopec.frontends.c.syntax import tree
from scopec.frontends.litmus.lower.c_operands import (
    AnyPointer,
    Cell,
    CFrame,
    Followed,
    Local,
    LocalPointer,
    Number,
    Operand,
    Pointer,
    PointerOperand,
    Touched,
    Variable,
)
from scopec.frontends.litmus.lower.c_order import (
    Part,
    accesses,
    accesses_place,
    assigned_once,
    in_no_order,
    sequence_point,
    watched,
)
from scopec.frontends.litmus.lower.world import POINTER, integer_type
from scopec.program import ir, types, values
from scopec.program.values import Const, Reg, Value

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.program.types import IntType

# ---------------------------------------------------------------- values


def number(frame: CFrame, expr: tree.Expr) -> Value:
    """The value of an expression; a pointer is its address."""
    return rvalue(frame, operand(frame, expr), expr.span)


def discard(frame: CFrame, expr: tree.Expr) -> None:
    """Evaluate an expression for its effects; a location that is named alone is read."""
    found = operand(frame, expr)
    if isinstance(found, (Cell, Followed)) and not isinstance(expr, tree.Assign):
        load(frame, found, ir.PLAIN, expr.span)


def rvalue(frame: CFrame, found: Operand, span: Span) -> Value:
    """The value of an operand: what a variable holds, an address for a pointer."""
    match found:
        case Number(value):
            return value
        case Local() | Cell() | Followed():
            return load(frame, found, ir.PLAIN, span)
        case Pointer() | LocalPointer() | AnyPointer():
            return address(frame, found, span)
        case _:
            assert_never(found)


def is_fixed(pointer: PointerOperand) -> bool:
    """Whether it is known before the program runs what a pointer points to."""
    return isinstance(pointer, LocalPointer) or (isinstance(pointer, Pointer) and isinstance(pointer.index, Const))


def address(frame: CFrame, pointer: PointerOperand, span: Span) -> Value:
    """The address that a pointer holds."""
    match pointer:
        case Pointer(object_, index, _):
            scaled = values.binary("*", values.convert(index, POINTER), Const(_size(frame, object_), POINTER))
            return values.binary("+", frame.world.address(object_), scaled)
        case LocalPointer():
            message = "the address of a local variable is used here as a value"
            raise error(Code.OUTSIDE_SUBSET, message, span, "pass `&r` to the function that needs it")
        case AnyPointer(value, _, _):
            return value
        case _:
            assert_never(pointer)


def _size(frame: CFrame, name: str) -> int:
    return frame.world.objects[name].size


def pointer(frame: CFrame, expr: tree.Expr, element: IntType | None = None) -> PointerOperand:
    """An expression that is a pointer; ``element`` is what an integer that is used as one points to."""
    found = operand(frame, expr)
    match found:
        case Pointer() | LocalPointer() | AnyPointer():
            return found
        case Local(name, _, points_to) if points_to is not None:
            return AnyPointer(load(frame, found, ir.PLAIN, expr.span), points_to, name)
        case _ if element is not None or _holds_address(frame, found):
            value = rvalue(frame, found, expr.span)
            return AnyPointer(value, element or types.INT, frame.world.source.text_of(expr.span))
        case _:
            message = "a pointer is wanted here"
            raise error(Code.TYPE_ERROR, message, expr.span, "pass a parameter, or the address of a local variable")


def _holds_address(frame: CFrame, found: Operand) -> bool:
    match found:
        case Cell(ir.Place(name, _), _, _):
            return name in frame.world.pointers
        case Followed(_, type_, _):
            return type_ == POINTER
        case Number(Const(0)):  # a null pointer
            return True
        case _:
            return False


# ---------------------------------------------------------------- expressions


def operand(frame: CFrame, expr: tree.Expr) -> Operand:
    """The denotation of an expression, its effects appended to the graph."""
    match expr:
        case tree.Int():
            return Number(c.literal(frame, expr))
        case tree.Bool(_, truth):
            return Number(Const(int(truth), types.INT))
        case tree.Name(span, name):
            return frame.lookup(name, span)
        case tree.Unary(span, "*", inner):
            return dereference(frame, pointer(frame, inner), span)
        case tree.Unary(span, "&", inner):
            return _address_of(frame, inner, span)
        case tree.Unary(_, op, inner):
            return Number(_as_int(values.unary(op, number(frame, inner))))
        case tree.Binary(_, ("&&" | "||"), left, _):
            first = frame.condition(left)
            sequence_point(frame)
            return Number(_as_int(c.short_circuit(frame, expr, first, first)))
        case tree.Binary():
            return _binary(frame, expr)
        case tree.Conditional(_, condition, _, _):
            test = frame.condition(condition)
            sequence_point(frame)
            return Number(c.conditional(frame, expr, test))
        case tree.Assign():
            return _assign(frame, expr)
        case tree.Step(span, op, prefix, target):
            return _step(frame, op, prefix, target, span)
        case tree.Index(span, inner, index):
            start, by = in_no_order(
                frame,
                span,
                Part(lambda: pointer(frame, inner), accesses(frame, inner)),
                Part(lambda: number(frame, index), accesses(frame, index)),
            )
            return dereference(frame, _offset(start, by, span), span)
        case tree.Comma(_, left, right):
            discard(frame, left)
            sequence_point(frame)
            return operand(frame, right)
        case tree.Cast(_, type_, inner):
            return _cast(frame, type_, inner)
        case tree.Call():
            return frame.call(expr)
        case _:
            raise error(Code.OUTSIDE_SUBSET, "this expression is outside the modelled subset", expr.span)


def _as_int(value: Value) -> Value:
    """The result of ``!`` and of comparisons is an int in C."""
    return values.convert(value, types.INT) if value.type.is_bool else value


def _binary(frame: CFrame, expr: tree.Binary) -> Operand:
    left, right = in_no_order(
        frame,
        expr.span,
        Part(lambda: _value_or_pointer(frame, expr.left), accesses(frame, expr.left)),
        Part(lambda: _value_or_pointer(frame, expr.right), accesses(frame, expr.right)),
    )
    match left, expr.op, right:
        case ((Pointer() | AnyPointer()), "-", (Pointer() | AnyPointer())):  # "of the subscripts", C11 6.5.6/9
            apart = values.binary("-", *(address(frame, side, expr.span) for side in (left, right)))
            return Number(values.binary("/", apart, Const(left.element.size, POINTER)))
        case ((Pointer() | AnyPointer()), ("+" | "-"), by) if not isinstance(by, (Pointer, AnyPointer)):
            return _offset(left, by if expr.op == "+" else values.unary("-", by), expr.span)
        case by, "+", (Pointer() | AnyPointer()) if not isinstance(by, (Pointer, AnyPointer)):
            return _offset(right, by, expr.span)
        case _:
            sides = (address(frame, s, expr.span) if isinstance(s, (Pointer, AnyPointer)) else s for s in (left, right))
            return Number(_as_int(frame.computed(values.binary(expr.op, *sides), expr.span)))


def _value_or_pointer(frame: CFrame, expr: tree.Expr) -> Value | Pointer | AnyPointer:
    """The value of an operand; what points to something stays a pointer."""
    found = operand(frame, expr)
    match found:
        case Pointer() | AnyPointer():
            return found
        case Local(name, _, points_to) if points_to is not None:
            return AnyPointer(load(frame, found, ir.PLAIN, expr.span), points_to, name)
        case _:
            return rvalue(frame, found, expr.span)


def _cast(frame: CFrame, type_: tree.TypeName, inner: tree.Expr) -> Operand:
    if type_.pointers:
        return pointer(frame, inner, integer_type(type_))
    return Number(values.cast(number(frame, inner), integer_type(type_)))


# ---------------------------------------------------------------- variables and pointers


def dereference(frame: CFrame, found: PointerOperand, span: Span) -> Variable:
    """The location that a pointer points to."""
    match found:
        case Pointer(name, index, _):
            return Cell(ir.Place(name, index), frame.world.objects[name].type, frame.world.source.text_of(span))
        case LocalPointer(local):
            return local
        case AnyPointer(value, element, text):
            return Followed(value, element, text)
        case _:
            assert_never(found)


def _address_of(frame: CFrame, expr: tree.Expr, span: Span) -> PointerOperand:
    match operand(frame, expr):
        case Local() as local:
            return LocalPointer(local)
        case Cell(ir.Place(name, index), type_, _):
            return Pointer(name, index, type_)
        case Followed(value, type_, text):
            return AnyPointer(value, type_, text)
        case _:
            message = "the address of a parameter that points to a location is outside the modelled subset"
            raise error(Code.OUTSIDE_SUBSET, message, span, "the parameter is the address: leave out the `&`")


def _offset(start: PointerOperand, by: Value, span: Span) -> PointerOperand:
    match start:
        case Pointer(name, index, element):
            return Pointer(name, by if index == Const(0, index.type) else values.binary("+", index, by), element)
        case AnyPointer(value, element, text):
            scaled = values.binary("*", values.convert(by, POINTER), Const(element.size, POINTER))
            return AnyPointer(values.binary("+", value, scaled), element, text)
        case _:
            message = "arithmetic on the address of a local variable is outside the modelled subset"
            raise error(Code.OUTSIDE_SUBSET, message, span, "use an array that is a parameter")


def load(frame: CFrame, variable: Variable, mode: ir.Mode, span: Span) -> Value:
    """Read a variable."""
    match variable:
        case Local(name, type_):
            frame.touched.read.add(name)
            return Reg(name, type_)
        case Cell(place, type_, text):
            result = frame.temporary(type_)
            frame.emit(ir.Load(result.name, place, mode), span)
            return result
        case Followed(value, type_, text):
            result = frame.temporary(type_)
            frame.through(value, text, span, lambda place, _: frame.emit(ir.Load(result.name, place, mode), span))
            return result
        case _:
            assert_never(variable)


def store(frame: CFrame, variable: Variable, value: Value, mode: ir.Mode, span: Span) -> None:
    """Write a variable."""
    match variable:
        case Local(name, type_):
            frame.touched.written.add(name)
            frame.emit(ir.Set(name, values.convert(value, type_)), span)
        case Cell(place, type_, text):
            frame.emit(ir.Store(place, values.convert(value, type_), mode), span)
        case Followed(where, _, text):
            frame.through(
                where,
                text,
                span,
                lambda place, type_: frame.emit(ir.Store(place, values.convert(value, type_), mode), span),
            )
        case _:
            assert_never(variable)


def variable(frame: CFrame, expr: tree.Expr) -> Variable:
    """The denotation of the left side of an assignment; it is a plain access whatever its type (language note)."""
    found = operand(frame, expr)
    if isinstance(found, (Local, Cell, Followed)):
        return found
    shown = frame.world.source.text_of(expr.span)
    raise error(Code.TYPE_ERROR, f"`{shown}` cannot be assigned to", expr.span, f"write *{shown} for what it points to")


def _assign(frame: CFrame, expr: tree.Assign) -> Operand:
    """The store is after both operands; that of an assignment inside one of them is before it, as in C++."""

    def place() -> tuple[Variable, Value | None]:
        target = variable(frame, expr.target)
        return target, None if expr.op is None else load(frame, target, ir.PLAIN, expr.target.span)

    def assigned() -> Value:
        found = frame.names.get(expr.target.name) if isinstance(expr.target, tree.Name) else None
        if expr.op is None and isinstance(found, Local) and found.element is not None:
            return address(frame, pointer(frame, expr.value), expr.value.span)
        return number(frame, expr.value)

    left = accesses_place if expr.op is None else accesses
    with watched(frame) as touches:
        (target, before), value = in_no_order(
            frame,
            expr.span,
            Part(place, left(frame, expr.target)),
            Part(assigned, accesses(frame, expr.value)),
        )
    if expr.op is not None:
        _refuse_pointer(frame, target, expr.span)
        value = frame.computed(values.binary(expr.op, before, value), expr.span)
    value = values.convert(value, target.type)
    _assign_to(frame, target, value, touches, expr.span)
    return target if isinstance(target, Local) else Number(value)


def _assign_to(frame: CFrame, target: Variable, value: Value, before: Touched, span: Span) -> None:
    """The store of an assignment whose operands have done what ``before`` says."""
    assigned_once(target, before, span)
    frame.touched.pending.append(target)
    store(frame, target, value, ir.PLAIN, span)


def _step(frame: CFrame, op: str, prefix: bool, target_expr: tree.Expr, span: Span) -> Operand:
    with watched(frame) as touches:
        target = variable(frame, target_expr)
    _refuse_pointer(frame, target, span)
    old = load(frame, target, ir.PLAIN, span)
    if isinstance(target, Local):
        kept = frame.temporary(old.type)
        frame.emit(ir.Set(kept.name, old), span)
        old = kept
    new = values.convert(values.binary(op[0], old, Const(1, types.INT)), target.type)
    _assign_to(frame, target, new, touches, span)
    return Number(new if prefix else old)


def _refuse_pointer(frame: CFrame, target: Variable, span: Span) -> None:
    """InputError where what is stepped or updated holds an address."""
    local = isinstance(target, Local) and target.element is not None
    if local or (isinstance(target, Cell) and target.place.object in frame.world.pointers):
        raise error(Code.OUTSIDE_SUBSET, "stepping a pointer is outside the modelled subset", span, "write p = p + 1")
