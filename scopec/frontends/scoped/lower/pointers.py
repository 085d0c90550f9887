"""Pointers that are values at run time: the addresses of objects as numbers.

The objects of one type whose address is ever a value are numbered from 1 on, those of one array side by side; 0 is the
null pointer.  A pointer that the program cannot change is followed at compile time instead (``Pointer``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.scoped.lower import lvalues, objects
from scopec.frontends.scoped.lower.context import Region, outside
from scopec.frontends.scoped.lower.cpp_types import ADDRESS, AtomicType, PointerType, StructType, Type, VoidType, shown
from scopec.frontends.scoped.lower.operands import (
    Array,
    Atomic,
    Computed,
    Function,
    Operand,
    Pointer,
    PointerVariable,
    Register,
    Structure,
    Sync,
    Text,
    Variable,
    describe,
)
from scopec.program import faults, ir, types, values
from scopec.program.types import CHAR, IntType
from scopec.program.values import Const, Value

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.scoped.lower.context import Frame, World

NULL = Const(0, ADDRESS)


def checked(operand: Operand, type_: PointerType, span: Span) -> Operand:
    """A pointer converted to a declared type: what it points to is seen as that type; InputError if it cannot be."""
    operand = lvalues.settle(operand, span)
    if isinstance(operand, Array):
        operand = Pointer(operand)
    if isinstance(type_.target, VoidType) and _is_pointer(operand):
        return operand
    match operand:
        case Pointer(None) | Function():
            return operand
        case Text() if type_.target == CHAR:
            return operand
        case Pointer(target):
            assert target is not None
            return Pointer(lvalues.seen_as(target, type_.target, volatile=type_.volatile, span=span))
        case Computed(Const(0, _), None):
            return Pointer(None)
        case Computed(value, PointerType(target)) if _points_alike(target, type_.target):
            return Computed(value, type_)
        case Register(pointee=have) | Variable(pointee=have) | Atomic(pointee=have) if (
            have is not None and _points_alike(have.target, type_.target)
        ):
            return operand
        case _:
            type_there = lvalues.type_of(operand)
            what = shown(type_there) if type_there is not None else describe(operand)
            raise error(Code.TYPE_ERROR, f"a pointer to {shown(type_.target)} is wanted here, not {what}", span)


def _is_pointer(operand: Operand) -> bool:
    return isinstance(lvalues.type_of(operand), PointerType) or isinstance(operand, (Pointer, Function))


def _points_alike(one: Type, other: Type) -> bool:
    if isinstance(one, IntType) and isinstance(other, IntType):
        return one.size == other.size
    return one == other or isinstance(other, VoidType) or isinstance(one, VoidType)


def moved(frame: Frame, operand: Operand, steps: Value, span: Span) -> Operand:
    """A pointer moved by a number of elements: ``operand + steps``."""
    operand = lvalues.settle(operand, span)
    if isinstance(operand, Array):
        operand = Pointer(operand)
    match operand:
        case Pointer(Array() as array):
            return Pointer(_element(frame, array, steps, span))
        case Pointer(target) if steps == Const(0, steps.type):
            return Pointer(target)
        case Pointer(Variable(place, type_, volatile, pointee)):
            return Pointer(Variable(_step(frame, place, steps, span), type_, volatile, pointee))
        case Pointer(Atomic(place, type_, scope, pointee)):
            return Pointer(Atomic(_step(frame, place, steps, span), type_, scope, pointee))
        case Pointer(Sync(place, type_)):
            return Pointer(Sync(_step(frame, place, steps, span), type_))
        case Pointer(Structure(object_, index, type_, volatile)):
            return Pointer(Structure(object_, _sum(index, steps), type_, volatile))
        case _ if isinstance(have := lvalues.type_of(operand), PointerType):
            return Computed(values.convert(_sum(as_value(frame, operand, span).value, steps), ADDRESS), have)
        case _:
            raise error(Code.TYPE_ERROR, f"{describe(operand)} is no pointer into an array", span)


def _element(frame: Frame, array: Array, steps: Value, span: Span) -> Operand:
    # The address one past the end may be computed, so the element is not checked here but where it is accessed.
    if isinstance(steps, Const) and not 0 <= steps.value < array.length:
        raise outside("an address beyond an array is", span)
    return lvalues.element(frame, array, steps, span)


def _step(frame: Frame, place: ir.Place, steps: Value, span: Span) -> ir.Place:
    if not frame.world.objects[place.object].array:
        message = f"`{place.object}` is one object: a pointer to it cannot move"
        raise error(Code.TYPE_ERROR, message, span, "declare an array")
    return ir.Place(place.object, _sum(place.index, steps))


def _sum(left: Value, right: Value) -> Value:
    return right if left == lvalues.ZERO else values.binary("+", left, right)


# ---------------------------------------------------------------- addresses as values


def as_value(frame: Frame, operand: Operand, span: Span) -> Computed:
    """A pointer as a value at run time."""
    operand = lvalues.settle(operand, span)
    if isinstance(operand, Array):
        operand = Pointer(operand)
    match operand:
        case Computed():
            return operand
        case Pointer():
            pointee = lvalues.type_of(operand)
            return Computed(address_value(frame, operand, span), pointee if isinstance(pointee, PointerType) else None)
        case _:
            pointee = lvalues.type_of(operand)
            if isinstance(pointee, AtomicType):
                pointee = pointee.value
            if not isinstance(pointee, PointerType):
                raise error(Code.TYPE_ERROR, f"a pointer is wanted here, not {describe(operand)}", span)
            return Computed(lvalues.to_value(frame, operand, span), pointee)


def address_value(frame: Frame, operand: Operand, span: Span) -> Value:
    """The number of the object that a pointer known at compile time points to."""
    match operand:
        case Pointer(None):
            return NULL
        case Pointer(Array() as array):
            return address_value(frame, Pointer(lvalues.element(frame, array, lvalues.ZERO, span)), span)
        case Pointer(Variable(place, _, volatile, _) as target):
            return _numbered(frame, target, place.object, place.index, volatile, span)
        case Pointer(Atomic(place) | Sync(place) as target):
            return _numbered(frame, target, place.object, place.index, False, span)
        case Pointer(Structure(object_, index, _, volatile) as target):
            return _numbered(frame, target, object_, index, volatile, span)
        case Computed(value, _):
            return value
        case _:
            raise outside(f"the address of {describe(operand)} as a value is", span)


def _numbered(frame: Frame, target: Operand, object_: str, index: Value, volatile: bool, span: Span) -> Value:
    type_ = lvalues.type_of(target)
    assert type_ is not None
    leaf = frame.world.objects.get(object_) or next(
        o for name, o in frame.world.objects.items() if name.startswith(f"{object_}.")
    )
    if leaf.storage is ir.Storage.AUTOMATIC:
        raise outside("the address of a local variable as a value is", span, "use a __shared__ or __device__ object")
    regions = frame.world.regions.setdefault(shown(type_), [])
    region = next((r for r in regions if r.object == object_), None)
    if region is None:
        base = 1 + sum(r.count for r in regions)
        region = Region(object_, type_, base, _count(frame.world, object_, type_), volatile)
        regions.append(region)
    return values.convert(values.binary("+", Const(region.base, ADDRESS), values.convert(index, ADDRESS)), ADDRESS)


def _count(world: World, object_: str, type_: Type) -> int:
    """How many objects of a type a name stands for."""
    if not isinstance(type_, StructType):
        return len(world.objects[object_].values)
    count = 1
    leaf = next(o for name, o in world.objects.items() if name.startswith(f"{object_}."))
    for extent in leaf.shape[: object_.count("[]")]:
        count *= extent
    return count


def target(frame: Frame, pointer: Computed, span: Span) -> Operand:
    """The object that a pointer's value stands for; an assertion says that it is one."""
    assert pointer.pointee is not None
    type_ = pointer.pointee.target
    regions = frame.world.regions.get(shown(type_), [])
    held = frame.temporary(ADDRESS)
    frame.emit(ir.Set(held.name, pointer.value), span)
    valid: Value = values.FALSE
    cases: list[tuple[Value, Operand]] = []
    for region in regions:
        inside = _within(held, region)
        valid = values.binary("||", valid, inside)
        index = values.convert(values.binary("-", held, Const(region.base, ADDRESS)), types.INT)
        volatile = pointer.pointee.volatile or region.volatile
        position = lvalues.ZERO if region.count == 1 else index
        cases.append((inside, lvalues.at(region.object, position, type_, volatile=volatile)))
    frame.emit(faults.of_pointer(valid, frame.world.source.text_of(span)), span)
    if not cases:
        # Nothing has such an address (yet: see World.regions), so what follows is never executed.
        frame.builder.end(span)
        return objects.nowhere(frame, type_, span)
    if len(cases) > 1:
        raise outside("a pointer that may point to several objects is", span)
    return cases[0][1]


