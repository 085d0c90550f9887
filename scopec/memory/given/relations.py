"""The relations that every execution gives to a model: each once, with the sentence that it encodes.

A row says of which forms a relation is made in one program.  Three translators read this table and that of sets
(:mod:`scopec.memory.given.sets`), and know forms alone: to Alloy (scopec/engines/alloy/given.py), to SAT
(scopec/engines/embedded/memory/given.py), and to the pairs of one execution (scopec/memory/given/evaluated.py).
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.memory.events.events import Event, Kind
from scopec.memory.events.scopes import contains, inclusive, scope_of
from scopec.memory.given.forms import (
    Closure,
    Coherence,
    Except,
    Form,
    Group,
    Identity,
    Order,
    Pair,
    Product,
    Same,
    Sources,
    Square,
)  # fmt: skip
from scopec.memory.given.sets import BARRIERS, CONFLICT, proxies
from scopec.memory.unfold.sequencing import steps
from scopec.program import ir
from scopec.program.ir import Scope
from scopec.program.pipes import in_order
from scopec.program.values import leaves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from scopec.memory.events.base import Base
    from scopec.memory.events.events import EventGraph, Synchronises
    from scopec.program.observe import Location


@dataclass(frozen=True)
class GivenRelation:
    """A relation: what it is called, in words, the sentence that it encodes, and the forms that it is made of.

    ``doubtful`` are pairs of which it is not known whether they are some.
    """

    means: str
    source: str
    forms: Callable[[Base], Iterable[Form]]
    doubtful: Callable[[Base], Iterable[Form]] = lambda _: ()
    #: Whether to find it out takes so long that it is done only where a model names it.
    costly: bool = False


def forms(base: Base, name: str, *, strict: bool = False) -> tuple[Form, ...]:
    """The forms of a given relation in a program; if ``strict``, with what is in doubt."""
    row = RELATIONS[name]
    if name not in base.relations:
        base.relations[name] = tuple(row.forms(base))
    found = base.relations[name]
    return (*found, *row.doubtful(base)) if strict else found


def _initial(graph: EventGraph) -> Group:
    return tuple(e.id for e in graph.events if e.kind is Kind.INIT)


def _threads(graph: EventGraph) -> list[list[Event]]:
    """The events of each thread that has some, and of each agent, which is a thread of its own."""
    found: dict[tuple[str, str], list[Event]] = {(t.name, ""): [] for t in graph.program.threads}
    for event in graph.events:
        if event.thread:
            found.setdefault((event.thread, event.agent), []).append(event)
    return [events for events in found.values() if events]


def _by_location(graph: EventGraph, test: Callable[[Event], bool]) -> dict[Location | None, Group]:
    """The accesses of a kind to each location, in the order of the first ones."""
    found: dict[Location | None, list[str]] = {}
    for event in graph.events:
        if test(event):
            found.setdefault(event.location, []).append(event.id)
    return {location: tuple(ids) for location, ids in found.items()}


def _writes(graph: EventGraph) -> dict[Location | None, Group]:
    """The writes to each location, the initial one first."""
    return _by_location(graph, lambda e: e.writes)


def _reads(graph: EventGraph) -> dict[Location | None, Group]:
    return _by_location(graph, lambda e: e.kind is Kind.READ)


def _sources(base: Base) -> Iterator[Form]:
    writes = _writes(base.graph)
    yield from (Sources(writes[location], reads) for location, reads in _reads(base.graph).items())


def _same_location(base: Base) -> Iterator[Form]:
    reads = _reads(base.graph)
    yield from (Square(writes + reads.get(at, ())) for at, writes in _writes(base.graph).items())


def _alike(graph: EventGraph, key: Callable[[Event], tuple[bool, object]]) -> Iterable[Group]:
    """The events of which a condition holds, those with an equal key together."""
    found: dict[object, list[str]] = {}
    for event in graph.events:
        counts, same = key(event)
        if counts and same is not None:
            found.setdefault(same, []).append(event.id)
    return map(tuple, found.values())


def _program_order(base: Base) -> Iterator[Form]:
    """Program order; of an agent's accesses only the halves of a read-modify-write are in an order."""
    for events in _threads(base.graph):
        if not events[0].agent and (found := steps(events)):
            yield Closure(tuple(found))
        elif events[0].agent:
            yield from (Pair(e.id, e.rmw) for e in events if e.kind is Kind.READ and e.rmw is not None)


