"""Objects in memory: globals of each storage kind, shared and automatic ones; streams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.diagnostics import Code, error
from scopec.program import ir, types, values
from scopec.program.lower import expressions, names
from scopec.program.lower.context import Frame, World
from scopec.program.lower.operands import Array, Atomic, Event, Operand, Stream, Variable
from scopec.program.types import IntType

if TYPE_CHECKING:
    from scopec.syntax import tree

_STATIC = (ir.Storage.DEVICE, ir.Storage.MANAGED, ir.Storage.SYSTEM)


def declare(
    world: World,
    frame: Frame,
    type_: names.Type,
    written: tree.TypeName,
    declarator: tree.Declarator,
    storage: ir.Storage,
) -> Operand:
    """Declare an object in memory and return what its name denotes.

    Objects with static storage start with constants (zero by default); an automatic one is initialised by a store in
    ``frame``; a shared one starts without a value.
    """
    match type_:
        case IntType():
            value_type = type_
        case names.AtomicType(value=value_type, ref=False):
            pass
        case names.AtomicType():
            raise error(Code.TYPE_ERROR, "an atomic_ref at file scope has nothing to refer to", declarator.span)
        case _:
            raise error(Code.OUTSIDE_SUBSET, "an object of this type is outside the modelled subset", declarator.span)
    static = storage in _STATIC
    name = declarator.name if static else f"{frame.prefix}.{declarator.name}"
    while name in world.objects:
        name += "'"
    count = _length(frame, declarator)
    initial = _initial_values(frame, declarator, value_type, count) if static else (None,) * count
    if storage is ir.Storage.SHARED and declarator.init is not None:
        raise error(Code.TYPE_ERROR, "a shared variable cannot have an initial value", declarator.init.span)
    world.objects[name] = ir.Object(name, declarator.span, value_type, storage, initial, bool(declarator.sizes))
    place = ir.Place(name, values.Const(0, types.INT))
    element: Variable | Atomic
    if isinstance(type_, names.AtomicType):
        element = Atomic(place, value_type, type_.scope)
    else:
        element = Variable(place, value_type, "volatile" in written.specifiers)
    if storage is ir.Storage.AUTOMATIC and declarator.init is not None:
        _initialise(frame, element, declarator)
    return Array(name, element) if declarator.sizes else element


def _length(frame: Frame, declarator: tree.Declarator) -> int:
    if not declarator.sizes:
        return 1
    if len(declarator.sizes) > 1:
        raise error(Code.OUTSIDE_SUBSET, "arrays of arrays are outside the modelled subset", declarator.span)
    (size,) = declarator.sizes
    if size is None:
        if declarator.init is None:
            raise error(Code.NOT_CONSTANT, "the size of this array is missing", declarator.span)
        return len(declarator.init.arguments)
    length = expressions.constant(frame, size, "the size of an array")
    if not 0 < length <= 4096:
        raise error(Code.TOO_LARGE, f"an array of {length} elements", size.span, "use 1 to 4096 elements")
    return length


def _initial_values(frame: Frame, declarator: tree.Declarator, type_: IntType, count: int) -> tuple[int, ...]:
    """Static initialisation: the constants given, zero for the rest ([basic.start.static])."""
    given = declarator.init.arguments if declarator.init else ()
    if len(given) > count:
        assert declarator.init is not None
        raise error(Code.BAD_ARGUMENTS, f"{len(given)} initial values for {count} elements", declarator.init.span)
    constants = [type_.wrap(expressions.constant(frame, _unwrapped(e), "an initial value")) for e in given]
    return tuple(constants + [0] * (count - len(constants)))


def _unwrapped(expr: tree.Expr) -> tree.Expr:
    """The value in ``atomic<int>(1)`` where an atomic is initialised from a temporary of its own type."""
    from scopec.syntax import tree

    if isinstance(expr, tree.Construct) and len(expr.arguments) == 1 and "atomic" in expr.type.name:
        return expr.arguments[0]
    return expr


def _initialise(frame: Frame, element: Variable | Atomic, declarator: tree.Declarator) -> None:
    """The initial value of an automatic object.  [atomics.types.operations]: it is not set by an atomic operation."""
    init = declarator.init
    assert init is not None
    if declarator.sizes or len(init.arguments) > 1:
        raise error(Code.OUTSIDE_SUBSET, "initial values of a local array are outside the subset", init.span)
    value = expressions.lower_value(frame, init.arguments[0]) if init.arguments else values.Const(0, element.type)
    mode = ir.VOLATILE if isinstance(element, Variable) and element.volatile else ir.PLAIN
    frame.emit(ir.Store(element.place, values.convert(value, element.type), mode), declarator.span)


def declare_stream(frame: Frame, declarator: tree.Declarator) -> Operand:
    """A ``cudaStream_t`` variable of host code; ``cudaStreamCreate`` makes it a stream."""
    _check_handle(frame, declarator, "streams", "a stream is made with cudaStreamCreate")
    return Stream(frame.fresh(declarator.name))


def declare_event(frame: Frame, declarator: tree.Declarator) -> Operand:
    """A ``cudaEvent_t`` variable of host code; ``cudaEventCreate`` makes it an event."""
    _check_handle(frame, declarator, "events", "an event is made with cudaEventCreate")
    return Event(frame.fresh(declarator.name))


def _check_handle(frame: Frame, declarator: tree.Declarator, what: str, made: str) -> None:
    if not frame.host:
        raise error(Code.TYPE_ERROR, f"{what} belong to the host", declarator.span)
    if declarator.sizes:
        raise error(Code.OUTSIDE_SUBSET, f"arrays of {what} are outside the modelled subset", declarator.span)
    if declarator.init is not None:
        raise error(Code.OUTSIDE_SUBSET, made, declarator.span)
