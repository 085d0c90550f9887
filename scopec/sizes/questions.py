"""What is asked of two threads of a launch, and what holds of every launch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from functools import reduce
from typing import Literal

from scopec.base.records import dataclass
from scopec.program import anythread as terms
from scopec.program.anythread import TRUE, AnyThread, Barrier, Level, Loop, Term, both, const, less, opposite, symbol

#: Whose a term is: of the first thread or of the second.
Who = Literal[1, 2]
#: The largest block and grid in each direction (CUDA C++ Programming Guide, "Technical Specifications").
#: Sizes, and the indices below them.
SIZED = (("blockDim", "threadIdx"), ("gridDim", "blockIdx"))
_LARGEST = {"blockDim": (1024, 1024, 64), "gridDim": ((1 << 31) - 1, 65535, 65535)}


@dataclass(frozen=True)
class Question:
    """Whether there are two threads of which everything holds; ``same_block`` says whether they are in one block.

    Each condition is on a term of the first thread and one of the second.  ``apart`` names what is the same for a block
    in one turn of its loops, where the two threads are in different turns.
    """

    same_block: bool
    known: tuple[tuple[Term, Who], ...]
    relations: tuple[Relation, ...]
    apart: frozenset[str] = field(default=frozenset())


@dataclass(frozen=True)
class Relation:
    """A relation between terms of the two threads: that their bytes overlap, a truth of both, or that the second is the
    number of the turn after the first, or of any later one.
    """

    kind: Literal["overlap", "not both", "differ", "next", "later"]
    first: Term
    second: Term
    sizes: tuple[int, int] = field(default=(0, 0))


@dataclass(frozen=True)
class Model:
    """Numbers under which the answer is yes: of the launch by name, and contents of objects by name and offset."""

    numbers: dict[str, int]
    contents: dict[str, dict[int, int]]


#: Proved that there are none; two threads; neither was found.
Answer = Literal["none"] | Model | None


def of_launch(form: AnyThread, where: Term) -> Term:
    """What holds of every launch that meets the condition: its sizes."""
    found = [where]
    named = form.dimensions | set(terms.symbols(where))
    for place, axis in enumerate("xyz"):
        for name, index in SIZED:
            size = symbol(f"{name}.{axis}", "launch", 1)
            if axis == "x" or f"{index}.{axis}" in named or f"{name}.{axis}" in named:
                found.append(opposite(less(const(_LARGEST[name][place]), size)))
            else:
                found.append(terms.equal(size, terms.ONE))
    return reduce(both, found, TRUE)


def of_thread(form: AnyThread) -> Term:
    """What holds of every thread: its indices, and what clang's traps stop."""
    found = list(form.assumed)
    for index, name, level in _INDICES:
        for axis in "xyz":
            found.append(less(symbol(f"{index}.{axis}", level, 0), symbol(f"{name}.{axis}", "launch", 1)))
    return reduce(both, found, TRUE)


_INDICES: tuple[tuple[str, str, Level], ...] = (("threadIdx", "blockDim", "thread"), ("blockIdx", "gridDim", "block"))


def known(form: AnyThread, where: Term) -> tuple[tuple[Term, Who], ...]:
    """What holds of two threads."""
    thread = of_thread(form)
    return (of_launch(form, where), 1), (thread, 1), (thread, 2)


def differs(form: AnyThread, where: Term, condition: Term) -> Question:
    """Whether a condition holds of one thread of a block, and not of another."""
    return Question(True, known(form, where), (Relation("differ", condition, condition),))


def misaligned(form: AnyThread, where: Term, earlier: Term, later: Term) -> Question:
    """Whether a thread is at a barrier, and another of its block, which leaves it out, at a later one."""
    more: tuple[tuple[Term, Who], ...] = ((both(earlier, TRUE), 1), (both(opposite(earlier), later), 2))
    return Question(True, (*known(form, where), *more), ())


def both_come(form: AnyThread, where: Term, condition: Term, *, same_block: bool) -> Question:
    """Whether two threads come to an access."""
    return Question(same_block, (*known(form, where), (condition, 1), (condition, 2)), ())


def met(form: AnyThread, where: Term) -> Question:
    """Whether a launch meets the condition, of one thread."""
    return Question(True, ((of_launch(form, where), 1),), ())


def turn_without(form: AnyThread, where: Term, loop: Loop) -> Question:
    """Whether a turn of a loop, which another follows, has no barrier."""
    barriers = [b for b in form.barriers if loop.turn in b.turns and is_exact(b.condition)]
    first = firsts(barriers, loop.turns)
    passed = [opposite(barrier.condition) for barrier in barriers]
    return Question(True, (*known(form, where), *((term, 1) for term in (loop.again, *first, *passed))), ())


def firsts(barriers: Iterable[Barrier], turns: tuple[Term, ...]) -> tuple[Term, ...]:
    """That the loops around barriers are in their first turns, but for some."""
    inner = dict.fromkeys(turn for barrier in barriers for turn in barrier.turns if turn not in turns)
    return tuple(terms.equal(turn, terms.ZERO) for turn in inner)


def is_exact(term: Term) -> bool:
    """Whether a condition is one of indices, sizes, parameters, contents and what is the same for a block alone."""
    return not any(name.startswith("?") and one.level == "thread" for name, one in terms.symbols(term).items())
