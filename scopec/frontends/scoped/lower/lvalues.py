"""Objects and the ways to them: members, elements, addresses, reads and assignments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error, suggestion
from scopec.frontends.scoped.lower import pointers
from scopec.frontends.scoped.lower.context import outside
from scopec.frontends.scoped.lower.cpp_types import (
    ADDRESS,
    ArrayType,
    AtomicType,
    PointerType,
    StructType,
    SyncType,
    Type,
    shown,
)
from scopec.frontends.scoped.lower.operands import (
    Array,
    Atomic,
    Computed,
    Elements,
    Event,
    Fields,
    Function,
    HostThread,
    Index,
    Nothing,
    Operand,
    Pointer,
    PointerVariable,
    Record,
    Register,
    Stream,
    Structure,
    Sync,
    Variable,
    describe,
)
from scopec.program import faults, ir, types, values
from scopec.program.types import INT, IntType
from scopec.program.values import Builtin, Const, Reg, Value

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.scoped.lower.context import Frame

SEQ_CST = ir.Order.SEQ_CST
ZERO = Const(0, INT)


def at(object_: str, index: Value, type_: Type, *, volatile: bool = False) -> Operand:
    """The object of a type in memory: ``index`` is its number among those that the name stands for."""
    match type_:
        case IntType():
            return Variable(ir.Place(object_, index), type_, volatile)
        case PointerType():
            return Variable(ir.Place(object_, index), ADDRESS, volatile, type_)
        case AtomicType(value=IntType() as value, scope=scope, ref=False):
            return Atomic(ir.Place(object_, index), value, scope)
        case AtomicType(value=PointerType() as pointee, scope=scope, ref=False):
            return Atomic(ir.Place(object_, index), ADDRESS, scope, pointee)
        case SyncType():
            return Sync(ir.Place(object_, index), type_)
        case ArrayType(element, length):
            return Array(object_, index, element, length, volatile)
        case StructType():
            return Structure(object_, index, type_, volatile)
        case _:
            raise AssertionError(type_)


def type_of(operand: Operand) -> Type | None:
    """The type of what an operand denotes, None where the file could not write it."""
    match operand:
        case Computed(value, pointee):
            return pointee if pointee is not None else value.type
        case Register(_, type_, _, pointee) | Variable(_, type_, _, pointee):
            return pointee or type_
        case Atomic(_, type_, scope, pointee):
            return AtomicType(pointee if pointee is not None else type_, scope, ref=False)
        case Sync(_, sync):
            return sync
        case Structure(_, _, struct, _) | Fields(struct, _):
            return struct
        case Array(_, _, element, length, _):
            return ArrayType(element, length)
        case PointerVariable(type=pointer):
            return pointer
        case Pointer(target):
            inner = type_of(target) if target is not None else None
            if isinstance(target, Array):
                inner = target.element
            return None if inner is None else PointerType(inner)
        case _:
            return None


def is_class(operand: Operand) -> bool:
    """Whether an operand is an object of a class."""
    return isinstance(type_of(operand), StructType)


# ---------------------------------------------------------------- members and elements


def member(operand: Operand, name: str, span: Span) -> Operand:
    """``operand.name``."""
    found = member_or_none(operand, name)
    if found is not None:
        return found
    if isinstance(operand, Atomic):
        raise error(Code.TYPE_ERROR, f"`{name}` is a member function: call it", span, f"write .{name}(…)")
    type_ = type_of(operand)
    known = [f.name for f in type_.fields] if isinstance(type_, StructType) else []
    message = f"{describe(operand)} has no member `{name}`"
    raise error(Code.TYPE_ERROR, message, span, suggestion(name, known))


def member_or_none(operand: Operand, name: str) -> Operand | None:
    """``operand.name``, None if there is no such member."""
    match operand:
        case Structure(object_, index, type_, volatile):
            field = type_.field(name)
            if field is not None:
                return _field_at(object_, index, field.name, field.type, volatile=volatile or field.volatile)
            return None
        case Fields(type_, members):
            return members.get(name)
        case Record(members):
            return members.setdefault(name, Record())
        case Index(of) if name in ("x", "y", "z"):
            return Computed(Builtin(f"{of}.{name}", types.UINT))
        case _:
            return None


def _field_at(object_: str, index: Value, name: str, type_: Type, *, volatile: bool) -> Operand:
    path = f"{object_}.{name}"
    if isinstance(type_, ArrayType):
        return Array(path, index, type_.element, type_.length, volatile)
    return at(path, index, type_, volatile=volatile)


def element(frame: Frame, operand: Operand, position: Value, span: Span, *, followed: bool = True) -> Operand:
    """``operand[position]``; of an array in an array (``followed``) only where there is such an element."""
    operand = settle(operand, span)
    match operand:
        case Array(object_, index, type_, length, volatile):
            if followed and _is_inner(frame, operand):
                for check in faults.of_index(position, length, f"[{frame.world.source.text_of(span)}]", object_):
                    frame.emit(check, span)
            whole = _flattened(index, length, position)
            inner = type_.element if isinstance(type_, ArrayType) else type_
            while isinstance(inner, ArrayType):
                inner = inner.element
            name = f"{object_}[]" if isinstance(inner, StructType) else object_
            return at(name, whole, type_, volatile=volatile)
        case Elements(items):
            if not isinstance(position, Const):
                raise error(Code.NOT_CONSTANT, "the index of such an array must be a constant", span)
            if not 0 <= position.value < len(items):
                message = f"element {position.value} of an array of {len(items)}"
                raise error(Code.TYPE_ERROR, message, span, f"it has elements 0 to {len(items) - 1}")
            return items[position.value]
        case Pointer() | Computed(pointee=PointerType()) | Register(pointee=PointerType()):
            return dereference(frame, pointers.moved(frame, operand, position, span), span)
        case Variable(pointee=PointerType()) | Atomic(pointee=PointerType()):
            value = pointers.as_value(frame, operand, span)
            return dereference(frame, pointers.moved(frame, value, position, span), span)
        case _:
            raise error(Code.TYPE_ERROR, f"{describe(operand)} has no elements", span)


def _is_inner(frame: Frame, array: Array) -> bool:
    """Whether an array is part of a larger one, so that beyond its elements there are others."""
    leaf = (array.object, f"{array.object}.", f"{array.object}[")
    shapes = (o.shape for name, o in frame.world.objects.items() if name == leaf[0] or name.startswith(leaf[1:]))
    shape = next(shapes, ())
    dimensions, element_ = 1, array.element
    while isinstance(element_, ArrayType):
        dimensions, element_ = dimensions + 1, element_.element
    return dimensions < len(shape)


def _flattened(outer: Value, length: int, position: Value) -> Value:
    """The number of an element among all that a name stands for."""
    if outer == ZERO:
        return position
    return values.binary("+", values.binary("*", outer, Const(length, INT)), position)


# ---------------------------------------------------------------- pointers


def settle(operand: Operand, span: Span) -> Operand:
    """An operand with pointers that are followed at compile time replaced by what they point to now."""
    if isinstance(operand, PointerVariable):
        if operand.binding is None:
            raise error(Code.UNINITIALISED, f"`{operand.name}` is read before it points to anything", span)
        return operand.binding
    return operand


def dereference(frame: Frame, operand: Operand, span: Span) -> Operand:
    """``*operand``."""
    declared = operand.type if isinstance(operand, PointerVariable) else None
    operand = settle(operand, span)
    match operand:
        case Pointer(None) if declared is not None:
            return pointers.target(frame, Computed(pointers.NULL, declared), span)
        case Pointer(None):
            raise error(Code.TYPE_ERROR, "a null pointer points to nothing", span)
        case Pointer(Array() as array):
            return element(frame, array, ZERO, span)
        case Pointer(target) if target is not None:
            return target
        case Array():
            return element(frame, operand, ZERO, span)
        case (
            Computed(pointee=PointerType())
            | Register(pointee=PointerType())
            | Variable(pointee=PointerType())
            | Atomic(pointee=PointerType())
        ):
            return pointers.target(frame, pointers.as_value(frame, operand, span), span)
        case Structure() | Fields():
            raise outside("a class with an operator of its own is", span)
        case _:
            raise error(Code.TYPE_ERROR, f"`*` wants a pointer, not {describe(operand)}", span)


def address(operand: Operand, span: Span) -> Operand:
    """``&operand``."""
    match operand:
        case (
            Variable() | Atomic() | Sync() | Array() | Structure() | Fields() | Register() | Stream() | Event()
            | PointerVariable() | Record() | Elements() | HostThread()
        ):  # fmt: skip
            return Pointer(operand)
        case Function():
            return operand
        case _:
            raise error(Code.TYPE_ERROR, f"{describe(operand)} has no address", span)


# ---------------------------------------------------------------- reading


def to_value(frame: Frame, operand: Operand, span: Span) -> Value:
    """Read an operand: lvalue-to-rvalue conversion, or an atomic's ``operator T``."""
    match operand:
        case Computed(value):
            return value
        case Register(name, type_):
            return Reg(name, type_)
        case Variable(place, type_, volatile):
            return load(frame, place, type_, ir.VOLATILE if volatile else ir.PLAIN, span)
        case Atomic(place, type_, scope):
            return load(frame, place, type_, ir.Mode(SEQ_CST, scope), span)
        case Pointer() | PointerVariable():
            return pointers.address_value(frame, settle(operand, span), span)
        case Nothing():
            raise error(Code.TYPE_ERROR, "this call has no value (void)", span)
        case _:
            raise error(Code.TYPE_ERROR, f"a number is wanted here, not {describe(operand)}", span)


