"""Objects in memory: what a declaration makes, what its name denotes, and what it holds when its lifetime begins."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.scoped.lower.cpp_types import ArrayType, Element, held
from scopec.frontends.scoped.lower.lvalues import at
from scopec.frontends.scoped.lower.operands import Array, Atomic, Variable
from scopec.program import ir, values
from scopec.program.types import INT, IntType
from scopec.program.values import Const, Value

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.c.syntax import tree
    from scopec.frontends.scoped.lower.context import Frame

#: Objects of static storage duration start as zeros ([basic.start.static]); others without a value.
_STATIC = (ir.Storage.DEVICE, ir.Storage.MANAGED, ir.Storage.SYSTEM)

#: The denotation of the name of an object in memory.
InMemory = Variable | Atomic | Array


def declare(
    frame: Frame,
    name: str,
    type_: Element | ArrayType,
    storage: ir.Storage,
    span: Span,
    *,
    volatile: bool = False,
    zero: bool = True,
) -> InMemory:
    """Make the object of a variable and return what its name denotes; ``zero``: it holds zeros if nothing else."""
    name = frame.world.unique_object(name)
    element, shape = (type_.element, (type_.length,)) if isinstance(type_, ArrayType) else (type_, ())
    value = 0 if zero and storage in _STATIC else None
    inside = held(element)
    frame.world.objects[name] = ir.Object(
        name, span, inside, storage, (value,) * (shape[0] if shape else 1), bool(shape), shape=shape, align=inside.size
    )
    if shape:
        return Array(name, element, shape[0], volatile)
    return at(name, Const(0, INT), element, volatile=volatile)


def single(init: tree.Initialiser | None, span: Span) -> tree.Expr:
    """The one value in an initialiser."""
    if init is None or len(init.arguments) != 1:
        raise error(Code.BAD_ARGUMENTS, "one initial value is wanted here", span)
    return init.arguments[0]


def hold(frame: Frame, made: InMemory, init: tree.Initialiser | None) -> None:
    """The initial values of an object of static storage duration, which must be constants."""
    if init is None:
        return
    name = made.object if isinstance(made, Array) else made.place.object
    object_ = frame.world.objects[name]
    known = [_constant(frame, expr, object_.type) for expr in _given(init, len(object_.values))]
    frame.world.objects[name] = replace(object_, values=(*known, *object_.values[len(known) :]))


def _constant(frame: Frame, expr: tree.Expr, type_: IntType) -> int:
    value = values.convert(frame.value(expr), type_)
    if not isinstance(value, Const):
        raise error(Code.NOT_CONSTANT, "this initial value must be a constant", expr.span)
    return value.value


def _given(init: tree.Initialiser, length: int) -> tuple[tree.Expr, ...]:
    if len(init.arguments) > length:
        message = f"{len(init.arguments)} initial values for {length} element{'s' if length > 1 else ''}"
        raise error(Code.BAD_ARGUMENTS, message, init.span)
    return init.arguments


def initialise(frame: Frame, made: InMemory, init: tree.Initialiser | None) -> None:
    """Append the stores that initialise a local object.

    [atomics.types.operations]: the initial value of an atomic is not set by an atomic operation.
    """
    if init is None:
        return
    if isinstance(made, Array):
        elements = [at(made.object, Const(n, INT), made.element, volatile=made.volatile) for n in range(made.length)]
    else:
        elements = [made]
    given = _given(init, len(elements))
    for number, element in enumerate(elements):
        expr = given[number] if number < len(given) else None
        value: Value = Const(0, INT) if expr is None else frame.value(expr)
        mode = ir.VOLATILE if isinstance(element, Variable) and element.volatile else ir.PLAIN
        span = expr.span if expr is not None and isinstance(made, Array) else init.span
        frame.emit(ir.Store(element.place, values.cast(value, element.type), mode), span)
