"""From written types to their meaning."""

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
    HandleType,
    PointerType,
    ReferenceType,
    SyncType,
    Type,
    VoidType,
)
from scopec.frontends.scoped.lower.operands import (
    Enumerator,
    TypeNamed,
    describe,
)
from scopec.frontends.scoped.syntax import tree
from scopec.program import ir
from scopec.program.types import LONG, IntType

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.scoped.lower.context import Frame

_HANDLES: dict[str, Type] = {
    "cudaStream_t": HandleType("stream"),
    "cudaEvent_t": HandleType("event"),
    "thread": HandleType("thread"),
    "jthread": HandleType("jthread"),
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
    match frame.find(type_.name):
        case None:
            path, _, last = type_.name.rpartition("::")
            around = frame.find(path)
            if last == "arrival_token" and isinstance(around, TypeNamed) and isinstance(around.type, SyncType):
                return ARRIVAL_TOKEN
            return _library(frame, type_)
        case TypeNamed(meant):
            return meant
        case found:
            raise error(Code.UNKNOWN_TYPE, f"`{type_.name}` is {describe(found)}, not a type", type_.span)


# ---------------------------------------------------------------- types of the libraries


def _library(frame: Frame, type_: tree.TypeName) -> Type:
    full = frame.world.globals.library_name(type_.name)
    short = names.unqualified(full)
    match short:
        case "void":
            return VoidType()
        case "auto":
            return AutoType()
        case "float" | "double":
            raise outside("a floating-point number is", type_.span)
        case "memory_order" | "thread_scope":
            return EnumType(short)
        case "atomic" | "atomic_ref":
            return _atomic(frame, type_, full, short == "atomic_ref")
        case _ if short in _SYNC:
            return _sync(frame, type_, full, short)
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
            known = [*names.INTEGERS, *_HANDLES, *frame.world.globals.names]
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


def scope_argument(frame: Frame, argument: tree.TypeName | tree.Expr) -> ir.Scope:
    """A template argument that must be a thread scope: a library name or a constant."""
    if isinstance(argument, tree.TypeName):
        raise error(Code.TYPE_ERROR, "a thread scope is wanted here, not a type", argument.span)
    if isinstance(argument, tree.Name):
        found = frame.find(argument.name)
        if isinstance(found, Enumerator) and isinstance(found.value, ir.Scope):
            return found.value
        scope = names.scope_named(frame.world.globals.library_name(argument.name))
        if scope is not None and found is None:
            return scope
        known = [f"cuda::thread_scope_{s}" for s in names.SCOPES if s != "sys"]
        known += [
            n
            for n, o in frame.world.globals.names.items()
            if isinstance(o, Enumerator) and isinstance(o.value, ir.Scope)
        ]
        help_ = suggestion(argument.name, known) or "the scopes are " + ", ".join(n for n in known if "::" in n)
        raise error(Code.UNKNOWN_NAME, f"`{argument.name}` is not a thread scope", argument.span, help_)
    raise error(Code.TYPE_ERROR, "a thread scope is wanted here", argument.span)