def _same_thread(base: Base) -> Iterator[Square | Identity]:
    """Each initial write is a thread of its own."""
    yield from (Square(tuple(e.id for e in events)) for events in _threads(base.graph))
    if initial := _initial(base.graph):
        yield Identity(initial)


def _among_reads(base: Base, event_ids: Iterable[str]) -> list[str]:
    return [e for e in event_ids if e in base.graph.by_id and base.graph.by_id[e].kind is Kind.READ]


def _data(base: Base) -> Iterator[Form]:
    for event in base.graph.events:
        if event.value is not None:
            yield from (
                Pair(r, event.id) for r in _among_reads(base, dict.fromkeys(x.name for x in leaves(event.value)))
            )


def _control(base: Base) -> Iterator[Form]:
    for event in base.graph.events:
        yield from (Pair(read, event.id) for read in _among_reads(base, sorted(base.graph.control.get(event.id, ()))))


def _address(base: Base) -> Iterator[Form]:
    for event, selection in base.graph.addresses.items():
        read = {base.graph.event_of(leaf.name) for leaf in leaves(selection.index)}
        yield from (Pair(r, event) for r in _among_reads(base, sorted(read)))


def _same_proxy(base: Base) -> Iterator[Form]:
    """Pairs of one proxy; an event that may go through two is in the square of each."""
    found: dict[ir.Proxy, list[str]] = defaultdict(list)
    for event in base.graph.events:
        if event.is_access or event.kind in (Kind.FENCE, Kind.PROXY_FENCE):
            for proxy in proxies(event):
                found[proxy].append(event.id)
    yield from (Square(tuple(ids)) for ids in found.values())


def _vectors(base: Base) -> Iterator[Form]:
    """The loads and stores of the elements of one vector."""
    found: dict[int, list[str]] = defaultdict(list)
    for event in base.graph.events:
        if event.vector is not None:
            found[event.vector].append(event.id)
    yield from (Square(tuple(ids)) for ids in found.values())


def _additional(edges: Callable[[EventGraph], Iterable[Synchronises]]) -> Callable[[Base], Iterator[Form]]:
    return lambda base: (Product(edge.before, edge.after, edge.when) for edge in edges(base.graph))


def _phases(name: str) -> Callable[[Base], Iterator[Form]]:
    return _additional(lambda graph: graph.phases.get(name, ()))


def _inclusive(base: Base) -> Iterator[Form]:
    """Events of one thread and scope include the same others."""
    threads = {t.name: t for t in base.graph.program.threads}
    classes: dict[tuple[str, Scope], list[Event]] = defaultdict(list)
    for event in base.graph.events:
        if event.thread:
            classes[event.thread, scope_of(event)].append(event)
    rows: dict[tuple[tuple[str, Scope], ...], list[tuple[str, Scope]]] = defaultdict(list)
    for key, own in classes.items():
        row = tuple(k for k, others in classes.items() if inclusive(own[0], others[0], threads, base.version))
        rows[row].append(key)
    for row, keys in rows.items():
        before, after = (tuple(e.id for key in group for e in classes[key]) for group in (keys, row))
        yield Product(before, after)


def _together(scope: Scope) -> Callable[[Base], Iterator[Form]]:
    """The events of each block, cluster or device: those of threads that a scope relates to each other."""

    def related(base: Base) -> Iterator[Form]:
        threads = {t.name: t for t in base.graph.program.threads}
        groups: list[tuple[ir.Thread, list[str]]] = []
        for events in _threads(base.graph):
            thread, ids = threads[events[0].thread], [e.id for e in events]
            for head, others in groups:
                if contains(scope, head, thread, base.version):
                    others += ids
                    break
            else:
                groups.append((thread, ids))
        yield from (Square(tuple(ids)) for _, ids in groups)

    return related


def _starts(base: Base) -> Iterator[Form]:
    """The issue of each copy, before its accesses."""
    for events in _threads(base.graph):
        if events[0].agent:
            yield Product((events[0].agent,), tuple(e.id for e in events))


