"""Answers that rest on an index which is not modelled.

Any element is taken for it (:mod:`scopec.frontends.clang.machine.elements`), so the program has all executions that the
real one has, and perhaps others: that there is none of a kind is true, that there is one is not known.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.explain.verdict import UNKNOWN_RACES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scopec.explain.verdict import Check
    from scopec.session.inquiry.run import Run

#: What holds if there is an execution of some kind.
_EXISTS = ("race", "may_hang", "may_stall", "allowed", "undefined")


def told(run: Run, checks: Sequence[Check]) -> list[Check]:
    """The checks; one that an execution decides is unknown where that may take an element that is never taken."""
    places = run.program.any_index
    if not places:
        return list(checks)
    at = f"{places[0].file}:{places[0].line}"
    reason = f"the execution that decides this takes some element at {at}, where the index is not modelled"
    unknown = [replace(c, verdict="unknown", reason=reason, trace=None) if _is_found(c) else c for c in checks]
    return [replace(c, warnings=(UNKNOWN_RACES,) if c.warnings else ()) for c in unknown]


def _is_found(check: Check) -> bool:
    """Whether a check is decided by an execution that there is."""
    return check.verdict == ("holds" if check.expectation.kind in _EXISTS else "violated")
