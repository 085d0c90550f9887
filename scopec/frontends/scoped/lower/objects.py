"""Objects in memory: one for each scalar in a variable, in an array or in the members of a class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.scoped.lower import initial, lvalues
from scopec.frontends.scoped.lower.context import Block, outside
from scopec.frontends.scoped.lower.cpp_types import (
    ArrayType,
    AtomicType,
    StructType,
    SyncType,
    Type,
    align_of,
    leaf_type,
    shown,
)
from scopec.frontends.scoped.lower.operands import Variable
from scopec.program import ir
from scopec.program.builder import Builder

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.scoped.lower.context import Frame
    from scopec.frontends.scoped.lower.operands import Operand
    from scopec.frontends.scoped.syntax import tree
    from scopec.program.types import IntType

#: Objects of static storage duration start as zeros ([basic.start.static]); others without a value.
_STATIC = (ir.Storage.DEVICE, ir.Storage.MANAGED, ir.Storage.SYSTEM, ir.Storage.MAPPED)


def declare(
    frame: Frame,
    name: str,
    type_: Type,
    storage: ir.Storage,
    span: Span,
    *,
    volatile: bool = False,
    zero: bool = True,
    device: int | None = None,
) -> Operand:
    """Make the objects of a variable and return what its name denotes.

    ``zero`` is false for memory that is allocated without a value; ``device`` is the device of allocated device memory.
    """
    name = frame.world.unique_object(name)
    value = 0 if zero and storage in _STATIC else None
    for path, leaf, shape in leaves(name, type_):
        held = leaf_type(leaf)
        assert held is not None
        count = 1
        for extent in shape:
            count *= extent
        if count > 4096:
            raise error(Code.TOO_LARGE, f"an object of {count} elements", span, "use at most 4096 elements")
        use = leaf.use if isinstance(leaf, SyncType) else ir.Use.DATA
        frame.world.objects[path] = ir.Object(
            path, span, held, storage, (value,) * count, bool(shape), use, shape, device, align_of(leaf)
        )
    if not any(known == name or known.startswith((f"{name}.", f"{name}[")) for known in frame.world.objects):
        if isinstance(type_, StructType):
            return lvalues.at(name, lvalues.ZERO, type_)  # a class without data
        raise outside(f"an object of type {shown(type_)} is", span)
    return lvalues.at(name, lvalues.ZERO, type_, volatile=volatile)


def passed(frame: Frame, name: str, type_: IntType, span: Span) -> Variable:
    """An object for a value on its way to another thread, or from a buffer to a copy."""
    made = declare(frame, name, type_, ir.Storage.SYSTEM, span)
    assert isinstance(made, Variable)
    known = frame.world.objects
    known[made.place.object] = replace(known[made.place.object], use=ir.Use.PASSED)
    return made


def leaves(name: str, type_: Type, shape: tuple[int, ...] = ()) -> Iterator[tuple[str, Type, tuple[int, ...]]]:
    """The names, types and extents of the objects that a variable consists of."""
    match type_:
        case ArrayType(element, length):
            inner = element
            while isinstance(inner, ArrayType):
                inner = inner.element
            path = f"{name}[]" if isinstance(inner, StructType) else name
            yield from leaves(path, element, (*shape, length))
        case StructType(fields=fields):
            for field in fields:
                yield from leaves(f"{name}.{field.name}", field.type, shape)
        case AtomicType(ref=True):
            return
        case _ if leaf_type(type_) is not None:
            yield name, type_, shape
        case _:
            return


def nowhere(frame: Frame, type_: Type, span: Span) -> Operand:
    """An object that code which is never executed may refer to."""
    name = f"%{shown(type_)}"
    if not any(known.startswith(name) for known in frame.world.objects):
        return declare(frame, name, type_, ir.Storage.SYSTEM, span)
    return lvalues.at(name, lvalues.ZERO, type_)


def give_values(frame: Frame, target: Operand, type_: Type, init: tree.Initialiser | None, span: Span) -> None:
    """The initial values of an object of static storage duration, which must be constants."""
    from scopec.frontends.scoped.lower.constant import run

    inside = replace(frame, scopes=[Block()], loops=[], builder=Builder(), variables={}, ambiguous=set())
    leaf = next(iter(_leaf_objects(frame, target)), None)
    inside.constant = leaf is not None and leaf.storage in (ir.Storage.DEVICE, ir.Storage.MANAGED)
    initial.initialise(inside, target, type_, init, span)
    inside.builder.end(span)
    known = {name: list(o.values) for name, o in frame.world.objects.items()}
    run(inside.finish(), frame.world.objects, known)
    for name, found in known.items():
        object_ = frame.world.objects[name]
        if tuple(found) != object_.values:
            frame.world.objects[name] = replace(object_, values=tuple(found))


def _leaf_objects(frame: Frame, target: Operand) -> Iterator[ir.Object]:
    """The objects in memory that an operand consists of."""
    name = target.place.object if hasattr(target, "place") else getattr(target, "object", None)
    for known, object_ in frame.world.objects.items():
        if known == name or known.startswith((f"{name}.", f"{name}[")):
            yield object_


def allocated(frame: Frame, name: str, element: Type, count: int, storage: ir.Storage, span: Span) -> Operand:
    """Memory that a program allocates for ``count`` objects of a type: what a pointer to it points to."""
    type_ = ArrayType(element, count) if count > 1 else element
    device = frame.device if storage is ir.Storage.DEVICE else None
    return declare(frame, name, type_, storage, span, zero=False, device=device)
