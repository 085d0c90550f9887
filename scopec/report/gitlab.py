"""GitLab's report of code quality: a list of problems as JSON, which merge requests show beside the lines."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from scopec.base.excerpt import clean
from scopec.explain.reasons import explanation
from scopec.report.paths import relative
from scopec.report.rules import fingerprint, message, rule
from scopec.report.text import title

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scopec.base.source import Span
    from scopec.explain.verdict import Check
    from scopec.session.check import Outcome, Report

_SEVERITIES = {"error": "major", "warning": "minor"}


def text(outcomes: Sequence[Outcome]) -> str:
    """A problem for each diagnostic, each check that does not hold, and each failure of an engine, each told once."""
    found = {one["fingerprint"]: one for outcome in outcomes for one in _problems(outcome)}
    return json.dumps(list(found.values()), indent=2, ensure_ascii=False) + "\n"


def _problems(outcome: Outcome) -> Iterator[dict[str, Any]]:
    for d in outcome.diagnostics:
        said = f"{d.message}; {d.way_out}"
        yield _problem(d.code.id, said, _SEVERITIES[d.severity], d.span.file, d.span, (d.code.id, d.message))
    if outcome.failure is not None:
        yield _problem("engine", outcome.failure, "critical", outcome.file, None, ("engine", outcome.failure))
    for report in outcome.reports:
        for check in report.checks:
            if check.verdict != "holds":
                yield _violation(report, check)


def _violation(report: Report, check: Check) -> dict[str, Any]:
    kind, why = rule(check), explanation(check)
    said = f"{message(check, why)} ({title(report)})"
    at = why.marks[0].span
    severity = "info" if check.known else _SEVERITIES[kind.level]
    return _problem(kind.id, said, severity, at.file, at, (fingerprint(report, check, kind),))


def _problem(
    name: str, said: str, severity: str, file: str, at: Span | None, parts: tuple[str, ...]
) -> dict[str, Any]:  # fmt: skip
    """One problem; ``parts`` are what makes it the same one in another version of its file."""
    path = clean(relative(file))
    return {
        "description": clean(" ".join(said.split())),
        "check_name": name,
        "fingerprint": hashlib.sha256(repr((path, *parts)).encode()).hexdigest()[:32],
        "severity": severity,
        "location": {"path": path, "lines": {"begin": 1 if at is None else at.line}},
    }
