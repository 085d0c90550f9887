"""Decides whether every execution that matters is sequentially consistent, so that schedules suffice."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.memory.cat import registry, tree
from scopec.memory.events.atomicity import Access, is_atomic
from scopec.memory.events.scopes import contains
from scopec.program import ir
from scopec.program.observe import instance
from scopec.program.values import Const
from scopec.progress.slicing import accessed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.memory.cat.model import Model
    from scopec.memory.events.events import EventGraph
    from scopec.session.inquiry.findings import Findings
    from scopec.session.inquiry.variant import Variant

_BY_MODEL = "every execution is sequentially consistent under {}"
_ONE_LOCATION = "one location decides what threads do, and its accesses are atomic and include each other"
_NO_LOCATION = "no location that threads share decides what they do"
_RACE_FREE = "it is race free, and each atomic operation is seq_cst at a scope that includes all who use the object"
_ALL_SEQ_CST = "each access that matters is atomic and seq_cst, at a scope that includes all who use the object"
_NO_WAITING = "no thread waits for what may not come"
_NO_CYCLE = "no execution has a cycle in po | asw | rf | co | fr"
#: The models that promise sequential consistency to programs without races whose atomic operations are all seq_cst.
_SC_WITHOUT_RACES = ("cuda-v1", "cuda-v2", "cuda-v3", "rc11")


def known_whole(run: Variant) -> str | None:
    """The reason, in the text of a program and of its model, why every execution that matters is sequentially
    consistent.
    """
    if not run.reductions.whole:
        return None
    model = registry.load(run.model, run.readings)
    if not run.model.own and _is_sequential(model):
        return _BY_MODEL.format(run.model.name)
    if run.model.own:
        return None
    shared = _shared(run)
    all_atomic = all(use.mode.atomic for uses in shared for use in uses)
    if shared and all_atomic and run.model.name in _SC_WITHOUT_RACES and _is_seq_cst(run):
        return _ALL_SEQ_CST
    if _sleeps(run) or not _one_location(run, shared):
        return None
    return _ONE_LOCATION if shared else _NO_LOCATION


def may_be_whole(run: Variant, graph: EventGraph) -> bool:
    """Whether it is worth asking if some execution is not sequentially consistent.

    A wait loop stands for turns in vain that are not in the graph.  A cycle through several of these is one through
    one of them where they look at one location; where they look at several it may not be.  Nothing is known of a loop
    that may go on beyond the bound, and the question is expensive.
    """
    ends = all(cut.wait for cut in graph.cuts)
    return run.reductions.whole and ends and not (graph.one_race or graph.watches_several or _sleeps(run))


def found_whole(run: Variant, graph: EventGraph, found: Findings | None) -> str | None:
    """The reason, in the memory engines' answers, why every execution that matters is sequentially consistent."""
    if found is None or found.unanswered is not None or "race" not in found.answers or _doubt(found):
        return None
    if not run.reductions.whole:
        return None
    if graph.one_race:
        return None if graph.may_wait else _NO_WAITING
    race_free = found.answers["race"] is None and registry.load(run.model, run.readings).tells_races()
    if race_free and run.model.name in _SC_WITHOUT_RACES and _is_seq_cst(run):
        return _RACE_FREE
    return _NO_CYCLE if "weak" in found.answers and found.answers["weak"] is None else None


def _doubt(found: Findings) -> bool:
    """Whether executions exist that the answers are not about: beyond the bound, or with values beyond the domains."""
    return any(found.answers.get(name) is not None for name in ("longer", "overflow")) or (
        found.answers.get("prefix", found.answers.get("execution")) is None
    )


def _is_sequential(model: Model) -> bool:
    """Whether an axiom forbids cycles of program order and communication."""
    wanted = {"po", "rf", "co", "fr"}
    return any(a.check == "acyclic" and not a.negated and wanted <= _united(a.expr) for a in model.axioms)


def _united(expr: tree.Expr) -> frozenset[str]:
    """The names that an expression is a union of."""
    match expr:
        case tree.Binary(_, "|", left, right):
            return _united(left) | _united(right)
        case tree.Name(_, name):
            return frozenset({name})
        case _:
            return frozenset()


def _sleeps(run: Variant) -> bool:
    """Whether a thread may wait for a notification, which another order than that of schedules decides about."""
    return any(
        isinstance(node, ir.Do) and isinstance(node.operation, ir.Await) and node.operation.notified
        for thread in run.program.threads
        for node in thread.body.nodes.values()
    )


@dataclass(frozen=True)
class _Use:
    """An access in the text of a thread, to a location (an element is None where it is computed)."""

    thread: ir.Thread
    location: tuple[str, str, int | None]
    mode: ir.Mode
    orders: frozenset[ir.Order | None]
    load_or_store: bool


def _uses(run: Variant) -> Iterator[_Use]:
    """The accesses to objects that matter."""
    program, matters = run.packed, run.slice
    for thread in program.threads:
        for node in matters.bodies[thread.name].nodes.values():
            place = accessed(node.operation) if isinstance(node, ir.Do) else None
            if not isinstance(node, ir.Do) or place is None or place.object in matters.mute:
                continue
            operation, object_ = node.operation, program.objects[place.object]
            assert isinstance(operation, ir.Access)
            element = place.index.value if isinstance(place.index, Const) else None
            location = (place.object, instance(object_, thread), element if object_.array else 0)
            orders: set[ir.Order | None] = {operation.mode.order}
            if isinstance(operation, ir.CompareExchange):
                orders.add(operation.failure)
            simple = isinstance(operation, (ir.Load, ir.Store))
            yield _Use(thread, location, operation.mode, frozenset(orders), simple)


def _shared(run: Variant) -> list[list[_Use]]:
    """The accesses by location, of those that several threads access; elements that are computed are one location."""
    found: dict[object, list[_Use]] = defaultdict(list)
    uses = list(_uses(run))
    computed = {use.location[:2] for use in uses if use.location[2] is None}
    for use in uses:
        found[use.location[:2] if use.location[:2] in computed else use.location].append(use)
    return [of for of in found.values() if len({use.thread.name for use in of}) > 1]


def _one_location(run: Variant, shared: list[list[_Use]]) -> bool:
    """Whether threads share one location at most, and never an array whose elements are computed."""
    elements = {use.location for of in shared for use in of}
    return len(elements) <= 1 and all(element is not None for _, _, element in elements) and _atomic(run, shared)


def _atomic(run: Variant, shared: list[list[_Use]]) -> bool:
    """Whether accesses are atomic, and those to one location include each other."""
    version, objects = run.model.version, run.program.objects
    for uses in shared:
        hosts = any(use.thread.is_host for use in uses)
        devices = frozenset(use.thread.device for use in uses if not use.thread.is_host)
        for use in uses:
            access = Access(objects[use.location[0]], use.load_or_store, hosts, devices, run.settings.given)
            if not use.mode.atomic or not (version is None or is_atomic(access, use.mode.scope, version)):
                return False
        if not all(contains(a.mode.scope, a.thread, b.thread, version) for a in uses for b in uses):
            return False
    return True


def _is_seq_cst(run: Variant) -> bool:
    """Whether each atomic operation is seq_cst and atomic, at a scope that includes all who use the object so."""
    ordered = [use for use in _uses(run) if use.mode.atomic]
    if any(use.orders != {ir.Order.SEQ_CST} for use in ordered):
        return False
    return _atomic(run, [[use for use in uses if use.mode.atomic] for uses in _shared(run)])
