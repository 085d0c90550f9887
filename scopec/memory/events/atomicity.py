"""Atomicity of atomic operations (memory model, "Atomicity"), for each version of the document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from scopec.base.records import dataclass, replace
from scopec.program.ir import PAGEABLE, Scope, Storage, Use, Work

if TYPE_CHECKING:
    from scopec.memory.events.events import EventGraph
    from scopec.program.ir import Object
    from scopec.program.observe import Location


@dataclass(frozen=True, slots=True)
class Access:
    """The facts that the clauses read: the object, whether the operation is a load or a store, and its threads.

    ``devices`` are all devices whose threads access the object anywhere in the program, which is how "concurrently" is
    taken; ``given`` the attributes of the machine, the same for each pair of devices.
    """

    object: Object
    load_or_store: bool
    by_host: bool
    devices: frozenset[int]
    given: Mapping[str, str]

    def has(self, attribute: str) -> bool:
        """Whether a device attribute is 1."""
        return self.given[attribute] == "1"


@dataclass(frozen=True, slots=True)
class Clause:
    """One way for a system-scope operation to be atomic: the document's words, where it applies, and its condition."""

    text: str
    storages: frozenset[Storage]
    condition: Callable[[Access], bool]


_GPU = frozenset({Storage.DEVICE, Storage.SHARED, Storage.AUTOMATIC})
_MANAGED = frozenset({Storage.MANAGED})
_MAPPED = frozenset({Storage.MAPPED})
_SYSTEM = PAGEABLE


def _attribute(*names: str) -> Callable[[Access], bool]:
    return lambda access: all(access.has(name) for name in names)


def _naturally_aligned(*sizes: int) -> Callable[[Access], bool]:
    """Members of barriers and the like are functions of the library, not loads or stores."""
    return lambda access: (
        access.load_or_store
        and access.object.use is Use.DATA
        and access.object.size in sizes
        and access.object.alignment % access.object.size == 0
    )


def _gpu_only(access: Access) -> bool:
    return not access.by_host


def _gpu_only_or_p2p(access: Access) -> bool:
    """One GPU alone, or links with native atomics between each accessing GPU and the one where the object resides."""
    links = all(gpu == access.object.device or access.has("p2pNativeAtomicSupported") for gpu in access.devices)
    return not access.by_host and (links or len(access.devices) <= 1)


def _pageable(access: Access) -> bool:
    """Note [0] of the third version takes files and hugetlbfs out where the host's page tables are not used."""
    return access.has("pageableMemoryAccess") and (
        access.object.storage is Storage.SYSTEM or access.has("pageableMemoryAccessUsesHostPageTables")
    )


_UNIFIED = "it affects an object in unified memory and concurrentManagedAccess is 1"
#: The first two versions alike: system-allocated memory is unified memory where devices can access pageable memory, and
#: it and mapped memory are CPU memory.
_FIRST = (
    Clause(_UNIFIED, _MANAGED, _attribute("concurrentManagedAccess")),
    Clause(_UNIFIED, _SYSTEM, _attribute("pageableMemoryAccess", "concurrentManagedAccess")),
    Clause(
        "it affects an object in CPU memory and hostNativeAtomicSupported is 1",
        _MAPPED | _SYSTEM,
        _attribute("hostNativeAtomicSupported"),
    ),
)

#: The clauses of each version, as data.
CLAUSES: dict[int, tuple[Clause, ...]] = {
    1: (
        *_FIRST,
        Clause("it affects an object in GPU peer memory and only GPU threads access it", _GPU, _gpu_only),
    ),
    2: (
        *_FIRST,
        Clause(
            "it is a load or store that affects a naturally-aligned object of sizes 1, 2, 4, or 8 bytes on mapped "
            "memory",
            _MAPPED,
            _naturally_aligned(1, 2, 4, 8),
        ),
        Clause("it affects an object in GPU memory and only GPU threads access it", _GPU, _gpu_only),
    ),
    3: (
        Clause("it affects an object in system allocated memory and pageableMemoryAccess is 1", _SYSTEM, _pageable),
        Clause(
            "it affects an object in managed memory and concurrentManagedAccess is 1",
            _MANAGED,
            _attribute("concurrentManagedAccess"),
        ),
        Clause(
            "it affects an object in mapped memory and hostNativeAtomicSupported is 1",
            _MAPPED,
            _attribute("hostNativeAtomicSupported"),
        ),
        Clause(
            "it is a load or store that affects a naturally-aligned object of sizes 1, 2, 4, 8, or 16 bytes on mapped "
            "memory",
            _MAPPED,
            _naturally_aligned(1, 2, 4, 8, 16),
        ),
        Clause(
            "it affects an object in GPU memory, only GPU threads access it, and p2pNativeAtomicSupported between each "
            "accessing GPU and the GPU where the object resides is 1, or only GPU threads from a single GPU "
            "concurrently access it",
            _GPU,
            _gpu_only_or_p2p,
        ),
    ),
}


def is_atomic(access: Access, scope: Scope, version: int) -> bool:
    """Whether an atomic operation at ``scope`` is atomic under a document version.

    "An atomic operation is atomic at the scope it specifies if it specifies a scope other than thread_scope_system,
    or the scope is thread_scope_system and" one of the clauses holds.  An object that only host threads access is an
    ordinary C++ object: its atomics are atomic.  Members of barriers, latches, semaphores and stop tokens do not
    introduce data races "as if they were atomic operations": they do where an atomic operation of their scope would.
    """
    if scope is not Scope.SYSTEM or not access.devices or access.object.use is Use.PASSED:
        return True
    clauses = CLAUSES[version]
    return any(access.object.storage in c.storages and c.condition(access) for c in clauses)


def atomic_events(graph: EventGraph, version: int | None, given: Mapping[str, str]) -> frozenset[str]:
    """``A``: the accesses made by atomic operations that are atomic; without a version of the document, all of them."""
    if version is None:
        return frozenset(e.id for e in graph.events if e.atomic)
    threads = {t.name: t for t in graph.program.threads}
    hosts: dict[Location, bool] = {}
    devices: dict[Location, set[int]] = {}
    for event in graph.events:
        if event.location is not None and event.thread:
            thread, at = threads[event.thread], event.location
            devices.setdefault(at, set())
            hosts[at] = hosts.get(at, False) or thread.is_host
            if not thread.is_host and thread.work is not Work.COPY:  # copies are not accesses by threads
                devices[at].add(thread.device)
    found = []
    for event in graph.events:
        if event.atomic and event.location is not None:
            object_ = graph.program.objects[event.location.object]
            if event.id in graph.mapped:
                object_ = replace(object_, storage=Storage.MAPPED)
            users = frozenset(devices[event.location])
            access = Access(object_, event.load_or_store, hosts[event.location], users, given)
            if is_atomic(access, event.scope or Scope.SYSTEM, version):
                found.append(event.id)
    return frozenset(found)
