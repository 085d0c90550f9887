"""Partition refinement: the classes are those of the definition, whatever the order in which they are split."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping
from random import Random

from scopec.program.merge_threads import _refined

Graph = Mapping[int, tuple[int, ...]]


def by_definition(classes: Mapping[int, Hashable], following: Graph) -> Mapping[int, Hashable]:
    """Tell apart what is followed by what has been told apart, until there is no more."""
    for _ in following:
        names: dict[Hashable, int] = {}
        classes = {
            n: names.setdefault((classes[n], *(classes[other] for other in following[n])), len(names)) for n in classes
        }
    return classes


def partition(classes: Mapping[int, Hashable]) -> set[frozenset[int]]:
    members: dict[Hashable, set[int]] = defaultdict(set)
    for number, name in classes.items():
        members[name].add(number)
    return set(map(frozenset, members.values()))


def test_random_graphs() -> None:
    for seed in range(2000):
        random = Random(seed)
        count = random.randint(1, 14)
        following = {
            n: tuple(random.randrange(count) for _ in range(random.choice([0, 1, 1, 1, 2, 2]))) for n in range(count)
        }
        classes = {n: (random.randrange(3), len(after)) for n, after in following.items()}
        assert partition(_refined(classes, following)) == partition(by_definition(classes, following)), seed


def test_a_long_line_is_told_apart_at_once() -> None:
    """In rounds over all of it these would be 50,000 times 50,000 steps."""
    count = 50_000
    following = {n: (n + 1,) if n + 1 < count else () for n in range(count)}
    assert len(partition(_refined(dict.fromkeys(range(count), 0), following))) == count
