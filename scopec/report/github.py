"""GitHub's annotation lines: workflow commands that show up beside the source of a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.excerpt import clean
from scopec.explain.reasons import explanation
from scopec.report.paths import relative
from scopec.report.rules import message, rule
from scopec.report.text import title

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scopec.base.source import Span
    from scopec.explain.verdict import Check
    from scopec.session.check import Outcome, Report


def text(outcomes: Sequence[Outcome]) -> str:
    """One line for each diagnostic, each check that does not hold, and each failure of an engine."""
    return "".join(f"{line}\n" for outcome in outcomes for line in _lines(outcome))


def _lines(outcome: Outcome) -> Iterator[str]:
    for diagnostic in outcome.diagnostics:
        head = f"{diagnostic.code.summary} [{diagnostic.code.id}]"
        said = f"{clean(diagnostic.message)}\n{clean(diagnostic.way_out)}"
        yield _command(diagnostic.severity, diagnostic.span, head, said)
    if outcome.failure is not None:
        yield f"::error file={_property(relative(outcome.file))}::{_data(clean(outcome.failure))}"
    for report in outcome.reports:
        for check in report.checks:
            if check.verdict != "holds":
                yield _annotation(report, check)


def _annotation(report: Report, check: Check) -> str:
    kind = rule(check)
    why = explanation(check)
    said = f"{title(report)}\n{message(check, why)}"
    return _command(kind.level, why.marks[0].span, f"scopec: {kind.summary}", said)


def _command(level: str, at: Span, title_: str, message_: str) -> str:
    place = {"file": relative(at.file), "line": str(at.line), "endLine": str(at.end_line), "title": title_}
    if at.end_line == at.line:  # columns on several lines are refused
        place |= {"col": str(at.column), "endColumn": str(at.end_column)}
    properties = ",".join(f"{name}={_property(clean(value))}" for name, value in place.items())
    return f"::{level} {properties}::{_data(message_)}"


def _data(text_: str) -> str:
    return text_.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text_: str) -> str:
    return _data(text_).replace(":", "%3A").replace(",", "%2C")