def _within(address: Value, region: Region) -> Value:
    if region.count == 1:
        return values.binary("==", address, Const(region.base, ADDRESS))
    first = values.binary(">=", address, Const(region.base, ADDRESS))
    return values.binary("&&", first, values.binary("<", address, Const(region.base + region.count, ADDRESS)))


def equal(frame: Frame, left: Operand, right: Operand, span: Span) -> Value | None:
    """``left == right`` for pointers, None if neither is one."""
    left, right = _bound(left), _bound(right)
    if not (_is_pointer(left) or _is_pointer(right) or isinstance(left, Array) or isinstance(right, Array)):
        return None
    one, other = _normal(frame, left, span), _normal(frame, right, span)
    if isinstance(one, Pointer) and isinstance(other, Pointer):
        raise outside("a comparison of two known addresses is", span)
    return values.binary("==", as_value(frame, one, span).value, as_value(frame, other, span).value)


def _normal(frame: Frame, operand: Operand, span: Span) -> Operand:
    match operand:
        case Computed(Const(0, _), None):
            return Pointer(None)
        case Array():
            return Pointer(lvalues.element(frame, operand, lvalues.ZERO, span))
        case Pointer(Array() as array):
            return Pointer(lvalues.element(frame, array, lvalues.ZERO, span))
        case _:
            return operand


def _bound(operand: Operand) -> Operand:
    return operand.binding if isinstance(operand, PointerVariable) and operand.binding is not None else operand
