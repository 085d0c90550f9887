"""What an event graph gives to a memory model: the sets and relations that the program fixes."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from scopec.memory.atomicity import atomic_events
from scopec.memory.dependencies import Dependencies, dependencies
from scopec.memory.events import Event, EventGraph, Kind
from scopec.memory.scopes import contains, inclusive, scope_of
from scopec.program.ir import Order, Scope, Use
from scopec.program.values import leaves
from scopec.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scopec.memory.domains import Domains
    from scopec.memory.guards import Guard
    from scopec.program.ir import Thread
    from scopec.program.values import Value

#: The relations of events in one place, by the scope that relates their threads.
PLACES = {"scta": Scope.BLOCK, "scluster": Scope.CLUSTER, "sgpu": Scope.DEVICE}
#: The relations that are given pair by pair: from a read to what depends on it, or may end what follows it.
GIVEN_PAIRS = frozenset({"addr", "data", "ctrl", "dep", "wakes"})
_ORDER_SETS = {
    Order.RELAXED: "RLX",
    Order.ACQUIRE: "ACQ",
    Order.RELEASE: "REL",
    Order.ACQ_REL: "ACQ_REL",
    Order.SEQ_CST: "SEQ_CST",
}


@dataclass(frozen=True)
class Base:
    """A graph under device attributes and a version of the CUDA document (None: every atomic operation is atomic).

    ``known`` are the values that its reads may return.  With ``whole``, ``dep`` has the dependencies that are on no
    cycle too.
    """

    graph: EventGraph
    version: int | None
    given: Mapping[str, str]
    known: Domains
    whole: bool = False

    @cached_property
    def atomic(self) -> frozenset[str]:
        """The accesses that count as atomic."""
        return atomic_events(self.graph, self.version, self.given)

    @cached_property
    def members(self) -> Mapping[str, tuple[tuple[str, Guard | None], ...]]:
        """For each given set its events; with a guard where an event belongs to it on some paths only."""
        found: dict[str, list[tuple[str, Guard | None]]] = defaultdict(list)
        for event in self.graph.events:
            for name, guard in self._memberships(event):
                found[name].append((event.id, guard))
        return {name: tuple(ids) for name, ids in found.items()}

    def _memberships(self, event: Event) -> Iterator[tuple[str, Guard | None]]:
        match event.kind:
            case Kind.INIT:
                yield from ((name, None) for name in ("W", "M", "IW"))
            case Kind.READ:
                yield from (("R", None), ("M", None))
            case Kind.WRITE:
                yield from (("W", None), ("M", None))
            case Kind.FENCE:
                yield "F", None
            case Kind.ARRIVE:
                yield "B", None
            case Kind.WAIT:
                yield from (("B", None), ("BW", None))
            case Kind.CALL:
                pass
        if event.kind in (Kind.READ, Kind.WRITE):
            if event.id in self.atomic:
                yield "A", None
            if event.order is None:
                yield "NA", None
                if not event.volatile:
                    yield "WEAK", None
            elif self._is_member(event):
                yield "B", None
            if event.volatile:
                yield "VOL", None
            if event.last:
                yield "LAST", None
            if event.rmw is not None:
                partner = self.graph.by_id[event.rmw]
                yield "RMW", partner.guard if partner.guard != event.guard else None
        if event.scope is not None and (event.order is not None or event.kind in (Kind.ARRIVE, Kind.WAIT)):
            yield event.scope.name, None
        if event.success is not None and event.failure is not None and event.order is not None:
            failed = event.guard & ~event.success
            yield from ((name, event.success) for name in self._order_sets(event.kind, event.order))
            yield from ((name, failed) for name in self._order_sets(event.kind, event.failure))
        elif event.order is not None:
            yield from ((name, None) for name in self._order_sets(event.kind, event.order))

    def _is_member(self, event: Event) -> bool:
        """Whether a member function of a barrier, latch or semaphore makes an access."""
        assert event.location is not None
        return self.graph.program.objects[event.location.object].use is not Use.DATA

    @staticmethod
    def _order_sets(kind: Kind, order: Order) -> Iterator[str]:
        yield _ORDER_SETS[order]
        if order.acquires and kind is not Kind.WRITE:
            yield "Acq"
        if order.releases and kind is not Kind.READ:
            yield "Rel"
        if order is Order.SEQ_CST:
            yield "SC"

    @cached_property
    def inclusion(self) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        """``incl`` as products of groups: each pair of groups is wholly in the relation."""
        threads = {t.name: t for t in self.graph.program.threads}
        classes: dict[tuple[str, object], list[Event]] = defaultdict(list)
        for event in self.graph.events:
            if event.thread:
                classes[event.thread, scope_of(event)].append(event)
        heads = {key: events[0] for key, events in classes.items()}
        rows: dict[tuple[object, ...], list[tuple[str, object]]] = defaultdict(list)
        for key, head in heads.items():
            row = tuple(other for other, event in heads.items() if inclusive(head, event, threads, self.version))
            rows[row].append(key)
        return tuple(
            (
                tuple(e.id for key in keys for e in classes[key]),
                tuple(e.id for key in row for e in classes[key]),  # type: ignore[index]
            )
            for row, keys in rows.items()
        )

    def together(self, scope: Scope) -> tuple[tuple[str, ...], ...]:
        """The events of each block, cluster or device: those of threads that a scope relates to each other."""
        groups: list[tuple[Thread, list[str]]] = []
        threads = {t.name: t for t in self.graph.program.threads}
        for event in self.graph.events:
            if not event.thread:
                continue
            thread = threads[event.thread]
            for head, ids in groups:
                if contains(scope, head, thread, self.version):
                    ids.append(event.id)
                    break
            else:
                groups.append((thread, [event.id]))
        return tuple(tuple(ids) for _, ids in groups)

    @cached_property
    def fence_pairs(self) -> tuple[tuple[str, str], ...]:
        """The pairs of seq_cst fences that include each other, which ``sync_fence`` orders; each pair both ways."""
        threads = {t.name: t for t in self.graph.program.threads}
        fences = [e for e in self.graph.events if e.kind is Kind.FENCE and e.order is Order.SEQ_CST]
        return tuple(
            (a.id, b.id) for a in fences for b in fences if a is not b and inclusive(a, b, threads, self.version)
        )

    def pairs(self, name: str, *, strict: bool = False) -> Mapping[tuple[str, str], Value | None]:
        """The pairs of one of GIVEN_PAIRS, each with where it is one (None: everywhere).

        Those of ``dep`` are if ``strict`` with those that are not decided.
        """
        if name != "dep":
            return dict.fromkeys(self._fixed[name])
        return {**self.real.pairs, **dict.fromkeys(self.real.undecided if strict else ())}

    @cached_property
    def real(self) -> Dependencies:
        """The dependencies that no compiler can remove."""
        return dependencies(self.graph, self.known, every=self.whole)

    @cached_property
    def _fixed(self) -> Mapping[str, tuple[tuple[str, str], ...]]:
        """``data``: a write's value is computed from a read; ``ctrl``: a read decides whether an event is reached;
        ``addr``: a read decides which element an event accesses; and ``wakes``, the notifications that may wake a
        thread that sleeps after a read."""
        reads = {e.id for e in self.graph.events if e.kind is Kind.READ}
        data = [
            (leaf.name, event.id)
            for event in self.graph.events
            if event.value is not None
            for leaf in {leaf.name: leaf for leaf in leaves(event.value)}.values()
            if leaf.name in reads
        ]
        ctrl = [
            (read, event.id)
            for event in self.graph.events
            for read in sorted(self.graph.control.get(event.id, ()))
            if read in reads
        ]
        addr = [
            (read, event)
            for event, selection in self.graph.addresses.items()
            for read in sorted({leaf.name.partition("?")[0] for leaf in leaves(selection.index)} & reads)
        ]
        wakes = [(read, notification) for read, found in self.graph.asleep.items() for notification in found]
        return {"data": tuple(data), "ctrl": tuple(ctrl), "addr": tuple(addr), "wakes": tuple(wakes)}
