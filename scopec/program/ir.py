"""The Program form: threads in their places, objects with storage, one control-flow graph per kernel launch.

A *body* is shared by the threads of a grid; what differs between them is in their :class:`Builtin` values and in the
instances of per-block and per-thread objects.  :mod:`scopec.program.specialise` makes it one graph a thread.
"""

from __future__ import annotations

from enum import Enum, IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

from scopec.base.records import dataclass
from scopec.program.values import Given

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from scopec.base.source import Span
    from scopec.program.types import IntType
    from scopec.program.values import Value


class Order(Enum):
    """Memory orders ([atomics.order]); ``consume`` is read as ``acquire``, as every compiler does."""

    RELAXED = "relaxed"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"
    SEQ_CST = "seq_cst"

    @property
    def acquires(self) -> bool:
        """Whether a read or fence of this order is an acquire."""
        return self in (Order.ACQUIRE, Order.ACQ_REL, Order.SEQ_CST)

    @property
    def releases(self) -> bool:
        """Whether a write or fence of this order is a release."""
        return self in (Order.RELEASE, Order.ACQ_REL, Order.SEQ_CST)


#: The orders that C++ has for operations that only read, and for those that only write ([atomics.types.operations]).
READ_ORDERS = (Order.RELAXED, Order.ACQUIRE, Order.SEQ_CST)
WRITE_ORDERS = (Order.RELAXED, Order.RELEASE, Order.SEQ_CST)


class Scope(IntEnum):
    """Thread scopes, from the narrowest to the widest (memory model, "Scope Relationships").

    A cluster scope is PTX's; CUDA C++ has no name for it.
    """

    THREAD = 0
    BLOCK = 1
    CLUSTER = 2
    DEVICE = 3
    SYSTEM = 4


class Storage(Enum):
    """Where an object lives: the atomicity clauses and the automatic-storage exceptions read it.

    Memory-mapped files and hugetlbfs allocations are system-allocated memory that one clause takes out.
    """

    DEVICE = "device"
    MANAGED = "managed"
    MAPPED = "mapped"
    SYSTEM = "system"
    FILE = "file"
    HUGETLB = "hugetlb"
    SHARED = "shared"
    AUTOMATIC = "automatic"


#: Host memory as the system allocates it.
PAGEABLE = frozenset({Storage.SYSTEM, Storage.FILE, Storage.HUGETLB})


class Use(Enum):
    """What an object is for: data, or one of the library's synchronisation objects.

    The value of a latch or semaphore is its counter; that of a barrier is the state that its operations say, and where
    it has one from the start, that of a barrier for so many arrivals.  A value that is passed to a thread or staged by
    a copy is in no memory that the program knows, nor is what says how long there is other memory.  A lifetime says
    whether objects are there: a beginning and an end write it, and what accesses these objects reads it.
    """

    DATA = "data"
    BARRIER = "barrier"
    LATCH = "latch"
    SEMAPHORE = "semaphore"
    STOP = "stop state"
    PASSED = "passed value"
    LIFETIME = "lifetime"


@dataclass(frozen=True, slots=True)
class Object:
    """A variable in memory.

    ``name`` is unique in the program; ``values`` are the initial values of its elements (one for a scalar), None where
    the object starts without one.  A shared object has one instance per block, an automatic one per device thread, a
    ``__device__`` one per device, unless ``device`` names the device in whose memory the only instance is; a shared one
    of which that is so is the instance of one block, whose name is in its own (``k[1].tile``).  A local variable of a
    host thread is one object in system memory.

    A member of a class in an array has ``[]`` in its name where the elements are told apart (``pool[].next``);
    ``shape`` are the extents of the arrays around and in it, outermost first.  ``align`` is its alignment where that is
    not the natural one.
    """

    name: str
    span: Span
    type: IntType
    storage: Storage
    values: tuple[int | None, ...]
    array: bool = False
    use: Use = Use.DATA
    shape: tuple[int, ...] = ()
    device: int | None = None
    align: int | None = None

    @property
    def size(self) -> int:
        """Bytes of one element, which is what an atomic operation affects."""
        return self.type.size

    @property
    def alignment(self) -> int:
        """The alignment in bytes; natural where nothing else is said."""
        return self.size if self.align is None else self.align

    def element(self, index: int) -> str:
        """How the source calls an element: ``a[1]``, ``pool[1].next``; the name itself if it is no array."""
        if not self.array:
            return self.name
        positions: list[int] = []
        for extent in reversed(self.shape or (len(self.values),)):
            index, position = divmod(index, extent)
            positions.insert(0, position)
        head, *parts = self.name.split("[]")
        shown = head + "".join(f"[{positions.pop(0)}]{part}" for part in parts)
        return shown + "".join(f"[{position}]" for position in positions)


