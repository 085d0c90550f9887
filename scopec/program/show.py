"""A printable form of a Program, for tests and for ``scopec compile --show program``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from scopec.program import ir
from scopec.program.program import Program
from scopec.program.values import show as value


def show_program(program: Program) -> str:
    """The whole program: objects, grids, and the graph of each distinct body."""
    lines = [f"program {program.name}"]
    lines += [f"constant {name} = {shown}" for name, shown in program.variant.items()]
    lines += [_object(o) for o in program.objects.values()]
    for grid in program.grids.values():
        lines.append(f"grid {grid.name}<<<{_dim(grid.blocks)}, {_dim(grid.threads)}>>> in {grid.stream.name}")
        lines += show_body(grid.body)
    lines.append("host main")
    lines += show_body(program.host.body)
    for thread in program.others:
        lines.append(f"thread {thread.name} in {_position(thread)}")
        lines += show_body(thread.body)
    lines.append("threads " + " ".join(t.name for t in program.threads))
    return "\n".join(lines) + "\n"


def _position(thread: ir.Thread) -> str:
    if thread.is_host:
        return "host"
    cluster = f", cluster {thread.cluster}" if thread.cluster is not None else ""
    return f"block {thread.block_name}{cluster}, device {thread.device}"


def _dim(dim: ir.Dim) -> str:
    return f"({dim.x}, {dim.y}, {dim.z})" if dim.y * dim.z > 1 else str(dim.x)


def _object(object_: ir.Object) -> str:
    size = f"[{len(object_.values)}]" if object_.array else ""
    values = ", ".join("?" if v is None else str(v) for v in object_.values)
    return f"object {object_.name}: {object_.type.name}{size} in {object_.storage.value} = {values}"


def show_body(body: ir.Body) -> Iterator[str]:
    """The nodes of a graph, one a line, the entry marked."""
    for number, node in body.nodes.items():
        mark = ">" if number == body.entry else " "
        match node:
            case ir.Do(operation, span, following):
                yield f" {mark}{number}: {show_operation(operation)} -> {following}    (line {span.line})"
            case ir.Branch(condition, span, then, otherwise):
                yield f" {mark}{number}: if {value(condition)} -> {then} else {otherwise}    (line {span.line})"
            case ir.Exit():
                yield f" {mark}{number}: exit"
            case _:
                assert_never(node)


def show_operation(operation: ir.Operation) -> str:
    """An operation on one line."""
    match operation:
        case ir.Set(target, new):
            return f"{target} = {value(new)}"
        case ir.Load(target, place, mode):
            return f"{target} = load{show_mode(mode)} {show_place(place)}"
        case ir.Store(place, new, mode):
            return f"store{show_mode(mode)} {show_place(place)} = {value(new)}"
        case ir.Rmw(target, place, new, mode):
            return f"{target} = rmw{show_mode(mode)} {show_place(place)} = {value(new)}"
        case ir.CompareExchange(target, succeeded, place, expected, desired, mode, failure, weak):
            kind = "cas.weak" if weak else "cas"
            return (
                f"{target}, {succeeded} = {kind}{show_mode(mode)}/{failure.value} {show_place(place)} "
                f"from {value(expected)} to {value(desired)}"
            )
        case ir.Fence(order, scope):
            return f"fence.{order.value}.{scope.name.lower()}"
        case ir.Await(target, place, condition, mode, new, notified):
            verb = "wait" if notified else "await"
            store = "" if new is None else f", store {value(new)}"
            return f"{target} = {verb}{show_mode(mode)} {show_place(place)} until {value(condition)}{store}"
        case ir.BarrierInit(place, count):
            return f"barrier {show_place(place)} of {value(count)}"
        case ir.BarrierArrive(target, place, update, mode, drop):
            verb = "drop" if drop else "arrive"
            return f"{target} = {verb}{show_mode(mode)} {show_place(place)} by {value(update)}"
        case ir.BarrierWait(target, place, condition, mode):
            return f"{target} = phase{show_mode(mode)} {show_place(place)} when {value(condition)}"
        case ir.BarrierPhase(target, place, mode):
            return f"{target} = phase{show_mode(mode)} {show_place(place)}"
        case ir.Notify(place, everyone):
            return f"notify {'all' if everyone else 'one'} {show_place(place)}"
        case ir.Decide(target, order):
            return f"{target} = {'which first' if order else 'either'}"
        case ir.Operand(evaluation, number):
            return f"operands {evaluation} evaluated" if number is None else f"operand {evaluation}.{number}"
        case ir.Called(begins):
            return "call" if begins else "return"
        case ir.SyncThreads(vote):
            if vote is None:
                return "syncthreads"
            return f"{vote.target} = syncthreads {vote.function} {value(vote.predicate)}"
        case ir.GroupSync(group, mask):
            return f"sync {group.value}" + (f" {mask:#x}" if group is ir.Group.WARP else "")
        case ir.NamedBarrier(name, count, waits):
            counted = "" if count is None else f" of {value(count)}"
            return f"barrier.{'sync' if waits else 'arrive'} {', '.join(value(part) for part in name)}{counted}"
        case ir.Yield(sleeps):
            return "sleep" if sleeps else "yield"
        case ir.InputOutput():
            return "io"
        case ir.Assert(condition, _, implicit):
            return f"{'require' if implicit else 'assert'} {value(condition)}"
        case ir.EndProcess():
            return "end process"
        case ir.Trap():
            return "trap"
        case ir.CreateThread(thread):
            return f"create {thread}"
        case ir.JoinThread(thread):
            return f"join {thread}"
        case ir.LaunchGrid(grid):
            return f"launch {grid}"
        case ir.ApiCall(function):
            return f"call {function}"
        case ir.DeviceSynchronize(device):
            return f"device synchronize {device}" if device else "device synchronize"
        case ir.StreamQuery(target, stream):
            return f"{target} = query {stream}"
        case ir.StreamSynchronize(stream):
            return f"synchronize {stream}"
        case ir.EventRecord(event, stream):
            return f"record {event} in {stream}"
        case ir.EventWait(event, stream):
            return f"{stream} waits for {event}"
        case ir.WorkSynchronize(grid):
            return f"wait for {grid}"
        case ir.EventSynchronize(event):
            return f"synchronize {event}"
        case ir.EventQuery(target, event):
            return f"{target} = query {event}"
        case _:
            assert_never(operation)


def show_mode(mode: ir.Mode) -> str:
    """``.acquire.device``, ``.volatile``, or nothing for a plain access."""
    if mode.order is not None:
        return f".{mode.order.value}.{mode.scope.name.lower()}"
    return ".volatile" if mode.volatile else ""


def show_place(place: ir.Place) -> str:
    """``x`` or ``a[i]``."""
    index = value(place.index)
    return place.object if index == "0" else f"{place.object}[{index}]"
