"""States far from the first one: a walk comes to one, and the property is asked of what follows it.

Where states are many and a violation is far from the first, a search breadth first comes there last.  What violates the
property behind a state that can be reached violates it: a state in which everything may stop, or states that can be
visited for ever with every promise kept.  That nothing is found says nothing.
"""

from __future__ import annotations

from array import array
from random import Random
from typing import TYPE_CHECKING

from scopec.engines.embedded.progress.exploring import Graph

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scopec.engines.embedded.progress.exploring import Exploration
    from scopec.engines.embedded.progress.terms import State

#: The walks that are tried, the states that are looked at on and behind all of them, and those found behind one.
_WALKS, _MOST_STATES, _MOST_BEHIND = 24, 8_192, 2_048
#: How often another thread goes on although the one before could, one time in so many.
_TURNS = (64, 8, 2)


def behind_walks(exploration: Exploration) -> Iterator[Graph]:
    """Graphs of a walk each and of what follows the state at its end, of much the first part."""
    left = _MOST_STATES
    for number in range(_WALKS):
        path = _walk(exploration, Random(number), _TURNS[number % len(_TURNS)], left)
        graph = exploration.graph(None, stop_early=True, begun=_along(path), most=_MOST_BEHIND)
        yield graph
        left -= len(graph.enabled)
        if left <= 0:  # of a program without a violation this time is lost
            return


def _walk(exploration: Exploration, chance: Random, turns: int, most: int) -> Sequence[State]:
    """The states of a walk: a thread goes on for some time, then another one does; none is come to twice."""
    path, gone, last = [exploration.first], {exploration.first}, -1
    threads, undefined = len(exploration.stepping.threads), frozenset(exploration.system.undefined_labels)
    while len(path) < most and undefined.isdisjoint(path[-1][:threads]) and not exploration.stepping.all_done(path[-1]):
        steps = list(exploration.steps(path[-1]))
        chance.shuffle(steps)
        if chance.randrange(turns):
            steps.sort(key=lambda step: step[0] != last)
        for last, _, after, _ in steps:
            if (after := exploration.sure.after(after, last)) not in gone:
                path.append(after)
                gone.add(after)
                break
        else:
            break
    return path


def _along(path: Sequence[State]) -> Graph:
    """A graph of the states of a path, of which the last one is to be looked at."""
    graph = Graph(list(path), parents=array("q", range(-1, len(path) - 1)), numbers={path[-1]: len(path) - 1})
    for _ in path[1:]:
        graph.enabled.append(graph.edges.append(()))
    return graph
