"""What to change: the smallest edits of a program under which an expectation holds, found by asking again."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scopec.explain.verdict import Check
    from scopec.session.ask import Inquiry
    from scopec.session.run import Run


def advised(run: Run, checks: Sequence[Check], ask: Callable[[Run], Inquiry]) -> list[Check]:
    """The checks, with a suggestion for those that are violated and that a small change would mend."""
    # Start-up: most calls have no violated check, or do not want advice.
    from scopec.advice import search

    return search.advised(run, checks, ask)
