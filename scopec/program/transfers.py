"""The waits of calls that copy or set memory (CUDA runtime API, "API synchronization behavior")."""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import TYPE_CHECKING

from scopec.program.ir import PAGEABLE, Storage

if TYPE_CHECKING:
    from collections.abc import Iterable


class Waits(IntEnum):
    """The waits of a call before it returns, the least first."""

    NOTHING = 0
    STAGING = 1
    COMPLETION = 2


class Role(Enum):
    """The role of memory in a copy."""

    DEVICE = "device"
    PINNED = "pinned"
    PAGEABLE = "pageable"


_ROLES = {
    Storage.DEVICE: Role.DEVICE,
    Storage.SHARED: Role.DEVICE,
    Storage.MAPPED: Role.PINNED,
    **dict.fromkeys(PAGEABLE, Role.PAGEABLE),
}
#: The end of the name of work that copies a pageable buffer to where an asynchronous copy reads it.
STAGING = ".staging"
#: The sides of a copy that its ``cudaMemcpyKind`` calls host memory: (source, destination).
HOST_SIDES = {0: (True, True), 1: (True, False), 2: (False, True), 3: (False, False), 4: (False, False)}


def role(storages: Iterable[Storage], *, on_host: bool) -> Role:
    """The role of memory of some storages as a side of a copy, which its kind calls host memory (``on_host``) or not.

    Managed memory is accessed from the side that the kind of the copy says, from the device by ``cudaMemcpyDefault``,
    and always by ``cudaMemset`` (CUDA C++ programming guide, "Memcpy()/Memset() Behavior With Managed Memory").
    """
    roles = {_ROLES.get(storage, Role.PAGEABLE if on_host else Role.DEVICE) for storage in storages}
    return roles.pop() if len(roles) == 1 else Role.DEVICE


def copy_waits(source: Role, target: Role, *, synchronous: bool) -> Waits:
    """The waits of a copy, by the document's list of cases.

    "For transfers from any host memory to any host memory, the function is fully synchronous with respect to the
    host", in both forms.  Else an asynchronous copy "might be synchronous", or is not.  Of the synchronous ones: "For
    transfers from device memory to device memory, no host-side synchronization is performed"; "For transfers from
    pageable host memory to device memory, a stream sync is performed before the copy is initiated.  The function will
    return once the pageable buffer has been copied to the staging memory for DMA transfer to device memory, but the DMA
    to final destination may not have completed"; all others wait for the copy.
    """
    if Role.DEVICE not in (source, target):
        return Waits.COMPLETION
    if not synchronous or source == target:
        return Waits.NOTHING
    return Waits.STAGING if source == Role.PAGEABLE else Waits.COMPLETION


def fill_waits(target: Role, *, synchronous: bool) -> Waits:
    """The waits of a fill.

    "The cudaMemset functions are asynchronous with respect to the host except when the target memory is pinned host
    memory.  The Async versions are always asynchronous with respect to the host."
    """
    return Waits.COMPLETION if synchronous and target == Role.PINNED else Waits.NOTHING


def staged_copy(grid: str) -> str | None:
    """The copy whose pageable source some work copies before; None for other work, by the names of both."""
    return grid.removesuffix(STAGING) if grid.endswith(STAGING) else None
