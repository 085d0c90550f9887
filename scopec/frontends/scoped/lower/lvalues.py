"""Objects and the ways to them: members, elements, addresses, reads and assignments."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, InputError, error, suggestion
from scopec.frontends.scoped.lower import classes, pointers
from scopec.frontends.scoped.lower.context import outside
from scopec.frontends.scoped.lower.cpp_types import (
    ADDRESS,
    ArrayType,
    AtomicType,
    FloatType,
    PointerType,
    StructType,
    SyncType,
    Type,
    as_float,
    leaf_type,
    shown,
)
from scopec.frontends.scoped.lower.operands import (
    Array,
    Atomic,
    Closure,
    Computed,
    Either,
    Elements,
    Event,
    Fields,
    Function,
    HostThread,
    Index,
    Known,
    Nothing,
    Opaque,
    Operand,
    Overload,
    Pointer,
    PointerVariable,
    Record,
    Register,
    Stream,
    Structure,
    Sync,
    Text,
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
        case FloatType():
            held = leaf_type(type_)
            assert held is not None
            return Variable(ir.Place(object_, index), held, volatile)
        case _:
            raise AssertionError(type_)


def is_float(operand: Operand) -> bool:
    """Whether an operand is a floating-point number, in memory or not."""
    return isinstance(operand, Opaque) or isinstance(type_of(operand), FloatType)


def forget(frame: Frame, operand: Operand, span: Span) -> Opaque:
    """A floating-point number that is made from an operand, which is read."""
    match operand:
        case Variable(place, type_, volatile) if as_float(type_) is not None:
            target = frame.temporary(type_)
            frame.emit(ir.Load(target.name, place, ir.VOLATILE if volatile else ir.PLAIN), span)
        case Either() if is_float(operand):
            in_each_case(frame, operand, lambda case: _drop(frame, case, span), span)
        case Opaque() | Text():
            pass
        case _:
            to_value(frame, operand, span)
    return Opaque()


def _drop(frame: Frame, operand: Operand, span: Span) -> None:
    forget(frame, operand, span)


def type_of(operand: Operand) -> Type | None:
    """The type of what an operand denotes, None where the file could not write it."""
    match operand:
        case Computed(value, pointee):
            return pointee if pointee is not None else value.type
        case Register(_, type_, _, pointee) | Variable(_, type_, _, pointee):
            return pointee or as_float(type_) or type_
        case Known(value):
            return value.type
        case Atomic(_, type_, scope, pointee):
            return AtomicType(pointee if pointee is not None else type_, scope, ref=False)
        case Sync(_, sync):
            return sync
        case Structure(_, _, struct, _) | Fields(struct, _):
            return struct
        case Array(_, _, element, length, _):
            return ArrayType(element, length)
        case Either(cases):
            return type_of(cases[0][1])
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


def member(frame: Frame, operand: Operand, name: str, span: Span) -> Operand:
    """``operand.name``."""
    found = member_or_none(frame, operand, name)
    if found is not None:
        return found
    if isinstance(operand, Atomic):
        raise error(Code.TYPE_ERROR, f"`{name}` is a member function: call it", span, f"write .{name}(…)")
    type_ = type_of(operand)
    known = [f.name for f in type_.fields] + list(type_.functions) if isinstance(type_, StructType) else []
    message = f"{describe(operand)} has no member `{name}`"
    raise error(Code.TYPE_ERROR, message, span, suggestion(name, known))


def member_or_none(frame: Frame, operand: Operand, name: str) -> Operand | None:
    """``operand.name``, None if there is no such member."""
    match operand:
        case Structure(object_, index, type_, volatile):
            field = type_.field(name)
            if field is not None:
                return _field_at(object_, index, field.name, field.type, volatile=volatile or field.volatile)
            return _other_member(operand, type_, name)
        case Fields(type_, members):
            return members[name] if name in members else _other_member(operand, type_, name)
        case Either(cases):
            parts = [(condition, member_or_none(frame, case, name)) for condition, case in cases]
            first = parts[0][1]
            if isinstance(first, Function):  # a member function is called on whichever object it is
                return Function(first.name, first.overloads, operand)
            return None if first is None else Either(tuple((c, p) for c, p in parts if p is not None))
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


def _other_member(operand: Operand, type_: StructType, name: str) -> Operand | None:
    if name in type_.functions:
        overloads = tuple(Overload(f, type_.space, f) for f in type_.functions[name])
        return Function(name, overloads, operand)
    return type_.space.names.get(name)


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
        case Variable(pointee=PointerType()) | Atomic(pointee=PointerType()) | Either():
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
        case Either() if isinstance(type_of(operand), PointerType):
            return pointers.target(frame, pointers.as_value(frame, operand, span), span)
        case Structure() | Fields():
            raise outside("a class with an operator of its own is", span)
        case _:
            raise error(Code.TYPE_ERROR, f"`*` wants a pointer, not {describe(operand)}", span)


def address(operand: Operand, span: Span) -> Operand:
    """``&operand``."""
    match operand:
        case Either(cases):
            return Either(tuple((condition, address(case, span)) for condition, case in cases))
        case (
            Variable() | Atomic() | Sync() | Array() | Structure() | Fields() | Register() | Stream() | Event()
            | PointerVariable() | Record() | Elements() | Opaque() | HostThread()
        ):  # fmt: skip
            return Pointer(operand)
        case Function() | Closure():
            return operand
        case _:
            raise error(Code.TYPE_ERROR, f"{describe(operand)} has no address", span)


# ---------------------------------------------------------------- reading


def to_value(frame: Frame, operand: Operand, span: Span) -> Value:
    """Read an operand: lvalue-to-rvalue conversion, or an atomic's ``operator T``."""
    match operand:
        case Computed(value):
            return value
        case Known(value):
            return value
        case Register(name, type_):
            return Reg(name, type_)
        case Variable(place, type_, volatile):
            return load(frame, place, type_, ir.VOLATILE if volatile else ir.PLAIN, span)
        case Atomic(place, type_, scope):
            return load(frame, place, type_, ir.Mode(SEQ_CST, scope), span)
        case Either(cases):
            return _one_of(frame, cases, lambda case: to_value(frame, case, span), span)
        case Pointer() | PointerVariable():
            return pointers.address_value(frame, settle(operand, span), span)
        case Nothing():
            raise error(Code.TYPE_ERROR, "this call has no value (void)", span)
        case Opaque():
            raise _float_error(span)
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
    if as_float(own) is not None:
        raise _float_error(span)
    result = frame.temporary(own)
    frame.emit(ir.Load(result.name, place, mode), span)
    return values.cast(result, type_)


