"""What operations do with registers and memory, whether a thread waits in them, and which values are in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, assert_never, get_args

from scopec.base.records import dataclass
from scopec.program import ir, values
from scopec.program.values import Reg, leaves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scopec.program.values import Value

_Form = TypeVar("_Form")
_VALUES = frozenset(get_args(values.Value))


@dataclass(frozen=True, slots=True)
class Effects:
    """The effects of an operation.

    ``targets`` are the registers that it overwrites; with ``finds`` its values mention what it finds at its place as
    the first of them.  It ``reads`` its place, ``writes`` it, or may do so; a thread ``waits`` in it for others.
    """

    targets: tuple[str, ...] = ()
    finds: bool = False
    reads: bool = False
    writes: bool = False
    waits: bool = False


_NONE, _WAITS = Effects(), Effects(waits=True)


def effects(operation: ir.Operation) -> Effects:
    """What an operation does."""
    match operation:
        case ir.Set(target) | ir.Decide(target) | ir.StreamQuery(target) | ir.EventQuery(target):
            return Effects((target,))
        case ir.Load(target):
            return Effects((target,), reads=True)
        case ir.Store():
            return Effects(writes=True)
        case ir.Rmw(target):
            return Effects((target,), finds=True, reads=True, writes=True)
        case ir.CompareExchange(target, succeeded):
            return Effects((target, succeeded), reads=True, writes=True)
        case ir.Await(target, new=new):
            return Effects((target,), finds=True, reads=True, writes=new is not None, waits=True)
        case ir.BarrierInit():
            return Effects(writes=True)
        case ir.BarrierArrive(target):
            return Effects((target,), reads=True, writes=True)
        case ir.BarrierWait(target):
            return Effects((target,), finds=True, reads=True, waits=True)
        case ir.BarrierPhase(target):
            return Effects((target,), reads=True)
        case ir.SyncThreads(ir.Vote(target)):
            return Effects((target,), waits=True)
        case ir.NamedBarrier(waits=waits):
            return Effects(waits=waits)
        case ir.SyncThreads() | ir.GroupSync() | ir.JoinThread() | ir.DeviceSynchronize():
            return _WAITS
        case ir.StreamSynchronize() | ir.EventSynchronize() | ir.WorkSynchronize():
            return _WAITS
        case ir.Fence() | ir.Notify() | ir.Operand() | ir.Called() | ir.Yield() | ir.InputOutput() | ir.Assert():
            return _NONE
        case ir.EndProcess() | ir.Trap() | ir.CreateThread() | ir.LaunchGrid() | ir.ApiCall():
            return _NONE
        case ir.EventRecord() | ir.EventWait():
            return _NONE
        case _:
            assert_never(operation)


def place_of(operation: ir.Operation) -> ir.Place | None:
    """The place that an operation names, if it names one."""
    return getattr(operation, "place", None)


# ---------------------------------------------------------------- the values in an operation


def registers(value: Value) -> set[str]:
    """The registers that a value mentions."""
    return {leaf.name for leaf in leaves(value) if isinstance(leaf, Reg)}


def uses_and_definitions(node: ir.Node) -> tuple[set[str], set[str]]:
    """The registers that a node reads, and those it overwrites."""
    match node:
        case ir.Branch(condition=condition):
            return registers(condition), set()
        case ir.Exit():
            return set(), set()
        case ir.Do(operation=operation):
            done, place = effects(operation), place_of(operation)
            mentioned = (registers(v) for part in _parts(operation) if part is not place for v in _values(part))
            used = set[str]().union(*mentioned) - {*(done.targets[:1] if done.finds else ())}
            return used | (registers(place.index) if place is not None else set()), set(done.targets)


def _parts(form: object) -> tuple[object, ...]:
    """What an operation, or a part of one, is made of."""
    return tuple(getattr(form, name) for name in type(form).__match_args__)  # type: ignore[attr-defined]


def _values(part: object) -> Iterator[Value]:
    if type(part) in _VALUES:
        yield part  # type: ignore[misc]
    elif isinstance(part, (ir.Place, ir.Vote, tuple)):
        for inner in part if isinstance(part, tuple) else _parts(part):
            yield from _values(inner)


def map_values(node: ir.Node, f: Callable[[Value], Value]) -> ir.Node:
    """The node with ``f`` applied to every value in it."""
    match node:
        case ir.Do(operation, span, following):
            return ir.Do(map_operation(operation, f), span, following)
        case ir.Branch(condition, span, then, otherwise):
            return ir.Branch(f(condition), span, then, otherwise)
        case ir.Exit():
            return node


def map_operation(operation: ir.Operation, f: Callable[[Value], Value]) -> ir.Operation:
    """The operation with ``f`` applied to every value in it."""
    return _mapped(operation, f)


def _mapped(form: _Form, f: Callable[[Value], Value]) -> _Form:
    def part(inner: Any) -> Any:
        if type(inner) in _VALUES:
            return f(inner)
        if isinstance(inner, tuple):
            return tuple(map(part, inner))
        return _mapped(inner, f) if isinstance(inner, (ir.Place, ir.Vote)) else inner

    return type(form)(*map(part, _parts(form)))
