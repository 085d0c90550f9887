"""Checks files: plans their runs, asks the engines, interprets the answers."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from scopec.base.diagnostics import (
    Code,
    Diagnostic,
    EngineError,
    InputError,
    LimitError,
    ScopecError,
    bounded_nesting,
    internal_error,
    starved,
)
from scopec.base.files import quoted, quoting
from scopec.base.records import dataclass
from scopec.base.scratch import later_folder
from scopec.base.source import Source
from scopec.engines.java.workers import Workers
from scopec.engines.policy import Policy
from scopec.explain.verdict import Check
from scopec.session.asking import Asking
from scopec.session.every import has_launches, names_every
from scopec.session.inquiry.ask import Inquiry
from scopec.session.inquiry.content import not_given
from scopec.session.inquiry.questions import remarks
from scopec.session.inquiry.run import Run
from scopec.session.inquiry.vacuity import vacuous_waits
from scopec.session.inquiry.verdicts import memory_checks, progress_checks, property_of
from scopec.session.inquiry.volatile import told
from scopec.session.plan import Overrides, Plan, plan, quoting_named
from scopec.session.pool import Pool, Task
from scopec.session.program_files import is_empty, programs

if TYPE_CHECKING:
    from scopec.frontends.clang.flags import Flags
    from scopec.memory.execution import Execution
    from scopec.progress.models import Property
    from scopec.session.inquiry.findings import Findings, Progress


class Advise(Protocol):
    """A search for changes under which violated checks would hold, asking the engines about changed runs."""

    def __call__(self, run: Run, checks: Sequence[Check], ask: Callable[[Run], Inquiry], /) -> list[Check]:
        """The checks, with advice for those that are violated where some was found."""


@dataclass(frozen=True)
class Settings(Asking):
    """The settings of a call of `check`.

    ``advise`` adds to a violated check a change that would mend it. ``begun`` is told how many questions are asked,
    before they are, ``ended`` of each report, ``decided`` of one with the verdicts of a run that is asked more, which
    have no advice yet. ``allowed`` are codes of warnings that are not told. What does not contain ``select`` in its
    file, variant or text is not asked; with ``first``, nothing after the first file that does not hold is.  With
    ``every`` each kernel is asked about all its launches, and nothing else is.
    """

    advise: Advise | None = None
    begun: Callable[[int], None] = lambda _questions: None
    decided: Callable[[Report], None] = lambda _report: None
    ended: Callable[[Report], None] = lambda _report: None
    allowed: frozenset[str] = frozenset()
    select: str = ""
    first: bool = False
    every: bool = False


@dataclass(frozen=True)
class Report:
    """One run with its verdicts; ``phases`` are wall times in milliseconds; ``folder`` is where generated files are.

    ``witness`` is an execution that the memory model allows, where it was asked for one; ``seconds`` is how long all of
    it took, with reading the file.
    """

    run: Run
    checks: tuple[Check, ...]
    generated: tuple[str, ...]
    folder: Path | None
    phases: tuple[tuple[str, float], ...]
    remarks: tuple[Diagnostic, ...] = ()
    witness: Execution | None = None
    seconds: float = field(default=0.0, kw_only=True)


@dataclass(frozen=True)
class Outcome:
    """The result of one file: its reports, or the diagnostics or engine failure that stopped it.

    ``exhausted`` says whether the failure is a limit that was reached: what is asked is not decided;
    ``without_clang`` that the file was read in the scoped language, as there is no clang; ``empty`` that it has neither
    a kernel nor a main, in a folder that has others.
    """

    file: str
    reports: tuple[Report, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    failure: str | None = None
    exhausted: bool = False
    without_clang: bool = False
    empty: bool = False

    @property
    def exit_code(self) -> int:
        """The exit status for this file alone (results note)."""
        if any(d.severity == "error" for d in self.diagnostics):
            return 2
        if self.failure is not None:
            return 4 if self.exhausted else 3
        checks = (check for report in self.reports for check in report.checks)
        verdicts = {check.verdict for check in checks if not check.known}
        return 1 if "violated" in verdicts else 4 if "unknown" in verdicts else 0


def exit_code(outcomes: Iterable[Outcome]) -> int:
    """The exit status of a call: "with several files the first of 2, 3, 1, 4 that occurs"."""
    codes = {outcome.exit_code for outcome in outcomes}
    return next((code for code in (2, 3, 1, 4) if code in codes), 0)


def check(paths: Sequence[Path], settings: Settings, names: Mapping[Path, str] | None = None) -> list[Outcome]:
    """Check every expectation of every program; outcomes are in the order of the paths.

    ``names`` gives the names by which reports call files that are copies.
    """
    policy = settings.policy
    overrides = quoting_named(settings.overrides, paths)
    pool = Pool(settings.jobs)
    with settings.workers() as workers:
        try:
            of_all: dict[str, Outcome] = {}
            pending: list[tuple[str, Plan | Outcome, list[Task[Report]]]] = []
            for path, problem in programs(paths, overrides.texts):
                shown = (names or {}).get(path, str(path))
                if problem is not None:
                    pending.append((shown, Outcome(shown, diagnostics=(problem,)), []))
                    continue
                if path not in paths and is_empty(path):
                    pending.append((shown, Outcome(shown, empty=True), []))
                    continue
                started = time.perf_counter()
                try:
                    if settings.every:
                        of_kernels = _of_every(path, shown, settings, overrides, policy, workers)
                        if of_kernels.reports or not settings.select:
                            pending.append((shown, of_kernels, []))
                        continue
                    if path.suffix == ".cu" and names_every(path, shown, overrides):
                        of_all[shown] = _of_every(path, shown, settings, overrides, policy, workers)
                        if not has_launches(path, shown, overrides):
                            of_kernels = of_all.pop(shown)
                            if of_kernels.reports or not settings.select:
                                pending.append((shown, of_kernels, []))
                            continue
                    with doing(settings, f"{shown}: reading"), settings.limited():
                        planned = plan(path, shown, overrides)
                except InputError as bad:
                    pending.append((shown, Outcome(shown, diagnostics=bad.diagnostics), []))
                    continue
                except LimitError as passed:
                    failure = f"{passed}, while the file was read: launch fewer threads, or raise the limit"
                    pending.append((shown, Outcome(shown, failure=failure, exhausted=True), []))
                    continue
                except ScopecError as failed:  # there is no clang, say
                    pending.append((shown, Outcome(shown, failure=str(failed)), []))
                    continue
                except Exception as bug:  # one program must not take the others' results with it
                    if os.environ.get("SCOPEC_DEBUG"):
                        raise
                    pending.append((shown, Outcome(shown, failure=internal_error(bug), exhausted=starved(bug)), []))
                    continue
                reading = (time.perf_counter() - started) * 1000
                if settings.select:
                    planned = selected(planned, settings.select)
                    if not planned.runs:
                        continue
                settings.begun(sum(len(run.checks) for run in planned.runs))
                tasks = [pool.submit(_ended, run, policy, workers, settings, reading) for run in planned.runs]
                if planned.unguessed and not settings.select:
                    of_all[shown] = _of_every(path, shown, settings, overrides, policy, workers, planned)
                    told = {one for _, why in planned.unguessed for one in why}
                    planned = replace(planned, warnings=tuple(one for one in planned.warnings if one not in told))
                pending.append((shown, planned, tasks))
            outcomes: list[Outcome] = []
            for shown, plan_or_outcome, tasks in pending:
                outcome = _outcome(shown, plan_or_outcome, tasks, settings.allowed)
                if (more := of_all.get(shown)) is not None:
                    both = (*outcome.diagnostics, *more.diagnostics)
                    outcome = replace(outcome, reports=(*outcome.reports, *more.reports), diagnostics=both)
                outcomes.append(outcome)
                if settings.first and outcomes[-1].exit_code:
                    break
            return [*outcomes, *_barren(paths, pending)]
        except BaseException:
            workers.stop()
            raise
        finally:
            pool.shutdown()


def _of_every(
    path: Path, shown: str, settings: Settings, overrides: Overrides, policy: Policy, workers: Workers,
    planned: Plan | None = None,
) -> Outcome:  # fmt: skip
    """The verdicts about all launches of each kernel of a file; of a plan, of those for which no launch was guessed."""
    from scopec.session.sizes import Answered, of_file  # Start-up: most calls are about the launches of a file
    from scopec.session.unguessed import instead

    def ask(run: Run, seconds: float) -> Answered:
        report = check_run(run, policy, workers, settings.within(seconds))
        return Answered(report.run, report.checks, report)

    def asked(file: Path, name: str, flags: Flags) -> tuple[list[Answered], list[Diagnostic]]:
        own = replace(overrides, flags=flags)
        part = None if file == path else path
        return of_file(file, name, own, settings, ask, part, select=settings.select)

    def of_some(names: Collection[str], seconds: float) -> list[Answered]:
        return of_file(path, shown, overrides, replace(settings, timeout=seconds), ask, only=names)[0]

    with doing(settings, f"{shown}: every launch"):
        try:
            if planned is not None:
                answers, diagnostics = instead(planned.unguessed, settings.timeout, of_some)
            else:
                answers, diagnostics = asked(path, shown, overrides.flags)
        except InputError as refused:
            if names_every(path, shown, overrides):
                raise
            from scopec.session.sought import as_it_is  # Start-up: most files are read as they are

            (answers, diagnostics), said = as_it_is(asked, path, shown, overrides.flags, refused)
            diagnostics = [*said, *diagnostics]
    reports = [
        replace(a.report, run=a.run, checks=a.checks) if isinstance(a.report, Report)
        else Report(a.run, a.checks, (), None, (("sizes", sum(c.time_ms for c in a.checks)),))
        for a in answers
    ]  # fmt: skip
    told = tuple(d for d in diagnostics if d.severity == "error" or d.code.id not in settings.allowed)
    return Outcome(shown, tuple(reports), told)


def _barren(paths: Sequence[Path], pending: Sequence[tuple[str, Plan | Outcome, object]]) -> Iterator[Outcome]:
    """An error for each folder of which every file is empty."""
    empty = {Path(name): isinstance(found, Outcome) and found.empty for name, found, _ in pending}
    for path in paths:
        below = [is_empty for file, is_empty in empty.items() if file.is_relative_to(path)]
        if path.is_dir() and below and all(below):
            at = Source(str(path), "").span(0, 0)
            message = "no .cu file of the folder has a kernel or a main"
            yield Outcome(str(path), diagnostics=(Diagnostic(Code.NOTHING_TO_CHECK, message, at),))


def _ended(run: Run, policy: Policy, workers: Workers, settings: Settings, reading: float) -> Report:
    report = check_run(run, policy, workers, settings, reading)
    settings.ended(report)
    return report


def selected(planned: Plan, text: str) -> Plan:
    """A plan of what has a text in its file, variant or expectation, whatever the case."""
    runs = []
    for run in planned.runs:
        head = f"{run.file} {' '.join(f'{k} = {v}' for k, v in run.program.variant.items())}"
        checks = tuple(c for c in run.checks if text.lower() in f"{head} {c.text}".lower())
        if checks:
            runs.append(replace(run, checks=checks, void=(), not_asked=()))
    return replace(planned, runs=tuple(runs))


def _outcome(name: str, planned: Plan | Outcome, tasks: list[Task[Report]], allowed: frozenset[str]) -> Outcome:
    if isinstance(planned, Outcome):
        return planned
    reports: list[Report] = []
    diagnostics = list(planned.warnings)
    failure: str | None = None
    exhausted = False
    for task in tasks:
        try:
            report = task.result()
        except InputError as bad:
            diagnostics += [d for d in bad.diagnostics if d not in diagnostics]
        except ScopecError as failed:
            exhausted = failed.exit_code == 4 and (exhausted or failure is None)
            failure = failure or str(failed)
        except Exception as bug:  # one program must not take the others' results with it
            if os.environ.get("SCOPEC_DEBUG"):
                raise
            exhausted = starved(bug) and (exhausted or failure is None)
            failure = failure or internal_error(bug)
        else:
            reports.append(report)
            diagnostics += [*_race_warnings(report), *(d for d in report.remarks if d not in diagnostics)]
    shown = (quoted(d, planned.runs[0].source) if d.line is None else d for d in diagnostics)
    told = tuple(d for d in shown if d.severity == "error" or d.code.id not in planned.allowed | allowed)
    return Outcome(name, tuple(reports), told, failure, exhausted, planned.without_clang)


def _race_warnings(report: Report) -> list[Diagnostic]:
    return [
        Diagnostic(Code.RACY_PROGRESS, f"`{c.expectation.text}`: {warning}", c.expectation.span, None, "warning")
        for c in report.checks
        for warning in c.warnings
    ]


@contextmanager
def doing(settings: Settings, what: str) -> Iterator[None]:
    """A block in which this thread does something, until it says what else."""
    settings.doing(what, "")
    try:
        yield
    finally:
        settings.doing("", "")


def check_run(run: Run, policy: Policy, workers: Workers, settings: Settings, reading: float = 0.0) -> Report:
    """Ask the engines what one run asks; InputError and EngineError as they come.

    ``reading`` is the time in milliseconds that reading the whole file took, for the report.
    """
    begun = time.monotonic()
    phases = [("read", reading)]
    nesting = bounded_nesting(run.source.span(0, 0))
    with doing(settings, run.file), later_folder() as folder, quoting(run.source), nesting:
        inquiry = Inquiry(run, policy, workers, settings, folder, phases, settings.deadline(reading / 1000, run.share))
        found = inquiry.memory()
        checks = [] if found is None else memory_checks(run, found)
        with suppress(LimitError), inquiry.limited():
            checks = told(run, checks, inquiry.about)
        if run.progress_checks and (early := [c for c in _doubted(run, checks) if c.verdict != "unknown"]):
            settings.decided(Report(run, tuple(_in_order(run, _resting(run, early))), (), None, tuple(phases)))
        asked = tuple(run.properties)
        answers = {property_: inquiry.progress(property_, len(asked) - n) for n, property_ in enumerate(asked, 1)}
        checks += inquiry.hardware()
        checks += _with_hangs(inquiry, progress_checks(run, answers, found), answers, found)
        checks = _with_orders(inquiry, checks)
        checks = _with_assumptions(inquiry, checks, found)
        checks = _resting(run, checks)
        if settings.advise is not None and any(c.verdict == "violated" for c in checks):
            with suppress(LimitError), inquiry.limited():
                checks = settings.advise(run, checks, inquiry.about)
        in_order = _in_order(run, checks)
        warnings: tuple[Diagnostic, ...] = ()
        if found is not None and found.unanswered is None:
            with suppress(LimitError), inquiry.limited():
                warnings = (*remarks(run), *vacuous_waits(run, found, inquiry.quickly))
        kept = None
        answered = found is None or not found.unanswered
        if settings.keep is not None or (answered and any(c.verdict != "holds" for c in in_order)):
            try:
                with inquiry.limited():
                    kept = _keep(inquiry)
            except (OSError, EngineError, LimitError) as failure:  # the verdicts stand
                late = isinstance(failure, LimitError)
                if not late or settings.keep is not None:
                    message = f"the generated specifications could not be kept: {failure}"
                    help_ = "raise the limit, or write them with `scopec compile`" if late else None
                    warnings += (Diagnostic(Code.NOT_KEPT, message, run.source.span(0, 0), help_, "warning"),)
        generated = tuple(sorted(inquiry.generated))
    witness = None if found is None else found.answers.get("execution") or found.answers.get("prefix")
    seconds = reading / 1000 + time.monotonic() - begun
    return Report(run, tuple(in_order), generated, kept, tuple(phases), warnings, witness, seconds=seconds)


def _resting(run: Run, checks: list[Check]) -> list[Check]:
    """The checks, with what they are about and rest on."""
    content = () if run.is_litmus else (*run.guess_filled, *not_given(run.program, run.source))
    if content or run.program.placed:
        checks = [replace(c, content=content, addresses=run.program.placed) for c in checks]
    if run.rests:
        from scopec.session.inquiry.readings import rests_on  # start-up: most programs rest on none

        checks = [replace(c, rests_on=rests_on(run, c)) for c in checks]
    return checks


def _in_order(run: Run, checks: Sequence[Check]) -> list[Check]:
    """The checks as the program has them."""
    return sorted(checks, key=lambda c: run.checks.index(c.expectation))


def _with_hangs(
    inquiry: Inquiry, checks: Sequence[Check], answers: Mapping[Property, Progress], found: Findings | None
) -> list[Check]:
    """Progress checks with what the memory model allows beside the schedules of a sequentially consistent memory."""
    if not checks:
        return []
    # Start-up: many runs are not asked about progress.
    from scopec.session.inquiry.stuck import combined

    hangs = {property_: inquiry.hangs(property_, answer, found) for property_, answer in answers.items()}
    of = property_of
    return [combined(c, answers[of(c.expectation)], hangs[of(c.expectation)], inquiry.run) for c in checks]


def _with_orders(inquiry: Inquiry, checks: list[Check]) -> list[Check]:
    """The checks with what is violated only where threads take operands in different orders."""
    if not any(c.verdict == "violated" for c in checks):
        return checks
    # Start-up: as above.
    from scopec.session.inquiry.orders import told as told_orders

    with suppress(LimitError), inquiry.limited():
        return told_orders(inquiry.run, checks, inquiry.about)
    return checks


def _may_doubt(run: Run) -> bool:
    return run.guess_doubt is not None or bool(run.program.any_index or run.program.runs)


def _doubted(run: Run, checks: list[Check]) -> list[Check]:
    """The checks before those of progress, with what becomes of doubtful findings."""
    if not _may_doubt(run):
        return checks
    from scopec.session.inquiry.assumptions import doubted  # Start-up: as above.

    return doubted(run, checks)


def _with_assumptions(inquiry: Inquiry, checks: list[Check], found: Findings | None) -> list[Check]:
    """The checks with what becomes of hangs where more is assumed than documents promise, and of doubtful findings."""
    hangs = any(c.expectation.kind == "terminates" and c.verdict == "violated" for c in checks)
    if not (hangs or _may_doubt(inquiry.run)):
        return checks
    from scopec.session.inquiry.assumptions import told as told_assumed  # Start-up: as above.

    return told_assumed(inquiry.run, checks, found, inquiry.about)


def _keep(inquiry: Inquiry) -> Path | None:
    """The folder that a run's specifications are kept in; OSError, EngineError or LimitError where they cannot be."""
    if inquiry.settings.keep is not None and inquiry.run.memory_checks:
        inquiry.specify()
    return inquiry.keep(sorted(inquiry.generated)) if inquiry.generated else None
