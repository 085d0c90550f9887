"""Nodes that are reached, and strongly connected components."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def reached(start: Node, successors: Callable[[Node], Iterable[Node]]) -> set[Node]:
    """The nodes that are reached from one, itself among them."""
    found, work = {start}, [start]
    while work:
        for following in successors(work.pop()):
            if following not in found:
                found.add(following)
                work.append(following)
    return found


def components(roots: Iterable[Node], successors: Callable[[Node], Sequence[Node]]) -> list[list[Node]]:
    """The strongly connected components reached from the roots, in topological order (Tarjan, 1972).

    Each component begins with the node at which it was entered; successors given first come earlier where the edges
    leave the order open.
    """
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    stack: list[Node] = []
    on_stack: dict[Node, int] = {}
    found: list[list[Node]] = []
    work: list[tuple[Node, Iterator[Node]]] = []

    def enter(node: Node) -> None:
        index[node] = low[node] = len(index)
        on_stack[node] = len(stack)
        stack.append(node)
        work.append((node, iter(successors(node)[::-1])))

    for root in roots:
        if root not in index:
            enter(root)
        while work:
            node, following = work[-1]
            for after in following:
                if after not in index:
                    enter(after)
                    break
                if after in on_stack:
                    low[node] = min(low[node], index[after])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = on_stack[node]
                    component = stack[at:]
                    del stack[at:]
                    for left in component:
                        del on_stack[left]
                    found.append(component)
    return found[::-1]
