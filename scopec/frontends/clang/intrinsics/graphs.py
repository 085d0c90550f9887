"""Graphs: nodes that a capture or calls make, and executable graphs (CUDA runtime API, "Graph Management")."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import error
from scopec.frontends.clang.intrinsics import captures, launch_events
from scopec.frontends.clang.intrinsics.captures import Captured, Node, nodes_of
from scopec.frontends.clang.intrinsics.graph_launches import Launching, place
from scopec.frontends.clang.intrinsics.host import event_of, graph_node, stream_of, subject
from scopec.frontends.clang.llvm.numbers import number
from scopec.frontends.clang.machine.memory import Cell, Private, Record
from scopec.frontends.clang.machine.names import unused
from scopec.frontends.clang.machine.spawned import Copy, EventNode, Launch
from scopec.frontends.clang.machine.state import Again
from scopec.program import ir
from scopec.program.values import Const

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scopec.frontends.clang.intrinsics.call import Call

_NO_GRAPH = 0
_EXECUTABLE, _LAST = Private((), "%executable graph"), Private((), "%launched in")
#: Of an executable graph: the graph that it is made of, and its nodes that are not enabled.
_MADE_OF, _OFF = Private((), "%made of"), Private((), "%not enabled")
#: A node's handle is that of its graph so many times, and its number from 1.
_NODES = 1 << 16
#: cudaGraphExecUpdateErrorTopologyChanged, cudaGraphExecUpdateErrorNodeTypeChanged, and above both.
_TOPOLOGY_CHANGED, _NODE_TYPE_CHANGED, _RESULTS = 2, 3, 16
_CAN_BE_OFF = ("cudaMemcpy", "cudaMemset")


def _handle(call: Call) -> int:
    """The handle of a new graph, or of a new executable one; from 1."""
    graphs, key = call.machine.world.graphs, (call.machine.thread, call.state.again())
    known = subject(call)
    if key not in graphs:
        graphs[key] = unused(known[0] if known is not None else "graph", graphs.values())
    return 1 + list(graphs).index(key)


def _known(call: Call, position: int, of: Private | None = None) -> int:
    """A handle of this thread."""
    handle, kind = call.known(position), of or captures.NODES
    if (kind, handle) not in call.state.cells:
        raise call.machine.refused(call.state, "a graph that this thread has not made is")
    return handle


def _create(call: Call) -> bool:
    handle = _handle(call)
    captures.keep_nodes(call.state, handle, ())
    return call.done(number(handle, 32))


def _begin(call: Call) -> bool:
    """``capture_begin(stream, mode, graph)``."""
    stream = stream_of(call, call.arguments[0])
    if call.known(2) == _NO_GRAPH:
        graph = _handle(call)
        captures.keep_nodes(call.state, graph, ())
    else:
        graph = _known(call, 2)
    captures.begin(call, stream, graph, call.known(1))
    return call.done()


def _end(call: Call) -> bool:
    return call.done(number(captures.end(call, stream_of(call, call.arguments[0])), 32))


def _is_capturing(call: Call) -> bool:
    stream = stream_of(call, call.arguments[0])
    return call.done(number(int(captures.captured(call.state, stream) is not None), 32))


def _capture(call: Call) -> Captured:
    """The capture that a stream is in: InputError for a stream that is in none."""
    stream = stream_of(call, call.arguments[0])
    into = captures.captured(call.state, stream)
    if into is None:
        raise error(Codes.BAD_ARGUMENTS, f"stream {stream.name} is not captured", call.machine.span(call.state))
    return into


def _capture_graph(call: Call) -> bool:
    return call.done(number(_capture(call).graph, 32))


def _capture_count(call: Call) -> bool:
    return call.done(number(len(_capture(call).after), 32))


def _capture_node(call: Call) -> bool:
    """``capture_node(stream, position)``."""
    into = _capture(call)
    return call.done(number(_name(into.graph, into.after[call.known(1)]), 32))


def _capture_clear(call: Call) -> bool:
    """``capture_clear(stream)``: its next work comes after none of the nodes.

    "Nodes that are removed from the dependency set via this API do not result in cudaErrorStreamCaptureUnjoined"
    (CUDA runtime API, ``cudaStreamUpdateCaptureDependencies``).
    """
    captures.capture(call.state, stream_of(call, call.arguments[0]), replace(_capture(call), after=()))
    return call.done()


def _capture_after(call: Call) -> bool:
    """``capture_after(stream, node)``: its next work comes after a node, too."""
    into = _capture(call)
    node = _node(call, 1, into.graph)
    after = tuple(dict.fromkeys((*into.after, node)))
    captures.capture(call.state, stream_of(call, call.arguments[0]), replace(into, after=after))
    return call.done()


# ---------------------------------------------------------------- nodes that calls make


def _open(call: Call) -> bool:
    """``node_open(graph)``: what is given to the stream of nodes from here on is a node of this graph."""
    captures.capture(call.state, graph_node(call.state), Captured(_known(call, 0), ()))
    return call.done()


def _opened(call: Call) -> Captured:
    into = captures.captured(call.state, graph_node(call.state))
    assert into is not None
    return into


def _after(call: Call) -> bool:
    """``node_after(node)``: that comes after a node."""
    into = _opened(call)
    node = _node(call, 0, into.graph)
    captures.capture(call.state, graph_node(call.state), replace(into, after=(*into.after, node)))
    return call.done()


def _node(call: Call, position: int, graph: int) -> int:
    """The number of a node by its handle: InputError for one that is not of this graph."""
    of, node = divmod(call.known(position), _NODES)
    if of != graph or not 0 < node <= len(nodes_of(call.state, graph)):
        message = "a node of another graph cannot be named here"
        raise error(Codes.BAD_ARGUMENTS, message, call.machine.span(call.state), "name a node of this graph")
    return node - 1


def _name(graph: int, node: int) -> int:
    """The handle of a node."""
    return graph * _NODES + node + 1


def _close(call: Call) -> bool:
    """``node_close()``: the node that was made; one that does nothing if none was."""
    into = _opened(call)
    made = into.after[0] if call.known(0) else captures.add_node(call, into.graph, None, into.after)
    captures.release(call.state, graph_node(call.state))
    if (known := subject(call)) is not None:
        call.machine.world.node_names[nodes_of(call.state, into.graph)[made].work] = known[0]
    return call.done(number(_name(into.graph, made), 32))


def _edge(call: Call) -> bool:
    """``graph_edge(graph, from, to)``."""
    graph = _known(call, 0)
    first, then = _node(call, 1, graph), _node(call, 2, graph)
    nodes = list(nodes_of(call.state, graph))
    nodes[then] = replace(nodes[then], after=(*nodes[then].after, first))
    captures.keep_nodes(call.state, graph, nodes)
    return call.done()


def _event(call: Call) -> bool:
    """``event_node(event, stream, waits)``: an event outside of the graph, which a launch records or waits for."""
    event, stream = event_of(call, 0), stream_of(call, call.arguments[1])
    launch_events.check_other(call, event, "a node of a graph for")
    captures.append(call, stream, EventNode(event, bool(call.known(2))))
    return call.done()


def _child(call: Call) -> bool:
    """``node_child(graph)``: the nodes of another graph, as they are now."""
    _embed(call, graph_node(call.state), nodes_of(call.state, _known(call, 0)))
    return call.done()


def _embed(call: Call, stream: ir.Stream, nodes: Sequence[Node]) -> None:
    """Add the nodes of one graph to another; what is given to the stream comes after all of them."""
    into = captures.captured(call.state, stream)
    assert into is not None
    known = nodes_of(call.state, into.graph)
    added = [
        replace(node, after=tuple(len(known) + n for n in node.after) if node.after else into.after) for node in nodes
    ]
    captures.keep_nodes(call.state, into.graph, (*known, *added))
    ends = tuple(len(known) + n for n in range(len(nodes)) if all(n not in other.after for other in nodes))
    end = captures.add_node(call, into.graph, None, ends or into.after)
    captures.capture(call.state, stream, Captured(into.graph, (end,)))


# ---------------------------------------------------------------- executable graphs


def _instantiate(call: Call) -> bool:
    graph, handle = _known(call, 0), _handle(call)
    captures.keep_nodes(call.state, handle, nodes_of(call.state, graph), _EXECUTABLE)
    call.state.cells[_MADE_OF, handle] = Cell(0, number(graph, 32))
    call.emit(ir.ApiCall("cudaGraphInstantiate"))
    return call.done(number(handle, 32))


def _update(call: Call) -> bool:
    """``graph_update(executable, graph)``: its nodes are those of the graph from the next launch on.

    Of one "not performed because it included changes which violated constraints" (cudaErrorGraphExecUpdateFailure)
    it is the result, and in the higher bits the node that it is about.  Graphs of the same nodes and edges in another
    order may be refused or not, so they are not modelled.
    """
    handle, graph = _known(call, 0, _EXECUTABLE), _known(call, 1)
    before, nodes = nodes_of(call.state, handle, _EXECUTABLE), nodes_of(call.state, graph)
    call.emit(ir.ApiCall("cudaGraphExecUpdate"))
    if [node.after for node in before] != [node.after for node in nodes]:
        if _degrees(before) == _degrees(nodes):
            message, help_ = "cudaGraphExecUpdate by a graph that was made in another order is", "instantiate the graph"
            raise call.machine.refused(call.state, message, help_)
        return call.done(number(_TOPOLOGY_CHANGED, 64))
    for place_, (one, other) in enumerate(zip(before, nodes, strict=True)):
        if _kind(call, one) != _kind(call, other):
            return call.done(number(_NODE_TYPE_CHANGED + _name(graph, place_) * _RESULTS, 64))
    captures.keep_nodes(call.state, handle, nodes, _EXECUTABLE)
    return call.done(number(0, 64))


def _degrees(nodes: Sequence[Node]) -> list[tuple[int, int]]:
    """How many edges lead to each node, and from it: two graphs that differ in that are unlike in any order."""
    return sorted((len(node.after), sum(n in other.after for other in nodes)) for n, node in enumerate(nodes))


def _clone(call: Call) -> bool:
    graph, handle = _known(call, 0), _handle(call)
    captures.keep_nodes(call.state, handle, nodes_of(call.state, graph))
    return call.done(number(handle, 32))


def _size(call: Call) -> bool:
    return call.done(number(len(nodes_of(call.state, _known(call, 0))), 32))


def _work_open(call: Call) -> bool:
    """``work_open()``: what is given to the stream of nodes from here on is a node of no graph."""
    captures.keep_nodes(call.state, _NO_GRAPH, ())
    captures.capture(call.state, graph_node(call.state), Captured(_NO_GRAPH, ()))
    return call.done()


def _work_of(call: Call) -> bool:
    """``work_of(executable, node)``: that is what a node does from the next launch on."""
    handle, node = _of_executable(call)
    _change(call, handle, node, _EXECUTABLE)
    return call.done()


def _work_in(call: Call) -> bool:
    """``work_in(node)``: that is what a node does in what is made of its graph from here on."""
    graph = call.known(0) // _NODES
    if (captures.NODES, graph) not in call.state.cells:
        raise call.machine.refused(call.state, "a node that this thread has not made is")
    _change(call, graph, _node(call, 0, graph), captures.NODES)
    return call.done()


def _of_executable(call: Call) -> tuple[int, int]:
    """An executable graph, and a node "from the graph from which graphExec was instantiated"."""
    handle = _known(call, 0, _EXECUTABLE)
    graph = call.state.cells[_MADE_OF, handle].content
    assert isinstance(graph, Const)
    return handle, _node(call, 1, graph.value)


def _change(call: Call, graph: int, node: int, of: Private) -> None:
    made, nodes = nodes_of(call.state, _NO_GRAPH), list(nodes_of(call.state, graph, of))
    captures.release(call.state, graph_node(call.state))
    if len(made) != 1:
        raise call.machine.refused(call.state, "a change of a node to a copy of several rows is", "add a node for it")
    if node >= len(nodes):  # the graph has got it later
        raise error(Codes.BAD_ARGUMENTS, "the node is in no executable graph", call.machine.span(call.state))
    if _kind(call, made[0]) != _kind(call, nodes[node]):
        message = "a node of one type cannot be made one of another"
        raise error(Codes.BAD_ARGUMENTS, message, call.machine.span(call.state), "compare with the call that made it")
    names = call.machine.world.node_names
    names[made[0].work] = names.get(nodes[node].work, "")
    nodes[node] = replace(nodes[node], work=made[0].work)
    captures.keep_nodes(call.state, graph, nodes, of)


def _kind(call: Call, node: Node) -> object:
    """The type of a node."""
    match list(call.machine.world.captured.values())[node.work]:
        case Copy(kind):
            return kind
        case EventNode(_, waits):
            return waits
        case work:
            return type(work)


def _off(call: Call, executable: int) -> frozenset[int]:
    """The nodes of an executable graph that are not enabled."""
    cell = call.state.cells.get((_OFF, executable))
    if cell is None or not isinstance(cell.content, Record):
        return frozenset()
    return frozenset(one.value for one in cell.content.parts if isinstance(one, Const))


def _enable(call: Call) -> bool:
    """``node_enable(executable, node, enabled)``: "Disabled nodes are functionally equivalent to empty nodes until they
    are reenabled. Existing node parameters are not affected" (CUDA runtime API, ``cudaGraphNodeSetEnabled``).
    """
    handle, node = _of_executable(call)
    of = nodes_of(call.state, handle, _EXECUTABLE)[node]
    if _kind(call, of) not in (Launch, *_CAN_BE_OFF):
        message = "only nodes of kernels, copies and fills can be disabled"
        raise error(Codes.BAD_ARGUMENTS, message, call.machine.span(call.state))
    off = _off(call, handle) - {node} if call.known(2) else _off(call, handle) | {node}
    call.state.cells[_OFF, handle] = Cell(0, Record(tuple(number(one, 32) for one in sorted(off))))
    return call.done()


def _enabled(call: Call) -> bool:
    handle, node = _of_executable(call)
    return call.done(number(int(node not in _off(call, handle)), 8))


def _launch(call: Call) -> bool:
    handle, stream = _known(call, 0, _EXECUTABLE), stream_of(call, call.arguments[1])
    nodes = nodes_of(call.state, handle, _EXECUTABLE)
    if captures.captured(call.state, stream) is not None:
        if _off(call, handle):
            raise call.machine.refused(call.state, "a graph with disabled nodes that is launched in a capture is")
        _embed(call, stream, nodes)
        return call.done()
    captures.check_stream(call, stream)
    world, name = call.machine.world, list(call.machine.world.graphs.values())[handle - 1]
    last, now = call.state.cells.get((_LAST, handle)), number(place(call, stream), 32)
    done = f"{name}.done"
    if last is not None and last.content != now:
        if name not in world.spread:
            world.spread.add(name)
            raise Again
        call.emit(ir.EventWait(done, stream.name))
    call.state.cells[_LAST, handle] = Cell(0, now)
    Launching(call, name, nodes, stream, _off(call, handle)).launch()
    if name in world.spread:
        call.emit(ir.EventRecord(done, stream.name))
    return call.done()


#: The intrinsics of graphs.
GRAPHS: dict[str, Callable[[Call], bool]] = {
    "capture_begin": _begin,
    "capture_end": _end,
    "capture_status": _is_capturing,
    "graph_create": _create,
    "graph_edge": _edge,
    "graph_instantiate": _instantiate,
    "graph_update": _update,
    "graph_launch": _launch,
    "graph_clone": _clone,
    "graph_size": _size,
    "work_open": _work_open,
    "work_of": _work_of,
    "work_in": _work_in,
    "node_enable": _enable,
    "node_enabled": _enabled,
    "capture_graph": _capture_graph,
    "capture_count": _capture_count,
    "capture_node": _capture_node,
    "capture_clear": _capture_clear,
    "capture_after": _capture_after,
    "node_open": _open,
    "node_after": _after,
    "node_close": _close,
    "node_child": _child,
    "event_node": _event,
}
