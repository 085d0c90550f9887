"""The accesses of a kernel that may meet: two of one block without a barrier between them, or two of two blocks.

All threads of a block come to the same barriers in the same turns of loops; that is asked first.  So two accesses of
one block are apart if one thread, on its way from the first to the second, comes to a barrier.  Where both are in one
turn of each loop around both, those that lie between them count.  Where they are in two turns of a loop, those count
that come after the first in its turn, and those before the second in its own.  Of a loop that is passed between them
the first turn counts.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator
from dataclasses import replace

from scopec.base.records import dataclass
from scopec.base.source import Span
from scopec.program import anythread as terms
from scopec.program.anythread import TRUE, Access, AnyThread, Barrier, Term, opposite
from scopec.sizes import tables, tickets
from scopec.sizes.polynomials import grouped
from scopec.sizes.questions import Launches, Question, Relation, Who, firsts, is_exact, left, same, warp_of

_BLOCK = 1
_DEVICE = 3


@dataclass(frozen=True)
class Order:
    """What is known of the barriers: whether they count, and in which loops each turn that another follows has one;
    those of ``warps`` that count; the same of the barriers of the grid, if these count.
    """

    counts: bool
    full: frozenset[Term]
    warps: tuple[Barrier, ...] = ()
    of_grid: Order | None = None


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
    """All pairs: of one block, but for those that a barrier of all threads parts, and of two blocks, but for those that
    one of the grid parts, and for what each block has of its own.
    """
    yield from _pairs(form, form.barriers, order if order.counts else None, same_block=True)
    yield from _pairs(form, form.grids, order.of_grid, same_block=False)
    for first, second in _meeting(_families(form, None, own=False), []):
        if _is_read_only(form, first) or _is_read_only(form, second):
            yield from (Pair(first, second, same_block) for same_block in (True, False))


def _pairs(
    form: AnyThread, barriers: tuple[Barrier, ...], order: Order | None, *, same_block: bool
) -> Iterator[Pair]:  # fmt: skip
    parting = sorted(b.position for b in barriers if b.condition is TRUE and not b.turns and order is not None)
    between = sorted(b.position for b in (*barriers, *form.warps)) if same_block or order is not None else None
    for first, second in _meeting(_families(form, between, own=same_block), parting):
        both_atomic = first.first.kind == second.first.kind == "atomic" and first.first.bytes == second.first.bytes
        if not (both_atomic and _scope(first, second) >= (_BLOCK if same_block else _DEVICE)):
            yield Pair(first, second, same_block)


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


def _families(form: AnyThread, barriers: list[int] | None, *, own: bool) -> list[Family]:
    """The accesses by what they do, between the same barriers of these; to what a block has of its ``own``, too."""
    found: dict[tuple[object, ...], tuple[Term, dict[int, Access]]] = {}
    for access in form.accesses:
        if not own and access.object in form.shared:
            continue
        factors, constant = terms.linear(access.offset)
        kind = access.kind, access.scope, access.span in form.read_only
        does = (access.object, frozenset(factors.items()), access.bytes, kind, access.condition)
        where = () if barriers is None else (bisect(barriers, access.position), access.turns)
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
    known = (order if order.counts else None) if pair.same_block else order.of_grid
    if known is None or _is_read_only(form, first) or _is_read_only(form, second):
        apart = (*(loop.turn.name for loop in form.loops), *(one.symbol.name for one in form.uniform))
        yield _question(of, pair, apart=frozenset(apart), ordered=False)
        return
    yield _about(_in_one_turn(of, pair, known), "in one turn of each loop around both" if form.loops else "")
    for turn in _common(first.first, second.first):
        yield _about(_in_two_turns(of, pair, turn, known), f"the second in a later {turn.name}")
        if first != second:
            swapped = _in_two_turns(of, Pair(second, first, pair.same_block), turn, known)
            yield _about(swapped, f"the second in a later {turn.name}")


def _about(question: Question, more: str) -> Question:
    return replace(question, about=f"{question.about.removesuffix('.')}, {more}.") if more else question


def _common(first: Access, second: Access) -> tuple[Term, ...]:
    """The turns of the loops that are around both accesses."""
    return tuple(turn for turn in first.turns if turn in second.turns)


def _question(
    of: Launches, pair: Pair, relations: tuple[Relation, ...] = (), of_first: tuple[Term, ...] = (),
    of_second: tuple[Term, ...] = (), apart: frozenset[str] = frozenset(), *, ordered: bool = True,
) -> Question:  # fmt: skip
    first, second = pair.first.first, pair.second.first
    ours, theirs = (first.condition, *of_first), (second.condition, *of_second)
    ours += left(of.form, *ours, pair.first.offset)
    theirs += left(of.form, *theirs, pair.second.offset)
    numbers = tickets.apart(
        of.form, (*ours, pair.first.offset), (*theirs, pair.second.offset), _BLOCK if pair.same_block else _DEVICE,
        same_block=pair.same_block, ordered=ordered,
    )  # fmt: skip
    return Question(
        pair.same_block,
        (*of.known, *((term, 1) for term in ours), *((term, 2) for term in theirs)),
        (*tables.relations(first.object, pair.first.offset, pair.second.offset, _overlapping(pair)), *relations),
        apart,
        ((_within(pair.first, 1), _within(pair.second, 2)), *(((term, 1),) for term in positive(of.form))),
        numbers,
        about=_words(pair),
    )  # fmt: skip


def _words(pair: Pair) -> str:
    """A question about a pair, in words."""
    kinds = [f"{one.first.kind} of line {one.first.span.line}" for one in (pair.first, pair.second)]
    blocks = "one block" if pair.same_block else "two blocks"
    return f"Two threads of {blocks} meet: the {kinds[0]} and the {kinds[1]}."


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


def _barriers(of: Launches, pair: Pair) -> Iterator[Barrier]:
    """The barriers that both threads come to, of those whose conditions are known exactly."""
    barriers = of.form.barriers if pair.same_block else of.form.grids
    return (b for b in barriers if is_exact(b.condition))


def _in_turns(pair: Pair, turns: Iterable[Term]) -> Iterator[Relation]:
    """That both threads are in the same turns of loops, which in one block have one number."""
    return iter(()) if pair.same_block else map(same, turns)


def _in_one_turn(of: Launches, pair: Pair, order: Order) -> Question:
    """Two threads in the same turn of each loop around both accesses; the first access comes first in the code."""
    first, second = pair.first.first, pair.second.first
    between = [b for b in _barriers(of, pair) if first.position < b.position < second.position]
    common = _common(first, second)
    return _question(
        of, pair,
        (*(Relation("not both", b.condition, b.condition) for b in between), *_in_turns(pair, common)),
        (*firsts(between, (*first.turns, *second.turns)), *_in_no_next_turn(of, pair, first, common)),
        _entered(second, common, order) if second.position > first.position else (),
    )  # fmt: skip


def _in_no_next_turn(of: Launches, pair: Pair, access: Access, common: tuple[Term, ...]) -> Iterator[Term]:
    """That a thread which has left loops since an access came to no barrier in the next turn of one of them."""
    for loop in of.form.loops:
        if loop.turn in access.turns and loop.turn not in common:
            other = {one.symbol for one in of.form.uniform if loop.turn in one.turns}
            for barrier in _barriers(of, pair):
                if loop.turn in barrier.turns and barrier.position < access.position:
                    inner = barrier.turns[barrier.turns.index(loop.turn) + 1 :]
                    by = dict.fromkeys(inner, terms.ZERO) | {loop.turn: terms.add(loop.turn, terms.ONE)}
                    if other.isdisjoint(terms.symbols(barrier.condition).values()):
                        yield opposite(terms.both(loop.again, terms.substituted(barrier.condition, by)))


def _entered(access: Access, common: tuple[Term, ...], order: Order) -> tuple[Term, ...]:
    """That loops which a thread enters on its way to an access are in their first turns, if each turn has a barrier."""
    return tuple(terms.equal(turn, terms.ZERO) for turn in access.turns if turn not in common and turn in order.full)


def _in_two_turns(of: Launches, pair: Pair, turn: Term, order: Order) -> Question:
    """The first access in one turn of a loop, the second in a later one, both in one turn of the loops around it."""
    first, second = pair.first.first, pair.second.first
    form = of.form
    inside = [loop.turn for loop in form.loops if turn in loop.turns]
    inside += [one.symbol for one in form.uniform if turn in one.turns]
    of_loop = [barrier for barrier in _barriers(of, pair) if turn in barrier.turns]
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
