"""Streams that are captured: what is given to them becomes the nodes of a graph, and is done when that is launched.

The rules are those of the CUDA C++ Programming Guide, "Creating a Graph Using Stream Capture".  A captured stream, like
an event that is recorded in one, stands for the nodes after which the next one comes.  All of it is of one host thread:
its state holds, by handles, streams, events and graphs; what a node does is kept once, in the world.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import InputError, error
from scopec.base.records import dataclass
from scopec.frontends.clang.llvm.numbers import number
from scopec.frontends.clang.machine.memory import Cell, Private, Record
from scopec.program.values import Const

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scopec.frontends.clang.intrinsics.call import Call
    from scopec.frontends.clang.machine.memory import Content
    from scopec.frontends.clang.machine.spawned import GraphWork
    from scopec.frontends.clang.machine.state import State
    from scopec.program import ir

_STREAM, _EVENT, _BEGUN = "%captured stream", "%captured event", "%capture begun"
NODES = Private((), "%graph")
_RELAXED = 2


@dataclass(frozen=True)
class Captured:
    """A stream or an event in a capture: the graph, and the nodes after which the next one comes."""

    graph: int
    after: tuple[int, ...]


@dataclass(frozen=True)
class Node:
    """A node of a graph: the work, by its place in the world, and the nodes that it comes after."""

    work: int
    after: tuple[int, ...]


def _numbers(content: Content) -> tuple[int, ...]:
    assert isinstance(content, Record)
    return tuple(part.value for part in content.parts if isinstance(part, Const))


def _record(numbers: Iterable[int]) -> Record:
    return Record(tuple(number(one, 32) for one in numbers))


# ---------------------------------------------------------------- graphs


def nodes_of(state: State, graph: int, of: Private = NODES) -> tuple[Node, ...]:
    """The nodes of a graph, each before those that come after it unless an edge was added later."""
    content = state.cells[of, graph].content
    assert isinstance(content, Record)
    return tuple(Node(work, tuple(after)) for work, *after in map(_numbers, content.parts))


def keep_nodes(state: State, graph: int, nodes: Iterable[Node], of: Private = NODES) -> None:
    """Have a graph these nodes."""
    state.cells[of, graph] = Cell(0, Record(tuple(_record((node.work, *node.after)) for node in nodes)))


def add_node(call: Call, graph: int, work: GraphWork, after: tuple[int, ...]) -> int:
    """Add a node to a graph; its number."""
    world, key = call.machine.world, (call.machine.thread, call.state.again())
    if key in world.captured:
        message = "work for a graph that host code makes in several states is"
        raise call.machine.refused(call.state, message, "make the graph before the branch, or in each branch")
    nodes = nodes_of(call.state, graph)
    keep_nodes(call.state, graph, (*nodes, Node(len(world.captured), after)))
    world.captured[key] = work
    return len(nodes)


# ---------------------------------------------------------------- captured streams


def captured(state: State, stream: ir.Stream) -> Captured | None:
    """The capture that a stream is in."""
    return _known(state, _STREAM, stream.name)


def _at(kind: str, name: str) -> Private:
    """Where it is kept what is known of a stream or an event."""
    return Private((name,), kind)


def _known(state: State, kind: str, name: str) -> Captured | None:
    cell = state.cells.get((_at(kind, name), 0))
    return None if cell is None else _captured(cell.content)


def _captured(content: Content) -> Captured:
    graph, *after = _numbers(content)
    return Captured(graph, tuple(after))


def capture(state: State, stream: ir.Stream, into: Captured) -> None:
    """Have the next work of a stream be a node after some."""
    state.cells[_at(_STREAM, stream.name), 0] = Cell(0, _record((into.graph, *into.after)))


def release(state: State, stream: ir.Stream) -> None:
    """Have a stream do its work again."""
    state.cells.pop((_at(_STREAM, stream.name), 0), None)


def append(call: Call, stream: ir.Stream, work: GraphWork) -> bool:
    """Whether a stream is captured; its work is a node of the graph then."""
    into = captured(call.state, stream)
    if into is None:
        _check_legacy(call, stream)
        return False
    capture(call.state, stream, Captured(into.graph, (add_node(call, into.graph, work, into.after),)))
    return True


def _streams(state: State) -> dict[str, Captured]:
    """The streams that are captured, by their names."""
    return {name: _captured(content) for name, content in _all(state, _STREAM)}


def _all(state: State, kind: str) -> Iterator[tuple[str, Content]]:
    """What is known of streams or events, with their names."""
    for (at, _), cell in state.cells.items():
        if at.name == kind:
            (name,) = at.calls
            assert isinstance(name, str)
            yield name, cell.content


def begin(call: Call, stream: ir.Stream, graph: int, mode: int) -> None:
    """``cudaStreamBeginCapture``, into a graph that is there: InputError for the legacy stream, for one that is
    captured, and for a graph that another is captured into.
    """
    if stream.kind == "legacy":
        raise _wrong(call, "the legacy default stream cannot be captured", "create a stream, and capture that")
    if captured(call.state, stream) is not None:
        raise _wrong(call, f"stream {stream.name} is captured already", "end that capture first")
    if any(one.graph == graph for one in _streams(call.state).values()):
        raise _wrong(call, "a stream is captured into this graph already", "end that capture first")
    capture(call.state, stream, Captured(graph, ()))
    call.state.cells[_at(_BEGUN, stream.name), graph] = Cell(0, number(mode, 32))


def end(call: Call, stream: ir.Stream) -> int:
    """``cudaStreamEndCapture``: the graph; InputError where the capture began elsewhere, or work is not joined."""
    state, into = call.state, captured(call.state, stream)
    if into is None or (_at(_BEGUN, stream.name), into.graph) not in state.cells:
        raise _wrong(call, f"no capture began in stream {stream.name}", "end it in the stream in which it began")
    nodes, joined = nodes_of(state, into.graph), set(into.after)
    for place in range(len(nodes) - 1, -1, -1):  # what it comes after was there before
        joined |= set(nodes[place].after) if place in joined else set()
    for name, other in _streams(state).items():
        if other.graph == into.graph:
            if not set(other.after) <= joined:
                help_ = f"record an event in {name}, and let {stream.name} wait for it before cudaStreamEndCapture"
                raise _wrong(call, f"work in stream {name} is not joined to {stream.name}, so the capture fails", help_)
            state.cells.pop((_at(_STREAM, name), 0))
    state.cells.pop((_at(_BEGUN, stream.name), into.graph))
    return into.graph


# ---------------------------------------------------------------- events


def record(call: Call, event: str, stream: ir.Stream) -> bool:
    """Whether an event is recorded in a captured stream: it stands for its nodes then, and for no work."""
    into, of = captured(call.state, stream), (_at(_EVENT, event), 0)
    if into is None:
        _check_legacy(call, stream)
        call.state.cells.pop(of, None)
        return False
    call.state.cells[of] = Cell(0, _record((into.graph, *into.after)))
    return True


def join(call: Call, event: str, stream: ir.Stream) -> bool:
    """Whether a stream waits for an event of a capture: it is in that capture then."""
    of, into = _known(call.state, _EVENT, event), captured(call.state, stream)
    if of is None:
        if into is not None:
            raise _wrong(
                call, f"stream {stream.name} is captured, and event {event} was not recorded in that capture",
                "record it there, or wait with cudaEventWaitExternal",
            )  # fmt: skip
        return False
    if of.graph not in {one.graph for one in _streams(call.state).values()}:
        raise _wrong(call, f"event {event} was recorded in a capture that is over", "record it again before the wait")
    if into is not None and into.graph != of.graph:
        raise _wrong(call, f"stream {stream.name} and event {event} are of different captures", "end one of them first")
    earlier = into.after if into is not None else ()
    capture(call.state, stream, Captured(of.graph, tuple(dict.fromkeys((*earlier, *of.after)))))
    return True


# ---------------------------------------------------------------- what is invalid meanwhile


def check_stream(call: Call, stream: ir.Stream) -> None:
    """InputError where a call waits for, or asks about, a stream that is captured."""
    if captured(call.state, stream) is not None:
        raise _wrong(call, f"stream {stream.name} is captured: none of its work is there to wait for", _BEFORE)
    _check_legacy(call, stream)


def check_event(call: Call, event: str) -> None:
    """InputError where a call waits for, or asks about, an event of a capture."""
    if _known(call.state, _EVENT, event) is not None:
        raise _wrong(call, f"event {event} was recorded in a captured stream: it stands for no work", _BEFORE)


def check_device(call: Call) -> None:
    """InputError where a call waits for a device while a stream is captured."""
    for name in _streams(call.state):
        raise _wrong(call, f"stream {name} is captured: its device cannot be waited for", _BEFORE)


def check_unsafe(call: Call, by: str) -> None:
    """InputError where a call that may wait is made during a capture that is not relaxed."""
    for name, mode in _all(call.state, _BEGUN):
        if mode != number(_RELAXED, 32):
            help_ = f"{_BEFORE}, or with cudaStreamCaptureModeRelaxed"
            raise _wrong(call, f"{by} while stream {name} is captured", help_)


def _check_legacy(call: Call, stream: ir.Stream) -> None:
    """InputError where the legacy stream is used while one is captured that would wait for it."""
    if stream.kind != "legacy" or not (names := _streams(call.state)):
        return
    kinds = {one.name: one.kind for one in (*call.machine.world.created.values(), *call.machine.world.streams.values())}
    for name in names:
        if kinds.get(name) == "blocking":
            raise _wrong(
                call, f"the legacy default stream is used while stream {name} is captured",
                "create that one with cudaStreamNonBlocking, or use another than the legacy stream",
            )  # fmt: skip


_BEFORE = "call it before the capture, or after cudaStreamEndCapture"


def _wrong(call: Call, message: str, help_: str) -> InputError:
    return error(Codes.BAD_ARGUMENTS, message, call.machine.span(call.state), help_)
