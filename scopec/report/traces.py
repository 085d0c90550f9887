"""One counterexample in the form that is asked for: what ``scopec trace`` shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scopec.base.diagnostics import UsageError, suggestion
from scopec.base.excerpt import clean
from scopec.memory.execution import Execution
from scopec.report import dot, html, itf, json, terminal
from scopec.report.picture import picture, usual
from scopec.report.svg import svg
from scopec.report.text import counterexample, guess, said, title
from scopec.session.check import Outcome

if TYPE_CHECKING:
    from scopec.explain.verdict import Check
    from scopec.session.check import Report


def _title(report: Report, check: Check) -> str:
    return f"{title(report)}: {check.expectation.text}"


def _text(report: Report, check: Check) -> str:
    reason = f": {check.reason}" if check.reason else ""
    run, width = report.run, terminal.width()
    guessed = guess(run, width) if run.guessed else ()
    head = [title(report), *guessed, f"  {said(run, check.verdict)}  {check.expectation.text}{reason}", ""]
    lines = counterexample(check, run.source, width, everything=True, program=run.program)
    return "".join(f"{clean(line)}\n" for line in (*head, *lines))


def _itf(report: Report, check: Check) -> str:
    if check.trace is None or isinstance(check.trace, Execution):
        raise UsageError("--itf shows schedules, and this is an execution: use --json")
    return itf.text(check.trace, _title(report, check))


def _json(report: Report, check: Check, engines: dict[str, Any]) -> str:
    alone = Outcome(report.run.file, (replace(report, checks=(check,)),))
    return json.text(json.document([alone], engines, check.time_ms / 1000))


def shown(form: str, report: Report, check: Check, engines: Callable[[], dict[str, Any]]) -> str:
    """A trace in one of the forms of ``options.TRACE_FORMS``; UsageError where it has no such form."""
    match form:
        case "text":
            return _text(report, check)
        case "json":
            return _json(report, check, engines())
        case "itf":
            return _itf(report, check)
        case "html":
            return html.page(replace(report, checks=(check,)))
        case _:
            drawn = usual(picture(check, _title(report, check)))
            return {"svg": svg, "dot": dot.dot, "mermaid": dot.mermaid}[form](drawn)


def chosen(outcomes: Sequence[Outcome], wanted: str | None) -> tuple[Report, Check]:
    """The check to show: the first whose text begins with ``wanted``, else the first that does not hold.

    Of these, the first that has a trace, if there is one; where every check holds, a trace bears out a race that is
    expected or a possible outcome.  UsageError where there is no such check.
    """
    every = [(report, check) for o in outcomes for report in o.reports for check in report.checks]
    if wanted is not None:
        found = [(r, c) for r, c in every if c.expectation.text.startswith(wanted)]
        if not found:
            texts = dict.fromkeys(c.expectation.text for _, c in every)
            help_ = suggestion(wanted, texts) or "there are " + ", ".join(f"`{t}`" for t in texts)
            raise UsageError(f"there is no expectation `{wanted}`: {help_}")
    else:
        found = [(r, c) for r, c in every if c.verdict != "holds"] or every
    if not found:
        raise UsageError("there is nothing to show: the file was not checked")
    return next(((r, c) for r, c in found if c.trace is not None), found[0])


def missing(report: Report, check: Check) -> str:
    """The message for a check without a trace."""
    reason = f": {check.reason}" if check.reason else ""
    verdict = _VERDICTS[check.verdict]
    return f"there is no trace to show: `{check.expectation.text}` {verdict}{reason} ({title(report)})"


_VERDICTS = {"holds": "holds", "violated": "is violated", "unknown": "is undecided"}
