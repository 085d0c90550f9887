"""From written types to their meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.c.names import INTEGERS, integer_type
from scopec.frontends.c.syntax import tree
from scopec.frontends.scoped.lower import names
from scopec.frontends.scoped.lower.arguments import scope_of
from scopec.frontends.scoped.lower.cpp_types import (
    ArrayType,
    AtomicType,
    AutoType,
    EnumType,
    PointerType,
    StreamType,
    Type,
    VoidType,
)
from scopec.frontends.scoped.out_of_subset import out_of_subset, way_to_clang
from scopec.program import ir
from scopec.program.types import INT, IntType

if TYPE_CHECKING:
    from scopec.frontends.scoped.lower.context import Frame

_MOST_ELEMENTS = 4096
_OTHERS: dict[str, Type] = {
    "void": VoidType(),
    "auto": AutoType(),
    "memory_order": EnumType("memory_order"),
    "thread_scope": EnumType("thread_scope"),
    "cudaStream_t": StreamType(),
    "cudaError_t": INT,
}


def resolve(frame: Frame, type_: tree.TypeName) -> Type:
    """The meaning of a written type; InputError for types that the scoped language has not."""
    base = _base(frame, type_)
    if not type_.pointers:
        return base
    if not isinstance(base, (IntType, AtomicType)):
        raise out_of_subset("a pointer to this type is", type_.span)
    return PointerType(base, "volatile" in type_.specifiers)


def declared(frame: Frame, base: Type, declarator: tree.Declarator) -> Type:
    """The type of a declared name: that of the declaration, or an array of it."""
    if not declarator.sizes:
        return base
    (size,) = declarator.sizes
    if not isinstance(base, (IntType, AtomicType)) or size is None:
        raise out_of_subset("an array of this type is", declarator.span)
    length = frame.constant(size, "the size of an array")
    if not 0 < length <= _MOST_ELEMENTS:
        help_ = f"use 1 to {_MOST_ELEMENTS} elements"
        raise error(Code.TOO_LARGE, f"an array of {length} elements", size.span, help_)
    return ArrayType(base, length)


def _base(frame: Frame, type_: tree.TypeName) -> Type:
    short = names.unqualified(type_.name)
    if short in ("atomic", "atomic_ref"):
        return _atomic(frame, type_, short == "atomic_ref")
    found = _OTHERS.get(short) or integer_type(short if short in INTEGERS else type_.name)
    if found is None:
        message = f"`{type_.name}` is not a type of the scoped language"
        raise error(Code.UNKNOWN_TYPE, message, type_.span, way_to_clang())
    return found


def _atomic(frame: Frame, type_: tree.TypeName, ref: bool) -> AtomicType:
    scoped = not type_.name.startswith(("std::", "cuda::std::"))
    if len(type_.arguments) not in ((1, 2) if scoped else (1,)):
        help_ = f"write {type_.name}<int{', cuda::thread_scope_device' if scoped else ''}>"
        raise error(Code.BAD_ARGUMENTS, f"`{type_.name}` does not take these template arguments", type_.span, help_)
    written, *scope = type_.arguments
    value = resolve(frame, written) if isinstance(written, tree.TypeName) else None
    if not isinstance(value, IntType):
        raise out_of_subset("an atomic of this type is", written.span)
    return AtomicType(value, scope_of(frame, scope[0]) if scope else ir.Scope.SYSTEM, ref)
