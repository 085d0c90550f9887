"""The sets of events that every execution gives to a model: each once, with the sentence that it encodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from scopec.base.records import dataclass
from scopec.memory.events.events import Event, Kind
from scopec.memory.given.forms import Members
from scopec.program import ir
from scopec.program.ir import Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from scopec.memory.events.base import Base
    from scopec.memory.events.guards import Guard

#: The paths on which an event is a member of a set: none if it never is.
Membership: TypeAlias = "Callable[[Base, Event], Iterable[Guard | None]]"


@dataclass(frozen=True)
class GivenSet:
    """A set: what it is called, in words, the sentence that it encodes, and where an event is a member."""

    means: str
    source: str
    membership: Membership


def members(base: Base, name: str) -> tuple[Members, ...]:
    """The forms of a given set in a program: first the events that are members wherever they are executed."""
    if name not in base.sets:
        membership = SETS[name].membership
        by_guard: dict[int | None, tuple[Guard | None, list[str]]] = {None: (None, [])}
        for event in base.graph.events:
            for when in membership(base, event):
                by_guard.setdefault(None if when is None else when.node, (when, []))[1].append(event.id)
        base.sets[name] = tuple(Members(tuple(ids), when) for when, ids in by_guard.values() if ids)
    return base.sets[name]


def _events(test: Callable[[Event], bool]) -> Membership:
    return lambda _, event: (None,) if test(event) else ()


def _accesses(test: Callable[[Event], bool]) -> Membership:
    """Accesses by threads: initial writes are neither plain nor anything else."""
    return _events(lambda e: e.kind in (Kind.READ, Kind.WRITE) and test(e))


def _ordered(test: Callable[[Kind, ir.Order], bool]) -> Membership:
    """Events by order; the read of a compare-exchange has one order where it succeeds and another where it fails."""

    def membership(_: Base, event: Event) -> Iterator[Guard | None]:
        if event.order is None:
            return
        if event.success is None or event.failure is None:
            if test(event.kind, event.order):
                yield None
            return
        if test(event.kind, event.order):
            yield event.success
        if test(event.kind, event.failure):
            yield event.guard & ~event.success

    return membership


def _at(scope: Scope) -> Membership:
    kinds = (Kind.ARRIVE, Kind.WAIT)
    return _events(lambda e: e.scope is scope and (e.order is not None or e.kind in kinds))


def _atomic(base: Base, event: Event) -> Iterator[Guard | None]:
    if event.kind in (Kind.READ, Kind.WRITE) and event.id in base.atomic:
        yield None


def _half(base: Base, event: Event) -> Iterator[Guard | None]:
    """The condition, for half of a compare-exchange, that it writes."""
    if event.rmw is not None:
        partner = base.graph.by_id[event.rmw]
        yield partner.guard if partner.guard != event.guard else None


def _at_barrier(base: Base, event: Event) -> Iterator[Guard | None]:
    """Arrivals and waits, and what member functions of barriers, latches and semaphores access."""
    if event.kind in (Kind.ARRIVE, Kind.WAIT):
        yield from () if event.scope is None else (None,)
    elif event.atomic and event.location is not None:
        use = base.graph.program.objects[event.location.object].use
        yield from () if use is ir.Use.DATA else (None,)


def proxies(event: Event) -> tuple[ir.Proxy, ...]:
    """The proxies that an access may go through, or a fence is about."""
    if event.proxy is ir.Proxy.EITHER:
        return ir.Proxy.GENERIC, ir.Proxy.ASYNC
    return () if event.proxy is None else (event.proxy,)


def _of_mbarriers(base: Base, event: Event) -> Iterator[Guard | None]:
    """Those of atomic operations: to initialise one, or to invalidate it, is none."""
    if event.atomic and event.location is not None:
        yield from (None,) if base.graph.program.objects[event.location.object].use is ir.Use.MBARRIER else ()


def _initialising(base: Base, event: Event) -> Iterator[Guard | None]:
    if event.kind is not Kind.INIT and not event.atomic and event.location is not None:
        yield from (None,) if base.graph.program.objects[event.location.object].use is ir.Use.MBARRIER else ()


def _in_shared_memory(base: Base, event: Event) -> Iterator[Guard | None]:
    if event.location is None or base.graph.in_tensor_memory(event):
        return
    if base.graph.program.objects[event.location.object].storage is ir.Storage.SHARED:
        yield None


def _in_tensor_memory(base: Base, event: Event) -> Iterator[Guard | None]:
    if event.kind is not Kind.INIT and base.graph.in_tensor_memory(event):
        yield None


def _deallocating(base: Base, event: Event) -> Iterator[Guard | None]:
    if not event.agent:
        yield from _in_tensor_memory(base, event)


CONFLICT = (
    '[intro.races]/2: "Two expression evaluations conflict if one of them modifies a memory location and the other one '
    'reads or modifies the same memory location"'
)
_ATOMICITY = 'memory model, "Atomicity": "An atomic operation is atomic at the scope it specifies if"'
BARRIERS = (
    'memory model, [thread.barrier.class]/4: "Concurrent invocations of the member functions of barrier, other than '
    'its destructor, do not introduce data races as if they were atomic operations"'
)
_ORDERS = (
    '[atomics.order]/1: "The enumeration memory_order specifies the detailed regular memory synchronization order"'
)
_RELEASES = '[atomics.order]/1: "a store operation performs a release operation on the affected memory location"'
_ACQUIRES = '[atomics.order]/1: "a load operation performs an acquire operation on the affected memory location"'
_SCOPES = (
    'memory model, "Thread Scopes": "A thread scope specifies the kind of threads that can synchronize with each other"'
)

#: As public .cat files have them: proxy fences are fences too, and of their proxies; the others are generic.
_FENCES = (Kind.FENCE, Kind.PROXY_FENCE)
_PROXIES = 'PTX ISA, "Proxies": "A memory proxy, or a proxy is an abstract label applied to a method of memory access"'
_ALIASES = (
    'PTX ISA, "Aliases": "Two distinct virtual addresses are said to be aliases if they map to the same memory '
    'location"'
)
_TENSOR_MEMORY = 'PTX ISA, "Tensor Memory": "dedicated on-chip memory"'
_FENCE = 'PTX ISA, "tcgen05.fence"'

SETS = {
    "R": GivenSet("reads", CONFLICT, _events(lambda e: e.kind is Kind.READ)),
    "W": GivenSet("writes, initial ones included", CONFLICT, _events(lambda e: e.writes)),
    "M": GivenSet("reads and writes", CONFLICT, _events(lambda e: e.is_access)),
    "F": GivenSet(
        "fences",
        '[atomics.fences]/1: "This subclause introduces synchronization primitives called fences"',
        _events(lambda e: e.kind in _FENCES),
    ),
    "B": GivenSet("barrier arrivals and waits", BARRIERS, _at_barrier),
    "BW": GivenSet("barrier waits", BARRIERS, _events(lambda e: e.kind is Kind.WAIT and e.scope is not None)),
    "IW": GivenSet(
        "initial writes", "the language of cat, `IW`: initial writes", _events(lambda e: e.kind is Kind.INIT)
    ),
    "A": GivenSet("accesses by operations that are atomic", _ATOMICITY, _atomic),
    "NA": GivenSet("plain accesses", _ATOMICITY, _accesses(lambda e: e.order is None)),
    "VOL": GivenSet(
        "volatile accesses",
        'PTX ISA, "volatile Operation": "equivalent to a relaxed memory operation with system-scope"',
        _accesses(lambda e: e.volatile),
    ),
    "WEAK": GivenSet(
        "plain accesses that are not volatile",
        'PTX ISA, "Strong operations": memory operations without a qualifier other than .weak, or the volatile one',
        _accesses(lambda e: e.order is None and not e.volatile),
    ),
    "RED": GivenSet(
        "reads of reductions",
        'PTX ISA, "Release and Acquire Patterns": "while atomic reductions conceptually perform a strong read [...], '
        'this strong read does not form an acquire pattern"',
        _accesses(lambda e: e.reduction),
    ),
    "RMW": GivenSet(
        "both halves of read-modify-writes",
        '[atomics.order]/10: "the write associated with the read-modify-write operation"',
        _half,
    ),
    "Acq": GivenSet("acquires", _ACQUIRES, _ordered(lambda kind, order: order.acquires and kind is not Kind.WRITE)),
    "Rel": GivenSet("releases", _RELEASES, _ordered(lambda kind, order: order.releases and kind is not Kind.READ)),
    "SC": GivenSet(
        "seq_cst operations",
        '[atomics.order]/4: "There is a single total order S on all memory_order::seq_cst operations"',
        _ordered(lambda _, order: order is ir.Order.SEQ_CST),
    ),
    **{
        name: GivenSet(f"order {order.value}", _ORDERS, _ordered(lambda _, own, order=order: own is order))  # type: ignore[misc]
        for name, order in (
            ("RLX", ir.Order.RELAXED),
            ("ACQ", ir.Order.ACQUIRE),
            ("REL", ir.Order.RELEASE),
            ("ACQ_REL", ir.Order.ACQ_REL),
            ("SEQ_CST", ir.Order.SEQ_CST),
        )
    },
    **{scope.name: GivenSet(f"{scope.name.lower()} scope", _SCOPES, _at(scope)) for scope in Scope},
    **{
        name: GivenSet(
            f"accesses through the {proxy.value} proxy, and its fences",
            _PROXIES,
            _events(lambda e, proxy=proxy: (e.is_access or e.kind in _FENCES) and proxy in proxies(e)),  # type: ignore[misc]
        )
        for name, proxy in (
            ("GEN", ir.Proxy.GENERIC),
            ("SUR", ir.Proxy.SURFACE),
            ("TEX", ir.Proxy.TEXTURE),
            ("CON", ir.Proxy.CONSTANT),
            ("ASY", ir.Proxy.ASYNC),
        )
    },
    "PF": GivenSet(
        "proxy fences, of aliases too",
        'PTX ISA, "membar / fence": "A uni-directional or bi-directional proxy fence"',
        _events(lambda e: e.kind is Kind.PROXY_FENCE),
    ),
    "PS": GivenSet(
        "proxy fences of shared memory",
        'PTX ISA, "membar / fence": ".shared::{cta, cluster}: the proxy fence applies to shared memory"',
        _events(lambda e: e.kind is Kind.PROXY_FENCE and e.space in (None, ir.Storage.SHARED)),
    ),
    "PG": GivenSet(
        "proxy fences of global memory",
        'PTX ISA, "membar / fence": ".global: the proxy fence applies to global memory"',
        _events(lambda e: e.kind is Kind.PROXY_FENCE and e.space in (None, ir.Storage.DEVICE)),
    ),
    "ALIAS": GivenSet(
        "fences of virtual aliases",
        _ALIASES,
        _events(lambda e: e.kind is Kind.PROXY_FENCE and e.proxy is None),
    ),
    "MB": GivenSet(
        "accesses to the state of mbarriers by their operations",
        'PTX ISA, "mbarrier": "mbarrier is a barrier created in shared memory"',
        _of_mbarriers,
    ),
    "MI": GivenSet(
        "accesses that initialise mbarriers, or invalidate them",
        'PTX ISA, "mbarrier.init": "initializes the mbarrier object"',
        _initialising,
    ),
    "IF": GivenSet(
        "fences of initialised mbarriers",
        'PTX ISA, "membar / fence": "fence.mbarrier_init.release.cluster [...] restricted to the prior mbarrier.init"',
        _events(lambda e: e.kind is Kind.INIT_FENCE),
    ),
    "SM": GivenSet(
        "accesses to shared memory",
        'PTX ISA, "State Spaces": ".shared: Addressable memory, defined per CTA, accessible to all threads in the '
        'cluster throughout the lifetime of the CTA that defines it"',
        _in_shared_memory,
    ),
    "TM": GivenSet("accesses to tensor memory", _TENSOR_MEMORY, _in_tensor_memory),
    "TD": GivenSet(
        "writes by which tensor memory is deallocated",
        'PTX ISA, "tcgen05.dealloc": "deallocates the Tensor Memory specified by the Tensor Memory address taddr"',
        _deallocating,
    ),
    "TW": GivenSet(
        "waits for what a thread has issued, in groups",
        'PTX ISA, "tcgen05.wait": "causes the executing thread to block until all prior tcgen05.ld operations '
        'issued by the executing thread have completed"',
        _events(lambda e: e.kind is Kind.COMPLETE),
    ),
    "TB": GivenSet(
        "fences of tensor memory before threads synchronise",
        f'{_FENCE}: "orders all the prior asynchronous tcgen05 operations"',
        _events(lambda e: e.kind is Kind.TENSOR_BEFORE),
    ),
    "TA": GivenSet(
        "fences of tensor memory after threads have synchronised",
        f'{_FENCE}: "orders all the subsequent asynchronous tcgen05 operations"',
        _events(lambda e: e.kind is Kind.TENSOR_AFTER),
    ),
    "LAST": GivenSet(
        "reads that a thread makes again and again for ever, in an execution that does not end",
        '[intro.progress]/18: "the last value (in modification order) assigned by an atomic or synchronization '
        'operation will become visible to all other threads in a finite period of time"',
        _accesses(lambda e: e.last),
    ),
}
