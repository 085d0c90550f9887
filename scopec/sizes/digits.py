"""A question about two offsets as questions about their digits.

``row * n + column`` of two threads is one number only if both columns and both rows are, where each column is below
``n`` and not below 0.  That is asked of each thread by itself, and then whether two threads have one column and one
row: of each the products are fewer.

    for (i = t; i < n; i += stride) for (j = 0; j < m; ++j) p[j * n + i] = x;
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import gcd

from scopec.program import anythread as terms
from scopec.program.anythread import FALSE, ZERO, Term, either, less, opposite
from scopec.sizes.polynomials import Sum, as_term, multiplied_out
from scopec.sizes.questions import Question, Relation

#: So many numbers of the launch are tried at most.
_MOST = 3


def split(question: Question) -> Iterator[tuple[Question, ...]]:
    """Questions of which, if nobody is as each asks, nobody is as the question asks; by one number of the launch after
    the other.
    """
    if not question.relations or question.relations[0].kind != "apart by":
        return
    apart, *others = question.relations
    sums = tuple(map(_sum, (apart.first, apart.second)))
    if None in sums:
        return
    first, second = (one for one in sums if one is not None)
    unit = gcd(*first.values(), *second.values())
    constant = second.pop((), 0) - first.pop((), 0)
    if not _same(apart.ranges, constant, unit):
        return
    for number in _numbers(first, second):
        (column, row), (other, above) = _digits(first, number, unit), _digits(second, number, unit)
        within = (
            Relation("differ", _outside(column, number), FALSE),
            Relation("differ", FALSE, _outside(other, number)),
        )
        alone = tuple(replace(question, relations=(relation,), rather=()) for relation in within)
        same = (Relation("apart by", one, two, ((0, 0),)) for one, two in ((column, other), (row, above)))
        yield (*alone, replace(question, relations=(*same, *others), rather=()))


def _sum(offset: Term) -> Sum | None:
    factors, constant = terms.linear(offset)
    found = multiplied_out(factors)
    return None if found is None else {**found, (): found.get((), 0) + constant}


def _same(ranges: tuple[tuple[int, int], ...], constant: int, unit: int) -> bool:
    """Whether two sums of so many units are in one of the ranges only if they are equal."""
    inside = [(-(-(low + constant) // unit), (high + constant) // unit) for low, high in ranges] if unit else []
    return [one for one in inside if one[0] <= one[1]] == [(0, 0)]


def _numbers(*sums: Sum) -> list[Term]:
    """The numbers of the launch that are factors of products, parameters first."""
    found = {factor for one in sums for product in one if len(product) > 1 for factor in product}
    known = [one for one in found if one.op == "symbol" and one.level == "launch"]
    return sorted(known, key=lambda one: ("Dim." in one.name, one.number))[:_MOST]


def _digits(of: Sum, number: Term, unit: int) -> tuple[Term, Term]:
    """What is left of a sum without a factor, and of how often that is in it."""
    column = {product: times // unit for product, times in of.items() if number not in product}
    row: Sum = {}
    for product, times in of.items():
        if number in product:
            place = product.index(number)
            row[product[:place] + product[place + 1 :]] = times // unit
    return as_term(column), as_term(row)


def _outside(column: Term, number: Term) -> Term:
    return either(less(column, ZERO), opposite(less(column, number)))
