"""Function templates: their arguments, given or deduced; and how well arguments fit a function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.scoped.lower import expressions, lvalues, names, resolve
from scopec.frontends.scoped.lower.cpp_types import (
    ArrayType,
    AtomicType,
    AutoType,
    FloatType,
    PointerType,
    ReferenceType,
    StructType,
    SyncType,
    Type,
    VoidType,
)
from scopec.frontends.scoped.lower.lookup import Space
from scopec.frontends.scoped.lower.operands import (
    Array,
    Computed,
    Enumerator,
    Function,
    Opaque,
    Operand,
    Overload,
    Pointer,
    PointerVariable,
    TypeNamed,
)
from scopec.frontends.scoped.syntax import tree
from scopec.program.types import INT, IntType
from scopec.program.values import Const

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.scoped.lower.context import Frame


def instance_space(
    frame: Frame,
    overload: Overload,
    given: tuple[tree.Expr, ...],
    explicit: tuple[tree.TypeName | tree.Expr, ...],
    span: Span,
) -> Space:
    """The space of a function template's parameters, bound to explicit arguments, deduced ones, or defaults."""
    function = overload.definition
    operands = [expressions.peek(frame, e) for e in given]
    space, missing = deduce(frame, overload, operands, explicit, span)
    if missing is not None:
        message = f"the template argument `{missing}` of `{function.name}` cannot be deduced"
        raise error(Code.BAD_ARGUMENTS, message, span, f"write {function.name}<…>(…)")
    return space


def deduce(
    frame: Frame,
    overload: Overload,
    operands: list[Operand],
    explicit: tuple[tree.TypeName | tree.Expr, ...],
    span: Span,
) -> tuple[Space, str | None]:
    """The space of a template's parameters; and the name of one that has no value, if there is one."""
    function = overload.definition
    parameters = function.template or ()
    inside = Space("", overload.space)
    if len(explicit) > len(parameters):
        raise error(Code.BAD_ARGUMENTS, f"`{function.name}` takes {len(parameters)} template arguments", span)
    for parameter, argument in zip(parameters, explicit, strict=False):
        inside.names[parameter.name] = resolve.template_argument(frame, parameter, argument, inside)
    wanted = {p.name for p in parameters}
    for written, operand in zip(function.parameters, operands, strict=False):
        have = _argument_type(operand)
        if have is not None:
            _match(frame, written.type, have, wanted, inside)
    for parameter in parameters:
        if parameter.name not in inside.names and parameter.default is not None:
            where = resolve.in_space(frame, inside)
            inside.names[parameter.name] = resolve.template_argument(where, parameter, parameter.default, inside)
    return inside, next((p.name for p in parameters if p.name and p.name not in inside.names), None)


def _argument_type(operand: Operand) -> Type | None:
    if isinstance(operand, PointerVariable):
        return operand.type
    if isinstance(operand, Array):
        return PointerType(operand.element)
    return lvalues.type_of(operand)


def _match(frame: Frame, written: tree.TypeName, have: Type, wanted: set[str], inside: Space) -> None:
    """Bind the template parameters that a written type mentions so that it means ``have``."""
    if isinstance(have, ReferenceType):
        have = have.target
    for _ in range(written.pointers):
        if isinstance(have, ArrayType):
            have = PointerType(have.element)
        if not isinstance(have, PointerType):
            return
        have = have.target
    if written.name in wanted:
        if isinstance(have, AtomicType) and not written.reference and not written.pointers:
            have = have.value  # an atomic is passed as its value
        inside.names.setdefault(written.name, TypeNamed(have))
        return
    match have:
        case AtomicType(value=value, scope=scope) if names.unqualified(written.name) in ("atomic", "atomic_ref"):
            _match_arguments(frame, written, (TypeNamed(value), Enumerator(scope)), wanted, inside)
        case SyncType(scope=scope) if written.arguments:
            _match_arguments(frame, written, (Enumerator(scope),), wanted, inside)
        case StructType(space=space) if written.arguments and space.parent is not None:
            _match_arguments(frame, written, tuple(space.parent.names.values()), wanted, inside)
        case _:
            pass


def _match_arguments(
    frame: Frame, written: tree.TypeName, have: tuple[Operand, ...], wanted: set[str], inside: Space
) -> None:
    for argument, operand in zip(written.arguments, have, strict=False):
        match argument, operand:
            case (tree.TypeName(), TypeNamed(type_)):
                _match(frame, argument, type_, wanted, inside)
            case (tree.Name(_, name), _) if name in wanted:
                inside.names.setdefault(name, operand)
            case _:
                pass


def fit(frame: Frame, overload: Overload, operands: list[Operand]) -> int | None:
    """How well arguments fit a function's parameters: None if not at all, more for each that fits exactly."""
    function = overload.definition
    space = overload.space
    if function.template is not None:
        space, missing = deduce(frame, overload, operands, (), function.span)
        if missing is not None:
            return None
    score = 0 if function.template is not None else 1
    for parameter, operand in zip(function.parameters, operands, strict=False):
        points = _fits(resolve.resolve(resolve.in_space(frame, space), parameter.type), operand)
        if points is None:
            return None
        score += points
    return score


def _fits(type_: Type, operand: Operand) -> int | None:
    have = _argument_type(operand)
    if isinstance(type_, ReferenceType):
        type_ = type_.target
    match type_, have:
        case (AutoType(), _):
            return 1
        case (IntType(), AtomicType()):
            return 1
        case (IntType(), IntType()):
            return 3 if type_ == have else 2 if have == INT or isinstance(operand, Computed) else 1
        case (FloatType(), _):
            exact = isinstance(have, FloatType) or isinstance(operand, Opaque)
            return 3 if exact else 1 if isinstance(have, IntType) else None
        case (PointerType(target), PointerType(other)):
            return 3 if target == other else 1 if isinstance(target, VoidType) else None
        case (PointerType(), IntType()):
            return 1 if isinstance(operand, Computed) and isinstance(operand.value, Const) else None
        case (PointerType(), _):
            return 1 if isinstance(operand, (Pointer, Function)) else None
        case (AtomicType(value, scope, _), AtomicType(other, have_scope, _)):
            return 3 if value == other and scope is have_scope else None
        case (AtomicType(value=value, ref=True), IntType()):
            return 2 if value == have else None
        case _:
            return 3 if type_ == have else None if have is not None else 0
