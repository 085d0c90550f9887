"""Answers that rest on an index that leads out of a run of numbers that bytes of shared memory are taken for.

Behind it are other bytes of the same array (:mod:`scopec.frontends.clang.machine.untyped`), which the access is not
taken for one to: what the program does then is not known, but for a race that there is before.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.explain.verdict import FAULTY, UNDEFINED, UNKNOWN_RACES
from scopec.program.faults import no_element

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scopec.explain.verdict import Check
    from scopec.session.inquiry.run import Run

_BESIDE = ", but perhaps one of the numbers of another type beside them: give these an array of their own"


def told(run: Run, checks: Sequence[Check]) -> list[Check]:
    """The checks; unknown, but for races, where an access leads out of a run of numbers."""
    texts = [no_element(name) for name in run.program.runs]
    leading = next((c.reason for c in checks if c.reason and any(text in c.reason for text in texts)), None)
    if leading is None:
        return list(checks)
    reason = leading.removeprefix(FAULTY).removesuffix(_BESIDE) + _BESIDE
    return [
        check
        if _is_race(check)
        else replace(
            check, verdict="unknown", reason=reason, trace=None, warnings=(UNKNOWN_RACES,) if check.warnings else ()
        )
        for check in checks
    ]


def _is_race(check: Check) -> bool:
    """Whether a race decides a check, which an execution has before all else."""
    found = {"race": "holds", "race_free": "violated"}
    return check.verdict == found.get(check.expectation.kind) or check.reason == UNDEFINED