def _float_error(span: Span) -> InputError:
    message = "a floating-point number decides something or is stored here: their values are outside the subset"
    return error(Code.OUTSIDE_SUBSET, message, span, "use an integer type")


def _one_of(
    frame: Frame, cases: tuple[tuple[Value, Operand], ...], read: Callable[[Operand], Value], span: Span
) -> Value:
    """The value that the case whose condition holds has; only that one is read."""
    *others, (_, last) = cases
    builder = frame.builder
    done = builder.label()
    result: Reg | None = None
    for condition, case in others:
        following, here = builder.label(), builder.label()
        builder.split(condition, span, here, following)
        builder.place(here)
        value = read(case)
        result = result if result is not None else frame.temporary(value.type)
        frame.emit(ir.Set(result.name, value), span)
        builder.jump(done)
        builder.place(following)
    value = read(last)
    if result is None:
        return value
    frame.emit(ir.Set(result.name, value), span)
    builder.place(done)
    return result


def in_each_case(frame: Frame, operand: Operand, effect: Callable[[Operand], None], span: Span) -> None:
    """Do something to an object: to the one that it is, where several are possible."""
    if not isinstance(operand, Either):
        effect(operand)
        return
    builder = frame.builder
    done = builder.label()
    *others, (_, last) = operand.cases
    for condition, case in others:
        following, here = builder.label(), builder.label()
        builder.split(condition, span, here, following)
        builder.place(here)
        effect(case)
        builder.jump(done)
        builder.place(following)
    effect(last)
    builder.place(done)


# ---------------------------------------------------------------- assignment


