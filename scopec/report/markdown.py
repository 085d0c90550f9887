"""Markdown for a page that shows a call's result, as GitHub's summary of a step does."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from scopec.base.excerpt import clean
from scopec.report.dot import mermaid
from scopec.report.paths import relative
from scopec.report.picture import picture, usual
from scopec.report.text import counterexample, qualifiers, summary_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scopec.explain.verdict import Check
    from scopec.session.check import Outcome

_HEAD = "| program | line | expectation | verdict | why |\n|---|---|---|---|---|"
#: GitHub refuses a summary of more than a mebibyte.
_MOST_BYTES = 900_000
#: GitHub's Mermaid draws 500 edges and 50,000 characters; far smaller pictures are no longer clear.
_MOST_BOXES, _MOST_EDGES, _MOST_LETTERS = 40, 120, 20_000
#: Characters that Markdown reads as more than themselves.
_SPECIAL = {ord(letter): f"&#{ord(letter)};" for letter in r"\`*_{}[]()#+-!|~@:$^<>&"}


def text(outcomes: Sequence[Outcome], seconds: float) -> str:
    """A line about all, a row for each expectation that does not hold, and each counterexample, folded, drawn."""
    parts = [f"**scopec**: {_plain(summary_line(outcomes, seconds))}\n"]
    if rows := [row for outcome in outcomes for row in _rows(outcome)]:
        parts += [_HEAD, *rows, ""]
    left = _MOST_BYTES - sum(len(part.encode()) for part in parts)
    shown = [one for outcome in outcomes for one in _counterexamples(outcome)]
    for number, one in enumerate(shown):
        left -= len(one.encode())
        if left < 0:
            parts.append(f"{len(shown) - number} more counterexamples are not shown here.\n")
            break
        parts.append(one)
    return "\n".join(parts)


def _rows(outcome: Outcome) -> Iterator[str]:
    file = relative(outcome.file)
    for d in outcome.diagnostics:
        if d.severity == "error":
            yield _row(relative(d.span.file), d.span.line, d.code.id, "error", d.message)
    if outcome.failure is not None:
        yield _row(file, "", "", "failed", outcome.failure)
    for report in outcome.reports:
        for check in report.checks:
            if check.verdict != "holds":
                known = " (known)" if check.known else ""
                expected, name = check.expectation, file + qualifiers(report.run)
                yield _row(name, expected.span.line, expected.text, check.verdict + known, check.reason or "")


def _row(*cells: object) -> str:
    return f"| {' | '.join(_plain(str(cell)) for cell in cells)} |"


def _counterexamples(outcome: Outcome) -> Iterator[str]:
    for report in outcome.reports:
        for check in report.checks:
            if check.verdict == "violated":
                name = _plain(f"{relative(outcome.file)}{qualifiers(report.run)}: {check.expectation.text}")
                lines = counterexample(check, report.run.source, 100)
                shown = "\n".join(
                    escape(clean(line)) or "&nbsp;" for line in lines
                )  # an empty line would end the block
                drawn = _picture(check, report.run.source.name)
                yield f"<details><summary>{name}</summary>\n<pre>{shown}</pre>\n{drawn}</details>\n"


def _picture(check: Check, main: str) -> str:
    """A flow chart of a counterexample, which GitHub and GitLab draw; none where it is too large to be read."""
    if check.trace is None:
        return ""
    drawn = usual(picture(check, check.expectation.text, main=main))
    chart = mermaid(drawn)
    if len(drawn.boxes) > _MOST_BOXES or len(drawn.edges) > _MOST_EDGES or len(chart) > _MOST_LETTERS:
        return (
            f"<p>A picture of it would have {len(drawn.boxes)} boxes: <code>scopec trace --html</code> draws it.</p>\n"
        )
    return f"\n```mermaid\n{chart}```\n"


def _plain(said: str) -> str:
    """A text that Markdown shows as it stands, in one line."""
    return clean(" ".join(said.split())).translate(_SPECIAL)