def to_number(frame: Frame, operand: Operand, span: Span) -> Value:
    """Read an operand that must be a number: InputError for a pointer."""
    if isinstance(operand, (Pointer, PointerVariable)) or isinstance(type_of(operand), PointerType):
        raise error(Code.TYPE_ERROR, "a number is wanted here, not a pointer", span)
    return to_value(frame, operand, span)


def load(frame: Frame, place: ir.Place, type_: IntType, mode: ir.Mode, span: Span) -> Value:
    """Append a read; the value is converted where the object is seen as of another type than its own."""
    own = frame.world.objects[place.object].type
    result = frame.temporary(own)
    frame.emit(ir.Load(result.name, place, mode), span)
    return values.cast(result, type_)


# ---------------------------------------------------------------- assignment


def assign(frame: Frame, target: Operand, value: Operand, span: Span) -> None:
    """Store a value in what ``target`` denotes (an atomic is stored seq_cst, [atomics.types.operations])."""
    match target:
        case Register(constant=True):
            raise error(Code.TYPE_ERROR, "a const variable cannot be assigned to", span)
        case Register(name, type_, _, pointee):
            frame.emit(ir.Set(name, _converted(frame, value, type_, pointee, span)), span)
        case Variable(place, type_, volatile, pointee):
            mode = ir.VOLATILE if volatile else ir.PLAIN
            store(frame, place, _converted(frame, value, type_, pointee, span), mode, span)
        case Atomic(place, type_, scope, pointee):
            mode = ir.Mode(SEQ_CST, scope)
            store(frame, place, _converted(frame, value, type_, pointee, span), mode, span)
        case Structure(type=type_) | Fields(type=type_):
            raise outside(f"a copy of an object of class {type_.name} is", span)
        case PointerVariable():
            bind(frame, target, value, span)
        case Record(members):
            _assign_record(frame, members, value, span)
        case _:
            raise error(Code.TYPE_ERROR, f"{describe(target)} cannot be assigned to", span)


