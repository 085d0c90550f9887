"""Effects of operations on registers, memory and progress, and the values in them."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, assert_never, get_args

from scopec.base.records import dataclass
from scopec.program import ir, values
from scopec.program.values import Reg, leaves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scopec.program.values import Value

_VALUES = frozenset(get_args(values.Value))

#: The effect of an operation beside its registers: a read or an order of accesses; a failure; something that is
#: seen outside of the program; a trap; a question to the runtime, or what it does the first time only; a change.
Trace = Literal["none", "read", "order", "failure", "outside", "trap", "question", "first time", "change"]


@dataclass(frozen=True, slots=True)
class Effects:
    """The effects of an operation.

    It ``reads`` its place, ``writes`` it, or may do so; with ``finds`` its values mention what it finds there as the
    first of the registers that it overwrites.  A thread ``waits`` in it for others.  It ``changes`` something each time
    that it is performed, whatever memory holds.  It ``counts`` for [intro.progress.1] in the threads that are named,
    and to memory it is an operation of some ``order``; of one that has a mode, the mode says both.
    """

    reads: bool = False
    writes: bool = False
    finds: bool = False
    waits: bool = False
    changes: bool = False
    counts: Literal["never", "on the host", "always"] = "always"
    order: ir.Order | None = None
    trace: Trace = "change"


_does = cache(Effects)  # each is made once


def effects(operation: ir.Operation) -> Effects:
    """The effects of an operation."""
    match operation:
        case ir.Set() | ir.Decide() | ir.Operand() | ir.Called():
            return _does(counts="never", trace="none")
        case ir.Assert():
            return _does(counts="never", trace="failure")
        case ir.Lifetime():
            return _does(counts="never", trace="order")
        case ir.Load():
            return _does(reads=True, trace="read")
        case ir.BarrierTest():
            return _does(reads=True, finds=True)
        case ir.BarrierInit(fault=fault):
            return _does(reads=bool(fault), writes=True)
        case ir.Store():
            return _does(writes=True)
        case ir.CompareExchange() | ir.BarrierArrive() | ir.BarrierExpect():
            return _does(reads=True, writes=True)
        case ir.Rmw():
            return _does(reads=True, writes=True, finds=True)
        case ir.Await(new=new):
            return _does(reads=True, writes=new is not None, finds=True, waits=True)
        case ir.BarrierWait():
            return _does(reads=True, finds=True, waits=True)
        case ir.GroupSync(exchange=ir.Exchange()):
            return _does(waits=True, changes=True)
        case ir.SyncThreads() | ir.GroupSync():
            return _does(waits=True, changes=True, order=ir.Order.RELEASE)
        case ir.NamedBarrier(waits=waits):
            return _does(waits=waits, changes=True, order=ir.Order.RELEASE)
        case ir.Fence(order):
            return _does(counts="on the host", order=order, trace="order")
        case ir.Yield(sleeps):  # "invoke the function std::this_thread::yield": to sleep is not among them
            return _does(counts="never" if sleeps else "on the host", trace="none")
        case ir.Notify() | ir.Agent() | ir.CommitCopies() | ir.AwaitCopies():
            return _does()
        case ir.InputOutput() | ir.SideEffect():
            return _does(trace="outside")
        case ir.ApiCall() | ir.EndProcess():
            return _does(trace="first time")
        case ir.StreamQuery() | ir.EventQuery() | ir.LaunchQuery():
            return _does(trace="question")
        case ir.ProxyFence() | ir.InitFence() | ir.TensorFence():
            return _does(trace="order")
        case ir.AtBarrier():
            return _does(counts="never", trace="none")
        case ir.Trap():
            return _does(trace="trap")
        case ir.LaunchGrid():
            return _does(changes=True, order=ir.Order.RELEASE, trace="first time")
        case ir.CreateThread():
            return _does(changes=True, trace="first time")
        case ir.AwaitGrid():
            return _does(waits=True, order=ir.Order.ACQUIRE, trace="question")
        case ir.EventRecord() | ir.EventWait() | ir.TriggerDependents():
            return _does(changes=True)
        case ir.JoinThread():
            return _does(waits=True, trace="question")
        case (
            ir.DeviceSynchronize()
            | ir.StreamSynchronize()
            | ir.EventSynchronize()
            | ir.WorkSynchronize()
            | ir.LaunchSynchronize()
        ):
            return _does(waits=True, order=ir.Order.ACQUIRE, trace="question")
        case _:
            assert_never(operation)


def place_of(operation: ir.Operation) -> ir.Place | None:
    """The place that an operation names, if it names one."""
    return getattr(operation, "place", None)


def written(node: ir.Node) -> ir.Place | None:
    """The place that a node writes, or may write."""
    if isinstance(node, ir.Do) and effects(node.operation).writes:
        return place_of(node.operation)
    return None


# ---------------------------------------------------------------- the registers and values in an operation


def registers(value: Value) -> set[str]:
    """The registers that a value mentions."""
    return {leaf.name for leaf in leaves(value) if isinstance(leaf, Reg)}


def overwritten(operation: ir.Operation) -> list[str]:
    """The registers that an operation overwrites: its fields of these names say them, or its vote's or exchange's."""
    if isinstance(operation, ir.GroupSync):
        return [] if operation.exchange is None else list(operation.exchange.targets)
    form = operation.vote if isinstance(operation, (ir.SyncThreads, ir.NamedBarrier)) else operation
    return [name for field in ("target", "succeeded", "fault", "pending") if (name := getattr(form, field, ""))]


def uses_and_definitions(node: ir.Node) -> tuple[set[str], set[str]]:
    """The registers that a node reads, and those it overwrites."""
    match node:
        case ir.Branch(condition=condition):
            return registers(condition), set()
        case ir.Exit():
            return set(), set()
        case ir.Do(operation=operation):
            place, targets = place_of(operation), overwritten(operation)
            used = {name for value in _values(operation, but="place") for name in registers(value)}
            if effects(operation).finds:
                used.discard(targets[0])
            if isinstance(operation, ir.GroupSync):
                used = {name for name in used if not ir.is_exchanged(name)}
            return used if place is None else used | registers(place.index), set(targets)


@cache
def _holding(kind: Any) -> tuple[str, ...]:
    """The fields that hold values, of operations of a kind or of parts of them."""
    holds = ("Value", "Place", "Vote", "Exchange")
    return tuple(f.name for f in fields(kind) if any(part in f.type for part in holds)) if is_dataclass(kind) else ()


def _values(form: Any, but: str = "") -> Iterator[Value]:
    for name in _holding(form.__class__):
        part = getattr(form, name) if name != but else None
        for inner in part if isinstance(part, tuple) else (part,):
            if type(inner) in _VALUES:
                yield inner
            elif inner is not None:
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


def values_of(node: ir.Node) -> list[Value]:
    """The values in a node, in one order for all nodes that are alike but for these."""
    found: list[Value] = []

    def look(value: Value) -> Value:
        found.append(value)
        return value

    map_values(node, look)
    return found


def map_operation(operation: ir.Operation, f: Callable[[Value], Value]) -> ir.Operation:
    """The operation with ``f`` applied to every value in it."""
    mapped: ir.Operation = _mapped(operation, f)
    return mapped


def _mapped(part: Any, f: Callable[[Value], Value]) -> Any:
    if type(part) in _VALUES:
        return f(part)
    if isinstance(part, tuple):
        return tuple(_mapped(inner, f) for inner in part)
    changed: dict[str, Any] = {}
    for name in _holding(part.__class__):
        before = getattr(part, name)
        after = _mapped(before, f)
        if after is not before:
            changed[name] = after
    return replace(part, **changed) if changed else part
