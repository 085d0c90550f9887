"""Classes of data: their members, and how objects of them are initialised."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.scoped.lower import initial, lvalues, resolve
from scopec.frontends.scoped.lower.context import outside
from scopec.frontends.scoped.lower.cpp_types import (
    EnumType,
    Field,
    PointerType,
    ReferenceType,
    StructType,
    Type,
    VoidType,
    shown,
)
from scopec.frontends.scoped.lower.operands import Operand, TypeNamed
from scopec.frontends.scoped.syntax import tree

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.scoped.lower.context import Frame


def define(frame: Frame, definition: tree.Class) -> StructType:
    """The class that a definition makes; its name is declared where it stands."""
    made = StructType(definition.name or "(unnamed)")
    if definition.name:
        frame.declare(definition.name, TypeNamed(made), definition.span)
    for member in definition.members:
        if not isinstance(member, tree.Declaration):
            raise outside("a class with more than data is", definition.span)
        _data(frame, made, member)
    return made


def _data(frame: Frame, made: StructType, declaration: tree.Declaration) -> None:
    specifiers = set(declaration.type.specifiers)
    base = resolve.resolve(frame, declaration.type)
    for declarator in declaration.declarators:
        type_ = declared_type(frame, base, declaration.type, declarator)
        if made.field(declarator.name) is not None:
            raise error(Code.DUPLICATE, f"the member `{declarator.name}` is declared already", declarator.span)
        if isinstance(type_, (EnumType, VoidType, ReferenceType)):
            raise outside(f"a data member of type {shown(type_)} is", declarator.span)
        volatile = ("volatile" in specifiers and not declarator.pointers) or declarator.volatile
        made.fields.append(Field(declarator.name, type_, declarator.init, volatile, declarator.span))


def declared_type(frame: Frame, base: Type, written: tree.TypeName, declarator: tree.Declarator) -> Type:
    """The type of a declared name: that of the declaration with the declarator's marks and sizes."""
    volatile = "volatile" in written.specifiers
    for _ in range(declarator.pointers):
        base, volatile = PointerType(base, volatile), False
    if declarator.reference:
        return ReferenceType(base, volatile)
    return resolve.sized(frame, base, declarator.sizes, declarator.init, declarator.span) if declarator.sizes else base


# ---------------------------------------------------------------- construction


def construct(frame: Frame, target: Operand, type_: StructType, init: tree.Initialiser | None, span: Span) -> None:
    """Initialise an object of a class member by member: with values given, then default ones, else 0 in a list."""
    given = init.arguments if init is not None else ()
    if init is not None and not init.list:
        raise outside("an object of a class that is initialised with another is", span)
    by_name: dict[str, tree.Expr] = {}
    if init is not None and init.names:
        by_name = dict(zip(init.names, given, strict=True))
    elif len(given) > len(type_.fields):
        raise error(Code.BAD_ARGUMENTS, f"{len(given)} values for {len(type_.fields)} members", span)
    else:
        by_name = {field.name: value for field, value in zip(type_.fields, given, strict=False)}
    for name in by_name:
        if type_.field(name) is None:
            raise error(Code.UNKNOWN_NAME, f"class {type_.name} has no member `{name}`", span)
    for field in type_.fields:
        member = lvalues.member(target, field.name, span)
        if field.name in by_name:
            value = by_name[field.name]
            initial.initialise(frame, member, field.type, initial.from_expr(value), value.span)
            initial.keep_constant(frame, target, field)
        elif field.init is not None:
            initial.initialise(frame, member, field.type, field.init, span)
        else:
            empty = tree.Initialiser(span, (), list=True) if init is not None else None
            initial.initialise(frame, member, field.type, empty, span)
