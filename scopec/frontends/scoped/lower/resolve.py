"""From written types to their meaning; templates of classes and aliases are instantiated here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error, suggestion
from scopec.frontends.scoped.lower import classes, expressions, names
from scopec.frontends.scoped.lower.context import outside
from scopec.frontends.scoped.lower.cpp_types import (
    ARRIVAL_TOKEN,
    ArrayType,
    AtomicType,
    AutoType,
    EnumType,
    FloatType,
    HandleType,
    PointerType,
    ReferenceType,
    StructType,
    SyncType,
    Type,
    VoidType,
    shown,
)
from scopec.frontends.scoped.lower.lookup import Space
from scopec.frontends.scoped.lower.operands import (
    AliasTemplate,
    ClassTemplate,
    Computed,
    Enumerator,
    Operand,
    TypeNamed,
    describe,
)
from scopec.frontends.scoped.syntax import tree
from scopec.program import ir
from scopec.program.types import BOOL, LONG, IntType
from scopec.program.values import Const, cast

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.scoped.lower.context import Frame

_HANDLES: dict[str, Type] = {
    "cudaStream_t": HandleType("stream"),
    "cudaEvent_t": HandleType("event"),
    "thread": HandleType("thread"),
    "jthread": HandleType("jthread"),
    "stop_source": HandleType("stop_source"),
    "stop_token": HandleType("stop_token"),
    "dim3": HandleType("dim3"),
    "cudaLaunchConfig_t": HandleType("record"),
    "cudaLaunchAttribute": HandleType("record"),
    "cudaDeviceProp": HandleType("record"),
    "thread_block": HandleType("group"),
    "grid_group": HandleType("group"),
    "cluster_group": HandleType("group"),
    "thread_block_tile": HandleType("group"),
    "FILE": HandleType("text"),
    "nullptr_t": LONG,
}
_MOST_ELEMENTS = 4096
_SYNC = {
    "barrier": ir.Use.BARRIER,
    "latch": ir.Use.LATCH,
    "counting_semaphore": ir.Use.SEMAPHORE,
    "binary_semaphore": ir.Use.SEMAPHORE,
}


def resolve(frame: Frame, type_: tree.TypeName) -> Type:
    """The meaning of a written type; InputError for types outside the modelled subset."""
    base = _base(frame, type_)
    volatile = "volatile" in type_.specifiers
    for _ in range(type_.pointers):
        base, volatile = PointerType(base, volatile), False
    return ReferenceType(base, volatile) if type_.reference else base


def named(frame: Frame, type_: tree.TypeName) -> Type:
    """The meaning of a type that gets another name; InputError for a volatile one, which the name does not keep."""
    if "volatile" in type_.specifiers and not type_.pointers and not type_.reference:
        raise outside("another name for a volatile type is", type_.span, "write `volatile` where it is used")
    return resolve(frame, type_)


def sized(
    frame: Frame, base: Type, sizes: tuple[tree.Expr | None, ...], init: tree.Initialiser | None, span: Span
) -> Type:
    """The type of a declarator at ``span`` with array sizes; a missing first one is the number of initial values."""
    for number, size in reversed(list(enumerate(sizes))):
        if size is None:
            if number or init is None:
                raise error(Code.NOT_CONSTANT, "the size of this array is missing", span)
            base = ArrayType(base, len(init.arguments))
        else:
            base = ArrayType(base, _length(frame, size, "the size of an array"))
    return base


def _length(frame: Frame, size: tree.Expr, what: str) -> int:
    length = expressions.constant(frame, size, what)
    if not 0 < length <= _MOST_ELEMENTS:
        help_ = f"use 1 to {_MOST_ELEMENTS} elements"
        raise error(Code.TOO_LARGE, f"an array of {length} elements", size.span, help_)
    return length


def _base(frame: Frame, type_: tree.TypeName) -> Type:
    if isinstance(type_.defined, tree.Class):
        return classes.define(frame, type_.defined)
    if isinstance(type_.defined, tree.Enum):
        return classes.define_enum(frame, type_.defined)
    if type_.of is not None:
        return expressions.type_of(frame, type_.of)
    found = frame.find(type_.name)
    if found is not None:
        return _member(type_, _named(frame, type_, found))
    path, _, last = type_.name.rpartition("::")
    if last in ("arrival_token", "value_type") and path and frame.find(path) is not None:
        return _member(tree.TypeName(type_.span, path, member=last), _named(frame, type_, frame.find(path)))
    return _member(type_, _library(frame, type_))


def _named(frame: Frame, type_: tree.TypeName, found: Operand | None) -> Type:
    match found:
        case TypeNamed(meant):
            if type_.arguments:
                raise error(Code.BAD_ARGUMENTS, f"`{type_.name}` is not a template", type_.span)
            return meant
        case ClassTemplate():
            return instantiate(frame, found, type_)
        case AliasTemplate(definition, space):
            declared = definition.declared
            assert isinstance(declared, tree.Alias)
            inside = _inside(frame, space, definition.parameters, type_)
            return named(in_space(frame, inside), declared.type)
        case _:
            assert found is not None
            raise error(Code.UNKNOWN_TYPE, f"`{type_.name}` is {describe(found)}, not a type", type_.span)


def in_space(frame: Frame, space: Space) -> Frame:
    """A frame for constants and types that are written in a space: what it emits is not part of any thread."""
    from dataclasses import replace

    from scopec.frontends.scoped.lower.context import Block, Call
    from scopec.program.builder import Builder

    call = Call(space.name, VoidType(), space)
    return replace(frame, call=call, scopes=[Block()], loops=[], builder=Builder(), variables={}, ambiguous=set())


def _inside(frame: Frame, space: Space, parameters: tuple[tree.TemplateParameter, ...], type_: tree.TypeName) -> Space:
    """A space with the parameters of a template, bound to the arguments that a type is written with."""
    inside = Space("", space)
    if len(type_.arguments) > len(parameters):
        message = f"`{type_.name}` takes {len(parameters)} template arguments, {len(type_.arguments)} given"
        raise error(Code.BAD_ARGUMENTS, message, type_.span)
    for number, parameter in enumerate(parameters):
        if number < len(type_.arguments):
            operand = template_argument(frame, parameter, type_.arguments[number], inside)
        elif parameter.default is not None:
            operand = template_argument(in_space(frame, inside), parameter, parameter.default, inside)
        else:
            message = f"the template argument `{parameter.name}` of `{type_.name}` is missing"
            raise error(Code.BAD_ARGUMENTS, message, type_.span)
        inside.names[parameter.name] = operand
    return inside


def template_argument(
    frame: Frame, parameter: tree.TemplateParameter, argument: tree.TypeName | tree.Expr, inside: Space
) -> Operand:
    """What a template parameter is bound to; ``inside`` has the parameters before it."""
    if parameter.type is None:
        if isinstance(argument, tree.TypeName):
            return TypeNamed(named(frame, argument))
        if isinstance(argument, tree.Name) and isinstance(found := frame.find(argument.name), TypeNamed):
            return found
        raise error(Code.TYPE_ERROR, f"`{parameter.name}` stands for a type", argument.span)
    if isinstance(argument, tree.TypeName):
        raise error(Code.TYPE_ERROR, f"`{parameter.name}` stands for a value", argument.span)
    wanted = resolve(in_space(frame, inside), parameter.type)
    operand = expressions.lower_operand(frame, argument)
    match wanted, operand:
        case (EnumType(), Enumerator()):
            return operand
        case (IntType(), Computed(Const() as value)):
            return Computed(cast(value, wanted))
        case (AutoType(), Computed(Const()) | Enumerator()):
            return operand
        case _:
            raise error(
                Code.NOT_CONSTANT, f"the template argument `{parameter.name}` must be a constant", argument.span
            )


def instantiate(frame: Frame, template: ClassTemplate, type_: tree.TypeName) -> StructType:
    """The class that a template and arguments make; the same arguments make the same class."""
    inside = _inside(frame, template.space, template.definition.parameters, type_)
    key = tuple(_key(inside.names[p.name]) for p in template.definition.parameters)
    if key not in template.instances:
        declared = template.definition.declared
        assert isinstance(declared, tree.Declaration)
        definition = declared.type.defined
        assert isinstance(definition, tree.Class)
        name = f"{definition.name}<{', '.join(str(part) for part in key)}>"
        made = StructType(name, Space(definition.name, inside), definition)
        template.instances[key] = made
        # Inside itself the template's name is this instance, with arguments the template again.
        made.space.names[definition.name] = TypeNamed(made)
        classes.fill(in_space(frame, made.space), made)
    return template.instances[key]


def _key(operand: Operand) -> str:
    match operand:
        case TypeNamed(type_):
            return shown(type_)
        case Computed(Const(value, _)):
            return str(value)
        case Enumerator(value):
            return value.name.lower()
        case _:
            raise AssertionError(operand)


def _member(type_: tree.TypeName, base: Type) -> Type:
    """``Base::member``."""
    if type_.member is None:
        return base
    match base:
        case SyncType(use=ir.Use.BARRIER) if type_.member == "arrival_token":
            return ARRIVAL_TOKEN
        case AtomicType(value=value) if type_.member == "value_type":
            return value
        case StructType(space=space) if isinstance(found := space.names.get(type_.member), TypeNamed):
            return found.type
        case _:
            raise error(Code.UNKNOWN_TYPE, f"{shown(base)} has no type `{type_.member}`", type_.span)


# ---------------------------------------------------------------- types of the libraries


def _library(frame: Frame, type_: tree.TypeName) -> Type:
    full = frame.space.library_name(type_.name)
    short = names.unqualified(full)
    match short:
        case "void":
            return VoidType()
        case "auto":
            return AutoType()
        case "float" | "double":
            return FloatType(short, 4 if short == "float" else 8)
        case "memory_order" | "thread_scope":
            return EnumType(short)
        case "atomic" | "atomic_ref":
            return _atomic(frame, type_, full, short == "atomic_ref")
        case "atomic_flag":
            return AtomicType(BOOL, ir.Scope.SYSTEM, False)
        case _ if short in _SYNC:
            return _sync(frame, type_, full, short)
        case _ if short.partition("::")[0] in ("barrier", "atomic") and short.endswith("::arrival_token"):
            return ARRIVAL_TOKEN
        case "vector":
            return _vector(frame, type_)
        case "array":
            return _array(frame, type_)
        case _ if short in names.INTEGERS:
            return names.INTEGERS[short]
        case _ if short in _HANDLES:
            return _HANDLES[short]
        case _:
            found = names.integer_type(type_.name)
            if found is not None:
                return found
            if "::" in type_.name:
                raise outside(f"`{type_.name}` is", type_.span)
            known = [*names.INTEGERS, *_HANDLES, *frame.space.known()]
            message = f"`{type_.name}` is not a type that scopec knows"
            raise error(Code.UNKNOWN_TYPE, message, type_.span, suggestion(type_.name, known))


def _value_type(frame: Frame, argument: tree.TypeName | tree.Expr) -> IntType | PointerType:
    inner = named(frame, argument) if isinstance(argument, tree.TypeName) else None
    if not isinstance(inner, (IntType, PointerType)):
        raise outside("atomics of this type are", argument.span, "use an integer type, bool or a pointer")
    return inner


def _atomic(frame: Frame, type_: tree.TypeName, full: str, ref: bool) -> AtomicType:
    scoped = not full.startswith(("std::", "cuda::std::"))
    allowed = (1, 2) if scoped else (1,)
    if len(type_.arguments) not in allowed:
        help_ = f"write {type_.name}<int{', cuda::thread_scope_device' if scoped else ''}>"
        raise error(Code.BAD_ARGUMENTS, f"`{type_.name}` does not take these template arguments", type_.span, help_)
    value = _value_type(frame, type_.arguments[0])
    scope = scope_argument(frame, type_.arguments[1]) if len(type_.arguments) == 2 else ir.Scope.SYSTEM
    return AtomicType(value, scope, ref)


def _sync(frame: Frame, type_: tree.TypeName, full: str, short: str) -> SyncType:
    """``cuda::`` forms begin with a scope; those of ``std::`` and ``cuda::std::`` have the system's."""
    arguments = list(type_.arguments)
    scope = ir.Scope.SYSTEM
    if not full.startswith(("std::", "cuda::std::")) and arguments:
        scope = scope_argument(frame, arguments.pop(0))
    elif full.startswith("cuda::") and not full.startswith("cuda::std::") and short == "counting_semaphore":
        scope = ir.Scope.THREAD if not arguments else scope
    limit = 1 if short == "binary_semaphore" else None
    if arguments and short == "counting_semaphore":
        (argument,) = arguments
        if isinstance(argument, tree.TypeName):
            raise error(Code.TYPE_ERROR, "the most that a semaphore counts to is wanted here", argument.span)
        limit = expressions.constant(frame, argument, "the most that a semaphore counts to")
    elif arguments and short == "barrier":
        raise outside("barriers with a completion function are", arguments[0].span)
    elif arguments:
        raise error(Code.BAD_ARGUMENTS, f"`{type_.name}` does not take these template arguments", type_.span)
    return SyncType(_SYNC[short], scope, limit)


