"""Operations of the asynchronous side: copies that agents make, and fences of proxies and of mbarriers."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.program.ir.objects import Proxy, Storage
from scopec.program.ir.operations import Silent

if TYPE_CHECKING:
    from scopec.program.values import Value


@dataclass(frozen=True, slots=True)
class ProxyFence(Silent):
    """``fence.proxy.surface`` and its kin, between a proxy and the generic one; without one ``fence.proxy.alias``,
    between the virtual addresses of a location.  It orders accesses by proxies alone, so no step notices it: those to
    global memory (``Storage.DEVICE``), to shared memory, or to both."""

    proxy: Proxy | None
    space: Storage | None = None


@dataclass(frozen=True, slots=True)
class InitFence(Silent):
    """``fence.mbarrier_init.release.cluster``: what shows mbarriers to other blocks that the thread has initialised.

    "The operation .op_restrict [...] is restricted to the prior mbarrier.init operations" (PTX ISA, "membar / fence").
    """


@dataclass(frozen=True, slots=True)
class TensorFence(Silent):
    """``tcgen05.fence::before_thread_sync``, or ``::after_thread_sync``: it orders what is done to tensor memory around
    what threads synchronise by (PTX ISA, "tcgen05.fence"), and nothing else, so no step notices it."""

    before: bool


class CopyGroups(Enum):
    """The sequences of groups that a thread has: of ``cp.async``, of bulk copies, of its warpgroup's ``wgmma``, and of
    what its warp loads from tensor memory and stores there; what it multiplies into tensor memory is in one.

    Those of ``wgmma`` are a warpgroup's: each of its threads commits them and waits for them, and what any of its warps
    reads is complete then.  So are a warp's those of its loads and stores.
    """

    PLAIN = "cp.async"
    BULK = "cp.async.bulk"
    MATRIX = "wgmma"
    TENSOR = "tcgen05.mma"
    TENSOR_LOAD = "tcgen05.ld"
    TENSOR_STORE = "tcgen05.st"


#: The groups of what accesses tensor memory.
TENSOR_GROUPS = frozenset({CopyGroups.TENSOR, CopyGroups.TENSOR_LOAD, CopyGroups.TENSOR_STORE})


@dataclass(frozen=True, slots=True)
class Agent(Silent):
    """The operations from here on are an asynchronous one's, whose *agent* makes them, until it is told otherwise.

    "An asynchronous operation [...] is performed as if by another thread" (PTX ISA, "Asynchronous Operations").  A
    schedule makes them at once: the copy's effects are seen where nothing races with it.  Its accesses to data are made
    through the ``proxy``.  It is complete when the ``groups`` of its thread in which it is are, or (None) when an
    mbarrier's phase is over in which it completes.  One that ``follows`` has no accesses, and what it does to an
    mbarrier it does when the thread's earlier copies in such groups are complete.  ``pipe`` says which instruction of
    tensor memory it is: some are executed in the order in which they are issued.
    """

    begins: bool
    proxy: Proxy = Proxy.GENERIC
    groups: CopyGroups | None = CopyGroups.PLAIN
    follows: CopyGroups | None = None
    pipe: str = ""


@dataclass(frozen=True, slots=True)
class CommitCopies(Silent):
    """``cp.async.commit_group``: the thread's copies that are in no group yet are one, the next."""

    groups: CopyGroups = CopyGroups.PLAIN


@dataclass(frozen=True, slots=True)
class AwaitCopies(Silent):
    """``cp.async.wait_group left``: the copies of all but the latest ``left`` groups of the thread are complete.

    With ``reads`` only their reads are (``cp.async.bulk.wait_group.read``).
    """

    left: Value
    groups: CopyGroups = CopyGroups.PLAIN
    reads: bool = False
