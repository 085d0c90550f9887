"""Answers one question of the language server, in a call of its own: messages go out as they are known.

The text in the editor is read in place of the file's, with the settings of the project that the file is in, which run
nothing (SECURITY.md).  Answers are those of the cache where the program has not changed.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.diagnostics import InputError, ScopecError, UsageError
from scopec.engines.policy import immediate
from scopec.engines.protocol import MEMORY
from scopec.engines.table import AUTO
from scopec.lsp import findings
from scopec.lsp.scopes import scopes
from scopec.lsp.wire import Done, Message, Page, Question, Read, Verdicts
from scopec.report.text import title
from scopec.session import project
from scopec.session.check import Outcome, Report, Settings, check
from scopec.session.configured import configured, known

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from scopec.explain.verdict import Check
    from scopec.session.inquiry.ask import Inquiry
    from scopec.session.inquiry.run import Run
    from scopec.session.project import Setting

# Start-up: advice and pages are for few questions.


def answer(question: Question, say: Callable[[Message], None]) -> None:
    """Say what is found out, in order; the last message is Done."""
    path = Path(question.path)
    try:
        found = project.settings(path.parent)
        settings = _settings(question, path, configured(found), _Told(say, found))
    except InputError as bad:
        say(Done(findings.of_diagnostics(bad.diagnostics)))
        return
    except ScopecError as failed:
        say(Done(failure=str(failed)))
        return
    (outcome,) = known(found, check([path], settings))
    if question.page:
        say(_page(outcome, question))
    elif question.kind == "every":
        for report in outcome.reports:
            say(_verdicts(report.run, report.checks, found))
    say(Done(findings.of_diagnostics(outcome.diagnostics), outcome.failure))


def _settings(question: Question, path: Path, said: Settings, told: _Told) -> Settings:
    """The settings of the project, with what the question is about."""
    overrides = replace(said.overrides, texts={path: question.text})
    engine = immediate(MEMORY).name if said.engine == AUTO else said.engine
    settings = replace(said, overrides=overrides, engine=engine, every=question.kind == "every")
    if question.page or settings.every:
        return settings
    return replace(settings, advise=told.advise, begun=told.begun, ended=told.ended)


class _Told:
    """What a check tells while it runs, as messages."""

    def __init__(self, say: Callable[[Message], None], found: Mapping[str, Setting]) -> None:
        self._say, self._found = say, found

    def begun(self, _questions: int) -> None:
        """The file is read."""
        self._say(Read())

    def ended(self, report: Report) -> None:
        """A run has its verdicts."""
        self._say(_verdicts(report.run, report.checks, self._found))

    def advise(self, run: Run, checks: Sequence[Check], ask: Callable[[Run], Inquiry], /) -> list[Check]:
        """The verdicts are told before a change is looked for that mends what is violated."""
        from scopec.advice import advised

        self._say(_verdicts(run, checks, self._found))
        return advised(run, checks, ask)


def _verdicts(run: Run, checks: Sequence[Check], found: Mapping[str, Setting]) -> Verdicts:
    report = Report(run, tuple(checks), (), None, ())
    (marked,) = known(found, [Outcome(run.file, (report,))])
    checked = marked.reports[0].checks
    kernels = {c.every.kernel for c in checked if c.every} or {g.partition("#")[0] for g in run.program.grids}
    wrong, right = findings.of_checks(checked, run), findings.holding(checked)
    return Verdicts(_name(report), wrong, right, tuple(scopes(run)), tuple(sorted(kernels)))


def _name(report: Report) -> str:
    """What distinguishes a run from the others of its file."""
    run = report.run
    return "\n".join([title(report), run.model.name, *run.guessed, *(c.text for c in run.checks)])


def _page(outcome: Outcome, question: Question) -> Page:
    """The page of a counterexample, or why there is none."""
    from scopec.report import html, traces

    reports = tuple(r for r in outcome.reports if question.run in ("", _name(r)))
    try:
        report, chosen = traces.chosen([replace(outcome, reports=reports)], question.expectation or None)
    except UsageError as none:
        return Page("", str(none))
    if chosen.trace is None:
        return Page("", traces.missing(report, chosen))
    return Page(html.page(replace(report, checks=(chosen,))))
