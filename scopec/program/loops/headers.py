"""Normalises loops: each gets a header of its own, at a node that needs no result of the turn before if one exists."""

from __future__ import annotations

from collections.abc import Mapping

from scopec.base.diagnostics import Code, error
from scopec.base.graphs import components
from scopec.base.records import replace
from scopec.program import ir
from scopec.program.dead_assignments import without_idle
from scopec.program.loops.facts import facts
from scopec.program.loops.loops import Loop, live_registers
from scopec.program.specialise import redirect
from scopec.program.values import TRUE

_MOST_NODES = 50_000


def prepared(body: ir.Body, observed: frozenset[str] = frozenset()) -> ir.Body:
    """A graph whose loops begin where it is best to begin; the ``observed`` registers matter at its end.

    Without what only counts, as ``if (wrong) errors++;`` at the end of a turn, two ways round a loop are not two loops.
    """
    edges = {number: ir.successors(node) for number, node in body.nodes.items()}
    if all(len(part) == 1 and part[0] not in edges[part[0]] for part in components(edges, edges.__getitem__)):
        return body
    body = own_heads(entered_once(without_idle(body, observed)))
    while (found := _carrying(body, observed)) is not None:
        body = own_heads(_with_copies(body, *found))
    return body


def entered_once(body: ir.Body) -> ir.Body:
    """The graph whose loops are entered at their heads alone, as those who go round loops take them.

    Who enters a loop elsewhere goes on in copies of its nodes until he comes to the head (node splitting; Hecht and
    Ullman, "Flow graph reducibility", 1972).  Jumps enter loops so, and threads of which the reader knows what they do
    in the first turns.  Raises InputError where the copies are too many.
    """
    body = replace(body, nodes={n: body.nodes[n] for n in _reached(body.entry, _edges(body.nodes))})
    while (found := _entered_elsewhere(body)) is not None:
        inside, copied = found
        body = _with_copies(body, inside, copied)
        if len(body.nodes) > _MOST_NODES:
            span = body.nodes[min(copied)].span
            raise error(Code.TOO_LARGE, "this thread goes into the middle of too many loops", span)
    return body


def _entered_elsewhere(body: ir.Body) -> tuple[set[int], set[int]] | None:
    """The nodes of a loop with several entries, and those between one and the others: the fewest."""
    for fact in facts(body):
        places = fact.entries
        if len(places) > 1:
            edges = _edges(fact.nodes)
            behind = [set().union(*(_reached(p, edges, head) for p in places - {head})) for head in sorted(places)]
            return set(fact.nodes), min(behind, key=len)
    return None


def _carrying(body: ir.Body, observed: frozenset[str]) -> tuple[set[int], set[int]] | None:
    """The nodes of a loop whose head needs what the turn before has computed, and those before the first that does not.

    ``s = f(); while (s != 1) s = f();`` begins with its first look at ``s``; each turn then is like all others.
    """
    live = live_registers(body, observed)
    for fact in facts(body):
        nodes, loop, computed = fact.nodes, fact.loop, fact.computed
        if not live[loop.head] & computed:
            continue
        inner = {n for element in loop.rest if isinstance(element, Loop) for n in element.nodes()}
        for place in loop.rest:
            if isinstance(place, int) and not live[place] & computed and fact.in_every_turn(place):
                before = {loop.head, *_reached(loop.head, _edges(nodes), place)}
                if not before & inner:
                    return set(nodes), before
    return None


def _with_copies(body: ir.Body, inside: set[int], copied: set[int]) -> ir.Body:
    """The graph in which who comes from outside of a loop to one of some nodes in it goes on in copies of these."""
    free = max(body.nodes) + 1
    copies = {n: free + number for number, n in enumerate(sorted(copied))}

    def from_outside(node: ir.Node) -> ir.Node:
        return redirect(node, lambda to: copies.get(to, to))

    nodes = {n: node if n in inside else from_outside(node) for n, node in body.nodes.items()}
    nodes |= {copy: from_outside(body.nodes[n]) for n, copy in copies.items()}
    return replace(body, nodes=nodes, entry=copies.get(body.entry, body.entry))


def _edges(nodes: Mapping[int, ir.Node]) -> dict[int, list[int]]:
    """The edges among some nodes."""
    return {n: [f for f in ir.successors(node) if f in nodes] for n, node in nodes.items()}


def own_heads(body: ir.Body) -> ir.Body:
    """The graph with an empty node in front of each loop whose first node also is that of a loop inside it."""
    nodes, entry = dict(body.nodes), body.entry
    while (shared := _shared(nodes, entry)) is not None:
        head, inner = shared
        front = max(nodes) + 1
        moved = {head: front}
        nodes = {n: node if n in inner else redirect(node, lambda to: moved.get(to, to)) for n, node in nodes.items()}  # noqa: B023
        nodes[front] = ir.Branch(TRUE, nodes[head].span, head, head)
        entry = front if entry == head else entry
    return replace(body, nodes=nodes, entry=entry)


def _shared(nodes: Mapping[int, ir.Node], entry: int) -> tuple[int, set[int]] | None:
    """A node at which a loop and one inside it begin, and where the inner one goes back to it from."""
    before: dict[int, list[int]] = {number: [] for number in nodes}
    for number, node in nodes.items():
        for following in set(ir.successors(node)):
            before[following].append(number)
    for head, sources in before.items():
        if len(sources) < 2:
            continue
        elsewhere = _reached(entry, {n: [f for f in ir.successors(nodes[n]) if f != head] for n in nodes}, head)
        loops = {n: {head, *_reached(n, before, head)} for n in sources if n not in elsewhere}  # natural loops
        inner = min(loops.values(), key=len, default=set[int]())
        if any(inner < outer for outer in loops.values()):
            return head, {n for n, loop in loops.items() if loop <= inner}
    return None


def _reached(start: int, edges: Mapping[int, list[int]], barrier: int | None = None) -> set[int]:
    """The nodes that are reached from one without going through another."""
    if start == barrier:
        return set()
    return {n for part in components([start], lambda n: [f for f in edges[n] if f != barrier]) for n in part}
