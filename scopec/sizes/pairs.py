"""The accesses of a kernel that may meet: two of one block without a barrier between them, or two of two blocks."""

from __future__ import annotations

from collections.abc import Iterator

from scopec.base.records import dataclass
from scopec.program.anythread import Access, AnyThread, Barrier, Term
from scopec.sizes.questions import Question, Relation, is_exact, known

_BLOCK = 1
_DEVICE = 3


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
        phase = sum(barrier.turn < access.turn for barrier in form.barriers)
        key = (access.object, access.offset, access.bytes, access.kind, access.condition, access.scope, phase)
        if key not in seen:
            seen.add(key)
            yield access


def between(form: AnyThread, pair: Pair) -> tuple[Barrier, ...]:
    """The barriers that a thread comes to between two accesses, of those whose conditions are known exactly."""
    first, last = sorted((pair.first.turn, pair.second.turn))
    return tuple(b for b in form.barriers if first < b.turn < last and is_exact(b.condition))


def question(form: AnyThread, where: Term, pair: Pair, *, ordered: bool) -> Question:
    """Whether two threads race; barriers count where all threads of a block come to them in one order."""
    apart = between(form, pair) if ordered and pair.same_block else ()
    return Question(
        pair.same_block,
        (*known(form, where), (pair.first.condition, 1), (pair.second.condition, 2)),
        (
            Relation("overlap", pair.first.offset, pair.second.offset, (pair.first.bytes, pair.second.bytes)),
            *(Relation("not both", barrier.condition, barrier.condition) for barrier in apart),
        ),
    )
