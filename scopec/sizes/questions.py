"""Questions about two threads of a launch, and what holds of every launch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field, replace
from functools import cached_property, lru_cache, reduce
from math import prod
from typing import Literal, Protocol

from scopec.base.limits import Deadline
from scopec.base.records import dataclass
from scopec.program import anythread as terms
from scopec.program import largest
from scopec.program.anythread import (
    FALSE,
    TRUE,
    ZERO,
    AnyThread,
    Barrier,
    Level,
    Loop,
    Term,
    Ticket,
    both,
    const,
    less,
    opposite,
    symbol,
)
from scopec.program.warp import WARP

#: What is asked, in words.
_DIFFERS = "One thread of a block comes to a barrier, or goes round a loop with one once more, and another does not."
_BLOCKS = "The same of a barrier of the grid, and two threads of two blocks."
_LANES = "One lane of a warp comes to a barrier of the warp, and another does not."
_LEFT_OUT = "One thread comes to a barrier, and another leaves it out and comes to a later one."
_COME = "Two threads come to an access, or to a barrier: a proof is one of something."
_COMES = "One of two threads comes to an access."
_MET = "A launch meets the condition."
_WITHOUT = "A turn of a loop, which another follows, has no barrier."

#: Whose a term is: of the first thread or of the second.
Who = Literal[1, 2]
#: Sizes, and the indices below them.
SIZED = (("blockDim", "threadIdx"), ("gridDim", "blockIdx"))
_LARGEST = {"blockDim": largest.BLOCK, "gridDim": largest.GRID}


@dataclass(frozen=True)
class Question:
    """Whether there are two threads of which everything holds; ``same_block`` says whether they are in one block.

    Each condition is on a term of the first thread and one of the second.  ``apart`` names what is the same for a block
    in one turn of its loops, where the two threads are in different turns.  Two threads of which what is in ``rather``
    holds too, group by group as far as it can, are better to show; a proof takes no notice of it.  ``tickets`` are
    those that the first thread and the second have of one object.  With ``far`` launches of any size are sought, else
    small ones.  Of one that is ``likely`` two threads are sought before a proof that there are none.  Of one that is
    ``shown`` the launch is looked at, so one of few threads is sought.  ``about`` says in words what is asked.
    """

    same_block: bool
    known: tuple[tuple[Term, Who], ...]
    relations: tuple[Relation, ...]
    apart: frozenset[str] = field(default=frozenset())
    rather: tuple[tuple[tuple[Term, Who], ...], ...] = field(default=())
    tickets: tuple[tuple[Ticket, Ticket], ...] = field(default=())
    far: bool = field(default=False)
    likely: bool = field(default=False)
    shown: bool = field(default=False, compare=False)
    about: str = field(default="")


@dataclass(frozen=True)
class Relation:
    """A relation between terms of the two threads: that the first less the second is in one of the ``ranges`` (the
    first and the last number of each), a truth of both, or that the second is the number of the turn after the first,
    or of any later one.
    """

    kind: Literal["apart by", "not both", "differ", "next", "later"]
    first: Term
    second: Term
    ranges: tuple[tuple[int, int], ...] = field(default=())


@dataclass(frozen=True)
class Model:
    """Numbers under which the answer is yes: of the launch by name, and contents of objects by name and offset."""

    numbers: dict[str, int]
    contents: dict[str, dict[int, int]]

    @property
    def threads(self) -> int:
        """The number of threads of the launch."""
        return prod(self.numbers.get(f"{of}.{axis}", 1) for of, _ in SIZED for axis in "xyz")


#: Proved that there are none; two threads; neither was found.
Answer = Literal["none"] | Model | None


class OfSizes(Protocol):
    """Who answers the questions about one kernel."""

    def answer(self, question: Question, seconds: float, end: Deadline, memory: int | None) -> Answer:
        """The answer, within about so many seconds of the processor, before the end, and within so many bytes."""

    @property
    def decided(self) -> str | None:
        """The question that was answered last as SMT-LIB, with the answer; None if it was left open."""

    def specification(self, question: Question) -> str:
        """A question as SMT-LIB; that nobody is as is asked is a proof."""


class Launches:
    """All launches of a kernel that meet a condition."""

    def __init__(self, form: AnyThread, where: Term) -> None:
        self.form, self.where = form, where

    @cached_property
    def known(self) -> tuple[tuple[Term, Who], ...]:
        """What holds of two threads."""
        thread = of_thread(self.form)
        return (self.of_launch, 1), (thread, 1), (thread, 2)

    @cached_property
    def asks_contents(self) -> bool:
        """Whether the condition is about all elements of arrays, of which a launch that is shown has others."""
        return any(name.startswith(terms.UNIQUE) for name in terms.symbols(self.where))

    @cached_property
    def flat(self) -> tuple[str, ...]:
        """The sizes at which neither kernel nor condition look, and which are 1 therefore."""
        named = self.form.dimensions | set(terms.symbols(self.where))
        pairs = ((f"{name}.{axis}", f"{index}.{axis}") for name, index in SIZED for axis in "yz")
        return tuple(name for name, index in pairs if not {name, index} & named)

    @cached_property
    def of_launch(self) -> Term:
        """What holds of every launch: the condition, and its sizes."""
        found = [self.where]
        for place, axis in enumerate("xyz"):
            for name, _ in SIZED:
                size = symbol(f"{name}.{axis}", "launch", 1)
                threads = self.form.most_threads if name == "blockDim" else largest.GRID[0]
                most = const(min(_LARGEST[name][place], threads))
                is_flat = f"{name}.{axis}" in self.flat
                found.append(terms.equal(size, terms.ONE) if is_flat else opposite(less(most, size)))
        return both(reduce(both, found, TRUE), self._block)

    @property
    def _block(self) -> Term:
        """That a block has no more threads than there may be."""
        sizes = [f"blockDim.{axis}" for axis in "xyz" if f"blockDim.{axis}" not in self.flat]
        threads = reduce(terms.mul, (symbol(size, "launch", 1) for size in sizes))
        return opposite(less(const(self.form.most_threads), threads)) if len(sizes) > 1 else TRUE


def of_thread(form: AnyThread) -> Term:
    """What holds of every thread: its indices, and what clang's traps stop."""
    return reduce(both, form.assumed, of_indices())