@dataclass(frozen=True, slots=True)
class Place:
    """An element of an object: which one is an expression over registers and builtins."""

    object: str
    index: Value


@dataclass(frozen=True, slots=True)
class Mode:
    """How an access is made: plain (no order), volatile, or atomic with an order at a scope."""

    order: Order | None = None
    scope: Scope = Scope.THREAD
    volatile: bool = False

    @property
    def atomic(self) -> bool:
        """Whether the access is made by an atomic operation."""
        return self.order is not None


PLAIN = Mode()
VOLATILE = Mode(volatile=True)

# ---------------------------------------------------------------- operations


@dataclass(frozen=True, slots=True)
class Set:
    """``register = value``: local to the thread."""

    target: str
    value: Value


@dataclass(frozen=True, slots=True)
class Load:
    """``target = *place``."""

    target: str
    place: Place
    mode: Mode


@dataclass(frozen=True, slots=True)
class Store:
    """``*place = value``."""

    place: Place
    value: Value
    mode: Mode


@dataclass(frozen=True, slots=True)
class Rmw:
    """``target = *place; *place = new`` in one step; ``new`` mentions the old value as the register ``target``.

    A reduction of PTX gives nobody the old value.
    """

    target: str
    place: Place
    new: Value
    mode: Mode
    reduction: bool = False


@dataclass(frozen=True, slots=True)
class CompareExchange:
    """``target = *place; if (target == expected) *place = desired``; ``failure`` is the order of a failed one.

    ``succeeded`` gets the result; a weak operation may fail although the values are equal.
    """

    target: str
    succeeded: str
    place: Place
    expected: Value
    desired: Value
    mode: Mode
    failure: Order
    weak: bool


@dataclass(frozen=True, slots=True)
class Fence:
    """``atomic_thread_fence(order, scope)``."""

    order: Order
    scope: Scope


@dataclass(frozen=True, slots=True)
class Await:
    """``target = *place``, when ``condition`` holds of it, and in the same step ``*place = new`` (None: no store).

    The thread blocks until then.  ``condition`` and ``new`` mention the value as the register ``target``.  This is a
    semaphore's ``acquire``, a latch's ``wait``, and the ``wait`` of an atomic, where a thread that has begun to wait
    looks again only when it is notified (``notified``).
    """

    target: str
    place: Place
    condition: Value
    mode: Mode
    new: Value | None = None
    notified: bool = False


@dataclass(frozen=True, slots=True)
class BarrierInit:
    """A ``cuda::barrier`` is made: "the initial expected count for each barrier phase" is ``count``.

    The state of a barrier is its phase, how many arrivals each phase expects, and how many are pending in this one.
    """

    place: Place
    count: Value

    @property
    def mode(self) -> Mode:
        """To construct is no atomic operation."""
        return PLAIN


@dataclass(frozen=True, slots=True)
class BarrierArrive:
    """``update`` threads arrive in the phase ``target``: the last ones that are pending end it, and the next begins.

    With ``drop`` each phase expects one arrival less from then on.
    """

    target: str
    place: Place
    update: Value
    mode: Mode
    drop: bool = False


@dataclass(frozen=True, slots=True)
class BarrierWait:
    """The thread blocks until the barrier is in a phase, ``target``, of which ``condition`` holds."""

    target: str
    place: Place
    condition: Value
    mode: Mode


@dataclass(frozen=True, slots=True)
class BarrierPhase:
    """``target`` is the phase that a barrier is in: what the ``try_wait`` functions look at."""

    target: str
    place: Place
    mode: Mode


