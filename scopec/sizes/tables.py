"""Offsets behind addresses that are read at an index of an array, taken apart: the place in the array, and the rest.

That two such offsets are of the same bytes says that their places are the same and what is behind them overlaps, as no
two pointers overlap.  An offset of another form, as one of which nothing is known, may be at any place.
"""

from __future__ import annotations

from scopec.program import anythread as terms
from scopec.program import pointer_tables
from scopec.program.anythread import Term
from scopec.sizes.polynomials import Sum, as_term, multiplied_out
from scopec.sizes.questions import Relation

_SAME = ((0, 0),)


def relations(object_: str, first: Term, second: Term, ranges: tuple[tuple[int, int], ...]) -> tuple[Relation, ...]:
    """That the first offset less the second is in one of the ranges: of both parts, if both offsets have them."""
    whole = Relation("apart by", first, second, ranges)
    if not pointer_tables.is_behind(object_):
        return (whole,)
    one, other = _parts(object_, first), _parts(object_, second)
    if one is None or other is None:
        return (whole,)
    (place, rest), (there, more) = one, other
    array = object_[: -len(pointer_tables.behind(""))]
    return Relation("apart by", rest, more, ranges), *relations(array, place, there, _SAME)


def _parts(object_: str, offset: Term) -> tuple[Term, Term] | None:
    """The place in the array and what is behind it; None of an offset that is not made so."""
    factors, constant = terms.linear(offset)
    found = multiplied_out(factors)
    tag, distance = pointer_tables.tag(object_), pointer_tables.distance(object_)
    if found is None or found.pop((tag,), 0) != 1:
        return None
    place: Sum = {}
    rest: Sum = {(): constant} if constant else {}
    for product, times in found.items():
        if product.count(distance) == 1:
            at = product.index(distance)
            place[product[:at] + product[at + 1 :]] = times
        else:
            rest[product] = rest.get(product, 0) + times
    parts = as_term(place), as_term(rest)
    hidden = {tag.name, distance.name} & terms.symbols(*parts).keys()
    return None if hidden else parts
