"""Work that host threads start elsewhere: launches, copies, functions that a stream calls, threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from scopec.base.records import dataclass
from scopec.program.streams import Queued

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.base.source import Span
    from scopec.frontends.clang.llvm import code as llvm
    from scopec.frontends.clang.llvm.debug import Leaf
    from scopec.frontends.clang.machine.memory import Cell, Content, Private
    from scopec.program import ir


@dataclass(frozen=True)
class Launch:
    """A kernel with its arguments, as a host thread launches it.

    ``shared`` are the bytes of its ``extern`` arrays, ``passed`` the objects that its threads load arguments from.
    """

    kernel: str
    function: llvm.Function
    arguments: tuple[Content, ...]
    cells: Mapping[tuple[Private, int], Cell]
    span: Span
    blocks: ir.Dim
    threads: ir.Dim
    stream: ir.Stream
    cooperative: bool
    cluster: ir.Dim | None
    domain: int
    shared: int
    passed: tuple[str, ...]
    dependent: bool = False
    node: ir.GraphNode | None = None
    events: tuple[ir.LaunchEvent, ...] = ()
    awaits: tuple[ir.Awaited, ...] = ()


@dataclass(frozen=True)
class Copy:
    """A copy or fill of memory that a host thread issues to a stream.

    ``pageable`` is what it reads, if that may be read as soon as it is issued.
    """

    kernel: str
    body: ir.Body
    span: Span
    stream: ir.Stream
    pageable: tuple[tuple[ir.Place, Leaf], ...] = ()
    node: ir.GraphNode | None = None


@dataclass(frozen=True)
class Callback:
    """A function of the host that a stream calls."""

    function: str
    argument: Content
    span: Span
    stream: ir.Stream
    kernel: str
    passed: tuple[str, ...]
    node: ir.GraphNode | None = None


@dataclass(frozen=True)
class Started:
    """A thread of the host that another one creates: what it runs, on its own copy of what it was given."""

    key: tuple[object, ...]
    function: str
    argument: Content
    cells: Mapping[tuple[Private, int], Cell]
    passed: tuple[str, ...]


@dataclass(frozen=True)
class EventNode:
    """An event outside of a graph that a launch of it records, or waits for."""

    event: str
    waits: bool


#: What a node of a graph does; an empty one nothing.
GraphWork: TypeAlias = Launch | Copy | Callback | EventNode | None


def queued(work: Launch | Copy | Callback) -> Queued:
    """Work as its stream orders it."""
    if isinstance(work, Launch):
        return Queued(work.stream, True, work.dependent, work.awaits)
    return Queued(work.stream, False, False)
