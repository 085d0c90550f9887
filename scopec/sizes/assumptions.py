"""What a proof about all launches assumes, each with questions that find a launch at which it is not so.

A question is asked of what is known exactly: of no number that is any, and of no turn of a loop, of which it is not
known whether a thread comes to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from scopec.base.records import dataclass
from scopec.base.source import Span
from scopec.program import anythread as terms
from scopec.program.anythread import ONE, ZERO, Term, const, equal, less, opposite, symbol
from scopec.sizes import pairs as meeting
from scopec.sizes.pairs import Order
from scopec.sizes.questions import Launches, Question, Who, of_indices

LIMITS = "no number passes its limits"
POINTERS = "no two pointers overlap"
ARRAYS = "no index leaves its array"
ASSUMED = (LIMITS, POINTERS, ARRAYS)


@dataclass(frozen=True)
class Doubt:
    """An assumption, a question of which a yes is a launch at which it is not so, the places that are concerned, and
    what is so there.
    """

    assumption: str
    question: Question
    places: tuple[Span, ...]
    said: str


def doubts(of: Launches, order: Order) -> Iterator[Doubt]:
    """The questions, those first that most kernels answer."""
    yield from _of_limits(of)
    yield from _of_arrays(of)
    yield from _of_pointers(of, order)


def _asked(of: Launches, *known: Term) -> Question:
    """Whether there is a thread of which this holds; at ordinary numbers rather."""
    held: tuple[tuple[Term, Who], ...] = ((of.of_launch, 1), (of_indices(), 1), *((term, 1) for term in known))
    usual = (*meeting.positive(of.form), equal(_size("gridDim", "x"), ONE))
    rather: tuple[tuple[tuple[Term, Who], ...], ...] = tuple(((term, 1),) for term in usual)
    return Question(True, held, (), rather=rather)


def _far(question: Question, largest: int) -> Iterator[Question]:
    """The question of launches of any size: with the largest blocks first, so that products are of one unknown."""
    block = {_size("blockDim", axis): const(largest if axis == "x" else 1) for axis in "xyz"}
    known: list[tuple[Term, Who]] = [(terms.substituted(term, block), who) for term, who in question.known]
    known += ((equal(size, number), 1) for size, number in block.items())
    yield replace(question, known=tuple(known), rather=(), far=True)
    yield replace(question, rather=(), far=True)


def _size(name: str, axis: str) -> Term:
    return symbol(f"{name}.{axis}", "launch", 1)


def _is_exact(*of: Term) -> bool:
    return not any(name.startswith(("?", "turn ")) for name in terms.symbols(*of))


def _of_limits(of: Launches) -> Iterator[Doubt]:
    for reading in of.form.readings:
        if _is_exact(reading.term, reading.condition):
            limit = const(reading.limit)
            passes = less(reading.term, limit) if reading.below else less(limit, reading.term)
            for question in _far(_asked(of, reading.condition, passes), of.form.most_threads):
                yield Doubt(LIMITS, question, (reading.span,), f"a number passes {reading.limit}")


def _of_arrays(of: Launches) -> Iterator[Doubt]:
    """Of arrays whose length is known, what clang checks, divisors among it; of others whether an index is below 0."""
    for term, span in of.form.checked:
        if _is_exact(term):
            yield Doubt(ARRAYS, _asked(of, opposite(term)), (span,), "an index leaves its array, or a divisor is 0")
    for access in of.form.accesses:
        if access.object not in of.form.shared and _is_exact(access.offset, access.condition):
            question = _asked(of, access.condition, less(access.offset, ZERO))
            yield Doubt(ARRAYS, question, (access.span,), "an index is below 0")


def _of_pointers(of: Launches, order: Order) -> Iterator[Doubt]:
    """Two parameters that are one array, where two threads meet then."""
    form = of.form
    pointers = [name for name, term in form.parameters if term is None]
    used = [name for name in pointers if any(access.object == name for access in form.accesses)]
    for one, other in combinations(used, 2):
        origin = {access.position: access.object for access in form.accesses}
        yield from _of_two(of, order, one, other, origin)


def _of_two(of: Launches, order: Order, one: str, other: str, origin: dict[int, str]) -> Iterator[Doubt]:
    form = of.form
    same = tuple(replace(a, object=one) for a in form.accesses if a.object in (one, other))
    alike = Launches(replace(form, accesses=same), of.where)
    for pair in meeting.pairs(alike.form, order):
        members = (*pair.first.members, *pair.second.members)
        if {origin[member.position] for member in members} == {one, other}:
            for question in meeting.asked(alike, pair, order):
                yield Doubt(
                    POINTERS, question, pair.spans, f"with one array for `{one}` and `{other}` two threads meet"
                )
