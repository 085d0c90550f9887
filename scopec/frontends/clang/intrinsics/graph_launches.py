"""Launches of graphs, which give each node's work to streams once more.

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
from scopec.frontends.clang.intrinsics import launch_events
from scopec.frontends.clang.intrinsics.host import graph_node
from scopec.frontends.clang.intrinsics.launches import issued, work_name
from scopec.frontends.clang.machine.spawned import EventNode, Launch
from scopec.program import ir

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scopec.frontends.clang.intrinsics.call import Call
    from scopec.frontends.clang.intrinsics.captures import Node


def place(call: Call, stream: ir.Stream) -> int:
    """A number for a stream."""
    known = [*call.machine.world.created.values(), *call.machine.world.streams.values()]
    return known.index(stream) if stream in known else -1


class Launching:
    """One launch of a graph: which stream does the work of each node."""

    def __init__(self, call: Call, name: str, nodes: Sequence[Node], stream: ir.Stream, off: frozenset[int]) -> None:
        self.call = call
        self.name = name
        self.nodes = nodes
        self.stream = stream
        world = call.machine.world
        known = list(world.captured.values())
        #: What each node does: nothing if it is disabled.
        self.works = [None if n in off else known[node.work] for n, node in enumerate(nodes)]
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
        launch_events.check_none_awaited(self.call, self.stream)
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
            self._give(n, to)
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
        dependent = any(isinstance(work, Launch) and work.dependent for work in self.works)
        if dependent and len(self.last) > 1:
            raise self.call.machine.refused(self.call.state, "a dependent launch in a graph that is no chain is")

    def _device(self, n: int) -> int:
        work = self.works[n]
        return self.stream.device if work is None or isinstance(work, EventNode) else work.stream.device

    def _give(self, n: int, stream: ir.Stream) -> None:
        match work := self.works[n]:
            case None:
                pass
            case EventNode(event, True):
                launch_events.check_other(self.call, event, "a graph's wait for")
                self._emit(ir.EventWait(event, stream.name))
            case EventNode(event):
                launch_events.forget(self.call.state, event)
                self._emit(ir.EventRecord(event, stream.name))
            case _:
                captured = "" if work.stream.name == graph_node(self.call.state).name else work.stream.name
                span = self.call.machine.span(self.call.state)
                name = self.call.machine.world.node_names.get(self.nodes[n].work, "")
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
