"""Reachability among the edges of the constant order: against its definition."""

from __future__ import annotations

import random
from collections.abc import Sequence

from scopec.memory.reduce import constant_order
from scopec.memory.reduce.constant_order import bits


def by_definition(count: int, joined: Sequence[tuple[int, int]], conditional: int) -> list[int]:
    """From each edge through those that have no condition (Warshall)."""
    reach = [1 << n for n in range(count)]
    for entered, begins in joined:
        for number in bits(entered):
            reach[number] |= begins
    for through in range(count):
        for n in range(count):
            if reach[n] >> through & 1 and not conditional >> through & 1:
                reach[n] |= reach[through]
    return reach


def test_edges_lead_on_through_those_without_a_condition() -> None:
    cyclic = 0
    for seed in range(500):
        chance = random.Random(seed)
        count = chance.randrange(1, 12)

        def mask(share: float, chance: random.Random = chance, count: int = count) -> int:
            return sum(1 << n for n in range(count) if chance.random() < share)

        joined = [(mask(0.2), mask(0.2)) for _ in range(chance.randrange(6))]
        conditional = mask(chance.choice([0, 0.3]))
        expected = by_definition(count, joined, conditional)
        assert constant_order._closed(count, joined, conditional) == expected
        cyclic += any(expected[m] >> n & 1 for n in range(count) for m in bits(expected[n] & ~(1 << n)))
    assert cyclic > 50
