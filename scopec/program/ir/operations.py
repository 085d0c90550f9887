"""Operations of a single thread: accesses, barriers, steps that nobody notices."""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import TYPE_CHECKING, Literal, TypeAlias

from scopec.base.records import dataclass
from scopec.program.ir.objects import PLAIN, Mode, Order, Place, Scope
from scopec.program.warp import EVERY_LANE

if TYPE_CHECKING:
    from collections.abc import Hashable

    from scopec.program.values import Value


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


class BarrierFault(IntEnum):
    """The rules of an mbarrier that an operation breaks, which makes what follows undefined (PTX ISA, "mbarrier").

    The first one that is broken, in this order, is the operation's fault.
    """

    NONE = 0
    NOT_INITIALISED = 1
    INITIALISED = 2
    COUNT = 3
    TOO_MANY = 4
    OVERRUN = 5
    STALE = 6
    LATE_BYTES = 7
    COMPLETES = 8


@dataclass(frozen=True, slots=True)
class BarrierInit:
    """A barrier is made: "the initial expected count for each barrier phase" is ``count``; or, None, an mbarrier ends.

    The state of a barrier is its phase, how many arrivals each phase expects, how many are pending in this one, and, of
    an mbarrier, how many bytes of copies ("tx-count").  A phase ends when no arrivals are pending, and no bytes.
    Operations on an mbarrier put the rule that they break into the register ``fault``, a :class:`BarrierFault`; it is
    empty where nobody asks.
    """

    place: Place
    count: Value | None
    fault: str = ""

    @property
    def mode(self) -> Mode:
        """The mode of a construction, which is no atomic operation."""
        return PLAIN


@dataclass(frozen=True, slots=True)
class BarrierArrive:
    """``update`` threads arrive in the phase ``target``: the last ones that are pending end it, and the next begins.

    With ``drop`` each phase expects that many arrivals less from then on.  ``expect`` bytes are pending in the phase
    before the arrival.  With ``later`` it is made by an agent, at any time after its thread comes to it.  ``pending``
    gets how many arrivals were pending before it; it is empty where nobody wants to know.  One that is ``partial`` must
    not end the phase ("noComplete").
    """

    target: str
    place: Place
    update: Value
    mode: Mode
    drop: bool = False
    expect: Value | None = None
    fault: str = ""
    later: bool = False
    pending: str = ""
    partial: bool = False

    @property
    def is_ordered(self) -> bool:
        """Whether it makes a difference which arrivals of the phase come before this one."""
        return bool(self.pending) or self.partial


@dataclass(frozen=True, slots=True)
class BarrierExpect:
    """So many more ``bytes`` are pending in the phase of an mbarrier, less if negative: "expect-tx", "complete-tx".

    With ``arrivals`` these are what is pending, in this phase alone: "the pending count of the mbarrier object is
    incremented by 1 prior to the asynchronous arrive-on operation" (PTX ISA, "cp.async.mbarrier.arrive").
    """

    place: Place
    bytes: Value
    mode: Mode
    fault: str = ""
    arrivals: bool = False


@dataclass(frozen=True, slots=True)
class BarrierWait:
    """The thread blocks until the barrier is in a phase, ``target``, of which ``condition`` holds."""

    target: str
    place: Place
    condition: Value
    mode: Mode
    fault: str = ""


@dataclass(frozen=True, slots=True)
class BarrierTest:
    """``target`` is whether ``condition`` holds of the phase that a barrier is in, which it mentions as that register.

    That is what the ``test_wait`` and ``try_wait`` functions look at; only where it holds have they waited.
    """

    target: str
    place: Place
    condition: Value
    mode: Mode
    fault: str = ""


class Silent:
    """An operation that does nothing that a thread can notice: all that there is to it is whether it counts."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class AtBarrier(Silent):
    """The thread has just changed an mbarrier that was in a ``phase``, or has looked at it.

    Who looks has waited where ``over`` holds; of a change it is None.  ``arrives`` tells arrivals from changes of
    bytes, ``ordered`` those for which it makes a difference what comes before them.  Only a program has this in which
    barriers are numbers (:mod:`scopec.memory.unfold.barriers`).
    """

    phase: Value
    over: Value | None = None
    arrives: bool = False
    ordered: bool = False


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

    Two decisions on what is ``unknown`` are the same if they are by one ``formula`` ``of`` the same values
    (:mod:`scopec.program.truths`, after which ``of`` is the truth itself); nothing is known of those without either.
    """

    target: str
    what: Literal["failure", "timeout", "order", "unknown", "clock", "watchdog"] = "failure"
    formula: str = ""
    of: tuple[Value, ...] = ()


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
    """An exchange between the lanes of a warp as they meet: each brings a ``value``, and ``targets`` get ``results``.

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


def exchanged_by(register: str) -> tuple[int, bool]:
    """The lane that one of these is about, and whether it says that the lane takes part, not what it brings."""
    what, _, lane = register.partition(" ")
    return int(lane), what == "%came"


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
    mask: int = EVERY_LANE
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
    """The beginning, or unless it ``begins`` the end, of the lifetime of an allocation or variable, called ``of``.

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


#: The operations that access memory.
Access: TypeAlias = Load | Store | Rmw | CompareExchange | Await
#: The operations on the state of a barrier.
BarrierOperation: TypeAlias = BarrierInit | BarrierArrive | BarrierExpect | BarrierWait | BarrierTest
