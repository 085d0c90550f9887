"""The baseline: known violations, one a line of a file, are reported but do not fail the run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import UsageError
from scopec.base.excerpt import clean
from scopec.base.files import text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from scopec.explain.verdict import Check
    from scopec.session.check import Outcome
    from scopec.session.inquiry.run import Run


def _line(run: Run, check: Check) -> str:
    """The violation, wherever its lines have moved to; a name that has a line break in it is no other line."""
    variant = ", ".join(f"{k} = {v}" for k, v in run.program.variant.items())
    text = " ".join(check.expectation.text.split())
    return clean(f"{run.file}: {text} [{variant}; {run.model.name}, {run.progress.name}]")


def _violated(outcomes: Iterable[Outcome]) -> Iterator[str]:
    for outcome in outcomes:
        for report in outcome.reports:
            yield from (_line(report.run, c) for c in report.checks if c.verdict == "violated")


def write(file: Path, outcomes: Iterable[Outcome]) -> int:
    """Write down what is violated, and return how much that is; UsageError where it cannot be written."""
    lines = sorted(set(_violated(outcomes)))
    try:
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    except OSError as failure:
        raise UsageError(f"cannot write {file}: {failure.strerror}") from failure
    return len(lines)


def marked(file: Path, outcomes: Iterable[Outcome]) -> list[Outcome]:
    """The outcomes, with what a file knows marked as known; UsageError where it cannot be read."""
    try:
        known = frozenset(text_of(file).splitlines())
    except (OSError, UnicodeDecodeError) as failure:
        said = failure.strerror if isinstance(failure, OSError) else failure
        raise UsageError(f"cannot read the baseline {file}: {said}") from failure
    return [
        replace(
            outcome,
            reports=tuple(
                replace(r, checks=tuple(
                    replace(c, known=c.verdict == "violated" and _line(r.run, c) in known) for c in r.checks
                ))
                for r in outcome.reports
            ),
        )
        for outcome in outcomes
    ]  # fmt: skip
