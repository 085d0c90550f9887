"""Which threads a scope includes, and which atomic operations are atomic."""

from __future__ import annotations

import itertools

import pytest

from scopec.expectations import Settings
from scopec.memory.atomicity import CLAUSES, Access, atomic_events, is_atomic
from scopec.memory.graph import build
from scopec.memory.scopes import contains
from scopec.program.ir import Body, Object, Scope, Storage, Thread
from scopec.program.types import INT, INT128, IntType
from scopec.source import Span
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
    **given: str,
) -> Access:
    attributes = {**Settings.defaults().given, **given}
    return Access(Object("x", NOWHERE, type_, storage, (0,)), load, host, frozenset(devices), attributes)


def atomic(version: int, *arguments: object, **options: object) -> bool:
    return is_atomic(access(*arguments, **options), Scope.SYSTEM, version)  # type: ignore[arg-type]


def test_other_scopes_are_always_atomic() -> None:
    for storage, scope, version in itertools.product(Storage, (Scope.THREAD, Scope.BLOCK, Scope.DEVICE), (1, 2, 3)):
        assert is_atomic(access(storage, concurrentManagedAccess="0"), scope, version)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_each_clause_met_and_unmet(version: int) -> None:
    assert atomic(version, Storage.MANAGED)
    assert not atomic(version, Storage.MANAGED, concurrentManagedAccess="0")
    assert not atomic(version, Storage.MAPPED, load=False)
    assert atomic(version, Storage.MAPPED, load=False, hostNativeAtomicSupported="1")
    assert atomic(version, Storage.DEVICE)
    assert not atomic(version, Storage.DEVICE, host=True)
    assert not atomic(version, Storage.SYSTEM, host=True)
    assert atomic(version, Storage.SYSTEM, pageableMemoryAccess="1", concurrentManagedAccess="1")


def test_the_versions_differ_where_the_documents_do() -> None:
    """versions.tsv: the load/store exception (absent, up to 8 bytes, up to 16), two GPUs, system-allocated memory."""
    assert [atomic(v, Storage.MAPPED) for v in (1, 2, 3)] == [False, True, True]
    assert [atomic(v, Storage.MAPPED, INT128) for v in (1, 2, 3)] == [False, False, True]
    assert [atomic(v, Storage.DEVICE, devices=(0, 1)) for v in (1, 2, 3)] == [True, True, False]
    assert [atomic(v, Storage.DEVICE, devices=(0, 1), p2pNativeAtomicSupported="1") for v in (1, 2, 3)] == [True] * 3
    assert [atomic(v, Storage.SYSTEM, hostNativeAtomicSupported="1") for v in (1, 2, 3)] == [True, True, False]
    assert [atomic(v, Storage.SYSTEM, pageableMemoryAccess="1", concurrentManagedAccess="0") for v in (1, 2, 3)] == [
        False, False, True,
    ]  # fmt: skip


def test_objects_of_the_host_alone_are_ordinary() -> None:
    for version in (1, 2, 3):
        assert atomic(version, Storage.SYSTEM, host=True, devices=(), load=False)


def test_every_version_has_a_clause_for_every_storage() -> None:
    for clauses in CLAUSES.values():
        assert {s for c in clauses for s in c.storages} == set(Storage)


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