def _vector(frame: Frame, type_: tree.TypeName) -> Type:
    argument = type_.arguments[0] if type_.arguments else None
    inner = resolve(frame, argument) if isinstance(argument, tree.TypeName) else None
    if isinstance(inner, HandleType) and inner.name in ("thread", "jthread"):
        return HandleType(f"{inner.name}s")
    raise outside("vectors of this type are", type_.span, "use an array")


def _array(frame: Frame, type_: tree.TypeName) -> Type:
    if len(type_.arguments) != 2:
        raise error(Code.BAD_ARGUMENTS, "an array has a type and a length", type_.span)
    element, length = type_.arguments
    if not isinstance(element, tree.TypeName) or isinstance(length, tree.TypeName):
        raise error(Code.BAD_ARGUMENTS, "an array has a type and a length", type_.span)
    return ArrayType(named(frame, element), _length(frame, length, "the length of an array"))


def scope_argument(frame: Frame, argument: tree.TypeName | tree.Expr) -> ir.Scope:
    """A template argument that must be a thread scope: a library name, a constant, or a template parameter."""
    if isinstance(argument, tree.TypeName):
        raise error(Code.TYPE_ERROR, "a thread scope is wanted here, not a type", argument.span)
    if isinstance(argument, tree.Name):
        found = frame.find(argument.name)
        if isinstance(found, Enumerator) and isinstance(found.value, ir.Scope):
            return found.value
        scope = names.scope_named(frame.space.library_name(argument.name))
        if scope is not None and found is None:
            return scope
        known = [f"cuda::thread_scope_{s}" for s in names.SCOPES if s != "sys"]
        known += [
            n for n, o in frame.space.names.items() if isinstance(o, Enumerator) and isinstance(o.value, ir.Scope)
        ]
        help_ = suggestion(argument.name, known) or "the scopes are " + ", ".join(n for n in known if "::" in n)
        raise error(Code.UNKNOWN_NAME, f"`{argument.name}` is not a thread scope", argument.span, help_)
    raise error(Code.TYPE_ERROR, "a thread scope is wanted here", argument.span)


def is_bool(type_: Type) -> bool:
    """Whether a type is ``bool``."""
    return type_ == BOOL
