"""Handles of the libraries, which are followed while the program is lowered: streams, events, threads, records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.scoped.lower import expressions, lvalues, threads
from scopec.frontends.scoped.lower.context import outside
from scopec.frontends.scoped.lower.cpp_types import ArrayType, HandleType, PointerType, Type, VoidType, shown, size_of
from scopec.frontends.scoped.lower.operands import (
    Computed,
    Elements,
    Event,
    Group,
    HostThread,
    Operand,
    PointerVariable,
    Record,
    Stream,
    StreamHandle,
    Text,
    describe,
)
from scopec.frontends.scoped.syntax import tree
from scopec.program import ir, types
from scopec.program.values import Const

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.scoped.lower.context import Frame


def declare(frame: Frame, type_: HandleType, declarator: tree.Declarator) -> Operand:
    """A local variable of a handle's type."""
    init, name, span = declarator.init, declarator.name, declarator.span
    given = init.arguments if init is not None else ()
    match type_.name:
        case "dim3":
            if len(given) == 1 and not isinstance(given[0], tree.List):
                operand = expressions.lower_operand(frame, given[0])
                if isinstance(operand, Record):
                    return Record(dict(operand.members))
            arguments = given[0].elements if len(given) == 1 and isinstance(given[0], tree.List) else given
            return extents(frame, arguments, span)
        case "record":
            return _record(frame, init)
        case "group":
            if len(given) != 1:
                raise error(Code.BAD_ARGUMENTS, "a group is initialised with one value", span)
            operand = expressions.lower_operand(frame, given[0])
            if not isinstance(operand, Group):
                raise error(Code.TYPE_ERROR, f"a group is wanted here, not {describe(operand)}", span)
            return operand
        case "thread" | "jthread":
            return threads.declare(frame, name, type_, given, span)
        case "text":
            return Text()
        case _:
            made = fresh(frame, name, type_, span)
            if given and not (len(given) == 1 and isinstance(given[0], tree.Int)):
                operand = expressions.lower_operand(frame, given[0])
                if not isinstance(operand, (Stream, StreamHandle, Event)):
                    raise outside(
                        f"{_with_article(type_.name)} is made with cuda{type_.name.title()}Create: this is", span
                    )
                return operand
            return made


def _with_article(word: str) -> str:
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


def fresh(frame: Frame, name: str, type_: HandleType, span: Span) -> Operand:
    """A new variable of a handle's type, not yet created."""
    match type_.name:
        case "dim3" | "record":
            return Record()
        case "stream" | "event":
            if not frame.host:
                raise error(Code.TYPE_ERROR, f"{type_.name}s belong to the host", span)
            unique = frame.fresh(name)
            return Stream(unique) if type_.name == "stream" else Event(unique)
        case "thread" | "jthread":
            return HostThread(name, joins=type_.name == "jthread")
        case _:
            raise outside(f"{shown(type_)} here is", span)


def array(frame: Frame, name: str, type_: ArrayType, init: tree.Initialiser | None, span: Span) -> Operand:
    """An array of handles or pointers in host code."""
    items: list[Operand] = []
    given = init.arguments if init is not None else ()
    for number in range(type_.length):
        element = type_.element
        if isinstance(element, PointerType):
            made: Operand = PointerVariable(f"{name}[{number}]", element)
            if number < len(given):
                operand = expressions.lower_operand(frame, given[number])
                binding = _pointer_to(operand, element, given[number].span)
                made = PointerVariable(f"{name}[{number}]", element, binding)
        else:
            assert isinstance(element, HandleType)
            made = fresh(frame, f"{name}[{number}]", element, span)
            if isinstance(made, HostThread):
                threads.at_the_end(frame, made, span)
            if number < len(given):
                lvalues.assign(frame, made, expressions.lower_operand(frame, given[number]), given[number].span)
        items.append(made)
    return Elements(items, name)


def _pointer_to(operand: Operand, type_: PointerType, span: Span) -> Operand:
    from scopec.frontends.scoped.lower import pointers

    return operand if isinstance(type_.target, VoidType) else pointers.checked(operand, type_, span)


def construct(frame: Frame, type_: HandleType, arguments: tuple[tree.Expr, ...], span: Span) -> Operand:
    """``Type(arguments)`` for a handle's type."""
    match type_.name:
        case "dim3":
            return extents(frame, arguments, span)
        case "thread" | "jthread":
            return threads.create(frame, type_, arguments, span, None)
        case "record" if not arguments:
            return Record()
        case _:
            raise outside(f"{shown(type_)} without a name is", span)


# ---------------------------------------------------------------- extents and records


def extents(frame: Frame, arguments: tuple[tree.Expr, ...], span: Span) -> Record:
    """A ``dim3``; missing extents are 1."""
    if len(arguments) > 3:
        raise error(Code.BAD_ARGUMENTS, "a dim3 has three dimensions", span)
    given = [Const(expressions.constant(frame, a, "an extent of a launch"), types.UINT) for a in arguments]
    given += [Const(1, types.UINT)] * (3 - len(given))
    return Record({axis: Computed(value) for axis, value in zip("xyz", given, strict=True)})


def dim_of(frame: Frame, operand: Operand, span: Span) -> ir.Dim:
    """The extents that an operand stands for: a dim3, or a number for the first one."""
    found: list[int] = []
    if isinstance(operand, Record):
        if "" in operand.members:
            return dim_of(frame, operand.members[""], span)
        parts: list[Operand] = [operand.members.get(axis, Computed(Const(1, types.UINT))) for axis in "xyz"]
    else:
        parts = [operand]
    for part in parts:
        inner = part.members.get("", part) if isinstance(part, Record) else part
        value = lvalues.to_value(frame, inner, span)
        if not isinstance(value, Const):
            raise error(Code.NOT_CONSTANT, "the extent of a launch must be a constant", span)
        found.append(value.value)
    dim = ir.Dim(*found)
    if min(dim.x, dim.y, dim.z) < 1:
        raise error(Code.NO_THREADS, f"a launch with an extent of {min(dim.x, dim.y, dim.z)}", span)
    return dim


def _record(frame: Frame, init: tree.Initialiser | None) -> Record:
    record = Record()
    if init is not None and init.names:
        for name, value in zip(init.names, init.arguments, strict=True):
            record.members[name] = expressions.lower_operand(frame, value)
    return record


def member_value(operand: Operand | None) -> Operand | None:
    """The value of a record's member, None if it has not been set."""
    if isinstance(operand, Record) and "" in operand.members:
        return operand.members[""]
    return operand


# ---------------------------------------------------------------- memory that is allocated


def elements_in(bytes_: int, element: Type, span: Span) -> int:
    """How many objects of a type fit into memory; InputError if none does."""
    size = size_of(element)
    if size is None:
        raise outside(f"memory for {shown(element)} is", span)
    if bytes_ < size:
        raise error(Code.BAD_ARGUMENTS, f"{bytes_} bytes are less than one {shown(element)}", span)
    return bytes_ // size
