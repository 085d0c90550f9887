"""Objects in memory, and how they are accessed."""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import TYPE_CHECKING

from scopec.base.records import dataclass

if TYPE_CHECKING:
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

    @property
    def read_half(self) -> Order:
        """The acquire half of this order, for the read of an atomic operation."""
        return {Order.ACQ_REL: Order.ACQUIRE, Order.RELEASE: Order.RELAXED}.get(self, self)

    @property
    def write_half(self) -> Order:
        """The release half of this order, for the write of an atomic operation."""
        return {Order.ACQ_REL: Order.RELEASE, Order.ACQUIRE: Order.RELAXED}.get(self, self)


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
    """The storage of an object: the atomicity clauses and the automatic-storage exceptions read it.

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
    """The use of an object: data, or one of the library's synchronisation objects.

    The value of a latch or semaphore is its counter; that of a barrier is the state that its operations say, and where
    it has one from the start, that of a barrier for so many arrivals.  An mbarrier is a barrier in shared memory that
    counts bytes of copies too, and whose misuse is undefined; before it is initialised it is none.  A value that is
    passed to a thread or staged by a copy is in no memory that the program knows, nor is what says how long there is
    other memory.  A lifetime says whether objects are there: a beginning and an end write it, and what accesses these
    objects reads it.  Tensor memory is a block's too, and nothing is known of what is there.
    """

    DATA = "data"
    BARRIER = "barrier"
    MBARRIER = "mbarrier"
    LATCH = "latch"
    SEMAPHORE = "semaphore"
    STOP = "stop state"
    PASSED = "passed value"
    LIFETIME = "lifetime"
    TENSOR = "tensor memory"


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
    not the natural one.  Elements that nothing but copies and fills accesses may be ``left_out``.
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
    left_out: bool = False

    @property
    def size(self) -> int:
        """Bytes of one element, which is what an atomic operation affects."""
        return self.type.size

    @property
    def alignment(self) -> int:
        """The alignment in bytes; natural where nothing else is said."""
        return self.size if self.align is None else self.align

    def element(self, index: int) -> str:
        """The source's name of an element: ``a[1]``, ``pool[1].next``; the name itself if it is no array."""
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


class Proxy(Enum):
    """The path to memory that an access takes: "an abstract label applied to a method of memory access" (PTX ISA,
    "Proxies").  The value is its name in ``fence.proxy``.

    ``EITHER`` is the generic or the asynchronous one: a library's copy that "may use" a bulk copy, and owes no fence
    whichever it uses (libcu++, ``cuda::memcpy_async``).
    """

    GENERIC = "generic"
    SURFACE = "surface"
    TEXTURE = "texture"
    CONSTANT = "constant"
    ASYNC = "async"
    EITHER = "generic or async"


@dataclass(frozen=True, slots=True)
class Mode:
    """The mode of an access: plain (no order), volatile, or atomic with an order at a scope.

    ``alias`` is the virtual address by which it names its place, empty for the place's own (PTX ISA, "Aliases").
    """

    order: Order | None = None
    scope: Scope = Scope.THREAD
    volatile: bool = False
    proxy: Proxy = Proxy.GENERIC
    alias: str = ""

    @property
    def atomic(self) -> bool:
        """Whether the access is made by an atomic operation."""
        return self.order is not None


PLAIN = Mode()
VOLATILE = Mode(volatile=True)