def _pipelined(base: Base) -> Iterator[Form]:
    """The accesses to tensor memory of two instructions that are executed in the order in which they are issued."""
    accesses: dict[str, list[str]] = defaultdict(list)
    for event in base.graph.events:
        if event.agent and event.proxy is None:
            accesses[event.agent].append(event.id)
    issues = [(issue, base.graph.by_id[issue].pipe) for issue in accesses]
    for one, first in issues:
        after = [e for other, then in issues if other != one and in_order(first, then) for e in accesses[other]]
        if after:
            yield Product(tuple(accesses[one]), tuple(after))


def _fences(base: Base) -> Iterator[Form]:
    threads = {t.name: t for t in base.graph.program.threads}
    fences = [e for e in base.graph.events if e.kind is Kind.FENCE and e.order is ir.Order.SEQ_CST]
    pairs = [(a, b) for a in fences for b in fences if a is not b and inclusive(a, b, threads, base.version)]
    yield Order(tuple((a.id, b.id) for a, b in pairs))


_SEQUENCED = (
    '[intro.execution]/8: "Sequenced before is an asymmetric, transitive, pair-wise relation between '
    'evaluations executed by a single thread"'
)
_DEPENDENCIES = 'PTX ISA, "No thin air": "chains of instruction dependencies and inter-thread communication"'
_RELATED = (
    'memory model, "Scope Relationships": "Each program thread is related to each other program thread by one or more '
    'thread scope relations"'
)

_ASYNCHRONOUS = 'PTX ISA, "Asynchronous Operations"'

_BEFORE_ARRIVALS = (
    'PTX ISA, "Phase of the mbarrier object": "For each phase of the mbarrier object, at least one test_wait or '
    "try_wait operation must be performed which returns True for waitComplete before an arrive-on operation in the "
    'subsequent phase."'
)