@dataclass(frozen=True, slots=True)
class Notify:
    """``notify_one`` or ``notify_all`` of an atomic: threads that wait on the place look again."""

    place: Place
    everyone: bool


@dataclass(frozen=True, slots=True)
class Decide:
    """``target`` is true or false.

    ``what`` says where that comes from.  A ``failure`` is false: a ``try_`` function may fail without a reason, but not
    for ever.  A ``timeout`` is true where a wait gives up, at last: it counts its turns.  Nothing is promised about the
    ``order`` in which operands are evaluated, nor about what is ``unknown``, as a floating-point number is, nor about
    what a ``clock`` says.  A ``watchdog`` is true where a clock has said for too long that a wait goes on: executions
    may do what it does then, schedules are taken not to.
    """

    target: str
    what: Literal["failure", "timeout", "order", "unknown", "clock", "watchdog"] = "failure"


@dataclass(frozen=True, slots=True)
class Operand:
    """From here on an operand of an evaluation is evaluated, and nothing orders it with the others of that evaluation.

    The operands stand one after the other, numbered from 0; with the number None all of them are evaluated.  Those of a
    ``vector`` are the loads or stores of its elements.
    """

    evaluation: int
    number: int | None
    vector: bool = False


@dataclass(frozen=True, slots=True)
class Called:
    """The body of a function that an operand calls begins, or ends: no other operand is evaluated in between."""

    begins: bool


@dataclass(frozen=True, slots=True)
class Vote:
    """The result of ``__syncthreads_count``, ``_and`` or ``_or`` over the ``predicate`` of every thread that comes."""

    target: str
    function: Literal["count", "and", "or"]
    predicate: Value


@dataclass(frozen=True, slots=True)
class SyncThreads:
    """``__syncthreads()`` and its variants that also vote.

    ``at`` is which instruction this is, by the calls that lead to it, where it is one to which all lanes of a warp have
    to come (``.aligned``); else it is empty.
    """

    vote: Vote | None = None
    at: tuple[Hashable, ...] = ()


class Group(Enum):
    """The threads that a collective barrier joins, beyond the thread block."""

    WARP = "warp"
    TILE = "tile"
    CLUSTER = "cluster"
    GRID = "grid"


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the lanes of a warp give each other as they meet: each brings a ``value``, and ``targets`` get ``results``.

    Those mention what a lane has brought as the register :func:`brought`, and as :func:`came` whether it has come: one
    that has exited has not.  ``name`` is the instruction: who executes another one does not meet these.  With
    ``chance`` nothing brings the lanes together: they are there at once, or there is no such execution.  Who brings
    ``nothing`` has no value to give: nobody may use one of it.
    """

    name: str
    value: Value
    targets: tuple[str, ...]
    results: tuple[Value, ...]
    chance: bool = False
    nothing: bool = False


def brought(lane: int) -> str:
    """The register that stands for what a lane brings to an exchange."""
    return f"%brought {lane}"


def came(lane: int) -> str:
    """The register that stands for whether a lane takes part in an exchange."""
    return f"%came {lane}"


def is_exchanged(register: str) -> bool:
    """Whether a register is one of these."""
    return register.startswith(("%brought ", "%came "))


@dataclass(frozen=True, slots=True)
class GroupSync:
    """``__syncwarp(mask)``, ``this_cluster().sync()``, ``this_grid().sync()``, or that of a tile.

    ``mask`` are the lanes of a warp; of a tile, which is that many neighbouring lanes, their number.  An ``exchange``
    of a warp's lanes orders no memory: "The __shfl_sync() intrinsics do not imply a memory barrier", nor do votes (CUDA
    C++ Programming Guide, "Warp Shuffle Functions", "Warp Vote Functions").  Lanes that come together to an instruction
    ``of`` the warp do not meet those at another one; those that do not wait (``waits``) only say that they have come.
    ``at`` is as of :class:`SyncThreads`.
    """

    group: Group
    mask: int = 0xFFFFFFFF
    exchange: Exchange | None = None
    of: str = ""
    waits: bool = True
    at: tuple[Hashable, ...] = ()


@dataclass(frozen=True, slots=True)
class NamedBarrier:
    """A barrier of the thread's block that has a name: ``bar.cta.sync``, ``bar.cta.arrive``, a labelled ``barrier``.

    ``name`` are the numbers that distinguish barriers.  Each thread's k-th arrival at a name belongs to phase k.  A
    thread that ``waits`` goes on when every other thread of its block that arrives at that name in that phase has
    arrived, or, with a ``count``, when so many have.  Who votes waits.  With ``warps`` it is the first lane of a warp
    that arrives for all of it, and the count is one of warps.
    """

    name: tuple[Value, ...]
    count: Value | None
    waits: bool
    vote: Vote | None = None
    warps: bool = False


class Silent:
    """An operation that does nothing that a thread can notice: all that there is to it is whether it counts."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Yield(Silent):
    """``this_thread::yield()``; or, with ``sleeps``, ``this_thread::sleep_for``, ``__nanosleep`` and their kin."""

    sleeps: bool = False