def assign(frame: Frame, target: Operand, value: Operand, span: Span) -> None:
    """Store a value in what ``target`` denotes (an atomic is stored seq_cst, [atomics.types.operations])."""
    match target:
        case Register(constant=True):
            raise error(Code.TYPE_ERROR, "a const variable cannot be assigned to", span)
        case Register(name, type_, _, pointee):
            frame.emit(ir.Set(name, _converted(frame, value, type_, pointee, span)), span)
        case Variable(place, type_, volatile) if as_float(type_) is not None:
            forget(frame, value, span)
            frame.emit(ir.Store(place, Const(0, type_), ir.VOLATILE if volatile else ir.PLAIN), span)
        case Variable(place, type_, volatile, pointee):
            mode = ir.VOLATILE if volatile else ir.PLAIN
            store(frame, place, _converted(frame, value, type_, pointee, span), mode, span)
        case Atomic(place, type_, scope, pointee):
            mode = ir.Mode(SEQ_CST, scope)
            store(frame, place, _converted(frame, value, type_, pointee, span), mode, span)
        case Either():
            stored = read_once(frame, value, span)
            in_each_case(frame, target, lambda case: assign(frame, case, stored, span), span)
        case Structure(type=type_) | Fields(type=type_):
            if type_of(value) is not type_:
                raise error(Code.TYPE_ERROR, f"an object of class {type_.name} is wanted here", span)
            classes.copy(frame, target, value, type_, span)
        case PointerVariable():
            bind(frame, target, value, span)
        case Known():
            held = to_value(frame, value, span)
            if not isinstance(held, Const):
                raise outside("the counter of a loop of launches or API calls that is not constant is", span)
            target.value = values.convert(held, target.value.type)
        case Opaque():
            forget(frame, value, span)
        case Record(members):
            _assign_record(frame, members, value, span)
        case HostThread():
            _move_thread(target, value, span)
        case _:
            raise error(Code.TYPE_ERROR, f"{describe(target)} cannot be assigned to", span)


def bind(frame: Frame, target: PointerVariable, value: Operand, span: Span) -> None:
    """Let a pointer that is followed at compile time point to something else."""
    if frame.nesting and target.binding is not None:
        message = f"`{target.name}` is given another address under a condition or in a loop: that is"
        raise outside(message, span, "use a pointer of its own, or an index")
    target.binding = pointers.checked(frame, value, target.type, span)


def _assign_record(frame: Frame, members: dict[str, Operand], value: Operand, span: Span) -> None:
    if frame.nesting:
        raise outside("setting this under a condition or in a loop is", span)
    if isinstance(value, Record):
        members.clear()
        members.update(value.members)
    else:
        members[""] = value


def _move_thread(target: HostThread, value: Operand, span: Span) -> None:
    if not isinstance(value, HostThread):
        raise error(Code.TYPE_ERROR, f"a thread is wanted here, not {describe(value)}", span)
    if target.thread is not None:
        raise error(Code.TYPE_ERROR, f"`{target.name}` holds a thread that has not been joined", span, "join it first")
    target.thread, value.thread = value.thread, None
    target.stop = value.stop


def read_once(frame: Frame, value: Operand, span: Span) -> Operand:
    """A value that is read once."""
    if isinstance(value, (Structure, Fields)):
        return value
    if is_float(value):
        return forget(frame, value, span)
    pointee = type_of(value)
    return Computed(to_value(frame, value, span), pointee if isinstance(pointee, PointerType) else None)


def _converted(frame: Frame, value: Operand, type_: IntType, pointee: PointerType | None, span: Span) -> Value:
    if pointee is not None:
        return pointers.as_value(frame, pointers.checked(frame, value, pointee, span), span).value
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
        case (Variable(place, have, already, None), IntType()) if have.size == type_.size and as_float(have) is None:
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
        case (Either(cases), _):
            return Either(tuple((c, seen_as(o, type_, volatile=volatile, span=span)) for c, o in cases))
        case _:
            have_type = type_of(operand)
            if have_type is not None and _same(have_type, type_):
                return operand
            if isinstance(operand, (Opaque, Record, Elements, HostThread, Stream, Event)):
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