RELATIONS = {
    "po": GivenRelation("program order", _SEQUENCED, _program_order),
    "rf": GivenRelation(
        "reads-from",
        '[intro.races]: "The value of an atomic object M, as determined by evaluation B, is the value stored by some '
        'unspecified side effect A that modifies M"',
        _sources,
    ),
    "co": GivenRelation(
        "coherence order of each location",
        '[intro.races]/4: "All modifications to a particular atomic object M occur in some particular total order"',
        lambda base: map(Coherence, _writes(base.graph).values()),
    ),
    "loc": GivenRelation("same location", CONFLICT, _same_location),
    "px": GivenRelation(
        "through one proxy: accesses and fences",
        'PTX ISA, "Morally strong operations": "Both operations are performed via the same proxy"',
        _same_proxy,
    ),
    "vloc": GivenRelation(
        "same virtual address",
        'PTX ISA, "Aliases": "Two distinct virtual addresses are said to be aliases if they map to the same memory '
        'location"',
        lambda base: map(Square, _alike(base.graph, lambda e: (e.is_access, (e.location, e.alias)))),
    ),
    "int": GivenRelation("same thread", _SEQUENCED, _same_thread),
    "ext": GivenRelation(
        "different threads",
        '[intro.races]/21: "Two actions are potentially concurrent if they are performed by different threads"',
        lambda base: [Except(tuple(_same_thread(base)))],
    ),
    "rmw": GivenRelation(
        "the halves of one operation",
        '[atomics.order]/10: "Atomic read-modify-write operations shall always read the last value (in the '
        'modification order) written before the write associated with the read-modify-write operation"',
        lambda base: (Pair(e.id, e.rmw) for e in base.graph.events if e.kind is Kind.READ and e.rmw is not None),
    ),
    "addr": GivenRelation("address dependency", f"{_DEPENDENCIES}: which element is accessed", _address),
    "data": GivenRelation("data dependency", f"{_DEPENDENCIES}: which value is written", _data),
    "ctrl": GivenRelation("control dependency", f"{_DEPENDENCIES}: whether an event is reached", _control),
    "dep": GivenRelation(
        "dependency that no compiler can remove",
        '[atomics.order]/8: "no “out-of-thin-air” values are computed that circularly depend on their own computation"',
        lambda base: (Pair(a, b, when) for (a, b), when in base.real.pairs.items()),
        lambda base: (Pair(a, b) for a, b in base.real.undecided),
        costly=True,
    ),
    "asw": GivenRelation(
        "additional synchronises-with",
        '[intro.races]/6: "Certain library calls synchronize with other library calls performed by another thread"',
        _additional(lambda graph: graph.asw),
    ),
    "syncbar": GivenRelation(
        "barrier arrivals and the waits of their phase",
        BARRIERS,
        _additional(lambda g: (e for e in g.asw if e.barrier)),
    ),
    "api": GivenRelation(
        "what launches, joins, streams and events order, and the start of the program",
        'PTX ISA, "Causality Order": "API-synchronizes"',
        _additional(lambda g: (e for e in g.asw if not e.barrier)),
    ),
    "issue": GivenRelation(
        "calls of host threads in the order in which they are made, where the program leaves it open",
        'CUDA C++ programming guide, "Streams": "A stream is a sequence of commands (possibly issued by different host '
        'threads) that execute in order"',
        _additional(lambda graph: graph.issue),
    ),
    "start": GivenRelation(
        "the issue of an asynchronous copy, before its accesses",
        f"{_ASYNCHRONOUS}: what the thread did before it issued the copy comes first",
        _starts,
    ),
    "done": GivenRelation(
        "accesses of an asynchronous copy, before the return of a wait that finds it complete",
        f'{_ASYNCHRONOUS}: the completion orders the accesses of the copy, and "does not transitively establish '
        'ordering with respect to prior instructions from the issuing thread"',
        _additional(lambda graph: graph.done),
    ),
    "piped": GivenRelation(
        "accesses to tensor memory of two instructions that are a pipeline, in either order",
        'PTX ISA, "Pipelined tcgen05 Instructions": "the two asynchronous operations are guaranteed to execute in the '
        'same order as the instructions that issued them"',
        _pipelined,
    ),
    "phase": GivenRelation(
        "arrivals at an mbarrier, and the waits that find their phase over",
        'PTX ISA, "mbarrier.test_wait": "All memory accesses (except async operations) requested prior, in program '
        "order, to mbarrier.arrive having .release semantics during the completed phase by the participating threads "
        'of the CTA are performed and are visible to the executing thread"',
        _phases("phase"),
    ),
    "complete": GivenRelation(
        "accesses of a copy that completes in a phase of an mbarrier, before the waits that find it over",
        'PTX ISA, "mbarrier.test_wait": "All cp.async operations requested prior, in program order, to '
        "cp.async.mbarrier.arrive during the completed phase by the participating threads of the CTA are performed and "
        'made visible to the executing thread"',
        _phases("complete"),
    ),
    "later": GivenRelation(
        "arrivals in a later phase of an mbarrier than the first one, each with itself",
        _BEFORE_ARRIVALS,
        _phases("later"),
    ),
    "served": GivenRelation(
        "waits that find a phase of an mbarrier over, and the arrivals in the next one",
        _BEFORE_ARRIVALS,
        _phases("served"),
    ),
    "incl": GivenRelation(
        "each one's scope includes the other's thread",
        'memory model, [atomics.fences]/2: "each operation (A, B, X, and Y) specifies a scope that includes the '
        'thread that performed each other operation"',
        _inclusive,
    ),
    "scta": GivenRelation("same block", _RELATED, _together(Scope.BLOCK)),
    "scluster": GivenRelation("same cluster", _RELATED, _together(Scope.CLUSTER)),
    "sgpu": GivenRelation("same device", _RELATED, _together(Scope.DEVICE)),
    "sync_fence": GivenRelation(
        "an order of the seq_cst fences that include each other",
        'PTX ISA, "Fence-SC": "an acyclic partial order, determined at runtime, that relates every pair of morally '
        'strong fence.sc operations"',
        _fences,
    ),
    "id": GivenRelation("identity", "the language of cat, `id`: each event and itself", lambda _: [Same()]),
    "vec": GivenRelation(
        "accesses of one vector",
        'PTX ISA, "Vector Data-types": "modelled as a set of equivalent memory operations with a scalar data-type, '
        'executed in an unspecified order on the elements in the vector"',
        _vectors,
    ),
    "wakes": GivenRelation(
        "the read of a thread that sleeps in the wait of an atomic, and the notifications of that atomic",
        '[atomics.wait]: "Y happens before the call to the atomic notifying operation"',
        lambda base: (Pair(read, n) for read, found in base.graph.asleep.items() for n in found),
    ),
}
