"""Small programs: blocks of threads, the memory they name, and their instructions.

A location is a `Loc`: an element of an array, or an mbarrier (element 0 of its name). An element has `ELEMENT` bytes.
A value is a number or the name of a register of the thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

ELEMENT = 16  # bytes of an element: the least that a bulk copy moves

Value: TypeAlias = "int | str"


@dataclass(frozen=True)
class Loc:
    """An element; `address` tells virtual addresses of one location apart (vloc of section 2)."""

    name: str
    index: int = 0
    address: str = ""


@dataclass(frozen=True)
class Span:
    """Elements first .. first + count - 1 of an array."""

    name: str
    count: int = 1
    first: int = 0

    def locs(self) -> tuple[Loc, ...]:
        return tuple(Loc(self.name, self.first + i) for i in range(self.count))


# ------------------------------------------------------------------ memory accesses and fences


@dataclass(frozen=True)
class Load:
    loc: Loc
    dst: str
    order: str = "weak"  # weak relaxed acquire
    scope: str = "gpu"  # cta cluster gpu sys


@dataclass(frozen=True)
class Store:
    loc: Loc
    value: Value
    order: str = "weak"  # weak relaxed release
    scope: str = "gpu"


@dataclass(frozen=True)
class Add:
    """An atomic addition; a reduction where nobody uses `dst`."""

    loc: Loc
    value: Value
    dst: str | None = None
    order: str = "relaxed"  # relaxed acquire release acq_rel
    scope: str = "gpu"


@dataclass(frozen=True)
class Await:
    """A loop that loads until the value is there."""

    loc: Loc
    value: Value
    order: str = "acquire"  # relaxed acquire
    scope: str = "gpu"


@dataclass(frozen=True)
class Fence:
    order: str = "acq_rel"  # acquire release acq_rel sc
    scope: str = "gpu"


@dataclass(frozen=True)
class ProxyFence:
    kind: str = "async"  # async alias
    space: str | None = None  # shared global, None for both


@dataclass(frozen=True)
class FenceMbarrierInit:
    """fence.mbarrier_init.release.cluster"""


# ------------------------------------------------------------------ meetings of threads


@dataclass(frozen=True)
class BlockBarrier:
    """__syncthreads"""


@dataclass(frozen=True)
class NamedSync:
    id: int
    count: int


@dataclass(frozen=True)
class NamedArrive:
    id: int
    count: int


@dataclass(frozen=True)
class ClusterArrive:
    order: str = "release"  # release relaxed


@dataclass(frozen=True)
class ClusterWait:
    order: str = "acquire"  # acquire relaxed


@dataclass(frozen=True)
class SyncWarp:
    """Lanes are numbers of threads within the warp; None names all of them."""

    lanes: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Exchange:
    """A shuffle or a vote."""

    lanes: tuple[int, ...] | None = None


# ------------------------------------------------------------------ mbarriers (section 3)


@dataclass(frozen=True)
class Init:
    bar: str
    count: int


@dataclass(frozen=True)
class Inval:
    bar: str


@dataclass(frozen=True)
class Arrive:
    bar: str
    count: int = 1
    order: str = "release"  # release relaxed
    scope: str = "cta"  # cta cluster
    dst: str | None = None  # the register of the token
    no_complete: bool = False


@dataclass(frozen=True)
class ExpectTx:
    bar: str
    bytes: int


@dataclass(frozen=True)
class CompleteTx:
    bar: str
    bytes: int


@dataclass(frozen=True)
class ArriveExpectTx:
    """mbarrier.arrive.expect_tx; with a count, barrier_arrive_tx."""

    bar: str
    bytes: int
    count: int = 1
    order: str = "release"
    scope: str = "cta"
    dst: str | None = None


@dataclass(frozen=True)
class ArriveDrop:
    bar: str
    count: int = 1
    order: str = "release"
    scope: str = "cta"
    dst: str | None = None


@dataclass(frozen=True)
class Wait:
    """A wait for a parity or for the phase of a token. mode: loop, test (one test_wait), try (one try_wait).

    `dst` gets 1 or 0.
    """

    bar: str
    parity: int | None = None
    token: str | None = None
    mode: str = "loop"
    order: str = "acquire"  # acquire relaxed
    scope: str = "cta"
    dst: str | None = None


# ------------------------------------------------------------------ asynchronous instructions


@dataclass(frozen=True)
class BulkCopy:
    """A bulk copy (more than one destination: a multicast) that completes on a barrier of each destination.

    `add`: cp.reduce.async.bulk. `strong`: elements written relaxed at this scope (9.3).
    """

    src: Span
    dsts: tuple[Span, ...]
    bars: tuple[str, ...]
    add: bool = False
    strong: str | None = None


@dataclass(frozen=True)
class BulkStore:
    """A bulk copy or reduction that completes in a bulk group."""

    src: Span
    dst: Span
    add: bool = False


@dataclass(frozen=True)
class BulkCommit:
    pass


@dataclass(frozen=True)
class BulkWait:
    """cp.async.bulk.wait_group{.read} n"""

    n: int = 0
    read: bool = False


@dataclass(frozen=True)
class CpAsync:
    src: Span
    dst: Span


@dataclass(frozen=True)
class CpCommit:
    pass


@dataclass(frozen=True)
class CpWait:
    """cp.async.wait_group n; None: wait_all"""

    n: int | None = 0


@dataclass(frozen=True)
class CpArrive:
    """cp.async.mbarrier.arrive{.noinc}"""

    bar: str
    noinc: bool = False


@dataclass(frozen=True)
class StAsync:
    dst: Loc
    value: Value
    bar: str


@dataclass(frozen=True)
class RedAsync:
    """red.async.add"""

    dst: Loc
    value: Value
    bar: str


@dataclass(frozen=True)
class TcMma:
    """tcgen05.mma: reads shared operands, writes tensor memory. Values are unknown; 0 stands for them."""

    src: Span
    dst: Span


@dataclass(frozen=True)
class TcCommit:
    bar: str


@dataclass(frozen=True)
class TcLoad:
    """tcgen05.ld"""

    src: Span


@dataclass(frozen=True)
class TcWait:
    """tcgen05.wait::ld"""


@dataclass(frozen=True)
class TcFence:
    """tcgen05.fence::{before,after}_thread_sync"""

    side: str  # before after


# ------------------------------------------------------------------ control


@dataclass(frozen=True)
class Exit:
    pass


@dataclass(frozen=True)
class If:
    """`then` where the register has the value; nothing else."""

    register: str
    value: int
    then: Instruction


Instruction: TypeAlias = (
    "Load | Store | Add | Await | Fence | ProxyFence | FenceMbarrierInit | BlockBarrier | NamedSync | NamedArrive"
    " | ClusterArrive | ClusterWait | SyncWarp | Exchange | Init | Inval | Arrive | ExpectTx | CompleteTx"
    " | ArriveExpectTx | ArriveDrop | Wait | BulkCopy | BulkStore | BulkCommit | BulkWait | CpAsync | CpCommit"
    " | CpWait | CpArrive | StAsync | RedAsync | TcMma | TcCommit | TcLoad | TcWait | TcFence | Exit | If"
)


# ------------------------------------------------------------------ whole programs


@dataclass(frozen=True)
class Array:
    """Elements of global memory, of shared memory of a block, or of its tensor memory."""

    name: str
    size: int = 1
    block: int | None = None  # None: global
    init: int = 0
    tensor: bool = False


@dataclass(frozen=True)
class Barrier:
    """The place of an mbarrier in shared memory."""

    name: str
    block: int = 0


@dataclass(frozen=True)
class Thread:
    code: tuple[Instruction, ...]
    warp: int = 0  # a warp counts 32 however few of its lanes are written down; the others are as exited


@dataclass(frozen=True)
class Program:
    blocks: tuple[tuple[Thread, ...], ...]
    memory: tuple[Array | Barrier, ...] = ()
    cluster: int = 1  # blocks of a cluster, neighbours by number


@dataclass(frozen=True)
class Options:
    """proxy_fence: writer or path (section 2). eager: see machine.py. tries: a loop's failed try of an mbarrier is an event
    (it may race with an init, inval or ordinary access, nothing else); without it there are far fewer states."""

    proxy_fence: str = "writer"
    eager: bool = True
    tries: bool = True
    limit: int = 400_000  # states


DEFAULT = Options()
