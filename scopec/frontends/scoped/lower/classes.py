"""Classes and enumerations: their members, and what their constructors and destructors do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.scoped.lower import expressions, functions, initial, lvalues, resolve
from scopec.frontends.scoped.lower.context import outside
from scopec.frontends.scoped.lower.cpp_types import (
    AtomicType,
    EnumType,
    Field,
    PointerType,
    ReferenceType,
    StructType,
    Type,
    VoidType,
    align_of,
    shown,
)
from scopec.frontends.scoped.lower.lookup import Space
from scopec.frontends.scoped.lower.operands import Computed, Enumerator, Fields, Operand, Overload, Structure, TypeNamed
from scopec.frontends.scoped.syntax import tree
from scopec.program import types
from scopec.program.types import IntType
from scopec.program.values import Const, cast

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.scoped.lower.context import Frame


def define(frame: Frame, definition: tree.Class) -> StructType:
    """The class that a definition makes; its name is declared where it stands."""
    space = Space(definition.name, frame.space)
    made = StructType(frame.space.qualified(definition.name or "(unnamed)"), space, definition)
    if definition.name:
        frame.declare(definition.name, TypeNamed(made), definition.span)
        frame.space.inner[definition.name] = space
        space.declare(definition.name, TypeNamed(made), definition.span)
    fill(resolve.in_space(frame, space), made)
    return made


def fill(frame: Frame, made: StructType) -> None:
    """Add the members of a class; ``frame`` is one for its space."""
    definition = made.definition
    for member in definition.members:
        match member:
            case tree.Declaration():
                _data(frame, made, member)
            case tree.Function():
                made.functions.setdefault(member.name, []).append(member)
            case tree.Alias(span, name, type_, sizes):
                meant = resolve.sized(frame, resolve.named(frame, type_), sizes, None, span)
                if name:
                    made.space.declare(name, TypeNamed(meant), span)
            case tree.StaticAssert():
                check_static_assert(frame, member)
            case tree.Prototype() | tree.UsingName() | tree.UsingNamespace():
                pass
    if definition.align is not None:
        made.align = _alignment(frame, definition.align, made)


def _alignment(frame: Frame, written: tree.TypeName | tree.Expr, type_: Type) -> int:
    """What ``alignas`` or ``__align__`` asks for: never less than the natural alignment ([dcl.align]/5)."""
    if isinstance(written, tree.TypeName):
        wanted = align_of(resolve.resolve(frame, written))
    else:
        wanted = expressions.constant(frame, written, "an alignment")
    if wanted < 1 or wanted & (wanted - 1):
        raise error(Code.BAD_ARGUMENTS, f"{wanted} is not an alignment", written.span, "use a power of 2")
    if wanted < align_of(type_):
        message = f"an alignment of {wanted} is weaker than that of {shown(type_)}, {align_of(type_)}"
        help_ = f"leave it out: `//@ storage x = …, align = {wanted}` says how an object lies in memory"
        raise error(Code.BAD_ARGUMENTS, message, written.span, help_)
    return wanted


def _data(frame: Frame, made: StructType, declaration: tree.Declaration) -> None:
    """Data members, and static constants."""
    specifiers = set(declaration.type.specifiers)
    base = resolve.resolve(frame, declaration.type)
    for declarator in declaration.declarators:
        type_ = declared_type(frame, base, declaration.type, declarator)
        if "static" in specifiers:
            if not specifiers & {"constexpr", "const"}:
                raise outside("a static data member that is not constant is", declarator.span, "use a global")
            made.space.declare(declarator.name, constant_of(frame, type_, declarator), declarator.span)
            continue
        if made.field(declarator.name) is not None:
            raise error(Code.DUPLICATE, f"the member `{declarator.name}` is declared already", declarator.span)
        if isinstance(type_, (EnumType, VoidType)):
            help_ = "pass it as an argument, or make it a template parameter or a constant"
            raise outside(f"a data member of type {shown(type_)} is", declarator.span, help_)
        volatile = ("volatile" in specifiers and not declarator.pointers) or declarator.volatile
        made.fields.append(Field(declarator.name, type_, declarator.init, volatile, declarator.span))


def declared_type(frame: Frame, base: Type, written: tree.TypeName, declarator: tree.Declarator) -> Type:
    """The type of a declared name: that of the declaration with the declarator's marks and sizes.

    A stronger alignment than the natural one changes no answer: it is checked, and then forgotten.
    """
    volatile = "volatile" in written.specifiers
    for _ in range(declarator.pointers):
        base, volatile = PointerType(base, volatile), False
    if written.align is not None:
        _alignment(frame, written.align, base)
    if declarator.reference:
        return ReferenceType(base, volatile)
    return resolve.sized(frame, base, declarator.sizes, declarator.init, declarator.span) if declarator.sizes else base


def constant_of(frame: Frame, type_: Type, declarator: tree.Declarator) -> Operand:
    """The value of a declared constant; InputError if it has none that is known."""
    init = declarator.init
    if init is None or len(init.arguments) != 1:
        raise error(Code.NOT_CONSTANT, f"the constant `{declarator.name}` needs a value", declarator.span)
    (expr,) = init.arguments
    operand = expressions.lower_operand(frame, expr)
    match type_, operand:
        case (EnumType(), Enumerator()):
            return operand
        case (IntType(), Computed(Const() as value)):
            return Computed(cast(value, type_))
        case _:
            raise error(Code.NOT_CONSTANT, f"the value of `{declarator.name}` must be a constant", expr.span)


def define_enum(frame: Frame, definition: tree.Enum) -> IntType:
    """The integer type of an enumeration; its enumerators are declared in it, and around it if it is not scoped."""
    underlying: Type = types.INT
    if definition.underlying is not None:
        underlying = resolve.resolve(frame, definition.underlying)
    if not isinstance(underlying, IntType):
        raise error(Code.TYPE_ERROR, "an enumeration is of an integer type", definition.span)
    type_ = IntType(frame.space.qualified(definition.name or "enum"), underlying.bits, underlying.signed)
    space = Space(definition.name, frame.space)
    following = 0
    for name, expr in definition.enumerators:
        if expr is not None:
            following = expressions.constant(resolve.in_space(frame, space), expr, "the value of an enumerator")
        value = Computed(Const(type_.wrap(following), type_))
        space.declare(name.name, value, name.span)
        if not definition.scoped:
            frame.declare(name.name, value, name.span)
        following += 1
    if definition.name:
        frame.declare(definition.name, TypeNamed(type_), definition.span)
        frame.space.inner[definition.name] = space
    return type_


def check_static_assert(frame: Frame, statement: tree.StaticAssert) -> None:
    """InputError if a static assertion fails."""
    if not expressions.constant(frame, statement.condition, "the condition of a static_assert"):
        message = statement.message or frame.world.source.text_of(statement.condition.span)
        raise error(Code.BAD_ARGUMENTS, f"static assertion failed: {message}", statement.span, "mend the condition")


# ---------------------------------------------------------------- construction and destruction


def construct(frame: Frame, target: Operand, type_: StructType, init: tree.Initialiser | None, span: Span) -> None:
    """Initialise an object of a class: by a constructor, by copying, or member by member."""
    given = init.arguments if init is not None else ()
    if len(given) == 1 and not (init is not None and init.names):
        source = initial.source_of_class(frame, given[0], type_)
        if source is not None:
            copy(frame, target, source, type_, span)
            return
    if type_.constructors:
        _by_constructor(frame, target, type_, given, span)
    elif init is None or init.list or not given:
        _by_members(frame, target, type_, init, span)
    else:
        raise error(Code.BAD_ARGUMENTS, f"class {type_.name} has no constructor with these parameters", span)


def _by_members(frame: Frame, target: Operand, type_: StructType, init: tree.Initialiser | None, span: Span) -> None:
    """Aggregate initialisation: the values given, then the default initialisers, then zeros if there is a list."""
    given = init.arguments if init is not None else ()
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
    own = _own_frame(frame, type_, target)
    for field in type_.fields:
        if isinstance(field.type, ReferenceType):
            given_value = initial.from_expr(by_name[field.name]) if field.name in by_name else field.init
            _refer(frame, target, field, given_value, span)
            continue
        member = lvalues.member(frame, target, field.name, span)
        if field.name in by_name:
            value = by_name[field.name]
            initial.initialise(frame, member, field.type, initial.from_expr(value), value.span)
            initial.keep_constant(frame, target, field)
        elif field.init is not None:
            initial.initialise(own, member, field.type, field.init, span)
        else:
            empty = tree.Initialiser(span, (), list=True) if init is not None else None
            initial.initialise(own, member, field.type, empty, span)


def _by_constructor(frame: Frame, target: Operand, type_: StructType, given: tuple[tree.Expr, ...], span: Span) -> None:
    overloads = tuple(Overload(f, type_.space, f) for f in type_.constructors)
    chosen = functions.choose(frame, type_.definition.name, overloads, given, span)
    if frame.constant and "constexpr" not in chosen.definition.type.specifiers:
        message = f"an object in device memory is initialised before the program runs: `{type_.name}` needs a constexpr"
        raise error(Code.NOT_CONSTANT, f"{message} constructor", span, "declare the constructor constexpr")
    with functions.expanding(frame, chosen, target, given, span):
        initialised = {name.name: init for name, init in chosen.definition.initialisers}
        if type_.definition.name in initialised:
            raise outside("a constructor that calls another is", chosen.definition.span)
        for name in initialised:
            if type_.field(name) is None:
                raise error(Code.UNKNOWN_NAME, f"class {type_.name} has no member `{name}`", chosen.definition.span)
        for field in type_.fields:
            init = initialised.get(field.name, field.init)
            if isinstance(field.type, ReferenceType):
                _refer(frame, target, field, init, span)
                continue
            member = lvalues.member(frame, target, field.name, span)
            initial.initialise(frame, member, field.type, init, span)
        functions.lower_function_body(frame, chosen.definition)


def _refer(frame: Frame, target: Operand, field: Field, init: tree.Initialiser | None, span: Span) -> None:
    """Bind a member that is a reference."""
    assert isinstance(field.type, ReferenceType)
    if init is None or len(init.arguments) != 1:
        raise error(Code.TYPE_ERROR, f"the reference `{field.name}` must be initialised with one object", span)
    if not isinstance(target, Fields):
        raise outside("a reference in an object in memory is", span, "use a local object")
    (expr,) = init.arguments
    operand = expressions.lower_operand(frame, expr)
    referred = functions.reference(frame, operand, field.type.target, volatile=field.type.volatile, span=expr.span)
    target.members[field.name] = referred


def _own_frame(frame: Frame, type_: StructType, target: Operand) -> Frame:
    """A frame for default initialisers, which see the class and the members before them."""
    from scopec.frontends.scoped.lower.context import Block

    call = replace(frame.call, space=type_.space, this=target, depth=0)
    return replace(frame, call=call, scopes=[Block()])


def copy(frame: Frame, target: Operand, source: Operand, type_: StructType, span: Span) -> None:
    """Copy an object of a class member by member."""
    for field in type_.fields:
        if isinstance(field.type, ReferenceType):
            assert isinstance(target, Fields)
            target.members[field.name] = lvalues.member(frame, source, field.name, span)
            continue
        if isinstance(field.type, AtomicType):
            raise error(Code.TYPE_ERROR, f"class {type_.name} cannot be copied: `{field.name}` is an atomic", span)
        to, from_ = lvalues.member(frame, target, field.name, span), lvalues.member(frame, source, field.name, span)
        initial.copy(frame, to, from_, field.type, span)


def at_the_end(frame: Frame, target: Operand, type_: Type, span: Span) -> None:
    """Have the destructor of a local object run at the end of its block."""
    if isinstance(type_, StructType) and type_.destructor is not None:
        destructor = Overload(type_.destructor, type_.space, type_.destructor)

        def cleanup(inside: Frame) -> None:
            functions.call(inside, destructor, target, (), span)

        frame.scopes[-1].cleanups.append(cleanup)


def is_object(operand: Operand) -> bool:
    """Whether an operand is an object of a class."""
    return isinstance(operand, (Structure, Fields)) or lvalues.is_class(operand)
