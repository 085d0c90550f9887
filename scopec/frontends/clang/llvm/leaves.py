"""The numbers in a type, and their paths from there.

A path leaves out what nobody wrote: bases, structures without a name, and what a library calls by a reserved name.
Numbers that would be called the same have that too.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from scopec.base.records import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scopec.program.types import IntType


@dataclass(frozen=True, slots=True)
class Bits:
    """A bit-field: its path, and its bits in the number that it is in; none where that is not known."""

    path: str
    shift: int
    width: int
    signed: bool


@dataclass(frozen=True, slots=True)
class Leaf:
    """A number in a type: its path from there (``[].next``), its offset, the arrays around it.

    ``extents`` are pairs of the number of elements and their distance in bytes, outermost first.  ``class_`` is the
    innermost class of the shims that it is the state of (no base of another), ``pointee`` what a pointer points to.
    What ``overlaps`` shares bytes with others, in a union, or may be wider or narrower; ``bits`` are its bit-fields.
    """

    path: str
    offset: int
    type: IntType
    pointer: bool = False
    extents: tuple[tuple[int, int], ...] = ()
    class_: str = ""
    pointee: str = ""
    overlaps: bool = False
    bits: tuple[Bits, ...] = ()


@dataclass(frozen=True, slots=True)
class Member:
    """The numbers of a member of a class, and the name that is left out of their paths, if one is."""

    leaves: tuple[Leaf, ...]
    left_out: str = ""


def members_apart(members: Sequence[Member], path: str) -> Iterator[Leaf]:
    """The numbers of the members of what is at a path, in order; no two at different places have one path.

    Of an ambiguous name C++ has that of a class before that of its bases ([class.member.lookup]); so do paths.  Of
    those that a library calls by reserved names the first is called as the whole.
    """
    places: dict[str, set[tuple[int, int]]] = {}
    for number, member in enumerate(members):
        for name, offset in _named(member):
            places.setdefault(name, set()).add((number, offset))
    first = [member.left_out.startswith("__") for member in members]
    alike = [
        any(
            other != number and at != offset and not (first[number] and first[other] and number < other)
            for name, offset in _named(member) for other, at in places[name]
        )
        for number, member in enumerate(members)
    ]  # fmt: skip
    times = Counter(member.left_out for member, clash in zip(members, alike, strict=True) if clash)
    seen: Counter[str] = Counter()
    for member, clash in zip(members, alike, strict=True):
        if not clash or not member.left_out:
            yield from member.leaves
            continue
        order = str(seen[member.left_out]) if times[member.left_out] > 1 else ""
        seen[member.left_out] += 1
        for leaf in member.leaves:
            yield _within(leaf, path, member.left_out + order)


def _named(member: Member) -> Iterator[tuple[str, int]]:
    """What of a member is called by a path, and where it is; an array is called as one number would be."""
    for leaf in member.leaves:
        path = leaf.path
        while path.endswith("[]"):
            path = path.removesuffix("[]")
        yield path, leaf.offset
        for part in leaf.bits:
            yield part.path, leaf.offset


def _within(leaf: Leaf, path: str, name: str) -> Leaf:
    """A number with the name of a member in its path."""

    def longer(own: str) -> str:
        return f"{path}.{name}{own.removeprefix(path)}"

    return replace(
        leaf, path=longer(leaf.path), bits=tuple(replace(part, path=longer(part.path)) for part in leaf.bits)
    )