def bind(frame: Frame, target: PointerVariable, value: Operand, span: Span) -> None:
    """Let a pointer that is followed at compile time point to something else."""
    if frame.nesting and target.binding is not None:
        message = f"`{target.name}` is given another address under a condition or in a loop: that is"
        raise outside(message, span, "use a pointer of its own, or an index")
    target.binding = pointers.checked(value, target.type, span)


def _assign_record(frame: Frame, members: dict[str, Operand], value: Operand, span: Span) -> None:
    if frame.nesting:
        raise outside("setting this under a condition or in a loop is", span)
    if isinstance(value, Record):
        members.clear()
        members.update(value.members)
    else:
        members[""] = value


def read_once(frame: Frame, value: Operand, span: Span) -> Operand:
    """A value that is read once."""
    if isinstance(value, (Structure, Fields)):
        return value
    pointee = type_of(value)
    return Computed(to_value(frame, value, span), pointee if isinstance(pointee, PointerType) else None)


def _converted(frame: Frame, value: Operand, type_: IntType, pointee: PointerType | None, span: Span) -> Value:
    if pointee is not None:
        return pointers.as_value(frame, pointers.checked(value, pointee, span), span).value
    return values.cast(to_number(frame, value, span), type_)


def store(frame: Frame, place: ir.Place, value: Value, mode: ir.Mode, span: Span) -> None:
    """Append a write; the value is converted where the object is seen as of another type than its own."""
    own = frame.world.objects[place.object].type
    frame.emit(ir.Store(place, values.convert(value, own), mode), span)


def seen_as(operand: Operand, type_: Type, *, volatile: bool, span: Span) -> Operand:
    """What an operand denotes, seen through a pointer or reference to ``type_``; InputError if it is of another kind.

    Integers may be seen as others of their size; ``void`` and an unknown type see everything.
    """
    match operand, type_:
        case (Variable(place, have, already, None), IntType()) if have.size == type_.size:
            return Variable(place, type_, volatile or already)
        case (Register(_, have, _, None), IntType()) if have.size == type_.size:
            return operand
        case (Atomic(place, have, scope, None), AtomicType(value=IntType() as value, scope=wanted, ref=False)) if (
            have == value and scope is wanted
        ):
            return operand
        case (Structure(object_, index, have, already), StructType()) if have is type_:
            return Structure(object_, index, have, volatile or already)
        case (Array(object_, index, element_, length, already), _) if _same(element_, type_):
            return Array(object_, index, element_, length, volatile or already)
        case _:
            have_type = type_of(operand)
            if have_type is not None and _same(have_type, type_):
                return operand
            if isinstance(operand, (Record, Elements, HostThread, Stream, Event)):
                return operand
            wanted_name = shown(type_)
            have_name = shown(have_type) if have_type is not None else describe(operand)
            message = f"an object of type {wanted_name} is wanted here, not {have_name}"
            raise error(Code.TYPE_ERROR, message, span)


def _same(one: Type, other: Type) -> bool:
    match one, other:
        case (IntType(), IntType()):
            return one.size == other.size and one.is_bool == other.is_bool
        case (PointerType(a, _), PointerType(b, _)):
            return _same(a, b)
        case (ArrayType(a, n), ArrayType(b, m)):
            return n == m and _same(a, b)
        case _:
            return one == other
