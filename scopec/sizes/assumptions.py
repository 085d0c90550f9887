"""Assumptions of a proof about all launches, each with questions that find a launch at which it is not so.

A question is asked of what is known exactly: of no number that is any, and of those turns of a loop alone to which a
thread comes: another follows the first and the last before, by a condition that holds between two turns where it holds
of both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from itertools import combinations

from scopec.base.records import dataclass
from scopec.base.source import Span
from scopec.program import anythread as terms
from scopec.program import pointer_tables
from scopec.program.anythread import ONE, ZERO, AnyThread, Reading, Term, both, const, equal, less, opposite, symbol
from scopec.sizes import pairs as meeting
from scopec.sizes.pairs import Order
from scopec.sizes.questions import Launches, Question, Who, not_linear, of_indices

LIMITS = "no number passes its limits"
POINTERS = "no two pointers overlap"
ARRAYS = "no index leaves its array"
TABLES = "no two addresses in an array are the same"
TEXTURES = "no texture has what the kernel writes"
_OF_ALL = (LIMITS, POINTERS, ARRAYS)


def assumed(form: AnyThread) -> tuple[str, ...]:
    """What a proof about a kernel assumes."""
    objects = {access.object for access in form.accesses}
    tables = (TABLES,) if any(map(pointer_tables.is_behind, objects)) else ()
    return (*_OF_ALL, *tables, *((TEXTURES,) if terms.TEXTURES in objects else ()))


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


def _asked(of: Launches, said: str, *known: Term) -> Question:
    """Whether there is a thread of which this holds, ``said`` in words; at ordinary numbers rather."""
    held: tuple[tuple[Term, Who], ...] = ((of.of_launch, 1), (of_indices(), 1), *((term, 1) for term in known))
    usual = (*meeting.positive(of.form), equal(_size("gridDim", "x"), ONE))
    rather: tuple[tuple[tuple[Term, Who], ...], ...] = tuple(((term, 1),) for term in usual)
    return Question(True, held, (), rather=rather, about=f"An assumption is not so: {said}.")


def _far(question: Question, largest: int) -> Iterator[Question]:
    """The question of launches of any size: with the largest blocks and numbers first, so that products are of few
    unknowns.
    """
    sizes: dict[Term, int] = {_size("blockDim", axis): largest if axis == "x" else 1 for axis in "xyz"}
    found = terms.symbols(*(term for term, _ in question.known)).values()
    numbers = {one: one.high for one in found if one.level == "launch" and one.high is not None}
    one_block = {_size("gridDim", axis): 1 for axis in "xyz"}
    for given in (sizes | numbers | one_block, sizes | numbers, sizes) if numbers else (sizes,):
        by = {size: const(number) for size, number in given.items()}
        known: list[tuple[Term, Who]] = [(terms.substituted(term, by), who) for term, who in question.known]
        known += ((equal(size, number), 1) for size, number in by.items())
        yield replace(question, known=tuple(known), rather=(), far=True)
    yield replace(question, rather=(), far=True)


def _size(name: str, axis: str) -> Term:
    return symbol(f"{name}.{axis}", "launch", 1)


def _come(of: Launches, *known: Term) -> tuple[Term, ...] | None:
    """Truths, and that a thread comes to the turns of loops that are in them; None where that is not known exactly."""
    again = {**dict(of.form.again), **{loop.turn: loop.again for loop in of.form.loops}}
    found, left, seen = list(known), list(known), set[Term]()
    while left:
        for one in terms.symbols(left.pop()).values():
            if one in seen:
                continue
            seen.add(one)
            if one in again:
                if not _is_convex(again[one], one):
                    return None
                before = (terms.substituted(again[one], {one: at}) for at in (ZERO, terms.add(one, const(-1))))
                found.append(terms.either(equal(one, ZERO), reduce(both, before)))
                left.append(found[-1])
            elif one.name.startswith(("?", "turn ")):
                return None
    return tuple(found)


def _is_convex(condition: Term, turn: Term) -> bool:
    """Whether a condition that holds of two turns holds of those between: comparisons of sums with steps."""
    match condition.op:
        case "and":
            return all(_is_convex(arg, turn) for arg in condition.args)
        case "less":
            return all(_is_stepped(arg, turn) for arg in condition.args)
        case "not" if condition.args[0].op == "less":
            return _is_convex(condition.args[0], turn)
        case _:
            return turn.name not in terms.symbols(condition)


def _is_stepped(term: Term, turn: Term) -> bool:
    """Whether each turn adds the same."""
    if term is turn or turn.name not in terms.symbols(term):
        return True
    if term.op == "mul":
        return sum(turn.name in terms.symbols(arg) for arg in term.args) == 1 and _is_stepped_by(term, turn)
    return term.op == "add" and _is_stepped_by(term, turn)


def _is_stepped_by(term: Term, turn: Term) -> bool:
    return all(_is_stepped(arg, turn) for arg in term.args)


def _of_limits(of: Launches) -> Iterator[Doubt]:
    once = {(one.term, one.limit, one.condition): one for one in reversed(of.form.readings)}
    for reading in sorted(once.values(), key=_weight):
        limit = const(reading.limit)
        passes = less(reading.term, limit) if reading.below else less(limit, reading.term)
        if (known := _come(of, reading.condition, passes)) is not None:
            said = f"a number passes {reading.limit}"
            for question in _far(_asked(of, said, *known), of.form.most_threads):
                yield Doubt(LIMITS, question, (reading.span,), said)


def _weight(reading: Reading) -> tuple[int, int, int]:
    """How hard the questions about a number are: how much in them is no sum; and which comes first."""
    return len(not_linear(reading.term) | not_linear(reading.condition)), reading.span.line, reading.span.column


def _of_arrays(of: Launches) -> Iterator[Doubt]:
    """Of arrays whose length is known, what clang checks, divisors among it; of others whether an index is below 0."""
    for term, span in of.form.checked:
        if (known := _come(of, opposite(term))) is not None:
            said = "an index leaves its array, or a divisor is 0"
            yield Doubt(ARRAYS, _asked(of, said, *known), (span,), said)
    for access in of.form.accesses:
        known = None if access.object in of.form.shared else _come(of, access.condition, less(access.offset, ZERO))
        if known is not None:
            said = "an index is below 0"
            yield Doubt(ARRAYS, _asked(of, said, *known), (access.span,), said)


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
