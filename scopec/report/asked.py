"""The output of ``scopec check --list``: what could be asked, for people and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scopec.base.excerpt import clean
from scopec.report import json
from scopec.report.text import guess, qualifiers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scopec.session.inquiry.run import Run
    from scopec.session.listed import Listed


def text(found: Sequence[Listed], width: int) -> str:
    """Each program with its expectations, and their number."""
    runs = [run for one in found for run in one.runs]
    lines = [line for run in runs for line in _program(run, width)]
    asked = sum(len(run.checks) for run in runs)
    count = f"{len(found)} file{'s' * (len(found) != 1)}, {len(runs)} program{'s' * (len(runs) != 1)}"
    return "".join(f"{clean(line)}\n" for line in (*lines, f"{count}: {asked} can be asked"))


def _program(run: Run, width: int) -> Iterator[str]:
    yield f"{run.file}{qualifiers(run)}"
    if run.guessed:
        yield from guess(run, width)
    yield from (f"  {check.text}" for check in run.checks)
    if run.not_asked:
        yield f"  not asked: {', '.join(run.not_asked)}"


def document(found: Sequence[Listed], seconds: float) -> dict[str, Any]:
    """The document of a check that checks nothing, with ``asks`` in each program."""
    whole = json.document([one.outcome for one in found], {}, seconds)
    programs = [
        {**json.unchecked(run), "asks": [json.expected(check) for check in run.checks]}
        for one in found
        for run in one.runs
    ]
    return {**whole, "programs": programs}
