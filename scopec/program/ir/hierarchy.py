"""The execution hierarchy: grids, threads, streams."""

from __future__ import annotations

from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from scopec.base.records import dataclass
from scopec.program.ir.graphs import Body
from scopec.program.ir.launch_events import Awaited, LaunchEvent
from scopec.program.values import Given

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.base.source import Span


@dataclass(frozen=True, slots=True)
class Dim:
    """An extent or an index in three dimensions."""

    x: int = 1
    y: int = 1
    z: int = 1

    @property
    def count(self) -> int:
        """The number of positions of an extent."""
        return self.x * self.y * self.z

    def __str__(self) -> str:
        return f"{self.x}x{self.y}x{self.z}"

    def position(self, index: int) -> Dim:
        """The ``index``-th position in an extent, x fastest."""
        return Dim(index % self.x, index // self.x % self.y, index // (self.x * self.y))


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream of one device: its legacy default stream, or one that the program created."""

    name: str
    kind: Literal["legacy", "blocking", "non-blocking"] = "blocking"
    device: int = 0


def legacy_stream(device: int) -> Stream:
    """The legacy default stream of a device."""
    return Stream(f"stream0@{device}" if device else "stream0", "legacy", device)


class Work(Enum):
    """Work of a stream: a kernel's grid, a copy (or memset, allocation, free) of memory, a host function."""

    KERNEL = "kernel"
    COPY = "copy"
    HOST_FUNCTION = "host function"


@dataclass(frozen=True, slots=True)
class GraphNode:
    """The node of a graph whose work a launch of the graph is: the executable graph, where and in which stream it is
    launched, and which of its launches this is, from 1; the variable that has the node, or the stream in which its work
    was captured.
    """

    graph: str
    launch: Span
    launched: Stream
    number: int
    name: str = ""
    stream: str = ""


@dataclass(frozen=True)
class Grid:
    """One launch of a kernel: its name (``mp``, a second launch ``mp#2``), extents, stream and device.

    Copies and host functions in a stream are grids of one thread, told apart by ``work``.  ``cluster`` is the extent of
    a thread block cluster in blocks, None for a launch without clusters; ``cooperative`` says whether it is a
    cooperative launch; ``domain`` is the memory synchronization domain.  With ``apart`` the threads have no nodes of
    the body in common but by chance: what they have in common are places in the source.  A ``dependent`` one may start
    before the kernel that its stream has before it is complete (programmatic stream serialization).  ``events`` are
    those that the launch records, and ``awaits`` the grids of such events for which its stream waits directly before
    it.  ``node`` is the node of a graph whose work this is; ``span`` is where that was captured, or added, then.
    """

    name: str
    kernel: str
    span: Span
    blocks: Dim
    threads: Dim
    stream: Stream
    body: Body
    device: int = 0
    cluster: Dim | None = None
    cooperative: bool = False
    domain: int = 0
    work: Work = Work.KERNEL
    apart: bool = False
    dependent: bool = False
    node: GraphNode | None = None
    events: tuple[LaunchEvent, ...] = ()
    awaits: tuple[Awaited, ...] = ()

    @cached_property
    def given(self) -> Given:
        """The values of its body for each thread."""
        return Given()


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread that does something.  ``name`` is how expectations call it: ``main``, ``mp[1][0]``, or ``P0``.

    ``grid`` is None for a thread that no launch starts; ``block`` and ``lane`` are linear indices in a grid.  ``unit``
    names the thread block of a device thread without a grid; a thread with neither is a host thread.  ``cluster`` names
    the thread block cluster, None for a block that is in none; ``domain`` and ``work`` are those of the grid.
    """

    name: str
    body: Body
    grid: str | None = None
    block: int = 0
    lane: int = 0
    device: int = 0
    builtins: Mapping[str, int] | None = None
    unit: str | None = None
    cluster: str | None = None
    domain: int = 0
    work: Work = Work.KERNEL

    @property
    def is_host(self) -> bool:
        """Whether the host's implementation runs this thread."""
        return self.work is Work.HOST_FUNCTION or (self.grid is None and self.unit is None)

    @property
    def block_name(self) -> str:
        """The thread block, ``mp[1]``; a host thread is a block of its own."""
        if self.grid is not None:
            return f"{self.grid}[{self.block}]"
        return self.unit if self.unit is not None else self.name

    @property
    def cluster_name(self) -> str:
        """The thread block cluster; a block outside a cluster is a cluster of its own (PTX ISA, "Clusters")."""
        return self.cluster if self.cluster is not None else self.block_name