def of_indices() -> Term:
    """What holds of the indices of every thread."""
    found = list[Term]()
    for index, name, level in _INDICES:
        for axis in "xyz":
            found.append(less(symbol(f"{index}.{axis}", level, 0), symbol(f"{name}.{axis}", "launch", 1)))
    return reduce(both, found, TRUE)


_INDICES: tuple[tuple[str, str, Level], ...] = (("threadIdx", "blockDim", "thread"), ("blockIdx", "gridDim", "block"))


def differs(of: Launches, condition: Term) -> Question:
    """Whether a condition holds of one thread of a block, and not of another; in the first turns of loops rather, to
    which all threads come.
    """
    used = terms.symbols(condition)
    turns = [loop.turn for loop in of.form.loops if loop.turn.name in used]
    first: tuple[tuple[Term, Who], ...] = tuple((terms.equal(turn, terms.ZERO), 1) for turn in turns)
    rather = (first,) if first else ()
    return Question(True, of.known, (Relation("differ", condition, condition),), rather=rather, about=_DIFFERS)


def with_other_numbers(question: Question, model: Model) -> Question:
    """The same of launches that have other numbers than a model has, or other sizes if there are no numbers."""
    found = terms.symbols(*(term for term, _ in question.known))
    of_launch = [one for one in found.values() if one.level == "launch" and one.op == "symbol"]
    numbers = [one for one in of_launch if not one.name.startswith(("blockDim", "gridDim"))] or of_launch
    these = (terms.equal(one, const(model.numbers[one.name])) for one in numbers if one.name in model.numbers)
    return replace(question, known=(*question.known, (opposite(reduce(both, these, TRUE)), 1)))


def differs_between_blocks(of: Launches, condition: Term, turns: tuple[Term, ...]) -> Question:
    """Whether a condition holds of one thread, and not of one of another block, in the same turns of loops."""
    return Question(False, of.known, (Relation("differ", condition, condition), *map(same, turns)), about=_BLOCKS)


def same(term: Term) -> Relation:
    """That a number is the same for both threads."""
    return Relation("apart by", term, term, ((0, 0),))


def differs_in_warp(of: Launches, condition: Term) -> Question:
    """Whether a condition holds of one lane of a warp, and not of another."""
    return Question(True, of.known, (Relation("differ", condition, condition), same(warp_of(of))), about=_LANES)


def warp_of(of: Launches) -> Term:
    """The number of a thread's warp in its block (CUDA C++ Programming Guide, "Thread Hierarchy")."""
    x, y, z = (symbol(f"threadIdx.{axis}", "thread", 0) for axis in "xyz")
    width, height = (symbol(f"blockDim.{axis}", "launch", 1) for axis in "xy")
    rows = ZERO if "blockDim.z" in of.flat else terms.mul(height, z)
    above = ZERO if "blockDim.y" in of.flat and rows is ZERO else terms.mul(width, terms.add(y, rows))
    return terms.div(terms.add(x, above), const(WARP))


def misaligned(of: Launches, earlier: Term, later: Term) -> Question:
    """Whether a thread is at a barrier, and another of its block, which leaves it out, at a later one."""
    more: tuple[tuple[Term, Who], ...] = ((both(earlier, TRUE), 1), (both(opposite(earlier), later), 2))
    return Question(True, (*of.known, *more), (), about=_LEFT_OUT)


def both_come(of: Launches, condition: Term, *, same_block: bool) -> Question:
    """Whether two threads come to an access."""
    come = (condition, *left(of.form, condition))
    known = (*of.known, *((term, 1) for term in come), *((term, 2) for term in come))
    return Question(same_block, known, (), likely=True, about=_COME)


def one_comes(of: Launches, condition: Term, *, same_block: bool) -> Question:
    """Whether one of two threads comes to an access."""
    come: tuple[tuple[Term, Who], ...] = tuple((term, 1) for term in (condition, *left(of.form, condition)))
    return Question(same_block, (*of.known, *come), (), likely=True, about=_COMES)


