"""Verdicts and diagnostics as an editor shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.excerpt import clean
from scopec.explain.reasons import explanation, race_of
from scopec.lsp.wire import Finding, Fix, Level, Noted, Place
from scopec.report.rules import message, rule
from scopec.report.text import qualifiers

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scopec.base.diagnostics import Diagnostic
    from scopec.explain.fixes import Replacement
    from scopec.explain.verdict import Check
    from scopec.session.inquiry.run import Run


def of_checks(checks: Iterable[Check], run: Run) -> tuple[Finding, ...]:
    """A finding for each check that does not hold."""
    return tuple(_finding(check, run) for check in checks if check.verdict != "holds")


def holding(checks: Iterable[Check]) -> tuple[Noted, ...]:
    """The expectations that hold, each at its place."""
    found = (c for c in checks if c.verdict == "holds")
    return tuple(Noted(Place.of(c.expectation.span), clean(c.expectation.text)) for c in found)


def of_diagnostics(diagnostics: Iterable[Diagnostic]) -> tuple[Finding, ...]:
    """A finding for each diagnostic."""
    return tuple(
        Finding(Place.of(d.span), d.code.id, d.severity, clean(f"{d.message}; {d.way_out}")) for d in diagnostics
    )


def _finding(check: Check, run: Run) -> Finding:
    why = explanation(check)
    kind = rule(check)
    first, *others = why.marks
    related = [Noted(Place.of(m.span), clean(m.note)) for m in others]
    if check.expectation.span != first.span:
        related.append(Noted(Place.of(check.expectation.span), "expected here"))
    level: Level = "information" if check.known else kind.level
    meeting = tuple(Place.of(mark.span) for mark in why.marks) if race_of(check) is not None else ()
    return Finding(
        Place.of(first.span), kind.id, level, f"{message(check, why)}{clean(qualifiers(run))}", tuple(related),
        _fix(check.advice or "", check.fix), clean(check.expectation.text), meeting, check.trace is not None,
        None if check.instead is None else _fix(check.instead.said, check.instead.fix),
    )  # fmt: skip


def _fix(said: str, changes: Sequence[Replacement]) -> Fix | None:
    """Advice, where it is a change of texts: it was checked by asking again."""
    if not changes:
        return None
    return Fix(clean(said), tuple(Noted(Place.of(one.span), one.text) for one in changes))
