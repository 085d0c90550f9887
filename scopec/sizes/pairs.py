"""The accesses of a kernel that may meet: two of one block without a barrier between them, or two of two blocks.

All threads of a block come to the same barriers in the same turns of loops; that is asked first.  So two accesses of
one block are apart if one thread, on its way from the first to the second, comes to a barrier.  Where both are in one
turn of each loop around both, those that lie between them count.  Where they are in two turns of a loop, those count
that come after the first in its turn, and those before the second in its own.  Of a loop that is passed between them
the first turn counts.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator
from dataclasses import replace

from scopec.base.records import dataclass
from scopec.base.source import Span
from scopec.program import anythread as terms
from scopec.program.anythread import TRUE, Access, AnyThread, Barrier, Term, opposite
from scopec.sizes import tickets
from scopec.sizes.polynomials import grouped
from scopec.sizes.questions import Launches, Question, Relation, Who, firsts, is_exact, warp_of

_BLOCK = 1
_DEVICE = 3


@dataclass(frozen=True)
class Order:
    """What is known of the barriers: whether they count, and in which loops each turn that another follows has one;
    those of ``warps`` that count.
    """

    counts: bool
    full: frozenset[Term]
    warps: tuple[Barrier, ...] = ()


@dataclass(frozen=True)
class Family:
    """Accesses that differ in the constant of their offset alone; ``offset`` is that of each without it."""

    members: tuple[Access, ...]
    constants: tuple[int, ...]
    offset: Term

    @property
    def first(self) -> Access:
        """The first in the code."""
        return self.members[0]


@dataclass(frozen=True)
class Pair:
    """Accesses to one object by two threads, one of which writes: any of one family and any of another."""

    first: Family
    second: Family
    same_block: bool

    def single(self) -> Iterator[Pair]:
        """Each pair of two accesses; none if this is one."""
        if len(self.first.members) * len(self.second.members) == 1:
            return
        for number, first in enumerate(_alone(self.first)):
            for second in _alone(self.second)[number if self.second is self.first else 0 :]:
                yield Pair(first, second, self.same_block)

    @property
    def spans(self) -> tuple[Span, Span]:
        """The places of both."""
        return self.first.first.span, self.second.first.span


def _alone(family: Family) -> list[Family]:
    return [Family((m,), (c,), family.offset) for m, c in zip(family.members, family.constants, strict=True)]


def pairs(form: AnyThread, order: Order) -> Iterator[Pair]:
    """All pairs: of one block, but for those that a barrier of all threads parts, and of two blocks, but for what each
    block has of its own.
    """
    parting = sorted(b.position for b in form.barriers if b.condition is TRUE and not b.turns and order.counts)
    for first, second in _meeting(_families(form, within=True), parting):
        if not (first.first.kind == second.first.kind == "atomic" and _scope(first, second) >= _BLOCK):
            yield Pair(first, second, True)
    for first, second in _meeting(_families(form, within=False), []):
        if _is_read_only(form, first) or _is_read_only(form, second):
            yield Pair(first, second, True)
        if not (first.first.kind == second.first.kind == "atomic" and _scope(first, second) >= _DEVICE):
            yield Pair(first, second, False)


def _is_read_only(form: AnyThread, family: Family) -> bool:
    """Whether no barrier parts these loads from a write."""
    return family.first.kind == "read" and family.first.span in form.read_only


def _scope(first: Family, second: Family) -> int:
    return min(first.first.scope, second.first.scope)


def _meeting(families: list[Family], parting: list[int]) -> Iterator[tuple[Family, Family]]:
    """Two families of accesses to one object, not only reads, between the same barriers of these."""
    alike: dict[tuple[str, int], list[Family]] = {}
    for one in families:
        alike.setdefault((one.first.object, bisect(parting, one.first.position)), []).append(one)
    for found in alike.values():
        for number, one in enumerate(found):
            for other in found[number:]:
                if not one.first.kind == other.first.kind == "read":
                    yield one, other


def _families(form: AnyThread, *, within: bool) -> list[Family]:
    """The accesses by what they do: ``within`` a block between the same barriers, or else to what all blocks share."""
    found: dict[tuple[object, ...], tuple[Term, dict[int, Access]]] = {}
    barriers = sorted(barrier.position for barrier in (*form.barriers, *form.warps))
    for access in form.accesses:
        if not within and access.object in form.shared:
            continue
        factors, constant = terms.linear(access.offset)
        kind = access.kind, access.scope, access.span in form.read_only
        does = (access.object, frozenset(factors.items()), access.bytes, kind, access.condition)
        where = (bisect(barriers, access.position), access.turns) if within else ()
        if (does, where) not in found:
            found[does, where] = grouped(factors), {}
        found[does, where][1].setdefault(constant, access)
    return [Family(tuple(members.values()), tuple(members), offset) for offset, members in found.values()]


def asked(of: Launches, pair: Pair, order: Order) -> Iterator[Question]:
    """The questions of a pair: whether two threads race in one turn of all loops, or in two turns of one."""
    first, second = sorted((pair.first, pair.second), key=lambda family: family.first.position)
    known = tuple(_parted_by_warps(of, first, second, order)) if pair.same_block else ()
    for question in _of_turns(of, Pair(first, second, pair.same_block), order):
        yield replace(question, relations=(*question.relations, *known)) if known else question


def _parted_by_warps(of: Launches, first: Family, second: Family, order: Order) -> Iterator[Relation]:
    """That two threads which come to a barrier of warps, outside of loops, between both accesses are in two warps."""
    if _is_read_only(of.form, first) or _is_read_only(of.form, second):
        return
    warp = warp_of(of)
    for barrier in order.warps:
        if first.first.position < barrier.position < second.first.position:
            here, there = (terms.choose(barrier.condition, warp, terms.const(-n)) for n in (1, 2))
            yield Relation("differ", here, there)


def _of_turns(of: Launches, pair: Pair, order: Order) -> Iterator[Question]:
    form, first, second = of.form, pair.first, pair.second
    if not pair.same_block or not order.counts or _is_read_only(form, first) or _is_read_only(form, second):
        apart = (*(loop.turn.name for loop in form.loops), *(one.symbol.name for one in form.uniform))
        yield _question(of, Pair(first, second, pair.same_block), apart=frozenset(apart), ordered=False)
        return
    yield _in_one_turn(of, Pair(first, second, True), order)
    for turn in _common(first.first, second.first):
        yield _in_two_turns(of, Pair(first, second, True), turn, order)
        if first != second:
            yield _in_two_turns(of, Pair(second, first, True), turn, order)


def _common(first: Access, second: Access) -> tuple[Term, ...]:
    """The turns of the loops that are around both accesses."""
    return tuple(turn for turn in first.turns if turn in second.turns)


def _question(
    of: Launches, pair: Pair, relations: tuple[Relation, ...] = (), of_first: tuple[Term, ...] = (),
    of_second: tuple[Term, ...] = (), apart: frozenset[str] = frozenset(), *, ordered: bool = True,
) -> Question:  # fmt: skip
    first, second = pair.first.first, pair.second.first
    ours, theirs = (first.condition, *of_first), (second.condition, *of_second)
    numbers = tickets.apart(
        of.form, (*ours, pair.first.offset), (*theirs, pair.second.offset), _BLOCK if pair.same_block else _DEVICE,
        same_block=pair.same_block, ordered=ordered,
    )  # fmt: skip
    return Question(
        pair.same_block,
        (*of.known, *((term, 1) for term in ours), *((term, 2) for term in theirs)),
        (Relation("apart by", pair.first.offset, pair.second.offset, _overlapping(pair)), *relations),
        apart,
        ((_within(pair.first, 1), _within(pair.second, 2)), *(((term, 1),) for term in positive(of.form))),
        numbers,
    )  # fmt: skip


def positive(form: AnyThread) -> Iterator[Term]:
    """That numbers which are parameters are above 0, as most are sizes."""
    for _, term in form.parameters:
        if term is not None and term.op == "symbol":
            yield terms.less(terms.ZERO, term)


def _within(family: Family, who: Who) -> tuple[Term, Who]:
    """That no access of a family is before its object, as an index below 0 is, but where a pointer is to its middle."""
    first = terms.add(family.offset, terms.const(min(family.constants)))
    return opposite(terms.less(first, terms.ZERO)), who


def _overlapping(pair: Pair) -> tuple[tuple[int, int], ...]:
    """The differences of the offsets without constants at which bytes of some of both overlap, as ranges."""
    first, second = pair.first, pair.second
    differences = sorted({there - here for here in first.constants for there in second.constants})
    found: list[tuple[int, int]] = []
    for difference in differences:
        low, high = difference - first.first.bytes + 1, difference + second.first.bytes - 1
        if found and low <= found[-1][1] + 1:
            low, _ = found.pop()
        found.append((low, high))
    return tuple(found)


def _counting(form: AnyThread, after: int, before: int) -> tuple[Barrier, ...]:
    """The barriers that the code has between two places, of those whose conditions are known exactly."""
    return tuple(b for b in form.barriers if after < b.position < before and is_exact(b.condition))


def _in_one_turn(of: Launches, pair: Pair, order: Order) -> Question:
    """Two threads in the same turn of each loop around both accesses; the first access comes first in the code."""
    first, second = pair.first.first, pair.second.first
    between = _counting(of.form, first.position, second.position)
    common = _common(first, second)
    return _question(
        of, pair,
        tuple(Relation("not both", barrier.condition, barrier.condition) for barrier in between),
        firsts(between, (*first.turns, *second.turns)),
        _entered(second, common, order) if second.position > first.position else (),
    )  # fmt: skip


def _entered(access: Access, common: tuple[Term, ...], order: Order) -> tuple[Term, ...]:
    """That loops which a thread enters on its way to an access are in their first turns, if each turn has a barrier."""
    return tuple(terms.equal(turn, terms.ZERO) for turn in access.turns if turn not in common and turn in order.full)


def _in_two_turns(of: Launches, pair: Pair, turn: Term, order: Order) -> Question:
    """The first access in one turn of a loop, the second in a later one, both in one turn of the loops around it."""
    first, second = pair.first.first, pair.second.first
    form = of.form
    inside = [loop.turn for loop in form.loops if turn in loop.turns]
    inside += [one.symbol for one in form.uniform if turn in one.turns]
    of_loop = [barrier for barrier in form.barriers if turn in barrier.turns and is_exact(barrier.condition)]
    after = [barrier for barrier in of_loop if barrier.position > first.position]
    before = [barrier for barrier in of_loop if barrier.position < second.position]
    outer = first.turns[: first.turns.index(turn) + 1]
    again = next(loop.again for loop in form.loops if loop.turn is turn)
    return _question(
        of, pair,
        (Relation("next" if turn in order.full else "later", turn, turn),),
        (again, *firsts(after, first.turns), *(opposite(barrier.condition) for barrier in after)),
        (*firsts(before, second.turns), *_entered(second, outer, order), *(opposite(b.condition) for b in before)),
        frozenset(one.name for one in inside),
    )  # fmt: skip
