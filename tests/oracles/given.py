"""The sets and relations that an execution gives to a model, from the definitions: slow, and meant to be right.

Written from the section "Executions" of the models' documentation; scopec/memory/given/relations.py states the same as unions of
products.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from scopec.memory.events.events import Event, Kind, Synchronises
from scopec.memory.events.scopes import contains, inclusive
from scopec.memory.execution import Execution
from scopec.program.ir import Order, Proxy, Scope, Storage, Thread, Use
from scopec.program.values import leaves


def order_of(event: Event, x: Execution) -> Order | None:
    """The order that an event has in an execution: that of its failure, for a compare-exchange that failed."""
    if event.order is None or event.success is None or event.success.holds(x.outcomes):
        return event.order
    return event.failure


def is_thread_access(event: Event) -> bool:
    return event.kind in (Kind.READ, Kind.WRITE)


def is_barrier(event: Event, x: Execution) -> bool:
    if event.kind in (Kind.ARRIVE, Kind.WAIT):  # without a scope these are what is left of an mbarrier's
        return event.scope is not None
    if not is_thread_access(event) or event.order is None or event.location is None:
        return False
    return x.graph.program.objects[event.location.object].use is not Use.DATA


def has_scope(scope: Scope) -> Callable[[Event, Execution], bool]:
    def test(event: Event, _: Execution) -> bool:
        return event.scope is scope and (event.order is not None or event.kind in (Kind.ARRIVE, Kind.WAIT))

    return test


def has_order(*orders: Order, but: Kind | None = None) -> Callable[[Event, Execution], bool]:
    return lambda e, x: order_of(e, x) in orders and e.kind is not but


def uses_proxy(event: Event) -> bool:
    return event.kind in (Kind.READ, Kind.WRITE, Kind.INIT, Kind.FENCE, Kind.PROXY_FENCE)


def through(event: Event) -> set[Proxy | None]:
    return {Proxy.GENERIC, Proxy.ASYNC} if event.proxy is Proxy.EITHER else {event.proxy} - {None}


def has_proxy(proxy: Proxy) -> Callable[[Event, Execution], bool]:
    return lambda e, _: uses_proxy(e) and proxy in through(e)


def use_of(event: Event, x: Execution) -> Use | None:
    return None if event.location is None else x.graph.program.objects[event.location.object].use


def in_shared_memory(event: Event, x: Execution) -> bool:
    there = None if event.location is None else x.graph.program.objects[event.location.object]
    return there is not None and there.storage is Storage.SHARED and there.use is not Use.TENSOR


def of_tensor_memory(event: Event, x: Execution) -> bool:
    return use_of(event, x) is Use.TENSOR and event.kind is not Kind.INIT


def piped(a: Event, b: Event, x: Execution) -> bool:
    """PTX ISA, "Pipelined tcgen05 Instructions": the five pairs."""
    if not (a.agent and b.agent and a.agent != b.agent and of_tensor_memory(a, x) and of_tensor_memory(b, x)):
        return False
    first, then = (x.graph.by_id[e.agent].pipe for e in (a, b))
    kinds = first.split()[0], then.split()[0]
    alike = first == then or kinds != ("mma", "mma")
    few = kinds != ("shift", "cp") or then.endswith("4x256b")
    pairs = {("mma", "mma"), ("cp", "mma"), ("shift", "mma"), ("shift", "cp"), ("mma", "shift")}
    return kinds in pairs and alike and few


ACQUIRES = (Order.ACQUIRE, Order.ACQ_REL, Order.SEQ_CST)
RELEASES = (Order.RELEASE, Order.ACQ_REL, Order.SEQ_CST)

SETS: dict[str, Callable[[Event, Execution], bool]] = {
    "R": lambda e, _: e.kind is Kind.READ,
    "W": lambda e, _: e.kind in (Kind.WRITE, Kind.INIT),
    "M": lambda e, _: e.kind in (Kind.READ, Kind.WRITE, Kind.INIT),
    "F": lambda e, _: e.kind in (Kind.FENCE, Kind.PROXY_FENCE),
    "GEN": has_proxy(Proxy.GENERIC),
    "SUR": has_proxy(Proxy.SURFACE),
    "TEX": has_proxy(Proxy.TEXTURE),
    "CON": has_proxy(Proxy.CONSTANT),
    "ASY": has_proxy(Proxy.ASYNC),
    "MB": lambda e, x: use_of(e, x) is Use.MBARRIER and e.order is not None,
    "MI": lambda e, x: use_of(e, x) is Use.MBARRIER and e.order is None and e.kind is not Kind.INIT,
    "IF": lambda e, _: e.kind is Kind.INIT_FENCE,
    "SM": in_shared_memory,
    "TM": of_tensor_memory,
    "TD": lambda e, x: of_tensor_memory(e, x) and not e.agent,
    "TW": lambda e, _: e.kind is Kind.COMPLETE,
    "TB": lambda e, _: e.kind is Kind.TENSOR_BEFORE,
    "TA": lambda e, _: e.kind is Kind.TENSOR_AFTER,
    "PF": lambda e, _: e.kind is Kind.PROXY_FENCE,
    "PS": lambda e, _: e.kind is Kind.PROXY_FENCE and e.space is not Storage.DEVICE,
    "PG": lambda e, _: e.kind is Kind.PROXY_FENCE and e.space is not Storage.SHARED,
    "ALIAS": lambda e, _: e.kind is Kind.PROXY_FENCE and e.proxy is None,
    "B": is_barrier,
    "BW": lambda e, _: e.kind is Kind.WAIT and e.scope is not None,
    "IW": lambda e, _: e.kind is Kind.INIT,
    "A": lambda e, x: is_thread_access(e) and e.id in x.base.atomic,
    "NA": lambda e, _: is_thread_access(e) and e.order is None,
    "VOL": lambda e, _: is_thread_access(e) and e.volatile,
    "RED": lambda e, _: e.reduction,
    "WEAK": lambda e, _: is_thread_access(e) and e.order is None and not e.volatile,
    "RMW": lambda e, x: e.rmw is not None and e.rmw in {other.id for other in x.events},
    "Acq": has_order(*ACQUIRES, but=Kind.WRITE),
    "Rel": has_order(*RELEASES, but=Kind.READ),
    "SC": has_order(Order.SEQ_CST),
    "RLX": has_order(Order.RELAXED),
    "ACQ": has_order(Order.ACQUIRE),
    "REL": has_order(Order.RELEASE),
    "ACQ_REL": has_order(Order.ACQ_REL),
    "SEQ_CST": has_order(Order.SEQ_CST),
    **{scope.name: has_scope(scope) for scope in Scope},
    "LAST": lambda e, _: e.kind is Kind.READ and e.last,
}


def same_thread(a: Event, b: Event) -> bool:
    """An agent is a thread of its own."""
    return a.id == b.id or (a.thread != "" and (a.thread, a.agent) == (b.thread, b.agent))


def side_by_side(a: Event, b: Event) -> bool:
    """Whether two events are of different operands of one evaluation."""
    for (one, left), (other, right) in zip(a.operands, b.operands, strict=False):
        if (one, left) != (other, right):
            return one == other
    return False


def program_order(a: Event, b: Event, x: Execution) -> bool:
    number = {event.id: n for n, event in enumerate(x.graph.events)}
    agents = (a.agent or b.agent) and a.rmw != b.id  # whose accesses are in no order
    return (
        same_thread(a, b) and not agents and a.thread != "" and number[a.id] < number[b.id] and not side_by_side(a, b)
    )


def edges(
    which: Callable[[Execution], Iterable[Synchronises]],
) -> Callable[[Event, Event, Execution], bool]:
    def related(a: Event, b: Event, x: Execution) -> bool:
        found = [e for e in which(x) if a.id in e.before and b.id in e.after]
        return any(e.when is None or bool(x.value(e.when)) for e in found)

    return related


def threads(x: Execution) -> dict[str, Thread]:
    return {t.name: t for t in x.graph.program.threads}


def includes(a: Event, b: Event, x: Execution) -> bool:
    return a.thread != "" and b.thread != "" and inclusive(a, b, threads(x), x.base.version)


def together(scope: Scope) -> Callable[[Event, Event, Execution], bool]:
    def related(a: Event, b: Event, x: Execution) -> bool:
        known = threads(x)
        if not a.thread or not b.thread:
            return False
        return contains(scope, known[a.thread], known[b.thread], x.base.version)

    return related


def fence_order(a: Event, b: Event, x: Execution) -> bool:
    """Whether a chain of chosen pairs leads from one to the other."""
    seen: set[str] = set()
    work = [a.id]
    while work:
        here = work.pop()
        found = {after for before, after in x.choice.sync_fence if before == here} - seen
        seen |= found
        work += found
    return b.id in seen


def depends(a: Event, b: Event, x: Execution) -> bool:
    pairs = x.base.real.pairs
    if (a.id, b.id) not in pairs:
        return False
    when = pairs[a.id, b.id]
    return when is None or bool(x.value(when))


def computed_from(a: Event, b: Event, _: Execution) -> bool:
    return a.kind is Kind.READ and b.value is not None and a.id in {leaf.name for leaf in leaves(b.value)}


def selects(a: Event, b: Event, x: Execution) -> bool:
    selection = x.graph.addresses.get(b.id)
    if a.kind is not Kind.READ or selection is None:
        return False
    chosen = {choice.register for choice in x.graph.choices.values() if choice.of == a.id}
    return any(leaf.name in {a.id, *chosen} for leaf in leaves(selection.index))


RELATIONS: dict[str, Callable[[Event, Event, Execution], bool]] = {
    "po": program_order,
    "rf": lambda a, b, x: (a.id, b.id) in x.choice.rf,
    "co": lambda a, b, x: (a.id, b.id) in x.choice.co,
    "loc": lambda a, b, _: a.location is not None and a.location == b.location,
    "start": lambda a, b, _: b.agent == a.id,
    "done": edges(lambda x: x.graph.done),
    "piped": piped,
    "px": lambda a, b, _: uses_proxy(a) and uses_proxy(b) and not through(a).isdisjoint(through(b)),
    "vloc": lambda a, b, _: a.location is not None and (a.location, a.alias) == (b.location, b.alias),
    "int": lambda a, b, _: same_thread(a, b),
    "ext": lambda a, b, _: not same_thread(a, b),
    "rmw": lambda a, b, _: a.kind is Kind.READ and a.rmw == b.id,
    "addr": selects,
    "data": computed_from,
    "ctrl": lambda a, b, x: a.kind is Kind.READ and a.id in x.graph.control.get(b.id, ()),
    "dep": depends,
    "asw": edges(lambda x: x.graph.asw),
    "syncbar": edges(lambda x: [e for e in x.graph.asw if e.barrier]),
    "api": edges(lambda x: [e for e in x.graph.asw if not e.barrier]),
    **{
        name: edges(lambda x, name=name: x.graph.phases.get(name, ()))  # type: ignore[misc]
        for name in ("phase", "complete", "later", "served")
    },
    "issue": edges(lambda x: x.graph.issue),
    "incl": includes,
    "scta": together(Scope.BLOCK),
    "scluster": together(Scope.CLUSTER),
    "sgpu": together(Scope.DEVICE),
    "sync_fence": fence_order,
    "id": lambda a, b, _: a.id == b.id,
    "vec": lambda a, b, _: a.vector is not None and a.vector == b.vector,
    "wakes": lambda a, b, x: b.id in x.graph.asleep.get(a.id, ()),
}
