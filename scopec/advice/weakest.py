"""The sets of steps that are as large as they can be, found by asking which hold.

A step weakens a program a little.  *Precondition*: if a set of steps holds, so does each part of it.  Weaker
synchronisation only adds executions, and what an expectation forbids stays forbidden with fewer; what one allows is
allowed by the program as it is, and with more executions still.  So where a single step fails, sets with it fail, and
nobody asks these.

Where the precondition is broken, as by two barriers in the two ways of a condition, of which only both can go, sets are
missed.  None is wrong: each that is found has been asked as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Steps = frozenset[int]


def weakest(needs: Sequence[Steps], holds: Callable[[Steps], bool]) -> Iterator[Steps]:
    """Every largest set of steps that holds; the first has what saves most.

    Steps are numbers, those that save most first; ``needs`` are the steps without which one cannot be made.  The empty
    set holds.  One step at a time is asked, then all that hold alone together, and then, if these do not, a set that
    lies in no largest one found so far, until there is none (D. Gunopulos et al., "Discovering all most specific
    sentences", 2003).
    """
    closed = tuple(_closed(step, needs) for step in range(len(needs)))
    failed: list[Steps] = []

    def held(steps: Steps) -> bool:
        if any(fewer <= steps for fewer in failed):
            return False
        if not steps or holds(steps):
            return True
        failed.append(steps)
        return False

    alone = [step for step in sorted(range(len(needs)), key=lambda s: (len(closed[s]), s)) if held(closed[step])]
    whole = frozenset(alone)
    if held(whole):
        yield whole
        return
    found: list[Steps] = []
    while (seed := _seed(closed, sorted(alone), found, failed, held)) is not None:
        for step in sorted(alone):
            if held(larger := seed | closed[step]):
                seed = larger
        found.append(seed)
        yield seed


def _closed(step: int, needs: Sequence[Steps]) -> Steps:
    """A step with all that it needs."""
    found: set[int] = set()
    left = [step]
    while left:
        if (one := left.pop()) not in found:
            found.add(one)
            left += needs[one]
    return frozenset(found)


def _seed(
    closed: Sequence[Steps], steps: Sequence[int], found: Sequence[Steps], failed: Sequence[Steps],
    held: Callable[[Steps], bool],
) -> Steps | None:  # fmt: skip
    """A set that holds and lies in no largest one that is known."""
    left: list[Steps] = [frozenset()]
    seen: set[Steps] = set()
    while left:
        steps_so_far = left.pop()
        if steps_so_far in seen or any(fewer <= steps_so_far for fewer in failed):
            continue
        seen.add(steps_so_far)
        around = next((one for one in found if steps_so_far <= one), None)
        if around is None:
            if held(steps_so_far):
                return steps_so_far
            continue
        left += [steps_so_far | closed[step] for step in reversed(steps) if step not in around]
    return None
