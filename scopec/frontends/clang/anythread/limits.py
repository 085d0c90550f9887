"""Between which limits numbers are, and what a register makes of one that is below those of its type.

Unsigned arithmetic goes round (C++ standard, [basic.fundamental]).  Upwards that is assumed away, which the verdict
says, and of products downwards; sums and differences are followed: ``u - v`` of two unsigned numbers may be below what
a register holds.
"""

from __future__ import annotations

from functools import lru_cache

from scopec.program import anythread as terms
from scopec.program import largest
from scopec.program.anythread import Term, const

#: The largest of each index and size.
_MOST = {
    f"{name}.{axis}": most - below
    for sizes, of in ((largest.BLOCK, ("threadIdx", "blockDim")), (largest.GRID, ("blockIdx", "gridDim")))
    for axis, most in zip("xyz", sizes, strict=True)
    for below, name in zip((1, 0), of, strict=True)
}
_LARGE = 1 << 62


@lru_cache(4096)
def limits(term: Term, least: int | None = None, most: int | None = None) -> tuple[int | None, int | None]:
    """The least and the largest number that a term can be, as far as its form tells; ``least`` and ``most`` of what it
    does not tell.
    """
    match term.op:
        case "const":
            return term.value, term.value
        case "symbol" if term.name in _MOST:
            return term.low, _MOST[term.name]
        case "symbol" | "read":
            return (least if term.low is None else term.low), (most if term.high is None else term.high)
        case "add":
            (low, high), (below, above) = (limits(arg, least, most) for arg in term.args)
            return _sum(low, below), _sum(high, above)
        case "mul" if term.args[0].op == "const":
            factor, (low, high) = term.args[0].value, limits(term.args[1], least, most)
            return _times(factor, low if factor >= 0 else high), _times(factor, high if factor >= 0 else low)
        case "mul":
            return _product(*(limits(arg, least, most) for arg in term.args))
        case "choose":
            (low, high), (below, above) = (limits(arg, least, most) for arg in term.args[1:])
            found_low = None if low is None or below is None else min(low, below)
            return found_low, None if high is None or above is None else max(high, above)
        case "div" | "mod" if term.args[1].op == "const" and term.args[1].value > 0:
            divisor, (low, high) = term.args[1].value, limits(term.args[0], least, most)
            if term.op == "mod":
                return 0, divisor - 1
            return None if low is None else low // divisor, None if high is None else high // divisor
        case _:
            return (0 if terms.is_natural(term) else least), most


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _times(factor: int, number: int | None) -> int | None:
    return None if number is None else factor * number


def _product(*of: tuple[int | None, int | None]) -> tuple[int | None, int | None]:
    (low, high), (below, above) = of
    if low is None or high is None or below is None or above is None:
        return (0 if low is not None and low >= 0 and below is not None and below >= 0 else None), None
    ends = (low * below, low * above, high * below, high * above)
    return min(ends), max(ends)


def goes_round(opcode: str, left: Term, right: Term, found: Term, bits: int) -> Term:
    """What a register holds of a sum or difference of unsigned numbers, which may be below its limits.

    What it is made of is within the limits of its type; a number of 64 bits of which nothing is known is below 2^62.
    """
    (low, _), (below, above) = (_of_register(term, bits) for term in (left, right))
    return not_below(found, low + below if opcode == "add" else low - above, bits)


def not_below(term: Term, least: int, bits: int) -> Term:
    """A number that is not below ``least``, as a register of so many bits has it, but for what is above its limits."""
    limit, whole = -(1 << (bits - 1)), 1 << bits
    if least >= limit:
        return term
    if least >= limit - whole:
        return terms.choose(terms.less(term, const(limit)), terms.add(term, const(whole)), term)
    return signed_part(term, bits)


def _of_register(term: Term, bits: int) -> tuple[int, int]:
    least, most = -(1 << (bits - 1)), min((1 << bits) - 1, _LARGE)
    low, high = limits(term, least, most)
    assert low is not None
    assert high is not None
    return max(low, least), min(high, max(most, (1 << bits) - 1))


def signed_part(term: Term, bits: int) -> Term:
    """The signed reading of a register's bits, of any number."""
    low, high = limits(term)
    half = 1 << (bits - 1)
    if low is not None and high is not None and -half <= low and high < half:
        return term
    return terms.add(terms.mod(terms.add(term, const(half)), const(1 << bits)), const(-half))


def unsigned_part(term: Term, bits: int) -> Term:
    """The unsigned reading of a register's bits, of any number."""
    low, high = limits(term)
    if low is not None and high is not None and low >= 0 and high < 1 << bits:
        return term
    return terms.mod(term, const(1 << bits))