@dataclass(frozen=True, slots=True)
class InputOutput(Silent):
    """A library I/O call (printf)."""


@dataclass(frozen=True, slots=True)
class SideEffect(Silent):
    """An access in an ``asm volatile``, beside what it does to memory: it counts as one through a volatile glvalue."""


@dataclass(frozen=True, slots=True)
class Lifetime(Silent):
    """What is called ``of``, an allocation or a variable, is there from here on, or, unless it ``begins``, no more.

    ``objects`` are its numbers, ``how`` is the call that does it, empty for a variable.  With ``registered`` it is the
    registration of host memory: what ends is that devices may access it.
    """

    of: str
    objects: tuple[str, ...]
    begins: bool
    how: str = ""
    registered: bool = False


@dataclass(frozen=True, slots=True)
class Assert:
    """``assert(condition)``; ``text`` is the condition as written.

    An ``implicit`` one is not in the source: what else would be undefined, such as following a null pointer.
    """

    condition: Value
    text: str
    implicit: bool = False


@dataclass(frozen=True, slots=True)
class EndProcess:
    """``exit``, ``abort``, or the return of ``main`` where threads are left: no host thread takes a step any more.

    "A return statement in main has the effect of leaving the main function [...] and calling std::exit"
    ([basic.start.main]/5); "Control is returned to the host environment" ([support.start.term]/9), and "objects with
    automatic storage duration are not destroyed".
    """


@dataclass(frozen=True, slots=True)
class Trap:
    """``__trap()``: "The execution of the kernel is aborted" (CUDA C++ programming guide, "Trap function").

    It "leaves the process in an inconsistent state and any further CUDA work will return the same error" (CUDA runtime
    API, cudaErrorLaunchFailure): no work of the device goes on, or begins.
    """


@dataclass(frozen=True, slots=True)
class LaunchGrid:
    """The host launches a grid."""

    grid: str


@dataclass(frozen=True, slots=True)
class CreateThread:
    """A host thread creates another one (``std::thread``), which is in :attr:`Program.others`."""

    thread: str


@dataclass(frozen=True, slots=True)
class JoinThread:
    """A host thread waits for the end of another one."""

    thread: str


@dataclass(frozen=True, slots=True)
class ApiCall:
    """A CUDA API call that orders nothing, such as ``cudaStreamCreate``.

    ``cudaHostRegister`` maps the memory of ``objects`` for devices, from there on; ``cudaHostUnregister`` ends that.
    """

    function: str
    objects: tuple[str, ...] = ()
    maps: bool = False


@dataclass(frozen=True, slots=True)
class DeviceSynchronize:
    """``cudaDeviceSynchronize()`` for the device that is current."""

    device: int = 0


@dataclass(frozen=True, slots=True)
class StreamQuery:
    """``target = cudaStreamQuery(stream)``: cudaSuccess, or cudaErrorNotReady while the stream has work."""

    target: str
    stream: str


@dataclass(frozen=True, slots=True)
class StreamSynchronize:
    """``cudaStreamSynchronize(stream)``: waits for the work that the stream has at the time."""

    stream: str


@dataclass(frozen=True, slots=True)
class EventRecord:
    """``cudaEventRecord(event, stream)``: the event stands for the work that the stream has at the time."""

    event: str
    stream: str