def met(of: Launches) -> Question:
    """Whether a launch meets the condition, of one thread."""
    return Question(True, ((of.of_launch, 1),), (), about=_MET)


def turn_without(of: Launches, loop: Loop, of_all: tuple[Barrier, ...]) -> Question:
    """Whether a turn of a loop, which another follows, has none of these barriers."""
    barriers = [b for b in of_all if loop.turn in b.turns and is_exact(b.condition)]
    first = firsts(barriers, loop.turns)
    passed = [opposite(barrier.condition) for barrier in barriers]
    return Question(True, (*of.known, *((term, 1) for term in (loop.again, *first, *passed))), (), about=_WITHOUT)


def firsts(barriers: Iterable[Barrier], turns: tuple[Term, ...]) -> tuple[Term, ...]:
    """That the loops around barriers are in their first turns, but for some."""
    inner = dict.fromkeys(turn for barrier in barriers for turn in barrier.turns if turn not in turns)
    return tuple(terms.equal(turn, terms.ZERO) for turn in inner)


def is_exact(term: Term) -> bool:
    """Whether a condition is one of indices, sizes, parameters, contents and what is the same for a block alone."""
    return not any(name.startswith("?") and one.level == "thread" for name, one in terms.symbols(term).items())


def left(form: AnyThread, *of: Term) -> tuple[Term, ...]:
    """What holds of the last turns of loops that are in terms of a thread which has come on from these loops."""
    known, found, work = dict(form.left), dict[Term, None](), list(of)
    while work:
        for one in terms.symbols(work.pop()).values():
            if one in known and known[one] not in found:
                found[known[one]] = None
                work.append(known[one])
    return tuple(found)


@lru_cache(4096)
def conjuncts(term: Term) -> frozenset[Term]:
    """The truths that have to hold for a term to hold."""
    found, left = set[Term](), [term]
    while left:
        one = left.pop()
        if one.op == "and":
            left += one.args
        elif one is not TRUE:
            found.add(one)
    return frozenset(found)


_NOT_LINEAR = frozenset({"mul", "div", "mod", "grown", "shrunk", "xor", "mask", "read"})


@lru_cache(4096)
def not_linear(term: Term) -> frozenset[Term]:
    """The parts of a term that are more than a sum of symbols with constant factors."""
    found = frozenset[Term]().union(*map(not_linear, term.args))
    by_constant = term.op == "mul" and term.args[0].op == "const"
    return found if term.op not in _NOT_LINEAR or by_constant else found | {term}


def plain(question: Question) -> Question | None:
    """A question of more threads, without what is known of parts that are in no relation and are no sums: what is
    proved of it is so of the question too; None if that is the same.
    """
    used = frozenset[Term]().union(*(not_linear(one) for r in question.relations for one in (r.first, r.second)))
    known = [(one, who) for term, who in question.known for one in sorted(conjuncts(term), key=lambda one: one.number)]
    kept = tuple((one, who) for one, who in known if not_linear(one) <= used)
    return None if len(kept) == len(known) else replace(question, known=kept)


def numbers_of(question: Question, number: int) -> dict[str, int]:
    """One number for each number of the launch that is no size of grid or block, by name."""
    found = terms.symbols(*(term for term, _ in question.known))
    of_launch = (one for one in found.values() if one.level == "launch" and one.op == "symbol")
    return {one.name: number for one in of_launch if not one.name.startswith(("blockDim.", "gridDim."))}


def given_numbers(question: Question, number: int) -> Question:
    """The question of launches with one number in place of all of these."""
    names = numbers_of(question, number)
    found = terms.symbols(*(term for term, _ in question.known), *(r.first for r in question.relations))
    by = {one: const(number) for one in found.values() if one.name in names}
    known = tuple((terms.substituted(term, by), who) for term, who in question.known)
    relations = tuple(
        replace(r, first=terms.substituted(r.first, by), second=terms.substituted(r.second, by))
        for r in question.relations
    )
    return replace(question, known=known, relations=relations)


def is_absurd(question: Question) -> bool:
    """Whether no two threads are as is asked, as the form of the question tells: a truth and its opposite."""
    held: dict[Who, set[Term]] = {1: set(), 2: set()}
    for term, who in question.known:
        held[who] |= conjuncts(term)
    for truths in held.values():
        if FALSE in truths or any(t.op == "not" and conjuncts(t.args[0]) <= truths for t in truths):
            return True
    return any(_is_absurd(relation, held[1], held[2], question) for relation in question.relations)


def _is_absurd(relation: Relation, first: set[Term], second: set[Term], question: Question) -> bool:
    match relation.kind:
        case "not both":
            return conjuncts(relation.first) <= first and conjuncts(relation.second) <= second
        case "differ":
            found = terms.symbols(relation.first)
            alike = relation.first is relation.second and question.apart.isdisjoint(found)
            own = ("thread",) if question.same_block else ("thread", "block")
            return alike and all(one.level not in own for one in found.values())
        case _:
            return False
