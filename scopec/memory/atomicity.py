"""Which atomic operations are atomic (memory model, "Atomicity"), for each version of the document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scopec.program.ir import Scope, Storage, Use, Work

if TYPE_CHECKING:
    from scopec.memory.events import Event, EventGraph
    from scopec.program.ir import Object


@dataclass(frozen=True, slots=True)
class Access:
    """What the clauses read: the object, whether the operation is a load or a store, and who accesses the object.

    ``devices`` are all devices that access the object, which is how "concurrently" is taken; ``given`` the attributes.
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


def _naturally_aligned(*sizes: int) -> Callable[[Access], bool]:
    return lambda access: access.load_or_store and access.object.size in sizes


def _gpu_only(access: Access) -> bool:
    return not access.by_host


def _gpu_only_or_p2p(access: Access) -> bool:
    one_gpu = len(access.devices) <= 1
    return not access.by_host and (one_gpu or access.has("p2pNativeAtomicSupported"))


_UNIFIED = Clause(
    "it affects an object in unified memory and concurrentManagedAccess is 1",
    frozenset({Storage.MANAGED}),
    lambda access: access.has("concurrentManagedAccess"),
)
#: System-allocated memory is unified memory where devices can access pageable memory.
_UNIFIED_SYSTEM = Clause(
    _UNIFIED.text,
    frozenset({Storage.SYSTEM}),
    lambda access: access.has("pageableMemoryAccess") and access.has("concurrentManagedAccess"),
)
_CPU = Clause(
    "it affects an object in CPU memory and hostNativeAtomicSupported is 1",
    frozenset({Storage.MAPPED, Storage.SYSTEM}),
    lambda access: access.has("hostNativeAtomicSupported"),
)
_MAPPED = frozenset({Storage.MAPPED})

#: The clauses of each version, as data.
CLAUSES: dict[int, tuple[Clause, ...]] = {
    1: (
        _UNIFIED,
        _UNIFIED_SYSTEM,
        _CPU,
        Clause("it affects an object in GPU peer memory and only GPU threads access it", _GPU, _gpu_only),
    ),
    2: (
        _UNIFIED,
        _UNIFIED_SYSTEM,
        _CPU,
        Clause(
            "it is a load or store that affects a naturally-aligned object of sizes 1, 2, 4, or 8 bytes on mapped "
            "memory",
            _MAPPED,
            _naturally_aligned(1, 2, 4, 8),
        ),
        Clause("it affects an object in GPU memory and only GPU threads access it", _GPU, _gpu_only),
    ),
    3: (
        Clause(
            "it affects an object in system allocated memory and pageableMemoryAccess is 1",
            frozenset({Storage.SYSTEM}),
            lambda access: access.has("pageableMemoryAccess"),
        ),
        Clause(
            "it affects an object in managed memory and concurrentManagedAccess is 1",
            frozenset({Storage.MANAGED}),
            lambda access: access.has("concurrentManagedAccess"),
        ),
        Clause(
            "it affects an object in mapped memory and hostNativeAtomicSupported is 1",
            _MAPPED,
            lambda access: access.has("hostNativeAtomicSupported"),
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
    ordinary C++ object: its atomics are atomic.  Members of barriers, latches and semaphores do not
    introduce data races "as if they were atomic operations".
    """
    if scope is not Scope.SYSTEM or not access.devices or access.object.use is not Use.DATA:
        return True
    clauses = CLAUSES[version]
    return any(access.object.storage in c.storages and c.condition(access) for c in clauses)


def atomic_events(graph: EventGraph, version: int | None, given: Mapping[str, str]) -> frozenset[str]:
    """``A``: the accesses made by atomic operations that are atomic; without a version of the document, all of them."""
    if version is None:
        return frozenset(e.id for e in graph.events if e.atomic)
    threads = {t.name: t for t in graph.program.threads}
    hosts: dict[str, bool] = {}
    devices: dict[str, set[int]] = {}
    for event in graph.events:
        if event.location is not None and event.thread:
            thread = threads[event.thread]
            name = event.location.object
            devices.setdefault(name, set())
            hosts[name] = hosts.get(name, False) or thread.is_host
            if not thread.is_host and thread.work is not Work.COPY:  # copies are not accesses by threads
                devices[name].add(thread.device)
    return frozenset(
        e.id
        for e in graph.events
        if e.atomic
        and e.location is not None
        and is_atomic(_access(graph, e, hosts, devices, given), e.scope or Scope.SYSTEM, version)
    )


def _access(
    graph: EventGraph,
    event: Event,
    hosts: Mapping[str, bool],
    devices: Mapping[str, set[int]],
    given: Mapping[str, str],
) -> Access:
    assert event.location is not None
    name = event.location.object
    return Access(graph.program.objects[name], event.load_or_store, hosts[name], frozenset(devices[name]), given)
