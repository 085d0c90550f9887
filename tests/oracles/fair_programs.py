"""Programs of the checker of fair cycles (``fair_cycles``), and what is read into the documents where they leave it open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class AtomicStore:
    obj: str
    value: int


@dataclass(frozen=True)
class AtomicAdd:
    obj: str
    value: int


@dataclass(frozen=True)
class PlainStore:
    obj: str
    value: int


@dataclass(frozen=True)
class Spin:
    """Read until equal. "automatic": volatile or atomic reads of the thread's own object, never equal (obj unused)."""

    obj: str
    value: int
    kind: Literal["atomic", "volatile", "plain", "automatic"]


@dataclass(frozen=True)
class LockSpin:
    """loop { old = exchange(obj, 1) } until old == 0."""

    obj: str


@dataclass(frozen=True)
class WeakLockSpin:
    """loop { compare_exchange_weak(obj, 0, 1) } until it succeeds; with a load of obj after each failure."""

    obj: str


@dataclass(frozen=True)
class Acquire:
    """A semaphore's acquire: when obj > 0, obj -= 1, in one step."""

    obj: str


@dataclass(frozen=True)
class WaitWhile:
    """The wait of an atomic: blocks while obj == value, and looks again only when it is notified."""

    obj: str
    value: int


@dataclass(frozen=True)
class Notify:
    obj: str
    everyone: bool


@dataclass(frozen=True)
class LoopForever:
    """obj (and value) only for "atomic_store" and "atomic_load"."""

    kind: Literal["empty", "yield", "atomic_store", "atomic_load"]
    obj: str = ""
    value: int = 1


@dataclass(frozen=True)
class LocalLoop:
    n: int


@dataclass(frozen=True)
class SyncThreads:
    """Device only."""


@dataclass(frozen=True)
class GroupSync:
    """Device only."""

    group: Literal["warp", "cluster", "grid"]


@dataclass(frozen=True)
class IfEquals:
    obj: str
    value: int
    then: tuple[Stmt, ...]


@dataclass(frozen=True)
class Yield:
    pass


@dataclass(frozen=True)
class Launch:
    """Host only; each grid is launched by at most one statement."""

    grid: str


@dataclass(frozen=True)
class DeviceSynchronize:
    """Host only."""

    device: int = 0


@dataclass(frozen=True)
class StreamSynchronize:
    """Host only."""

    stream: str


@dataclass(frozen=True)
class StreamQueryOnce:
    """Host only; the result is discarded."""

    stream: str


@dataclass(frozen=True)
class QuerySpin:
    """Host only: while (atomic load obj != value) { (void)cudaStreamQuery(stream); }."""

    obj: str
    value: int
    stream: str


@dataclass(frozen=True)
class EventRecord:
    """Host only."""

    event: str
    stream: str


@dataclass(frozen=True)
class EventWait:
    """Host only: what is issued to the stream from now on waits for the event."""

    event: str
    stream: str


@dataclass(frozen=True)
class EventSynchronize:
    """Host only."""

    event: str


@dataclass(frozen=True)
class EventQuerySpin:
    """Host only: while (cudaEventQuery(event) == cudaErrorNotReady);."""

    event: str


@dataclass(frozen=True)
class Create:
    """Host only; each thread is created by at most one statement."""

    thread: str


@dataclass(frozen=True)
class Join:
    """Host only."""

    thread: str


Stmt = (
    AtomicStore | AtomicAdd | PlainStore | Spin | LockSpin | WeakLockSpin | Acquire | WaitWhile | Notify | LoopForever
    | LocalLoop | SyncThreads | GroupSync | IfEquals | Yield | Launch | DeviceSynchronize | StreamSynchronize
    | StreamQueryOnce | QuerySpin | EventRecord | EventWait | EventSynchronize | EventQuerySpin | Create | Join
)  # fmt: skip
Body = tuple[Stmt, ...]


@dataclass(frozen=True)
class Grid:
    """Stream "0": legacy default; "nb...": non-blocking; any other name: an ordinary blocking stream; of one device.

    A copy or a function on the host is a grid of one thread; a copy has no statements.
    """

    stream: str
    blocks: int
    threads: int
    body: Callable[[int, int], Body] | Mapping[tuple[int, int], Body]
    cluster: int = 1
    cooperative: bool = False
    work: Literal["kernel", "copy", "function"] = "kernel"
    device: int = 0


@dataclass(frozen=True)
class Program:
    host: Body
    grids: Mapping[str, Grid]
    objects: Mapping[str, int]
    others: Mapping[str, Body] = field(default_factory=dict)


@dataclass(frozen=True)
class Readings:
    """Where the document leaves something open; and what is assumed beside it.

    ``resident``: every block that may start does.  ``in_order``: a cluster starts once all before it in its grid have.
    ``places``: so many blocks of a device have started and not ended, at most, and a block that fits in does start; a
    cluster or a cooperative grid takes the places of all its blocks.
    """

    api_blocks: bool = True
    exited_threads_hold: bool = False
    environment: bool = False
    host_progress: bool = True
    resident: bool = False
    in_order: bool = False
    places: int | None = None
