"""Addresses that are read at an index of an array of them, which nobody writes: ``a[blockIdx.x][i]`` of ``int** a``.

All of them are in one object, by an offset in three parts: a tag, the place in the array times an unknown number, and
the offset behind the address.  Two of these are of one array of numbers where their places are the same, and of two
else, as no two pointers overlap.  The tag tells an offset that is made so from one that is any.
"""

from __future__ import annotations

from scopec.program.anythread import Term, add, mul, symbol, symbols

#: Behind the name of an array, the object that its addresses lead to.
_BEHIND = "->*"


def behind(array: str) -> str:
    """The object to which the addresses in an array lead, wherever they are in it."""
    return f"{array}{_BEHIND}"


def is_behind(object_: str) -> bool:
    """Whether an object is that to which addresses in an array lead."""
    return object_.endswith(_BEHIND)


def tag(object_: str) -> Term:
    """What each such offset has once."""
    return symbol(f"?tag {object_}", "launch", 0)


def distance(object_: str) -> Term:
    """What each such offset has as often as its place says."""
    return symbol(f"?distance {object_}", "launch", 0)


def offset_of(array: str, place: Term) -> Term:
    """The offset, in the object behind an array, of the address that is at a place of it."""
    object_ = behind(array)
    return add(tag(object_), mul(distance(object_), place))


def has_place(object_: str, offset: Term) -> bool:
    """Whether an offset, or a difference of two, has a place of an array in it.

    The unknown number is for one question alone, whether two offsets are the same: of two addresses in an array neither
    the order nor the distance is known.
    """
    return not {tag(object_).name, distance(object_).name}.isdisjoint(symbols(offset))
