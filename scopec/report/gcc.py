"""Lines as compilers write them, which editors jump to: ``file:line:column: error: message [kind]``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.excerpt import clean
from scopec.explain.reasons import explanation
from scopec.report.rules import message, rule
from scopec.report.text import qualifiers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scopec.base.source import Span
    from scopec.explain.verdict import Check
    from scopec.session.check import Outcome, Report


def text(outcomes: Sequence[Outcome]) -> str:
    """A line for each diagnostic, each check that does not hold with notes on its other places, and each failure."""
    return "".join(f"{clean(line)}\n" for outcome in outcomes for line in _lines(outcome))


def _lines(outcome: Outcome) -> Iterator[str]:
    for d in outcome.diagnostics:
        yield _line(d.span, d.severity, f"{d.message}; {d.way_out} [{d.code.id}]")
    if outcome.failure is not None:
        yield f"{outcome.file}:1:1: error: {outcome.failure}"
    for report in outcome.reports:
        for check in report.checks:
            if check.verdict != "holds":
                yield from _violation(report, check)


def _violation(report: Report, check: Check) -> Iterator[str]:
    kind, why = rule(check), explanation(check)
    first, *others = why.marks
    level = "warning" if check.known else kind.level
    yield _line(first.span, level, f"{message(check, why)}{qualifiers(report.run)} [{kind.id}]")
    for mark in others:
        yield _line(mark.span, "note", mark.note or "this too")
    if check.expectation.span != first.span:
        yield _line(check.expectation.span, "note", "expected here")


def _line(at: Span, level: str, said: str) -> str:
    return f"{at.file}:{at.line}:{at.column}: {level}: {' '.join(said.split())}"
