"""Graphs: nodes that a capture or calls make, and launches, which give each node's work to streams once more.

"Each launch is ordered behind both any previous work in stream and any previous launches of graphExec" (CUDA runtime
API, ``cudaGraphLaunch``).  A graph that is a chain is work of the launching stream.  Of another each branch is work of
a stream of its own, which waits for an event where an edge of the graph comes from elsewhere:

    a -> b, a -> c, b -> d, c -> d    is    s: a, record e1, b, wait e2, d    g.1: wait e1, c, record e2
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import error
from scopec.frontends.clang.intrinsics import captures
from scopec.frontends.clang.intrinsics.captures import Captured, Node, nodes_of
from scopec.frontends.clang.intrinsics.host import event_of, graph_node, stream_of, subject
from scopec.frontends.clang.intrinsics.launches import issued, work_name
from scopec.frontends.clang.llvm.numbers import number
from scopec.frontends.clang.machine.memory import Cell, Private
from scopec.frontends.clang.machine.names import unused
from scopec.frontends.clang.machine.spawned import EventNode, Launch
from scopec.frontends.clang.machine.state import Again
from scopec.program import ir

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scopec.frontends.clang.intrinsics.call import Call

_NO_GRAPH = 0
_EXECUTABLE, _LAST = Private((), "%executable graph"), Private((), "%launched in")


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
    captures.begin(call, stream_of(call, call.arguments[0]), _handle(call), call.known(1))
    return call.done()


def _end(call: Call) -> bool:
    return call.done(number(captures.end(call, stream_of(call, call.arguments[0])), 32))


def _is_capturing(call: Call) -> bool:
    stream = stream_of(call, call.arguments[0])
    return call.done(number(int(captures.captured(call.state, stream) is not None), 32))


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
    into, node = _opened(call), _node(call, 0)
    if node >= len(nodes_of(call.state, into.graph)):
        message = "a node of another graph cannot be one that this comes after"
        raise error(Codes.BAD_ARGUMENTS, message, call.machine.span(call.state))
    captures.capture(call.state, graph_node(call.state), replace(into, after=(*into.after, node)))
    return call.done()


def _node(call: Call, position: int) -> int:
    return call.known(position) - 1


def _close(call: Call) -> bool:
    """``node_close()``: the node that was made; one that does nothing if none was."""
    into = _opened(call)
    made = into.after[0] if call.known(0) else captures.add_node(call, into.graph, None, into.after)
    captures.release(call.state, graph_node(call.state))
    if (known := subject(call)) is not None:
        call.machine.world.node_names[nodes_of(call.state, into.graph)[made].work] = known[0]
    return call.done(number(made + 1, 32))


def _edge(call: Call) -> bool:
    """``graph_edge(graph, from, to)``."""
    graph, first, then = _known(call, 0), _node(call, 1), _node(call, 2)
    nodes = list(nodes_of(call.state, graph))
    nodes[then] = replace(nodes[then], after=(*nodes[then].after, first))
    captures.keep_nodes(call.state, graph, nodes)
    return call.done()


def _event(call: Call) -> bool:
    """``event_node(event, stream, waits)``: an event outside of the graph, which a launch records or waits for."""
    event, stream = event_of(call, 0), stream_of(call, call.arguments[1])
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
    call.emit(ir.ApiCall("cudaGraphInstantiate"))
    return call.done(number(handle, 32))


def _update(call: Call) -> bool:
    """``graph_update(executable, graph)``: its nodes are those of the graph from the next launch on."""
    handle, graph = _known(call, 0, _EXECUTABLE), _known(call, 1)
    before, nodes = nodes_of(call.state, handle, _EXECUTABLE), nodes_of(call.state, graph)
    if [node.after for node in before] != [node.after for node in nodes]:
        message = "cudaGraphExecUpdate fails: the graphs have different edges"
        raise error(Codes.BAD_ARGUMENTS, message, call.machine.span(call.state), "instantiate the new graph")
    captures.keep_nodes(call.state, handle, nodes, _EXECUTABLE)
    call.emit(ir.ApiCall("cudaGraphExecUpdate"))
    return call.done()


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
    handle, node = _known(call, 0, _EXECUTABLE), _node(call, 1)
    (made,), nodes = nodes_of(call.state, _NO_GRAPH), list(nodes_of(call.state, handle, _EXECUTABLE))
    captures.release(call.state, graph_node(call.state))
    if node >= len(nodes):
        message = "a node of another graph cannot be changed here"
        raise error(Codes.BAD_ARGUMENTS, message, call.machine.span(call.state))
    names = call.machine.world.node_names
    names[made.work] = names.get(nodes[node].work, "")
    nodes[node] = replace(nodes[node], work=made.work)
    captures.keep_nodes(call.state, handle, nodes, _EXECUTABLE)
    return call.done()


def _launch(call: Call) -> bool:
    handle, stream = _known(call, 0, _EXECUTABLE), stream_of(call, call.arguments[1])
    nodes = nodes_of(call.state, handle, _EXECUTABLE)
    if captures.captured(call.state, stream) is not None:
        _embed(call, stream, nodes)
        return call.done()
    captures.check_stream(call, stream)
    world, name = call.machine.world, list(call.machine.world.graphs.values())[handle - 1]
    last, now = call.state.cells.get((_LAST, handle)), number(_place(call, stream), 32)
    done = f"{name}.done"
    if last is not None and last.content != now:
        if name not in world.spread:
            world.spread.add(name)
            raise Again
        call.emit(ir.EventWait(done, stream.name))
    call.state.cells[_LAST, handle] = Cell(0, now)
    _Launching(call, name, nodes, stream).launch()
    if name in world.spread:
        call.emit(ir.EventRecord(done, stream.name))
    return call.done()


def _place(call: Call, stream: ir.Stream) -> int:
    """A number for a stream."""
    known = [*call.machine.world.created.values(), *call.machine.world.streams.values()]
    return known.index(stream) if stream in known else -1


class _Launching:
    """One launch of a graph: which stream does the work of each node."""

    def __init__(self, call: Call, name: str, nodes: Sequence[Node], stream: ir.Stream) -> None:
        self.call = call
        self.name = name
        self.nodes = nodes
        self.stream = stream
        world = call.machine.world
        self.works = list(world.captured.values())
        key = (call.machine.thread, call.state.again())
        world.graph_launches[key] = name
        #: Which launch of the graph this is.
        self.number = [place for place, of in world.graph_launches.items() if of == name].index(key) + 1
        self.order = _in_order(call, nodes)
        self.streams: dict[int, ir.Stream] = {}
        #: For each stream of the launch the last node that was given to it, and the nodes that it has waited for.
        self.last: dict[str, int] = {}

    def launch(self) -> None:
        """Give each node to a stream, behind those that it comes after."""
        self._place()
        own = {name for name in (one.name for one in self.streams.values()) if name != self.stream.name}
        roots = [n for n in self.order if not self.nodes[n].after and self.streams[n].name in own]
        if roots:
            self._emit(ir.EventRecord(f"{self.name}.begin", self.stream.name))
        for n in self.order:
            to = self.streams[n]
            if n in roots:
                self._emit(ir.EventWait(f"{self.name}.begin", to.name))
            for before in self.nodes[n].after:
                if self.streams[before].name != to.name:
                    self._emit(ir.EventWait(f"{self.name}.{before}", to.name))
            self._give(self.nodes[n].work, to)
            if any(n in other.after and self.streams[m].name != to.name for m, other in enumerate(self.nodes)):
                self._emit(ir.EventRecord(f"{self.name}.{n}", to.name))
        for n in self.order:  # what the stream does next comes after all of it
            if self.streams[n].name in own and all(n not in other.after for other in self.nodes):
                self._emit(ir.EventRecord(f"{self.name}.{n}", self.streams[n].name))
                self._emit(ir.EventWait(f"{self.name}.{n}", self.stream.name))

    def _place(self) -> None:
        """A node goes on where one that it comes after was the last; others begin a stream, the first the launching."""
        for n in self.order:
            device = self._device(n)
            going = [self.streams[b] for b in self.nodes[n].after if self.last[self.streams[b].name] == b]
            stream = next((one for one in going if one.device == device), None)
            if stream is None and self.stream.name not in self.last and device == self.stream.device:
                stream = self.stream
            if stream is None:
                stream = ir.Stream(f"{self.name}.{len(self.last) + 1}", "non-blocking", device)
                self.call.machine.world.streams.setdefault(stream.name, stream)
            self.streams[n] = stream
            self.last[stream.name] = n
        dependent = any(
            isinstance(work, Launch) and work.dependent for work in (self.works[n.work] for n in self.nodes)
        )
        if dependent and len(self.last) > 1:
            raise self.call.machine.refused(self.call.state, "a dependent launch in a graph that is no chain is")

    def _device(self, n: int) -> int:
        work = self.works[self.nodes[n].work]
        return self.stream.device if work is None or isinstance(work, EventNode) else work.stream.device

    def _give(self, place: int, stream: ir.Stream) -> None:
        match work := self.works[place]:
            case None:
                pass
            case EventNode(event, True):
                self._emit(ir.EventWait(event, stream.name))
            case EventNode(event):
                self._emit(ir.EventRecord(event, stream.name))
            case _:
                captured = "" if work.stream.name == graph_node(self.call.state).name else work.stream.name
                span = self.call.machine.span(self.call.state)
                name = self.call.machine.world.node_names.get(place, "")
                node = ir.GraphNode(self.name, span, self.stream, self.number, name, captured)
                issued(self.call, work_name(self.call, work.kernel, stream), replace(work, stream=stream, node=node))

    def _emit(self, operation: ir.Operation) -> None:
        self.call.emit(operation)


def _in_order(call: Call, nodes: Sequence[Node]) -> list[int]:
    """The nodes, each behind those that it comes after."""
    order: list[int] = []
    while len(order) < len(nodes):
        ready = [n for n, node in enumerate(nodes) if n not in order and set(node.after) <= set(order)]
        if not ready:
            message = "the edges of the graph go round, so no node can be first"
            raise error(Codes.BAD_ARGUMENTS, message, call.machine.span(call.state))
        order += ready[:1]
    return order


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
    "node_open": _open,
    "node_after": _after,
    "node_close": _close,
    "node_child": _child,
    "event_node": _event,
}
