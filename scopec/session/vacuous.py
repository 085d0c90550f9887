"""Proofs about all launches that say something: threads come to what they are about.

Where no two threads of a launch come to one access that is what the proof says, if one of several threads comes to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scopec.base.limits import worked
from scopec.program.anythread import TRUE, Access, Term
from scopec.sizes import questions
from scopec.sizes.questions import Answer, Launches, Model, Question

_NOTHING_SHARED = "it accesses no memory that threads share; "
_ONE = "no launch has two threads that come to one access; "


def said_of(
    launches: Launches, accesses: Sequence[Access], answer: Callable[[Question], Answer], seconds: float
) -> tuple[str, bool]:
    """What is to be said of a proof about accesses, and whether it is one: there is a launch in which two threads come
    to one of these, or one of two threads where both never do, or, of no access, a launch of two threads.
    """
    end = worked() + seconds
    conditions = sorted({access.condition for access in accesses} or {TRUE}, key=_weight)
    answers = set[bool]()
    for condition in conditions:
        for same_block in (True, False):
            come = questions.both_come(launches, condition, same_block=same_block)
            found = answer(come) if worked() < end else None
            if isinstance(found, Model):
                return "" if accesses else _NOTHING_SHARED, True
            answers.add(found == "none")
    if answers == {True}:
        for condition in conditions:
            for same_block in (True, False):
                comes = questions.one_comes(launches, condition, same_block=same_block)
                if worked() < end and isinstance(answer(comes), Model):
                    return _ONE, True
        return "no launch has two threads one of which comes to an access: there is nothing to prove", False
    return "no launch was found in which two threads come to an access", False


def _weight(condition: Term) -> tuple[int, int]:
    """How much there is in a condition that is no sum; and which was made first."""
    return len(questions.not_linear(condition)), condition.number
