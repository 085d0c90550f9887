"""The threads that a scope includes, and the atomic operations that are atomic."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from scopec.base.source import Span
from scopec.memory.events.atomicity import CLAUSES, Access, atomic_events, is_atomic
from scopec.memory.events.scopes import contains
from scopec.memory.graph import build
from scopec.program.expectations import Settings
from scopec.program.ir import Body, Object, Scope, Storage, Thread
from scopec.program.types import BOOL, INT, INT128, LONG, IntType
from tests.conftest import program_of

NOWHERE = Span("a.cu", 1, 1, 1, 1)
BODY = Body(0, {}, {})


def device(block: int, lane: int, number: int = 0) -> Thread:
    return Thread(f"k@{number}[{block}][{lane}]", BODY, f"k@{number}", block, lane, number)


def litmus(name: str, block: str, cluster: str | None = None, number: int = 0) -> Thread:
    """A device thread that no launch starts."""
    return Thread(name, BODY, device=number, unit=block, cluster=cluster)


HOST = Thread("main", BODY)
OTHER_HOST = Thread("other", BODY)


@pytest.mark.parametrize(
    ("one", "other", "smallest"),
    [
        (device(0, 0), device(0, 0), Scope.THREAD),
        (device(0, 0), device(0, 1), Scope.BLOCK),
        (device(0, 0), device(1, 0), Scope.DEVICE),
        (device(0, 0), device(0, 0, 1), Scope.SYSTEM),
        (device(0, 0), HOST, Scope.SYSTEM),
        (HOST, device(0, 0), Scope.SYSTEM),
        (HOST, HOST, Scope.THREAD),
        (HOST, OTHER_HOST, Scope.SYSTEM),
        (litmus("P0", "cta 0"), litmus("P1", "cta 0"), Scope.BLOCK),
        (litmus("P0", "cta 0", "cluster 0"), litmus("P1", "cta 1", "cluster 0"), Scope.CLUSTER),
        (litmus("P0", "cta 0", "cluster 0"), litmus("P1", "cta 1", "cluster 1"), Scope.DEVICE),
        (litmus("P0", "cta 0"), litmus("P1", "cta 1"), Scope.DEVICE),
        (litmus("P0", "cta 0"), litmus("P1", "cta 1", number=1), Scope.SYSTEM),
        (litmus("P0", "cta 0"), HOST, Scope.SYSTEM),
    ],
)
def test_scope_relations(one: Thread, other: Thread, smallest: Scope) -> None:
    """Every wider scope includes what a narrower one does; none narrower than the smallest does."""
    assert [contains(scope, one, other) for scope in Scope] == [scope >= smallest for scope in Scope]


def access(
    storage: Storage,
    type_: IntType = INT,
    *,
    load: bool = True,
    host: bool = False,
    devices: tuple[int, ...] = (0,),
    owner: int | None = None,
    align: int | None = None,
    **given: str,
) -> Access:
    attributes = {**Settings.defaults().given, **given}
    object_ = Object("x", NOWHERE, type_, storage, (0,), device=owner, align=align)
    return Access(object_, load, host, frozenset(devices), attributes)


def atomic(version: int, *arguments: object, **options: object) -> bool:
    return is_atomic(access(*arguments, **options), Scope.SYSTEM, version)  # type: ignore[arg-type]


def test_other_scopes_are_always_atomic() -> None:
    for storage, scope, version in itertools.product(Storage, (Scope.THREAD, Scope.BLOCK, Scope.DEVICE), (1, 2, 3)):
        assert is_atomic(access(storage, concurrentManagedAccess="0"), scope, version)


SYS, FILE, HUGE, MANAGED, MAPPED, GPU = (
    Storage.SYSTEM, Storage.FILE, Storage.HUGETLB, Storage.MANAGED, Storage.MAPPED, Storage.DEVICE,
)  # fmt: skip
CMA, NATIVE, PAGE, TABLES, P2P = (
    "concurrentManagedAccess", "hostNativeAtomicSupported", "pageableMemoryAccess",
    "pageableMemoryAccessUsesHostPageTables", "p2pNativeAtomicSupported",
)  # fmt: skip


@pytest.mark.parametrize(
    ("storage", "options", "wanted"),
    [
        # "it affects an object in unified memory and concurrentManagedAccess is 1" (the default)
        (MANAGED, {"host": True, "load": False}, "yyy"),
        (MANAGED, {"host": True, "load": False, CMA: "0"}, "nnn"),
        (MANAGED, {"host": True, CMA: "0", NATIVE: "1", PAGE: "1", P2P: "1"}, "nnn"),
        (SYS, {"host": True, "load": False, PAGE: "1"}, "yyy"),
        (SYS, {"host": True, "load": False}, "nnn"),
        (SYS, {"host": True, "load": False, PAGE: "1", CMA: "0"}, "nny"),
        # v3, note [0]: not for files and hugetlbfs unless the host's page tables are used
        (FILE, {"host": True, PAGE: "1"}, "yyn"),
        (FILE, {"host": True, PAGE: "1", TABLES: "1"}, "yyy"),
        (FILE, {"host": True, TABLES: "1"}, "nnn"),
        (HUGE, {"host": True, PAGE: "1"}, "yyn"),
        (HUGE, {"host": True, PAGE: "1", TABLES: "1"}, "yyy"),
        # "it affects an object in CPU memory", from v3 on "in mapped memory, and hostNativeAtomicSupported is 1"
        (MAPPED, {"host": True, "load": False, NATIVE: "1"}, "yyy"),
        (MAPPED, {"host": True, "load": False}, "nnn"),
        (MAPPED, {"host": True, "load": False, CMA: "1", PAGE: "1", P2P: "1"}, "nnn"),
        (SYS, {"host": True, "load": False, NATIVE: "1"}, "yyn"),
        (FILE, {"host": True, "load": False, NATIVE: "1"}, "yyn"),
        # "it is a load or store that affects a naturally-aligned object of sizes 1, 2, 4, or 8 bytes on mapped memory"
        (MAPPED, {"host": True, "type_": BOOL}, "nyy"),
        (MAPPED, {"host": True, "type_": IntType("short", 16, signed=True)}, "nyy"),
        (MAPPED, {"host": True, "type_": INT}, "nyy"),
        (MAPPED, {"host": True, "type_": LONG}, "nyy"),
        (MAPPED, {"host": True, "type_": INT128}, "nny"),
        (MAPPED, {"host": True, "align": 2}, "nnn"),
        (MAPPED, {"host": True, "align": 8}, "nyy"),
        (MAPPED, {"host": True, "type_": INT128, "align": 8}, "nnn"),
        (MAPPED, {"host": True, "align": 2, NATIVE: "1"}, "yyy"),
        (SYS, {"host": True}, "nnn"),
        # "it affects an object in GPU memory and only GPU threads access it"
        (GPU, {"load": False}, "yyy"),
        (GPU, {"host": True}, "nnn"),
        (GPU, {"host": True, CMA: "1", NATIVE: "1", PAGE: "1", TABLES: "1", P2P: "1"}, "nnn"),
        (Storage.SHARED, {}, "yyy"),
        (Storage.AUTOMATIC, {}, "yyy"),
        # v3: "and p2pNativeAtomicSupported between each accessing GPU and the GPU where the object resides is 1, or only
        # GPU threads from a single GPU concurrently access it"
        (GPU, {"devices": (0, 1), "owner": 0}, "yyn"),
        (GPU, {"devices": (0, 1), "owner": 0, P2P: "1"}, "yyy"),
        (GPU, {"devices": (0, 1), "owner": 0, P2P: "1", "host": True}, "nnn"),
        (GPU, {"devices": (1,), "owner": 0}, "yyy"),
        (GPU, {"devices": (0,), "owner": 0}, "yyy"),
        (GPU, {"devices": (1, 2), "owner": 0}, "yyn"),
    ],
)  # fmt: skip
def test_each_clause_met_and_unmet(storage: Storage, options: dict[str, object], wanted: str) -> None:
    """What v1, v2 and v3 say, where the object is not touched by the host unless said so."""
    assert "".join("y" if atomic(version, storage, **options) else "n" for version in (1, 2, 3)) == wanted


def test_objects_of_the_host_alone_are_ordinary() -> None:
    for version in (1, 2, 3):
        assert atomic(version, Storage.SYSTEM, host=True, devices=(), load=False)


def test_every_version_has_a_clause_for_every_storage() -> None:
    for clauses in CLAUSES.values():
        assert {s for c in clauses for s in c.storages} == set(Storage)


def test_each_device_has_its_own_device_variable() -> None:
    """Two devices that write their own copies of a __device__ object do not access one object."""
    program = program_of(
        """
        __device__ cuda::atomic<int, cuda::thread_scope_system> own;
        __managed__ cuda::atomic<int, cuda::thread_scope_system> both;
        __global__ void k() { own.store(1); both.store(1); }
        int main() { k<<<1, 1>>>(); cudaSetDevice(1); k<<<1, 1>>>(); }
        """
    )
    graph = build(program, 1)
    for given in ("0", "1"):
        found = atomic_events(graph, 3, {**Settings.defaults().given, "concurrentManagedAccess": given})
        names = [e.location.object for e in graph.events if e.id in found and e.location]
        assert names == (["own", "both"] * 2 if given == "1" else ["own"] * 2)


@pytest.mark.parametrize(("version", "wide"), [(None, True), (1, True), (2, False), (3, False)])
def test_memory_synchronization_domains_count_from_v2_on(version: int | None, wide: bool) -> None:
    one, other = device(0, 0), replace(device(1, 0), domain=1)
    assert contains(Scope.DEVICE, one, other, version) is wide
    assert contains(Scope.DEVICE, one, device(1, 0), version)
    assert contains(Scope.SYSTEM, one, other, version)


def test_who_accesses_an_object_is_read_off_the_program() -> None:
    program = program_of(
        """
        __managed__ cuda::atomic<int, cuda::thread_scope_system> m;
        cuda::atomic<int, cuda::thread_scope_system> h;
        cuda::atomic<int, cuda::thread_scope_system> own;
        __global__ void k() { m.store(1); h.store(1); }
        int main() { own.store(1); h.load(); k<<<1, 1>>>(); }
        """
    )
    graph = build(program, 1)
    found = atomic_events(graph, 3, Settings.defaults().given)
    names = {e.location.object for e in graph.events if e.id in found and e.location}
    assert names == {"m", "own"}
