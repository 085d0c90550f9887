"""The accesses of a kernel that may meet: two of one block without a barrier between them, or two of two blocks.

All threads of a block come to the same barriers in the same turns of loops; that is asked first.  So two accesses of
one block are apart if one thread, on its way from the first to the second, comes to a barrier.  Where both are in one
turn of each loop around both, those that lie between them count.  Where they are in two turns of a loop, those count
that come after the first in its turn, and those before the second in its own.  Of a loop that is passed between them
the first turn counts.
"""

from __future__ import annotations

from collections.abc import Iterator

from scopec.base.records import dataclass
from scopec.program import anythread as terms
from scopec.program.anythread import Access, AnyThread, Barrier, Term, opposite
from scopec.sizes.questions import Question, Relation, firsts, is_exact, known

_BLOCK = 1
_DEVICE = 3


@dataclass(frozen=True)
class Order:
    """What is known of the barriers: whether they count, and in which loops each turn that another follows has one."""

    counts: bool
    full: frozenset[Term]


@dataclass(frozen=True)
class Pair:
    """Two accesses to one object by two threads, one of which writes."""

    first: Access
    second: Access
    same_block: bool


def pairs(form: AnyThread) -> Iterator[Pair]:
    """All pairs: of one block, and of two blocks but for what each block has of its own."""
    accesses = list(_distinct(form))
    for number, first in enumerate(accesses):
        for second in accesses[number:]:
            if first.object != second.object or first.kind == second.kind == "read":
                continue
            atomic = first.kind == second.kind == "atomic"
            scope = min(first.scope, second.scope)
            if not (atomic and scope >= _BLOCK):
                yield Pair(first, second, True)
            if first.object not in form.shared and not (atomic and scope >= _DEVICE):
                yield Pair(first, second, False)


def _distinct(form: AnyThread) -> Iterator[Access]:
    """The accesses without those that do what one does between the same barriers."""
    seen = set()
    for access in form.accesses:
        phase = sum(barrier.position < access.position for barrier in form.barriers)
        does = (access.object, access.offset, access.bytes, access.kind, access.condition, access.scope)
        key = (does, phase, access.turns)
        if key not in seen:
            seen.add(key)
            yield access


def asked(form: AnyThread, where: Term, pair: Pair, order: Order) -> Iterator[Question]:
    """The questions of a pair: whether two threads race in one turn of all loops, or in two turns of one."""
    first, second = sorted((pair.first, pair.second), key=lambda access: access.position)
    if not pair.same_block or not order.counts:
        apart = (*(loop.turn.name for loop in form.loops), *(one.symbol.name for one in form.uniform))
        yield _question(form, where, Pair(first, second, pair.same_block), apart=frozenset(apart))
        return
    yield _in_one_turn(form, where, Pair(first, second, True), order)
    for turn in _common(first, second):
        yield _in_two_turns(form, where, Pair(first, second, True), turn, order)
        if first is not second:
            yield _in_two_turns(form, where, Pair(second, first, True), turn, order)


def _common(first: Access, second: Access) -> tuple[Term, ...]:
    """The turns of the loops that are around both accesses."""
    return tuple(turn for turn in first.turns if turn in second.turns)


def _question(
    form: AnyThread, where: Term, pair: Pair, relations: tuple[Relation, ...] = (), of_first: tuple[Term, ...] = (),
    of_second: tuple[Term, ...] = (), apart: frozenset[str] = frozenset(),
) -> Question:  # fmt: skip
    first, second = pair.first, pair.second
    return Question(
        pair.same_block,
        (
            *known(form, where), *((term, 1) for term in (first.condition, *of_first)),
            *((term, 2) for term in (second.condition, *of_second)),
        ),
        (Relation("overlap", first.offset, second.offset, (first.bytes, second.bytes)), *relations),
        apart,
    )  # fmt: skip


def _counting(form: AnyThread, after: int, before: int) -> tuple[Barrier, ...]:
    """The barriers that the code has between two places, of those whose conditions are known exactly."""
    return tuple(b for b in form.barriers if after < b.position < before and is_exact(b.condition))


def _in_one_turn(form: AnyThread, where: Term, pair: Pair, order: Order) -> Question:
    """Two threads in the same turn of each loop around both accesses; the first access comes first in the code."""
    first, second = pair.first, pair.second
    between = _counting(form, first.position, second.position)
    common = _common(first, second)
    return _question(
        form, where, pair,
        tuple(Relation("not both", barrier.condition, barrier.condition) for barrier in between),
        firsts(between, (*first.turns, *second.turns)),
        _entered(second, common, order) if second.position > first.position else (),
    )  # fmt: skip


def _entered(access: Access, common: tuple[Term, ...], order: Order) -> tuple[Term, ...]:
    """That loops which a thread enters on its way to an access are in their first turns, if each turn has a barrier."""
    return tuple(terms.equal(turn, terms.ZERO) for turn in access.turns if turn not in common and turn in order.full)


def _in_two_turns(form: AnyThread, where: Term, pair: Pair, turn: Term, order: Order) -> Question:
    """The first access in one turn of a loop, the second in a later one, both in one turn of the loops around it."""
    first, second = pair.first, pair.second
    inside = [loop.turn for loop in form.loops if turn in loop.turns]
    inside += [one.symbol for one in form.uniform if turn in one.turns]
    of_loop = [barrier for barrier in form.barriers if turn in barrier.turns and is_exact(barrier.condition)]
    after = [barrier for barrier in of_loop if barrier.position > first.position]
    before = [barrier for barrier in of_loop if barrier.position < second.position]
    outer = first.turns[: first.turns.index(turn) + 1]
    again = next(loop.again for loop in form.loops if loop.turn is turn)
    return _question(
        form, where, pair,
        (Relation("next" if turn in order.full else "later", turn, turn),),
        (again, *firsts(after, first.turns), *(opposite(barrier.condition) for barrier in after)),
        (*firsts(before, second.turns), *_entered(second, outer, order), *(opposite(b.condition) for b in before)),
        frozenset(one.name for one in inside),
    )  # fmt: skip
