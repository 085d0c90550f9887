"""Random expressions over shared memory, of accesses in some order and in none."""

from __future__ import annotations

from random import Random

from tests.oracles.evaluations import Access, Sequence, Sum, Term


def random_expression(chance: Random, depth: int) -> Term:
    match chance.randrange(5) if depth else 0:
        case 0 | 1:
            return Access(chance.choice(("load", "exchange", "add")), chance.choice("xy"), chance.randint(1, 2))
        case 2 | 3:
            return Sum(tuple(random_expression(chance, depth - 1) for _ in range(2)))
        case _:
            return Sequence(tuple(random_expression(chance, depth - 1) for _ in range(2)))
