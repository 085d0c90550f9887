"""Fair cycles in an explicit graph of states: strongly connected components, and nothing clever.

Why the search is right
    The graph is finite. So for an infinite path let INF be the edges that it takes infinitely often: they form a
    strongly connected set, and the path stays within INF from some point on. Conversely, given any strongly
    connected set of edges there is a path that reaches it (all states are reachable) and then takes exactly its
    edges, each infinitely often. Everything asked is a property of INF alone: each fairness condition, silence,
    "never finishes" (a finished state has no step but stuttering, so: INF has no finished state), "eventually no
    counted step" (INF has no counted edge). Hence search for a strongly connected set among the unfinished states
    with only the allowed edges:

    1. All conditions hold (_fair_component). Take a maximal strongly connected component C; INF, if within C, is
       part of it.
       - A weak condition fails in C iff A is enabled in all states of C and no edge inside C is in A. Then it fails
         in every part of C too: drop C.
       - A strong condition fails in C iff some states of C enable A and no edge inside C is in A. A part of C has
         no A edge either, so it can only satisfy the condition without those states: remove them, and search what
         is left again.
       - If nothing fails, the path that takes all edges inside C for ever is fair: found.
       Each round removes states, so this ends. Enabledness is always that of the full graph, whatever edges are
       allowed.
    2. Some thread t is silent (_silent_component). Forbid t's counted edges; found iff some component has an edge
       of t inside. No other condition is asked: nothing is promised to anyone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import NamedTuple


class Edge(NamedTuple):
    """One step: of a thread (None for stuttering); ``counts`` for [intro.progress.1]; the actions that it is in."""

    src: int
    dst: int
    thread: Hashable
    counts: bool
    actions: frozenset[Hashable] = frozenset()


Keep = Callable[[Edge], bool]


@dataclass(frozen=True)
class Graph:
    """The edges that leave each reachable state, which are unfinished, and the actions that are owed fairness."""

    out: list[list[Edge]]
    unfinished: frozenset[int]
    weak: frozenset[Hashable]
    strong: frozenset[Hashable]


def _components(graph: Graph, within: Iterable[int], keep: Keep) -> list[set[int]]:
    """Maximal strongly connected components of the sub-graph (Kosaraju)."""
    inside = set(within)
    succ = {v: [e.dst for e in graph.out[v] if e.dst in inside and keep(e)] for v in inside}
    pred: dict[int, list[int]] = {v: [] for v in inside}
    for v, ws in succ.items():
        for w in ws:
            pred[w].append(v)
    order: list[int] = []  # by the end of a depth-first visit
    seen: set[int] = set()
    for root in inside:
        if root in seen:
            continue
        seen.add(root)
        stack = [(root, iter(succ[root]))]
        while stack:
            v, rest = stack[-1]
            child = next((w for w in rest if w not in seen), None)
            if child is None:
                order.append(v)
                stack.pop()
            else:
                seen.add(child)
                stack.append((child, iter(succ[child])))
    components: list[set[int]] = []
    placed: set[int] = set()
    for root in reversed(order):
        if root in placed:
            continue
        component, todo = {root}, [root]
        while todo:
            for w in pred[todo.pop()]:
                if w not in placed and w not in component:
                    component.add(w)
                    todo.append(w)
        placed |= component
        components.append(component)
    return components


def _inner_edges(graph: Graph, component: set[int], keep: Keep) -> list[Edge]:
    return [e for v in component for e in graph.out[v] if e.dst in component and keep(e)]


def _fair_component(graph: Graph, keep: Keep) -> set[int] | None:
    """A strongly connected set of unfinished states, over the kept edges, in which every fairness condition holds."""
    enabled = [frozenset[Hashable]().union(*(e.actions for e in edges)) for edges in graph.out]
    todo = [set(graph.unfinished)]
    while todo:
        for component in _components(graph, todo.pop(), keep):
            taken = frozenset[Hashable]().union(*(e.actions for e in _inner_edges(graph, component, keep)))
            if any(all(a in enabled[v] for v in component) for a in graph.weak - taken):
                continue
            bad = {v for v in component if enabled[v] & (graph.strong - taken)}
            if not bad:
                return component
            todo.append(component - bad)
    return None


def _silent_component(graph: Graph, keep: Keep) -> set[int] | None:
    """A strongly connected set of unfinished states, over the kept edges, in which some thread is silent for ever."""
    for who in {e.thread for edges in graph.out for e in edges if e.thread is not None}:

        def silent(e: Edge, who: Hashable = who) -> bool:
            return keep(e) and not (e.counts and e.thread == who)

        for component in _components(graph, graph.unfinished, silent):
            if any(e.thread == who for e in _inner_edges(graph, component, silent)):
                return component
    return None


def exists(graph: Graph, keep: Keep) -> bool:
    """Whether some fair behaviour that never finishes has only kept edges from some point on."""
    return _fair_component(graph, keep) is not None or _silent_component(graph, keep) is not None
