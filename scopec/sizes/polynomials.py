"""Sums of products in one form: as a numeral with several digits, ``(z * h + y) * w + x``.

Code writes one sum as ``z * h * w + y * w + x``, as ``z * (h * w) + y * w + x`` and as that.  The laws of order that
are known of products (``a < b`` gives ``a * w + w <= b * w``) compare products with a common factor: with that factor
taken out of all terms that have it, two sums are equal only if their last digits are, then the next.  Both forms are
equal for all integers, so that nothing is assumed.
"""

from __future__ import annotations

from collections import Counter
from math import gcd
from typing import TypeAlias

from scopec.program.anythread import ONE, ZERO, Term, add, const, linear, mul, total

#: A product of terms, each as often as it is a factor, in one order; with its constant factor a part of a sum.
_Product: TypeAlias = tuple[Term, ...]
Sum: TypeAlias = dict[_Product, int]

#: A sum of more products than this stays as it is.
_MOST = 64


def grouped(factors: dict[Term, int]) -> Term:
    """The sum of terms, each with a factor, without its constant: common factors are taken out of products."""
    found = multiplied_out(factors)
    if found is None or not _common(found):
        return total(factors)
    return as_term(found)


def multiplied_out(factors: dict[Term, int]) -> Sum | None:
    """A sum as products of what is neither; None where these are too many."""
    found: Sum = {}
    for term, factor in factors.items():
        products = _products(term)
        if products is None:
            return None
        for product, times in products.items():
            found[product] = found.get(product, 0) + factor * times
    found = {product: times for product, times in found.items() if times}
    return found if len(found) <= _MOST else None


def _products(term: Term) -> Sum | None:
    if term.op != "mul":
        return {(term,): 1}
    one, other = (_summed(arg) for arg in term.args)
    if one is None or other is None or len(one) * len(other) > _MOST:
        return None
    found: Sum = {}
    for ours, first in one.items():
        for theirs, second in other.items():
            product = tuple(sorted((*ours, *theirs), key=lambda factor: factor.number))
            found[product] = found.get(product, 0) + first * second
    return found


def _summed(term: Term) -> Sum | None:
    factors, constant = linear(term)
    found = multiplied_out(factors)
    return found if found is None or not constant else {**found, (): constant}


def _common(found: Sum) -> Term | None:
    """The factor to take out first: one of the launch rather than another, and one of most products."""
    counted = Counter(factor for product in found if len(product) > 1 for factor in dict.fromkeys(product))
    counted += Counter(factor for product in found if len(product) == 1 for factor in product if factor in counted)
    often = [factor for factor, times in counted.items() if times > 1]
    return min(often, key=lambda factor: (_is_index(factor), -counted[factor], factor.number), default=None)


def _is_index(factor: Term) -> bool:
    return factor.op != "symbol" or factor.level != "launch"


def as_term(found: Sum) -> Term:
    """A sum of products, with common factors taken out of these."""
    factor = _common(found)
    if factor is None:
        result = ZERO
        for product, times in found.items():
            whole = ONE
            for one in product:
                whole = mul(whole, one)
            result = add(result, mul(const(times), whole))
        return result
    inside: Sum = {}
    for product, times in found.items():
        if factor in product:
            place = product.index(factor)
            inside[product[:place] + product[place + 1 :]] = times
    outside = {product: times for product, times in found.items() if factor not in product}
    divisor = gcd(*inside.values())
    taken = as_term({product: times // divisor for product, times in inside.items()})
    return add(mul(const(divisor), mul(factor, taken)), as_term(outside))
