"""Loops and liveness of a control-flow graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from scopec.base.graphs import components
from scopec.base.records import dataclass
from scopec.program import ir
from scopec.program.effects import uses_and_definitions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Loop:
    """A strongly connected part of a graph: its head, then the rest in weak topological order."""

    head: int
    rest: tuple[Element, ...]

    def nodes(self) -> set[int]:
        """Every node of the loop, inner loops included."""
        found = {self.head}
        for element in self.rest:
            found |= element.nodes() if isinstance(element, Loop) else {element}
        return found


Element: TypeAlias = int | Loop


def weak_topological_order(body: ir.Body) -> tuple[Element, ...]:
    """The nodes so that every edge goes forward or to the head of a loop around its source.

    Bourdoncle, "Efficient chaotic iteration strategies with widenings" (1993): strongly connected components in
    topological order, each opened at its first node.
    """
    edges = {number: ir.successors(node) for number, node in body.nodes.items()}
    return _order(edges, set(edges), body.entry)


def loops(body: ir.Body) -> Iterator[Loop]:
    """The loops of a graph, those inside others included."""
    work: list[Element] = list(weak_topological_order(body))
    while work:
        element = work.pop()
        if isinstance(element, Loop):
            yield element
            work += element.rest


def _order(edges: Mapping[int, Sequence[int]], inside: set[int], entry: int) -> tuple[Element, ...]:
    elements: list[Element] = []
    for component in components([entry], lambda node: [n for n in edges[node] if n in inside]):
        head = component[0]
        if len(component) == 1 and head not in edges[head]:
            elements.append(head)
        else:
            rest = set(component) - {head}
            inner: list[Element] = []
            while rest:
                start = next(n for n in component if n in rest)
                part = _order(edges, rest, start)
                done = {n for e in part for n in (e.nodes() if isinstance(e, Loop) else {e})}
                inner = [*part, *inner]
                rest -= done
            elements.append(Loop(head, tuple(inner)))
    return tuple(elements)


# ---------------------------------------------------------------- liveness


#: The registers that each node reads, and those that it overwrites.
Registers: TypeAlias = "Mapping[int, tuple[set[str], set[str]]]"


def registers_of(body: ir.Body) -> Registers:
    """The registers of each node of a body."""
    return {number: uses_and_definitions(node) for number, node in body.nodes.items()}


def own_registers(facts: Registers) -> frozenset[str]:
    """The registers that a body reads or writes."""
    return frozenset[str]().union(*(used | defined for used, defined in facts.values()))


def live_registers(
    body: ir.Body, at_exit: frozenset[str] = frozenset(), *, strong: bool = True, facts: Registers | None = None
) -> dict[int, frozenset[str]]:
    """For each node the registers whose value may still matter when control reaches it.

    ``at_exit`` are the registers that are observed when the thread has ended.  With ``strong``, a register that is only
    read to compute registers that do not matter does not matter either; else whatever may still be read does.
    ``facts`` are the registers of its nodes, if they are known.
    """
    facts = registers_of(body) if facts is None else facts
    before: dict[int, list[int]] = {number: [] for number in body.nodes}
    for number, node in body.nodes.items():
        for following in ir.successors(node):
            before[following].append(number)
    live: dict[int, set[str]] = {
        number: set(at_exit) if isinstance(node, ir.Exit) else set() for number, node in body.nodes.items()
    }
    work = list(body.nodes)
    while work:
        number = work.pop()
        used, defined = facts[number]
        after: set[str] = set(at_exit) if isinstance(body.nodes[number], ir.Exit) else set()
        for following in ir.successors(body.nodes[number]):
            after |= live[following]
        idle = strong and isinstance(node := body.nodes[number], ir.Do) and isinstance(node.operation, ir.Set)
        now = after if idle and not defined & after else used | (after - defined)
        if now != live[number]:
            live[number] = now
            work.extend(before[number])
    return {number: frozenset(names) for number, names in live.items()}
