"""Checks that may get advice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.explain.verdict import FAULTY

if TYPE_CHECKING:
    from scopec.explain.verdict import Check

_KINDS = ("race_free", "forbidden", "required", "assertion", "terminates", "progresses")


def is_fixable(check: Check) -> bool:
    """Whether a check is violated in a way that an edit of the program could mend."""
    void = (check.reason or "").startswith(FAULTY)
    return check.verdict == "violated" and check.expectation.kind in _KINDS and not void