@dataclass(frozen=True, slots=True)
class EventWait:
    """``cudaStreamWaitEvent(stream, event)``: what is issued to the stream from now on comes after the event.

    A wait for an event that has not been recorded waits for nothing.
    """

    event: str
    stream: str


@dataclass(frozen=True, slots=True)
class EventSynchronize:
    """``cudaEventSynchronize(event)``: waits for the work that the event stands for."""

    event: str


@dataclass(frozen=True, slots=True)
class WorkSynchronize:
    """The return of a call that waits for the work that it has issued, and for nothing else, as some copies do."""

    grid: str


@dataclass(frozen=True, slots=True)
class EventQuery:
    """``target = cudaEventQuery(event)``: cudaSuccess, or cudaErrorNotReady while the event has work."""

    target: str
    event: str


#: The operations that access memory.
Access: TypeAlias = Load | Store | Rmw | CompareExchange | Await
#: The operations on the state of a barrier.
BarrierOperation: TypeAlias = BarrierInit | BarrierArrive | BarrierWait | BarrierPhase
#: The calls that may order threads.
Call: TypeAlias = (
    EndProcess
    | Trap
    | CreateThread
    | JoinThread
    | LaunchGrid
    | ApiCall
    | DeviceSynchronize
    | StreamQuery
    | StreamSynchronize
    | EventRecord
    | EventWait
    | EventSynchronize
    | WorkSynchronize
    | EventQuery
)
Operation: TypeAlias = (
    Access
    | BarrierOperation
    | Call
    | Set
    | Fence
    | Notify
    | Decide
    | Operand
    | Called
    | SyncThreads
    | GroupSync
    | NamedBarrier
    | Yield
    | InputOutput
    | SideEffect
    | Lifetime
    | Assert
)

# ---------------------------------------------------------------- control flow


@dataclass(frozen=True, slots=True)
class Do:
    """Perform an operation, then go on at ``next``.  ``span`` is the place in the source."""

    operation: Operation
    span: Span
    next: int


@dataclass(frozen=True, slots=True)
class Branch:
    """Go on at ``then`` or ``otherwise``."""

    condition: Value
    span: Span
    then: int
    otherwise: int


@dataclass(frozen=True, slots=True)
class Exit:
    """The thread ends."""

    span: Span


Node: TypeAlias = Do | Branch | Exit


def successors(node: Node) -> tuple[int, ...]:
    """Where control goes from a node."""
    match node:
        case Do(next=following):
            return (following,)
        case Branch(then=then, otherwise=otherwise):
            return (then, otherwise)
        case Exit():
            return ()


@dataclass(frozen=True, slots=True)
class Body:
    """A control-flow graph: nodes by number, and the source's variables that are registers in it.

    ``ambiguous`` names those that the source declares more than once, so that an expectation cannot mean one.
    """

    entry: int
    nodes: Mapping[int, Node]
    variables: Mapping[str, IntType]
    ambiguous: frozenset[str] = frozenset()


# ---------------------------------------------------------------- the execution hierarchy


@dataclass(frozen=True, slots=True)
class Dim:
    """An extent or an index in three dimensions."""

    x: int = 1
    y: int = 1
    z: int = 1

    @property
    def count(self) -> int:
        """How many positions an extent has."""
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
    """What a stream executes: a kernel's grid, a copy (or memset, allocation, free) of memory, a host function."""

    KERNEL = "kernel"
    COPY = "copy"
    HOST_FUNCTION = "host function"


@dataclass(frozen=True)
class Grid:
    """One launch of a kernel: its name (``mp``, a second launch ``mp#2``), extents, stream and device.

    Copies and host functions in a stream are grids of one thread, told apart by ``work``.  ``cluster`` is the extent of
    a thread block cluster in blocks, None for a launch without clusters; ``cooperative`` says whether it is a
    cooperative launch; ``domain`` is the memory synchronization domain.  With ``apart`` the threads have no nodes of
    the body in common but by chance: what they have in common are places in the source.
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

    @cached_property
    def given(self) -> Given:
        """What the values of its body are for each thread."""
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
