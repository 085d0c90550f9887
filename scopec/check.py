"""Checks files: plans their runs, asks the engines, interprets the answers."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import field
from pathlib import Path
from typing import Literal

from scopec.asking import Asking, Jars
from scopec.dead_ends import dead_ends
from scopec.diagnostics import (
    Code,
    Diagnostic,
    EngineError,
    InputError,
    ScopecError,
    bounded_nesting,
    internal_error,
    suggestion,
)
from scopec.plan import SUFFIXES, Overrides, Plan, plan
from scopec.records import dataclass
from scopec.runs import Run
from scopec.scratch import scratch_folder
from scopec.verdicts import (
    Check,
    memory_checks,
    progress_checks,
)
from scopec.volatile import told
from scopec.workers import Workers

#: Who answers memory questions.  ``auto`` is the jars, and the embedded engine where Alloy cannot be had, or would
#: take long; ``both`` asks Alloy and the embedded engine and compares.
Engine = Literal["auto", "alloy", "tlc", "embedded", "both"]


@dataclass(frozen=True)
class Settings:
    """How a call of `check` works: engines, limits, what is kept.

    ``say`` takes progress lines for the user, ``remark`` those that only ``-v`` shows.
    With ``cache`` a jar's answers are kept, and taken from what was kept. With ``advise`` a violated check comes with
    a change that would mend it, where one is found. ``begun`` is told of each run when it begins: how many questions
    it asks, and the report to come. ``executor`` names a cluster whose workers do the work.
    """

    overrides: Overrides = field(default_factory=Overrides)
    jobs: int = 1
    timeout: float | None = 300.0
    keep: Path | None = None
    alloy_jar: Path | None = None
    tlc_jar: Path | None = None
    engine: Engine = "auto"
    say: Callable[[str], None] = lambda _line: None
    remark: Callable[[str], None] = lambda _line: None
    advise: bool = False
    cache: bool = False
    executor: str | None = None
    begun: Callable[[int, Future[Report]], None] = lambda _questions, _answer: None


@dataclass(frozen=True)
class Report:
    """One run with its verdicts; ``phases`` are wall times in milliseconds; ``folder`` is where generated files are."""

    run: Run
    checks: tuple[Check, ...]
    generated: tuple[str, ...]
    folder: Path | None
    phases: tuple[tuple[str, float], ...]
    remarks: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What became of one file: its reports, or the diagnostics or engine failure that stopped it."""

    file: str
    reports: tuple[Report, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    failure: str | None = None

    @property
    def exit_code(self) -> int:
        """The exit status for this file alone (results note)."""
        if any(d.severity == "error" for d in self.diagnostics):
            return 2
        if self.failure is not None:
            return 3
        verdicts = {check.verdict for report in self.reports for check in report.checks}
        return 1 if "violated" in verdicts else 4 if "unknown" in verdicts else 0


def exit_code(outcomes: Iterable[Outcome]) -> int:
    """The exit status of a call: "with several files the first of 2, 3, 1, 4 that occurs"."""
    codes = {outcome.exit_code for outcome in outcomes}
    return next((code for code in (2, 3, 1, 4) if code in codes), 0)


def programs(paths: Sequence[Path]) -> Iterator[tuple[Path, Diagnostic | None]]:
    """The program files that paths name, folders searched; a path that yields none comes with a diagnostic."""
    from scopec.source import Source

    for path in paths:
        at = Source(str(path), "").span(0, 0)
        if path.is_dir():
            # `generated` folders hold specifications, hidden ones nobody's programs.
            found = sorted(
                p
                for p in path.rglob("*")
                if p.suffix in SUFFIXES
                and p.is_file()
                and not any(part.startswith(".") for part in p.relative_to(path).parts)
            )
            if not found:
                yield path, Diagnostic(Code.NOTHING_TO_CHECK, "the folder has no .cu or .litmus file", at)
            for file in found:
                yield file, None
        elif not path.exists():
            yield path, Diagnostic(Code.NOTHING_TO_CHECK, "there is no such file or folder", at, _like(path))
        elif path.suffix not in SUFFIXES:
            message = f"`{path.suffix or path.name}` is not a kind of file that scopec reads"
            yield path, Diagnostic(Code.NOTHING_TO_CHECK, message, at, "scopec reads .cu and .litmus files")
        else:
            yield path, None


def _like(path: Path) -> str:
    """What a path that does not exist may have meant."""
    beside = (
        [] if not path.parent.is_dir() else [p for p in path.parent.iterdir() if p.suffix in SUFFIXES or p.is_dir()]
    )
    close = suggestion(path.name, [p.name for p in beside])
    return close or "check the path"


def check(paths: Sequence[Path], settings: Settings, names: Mapping[Path, str] | None = None) -> list[Outcome]:
    """Check every expectation of every program; outcomes are in the order of the paths.

    ``names`` gives the names by which reports call files that are copies.
    """
    if settings.executor is not None:
        from scopec.cluster import check_on_cluster

        return check_on_cluster(paths, settings, settings.executor)
    jars = Jars(settings)
    pool = ThreadPoolExecutor(max_workers=settings.jobs)
    with Workers(settings.remark) as workers:
        try:
            pending: list[tuple[str, Plan | Outcome, list[Future[Report]]]] = []
            for path, problem in programs(paths):
                shown = (names or {}).get(path, str(path))
                if problem is not None:
                    pending.append((shown, Outcome(shown, diagnostics=(problem,)), []))
                    continue
                started = time.perf_counter()
                try:
                    planned = plan(path, shown, settings.overrides)
                except InputError as bad:
                    pending.append((shown, Outcome(shown, diagnostics=bad.diagnostics), []))
                    continue
                except Exception as bug:  # one program must not take the others' results with it
                    if os.environ.get("SCOPEC_DEBUG"):
                        raise
                    pending.append((shown, Outcome(shown, failure=internal_error(bug)), []))
                    continue
                reading = (time.perf_counter() - started) * 1000
                futures = [pool.submit(check_run, run, jars, workers, settings, reading) for run in planned.runs]
                for run, future in zip(planned.runs, futures, strict=True):
                    settings.begun(len(run.checks), future)
                pending.append((shown, planned, futures))
            return [_outcome(shown, planned, futures) for shown, planned, futures in pending]
        except BaseException:
            workers.stop()
            raise
        finally:
            # What still runs after an interruption is not waited for: `cli.main` ends the process.
            pool.shutdown(wait=False, cancel_futures=True)


def _outcome(shown: str, planned: Plan | Outcome, futures: list[Future[Report]]) -> Outcome:
    if isinstance(planned, Outcome):
        return planned
    reports: list[Report] = []
    diagnostics = list(planned.warnings)
    failure: str | None = None
    for future in futures:
        try:
            report = future.result()
        except InputError as bad:
            diagnostics += [d for d in bad.diagnostics if d not in diagnostics]
        except ScopecError as failed:
            failure = failure or str(failed)
        except Exception as bug:  # one program must not take the others' results with it
            if os.environ.get("SCOPEC_DEBUG"):
                raise
            failure = failure or internal_error(bug)
        else:
            reports.append(report)
            diagnostics += [*_race_warnings(report), *(d for d in report.remarks if d not in diagnostics)]
    return Outcome(shown, tuple(reports), tuple(diagnostics), failure)


def _race_warnings(report: Report) -> list[Diagnostic]:
    return [
        Diagnostic(Code.RACY_PROGRESS, f"`{c.expectation.text}`: {warning}", c.expectation.span, None, "warning")
        for c in report.checks
        for warning in c.warnings
    ]


def check_run(run: Run, jars: Jars, workers: Workers, settings: Settings, reading: float = 0.0) -> Report:
    """Ask the engines what one run asks; InputError and EngineError as they come.

    ``reading`` is the time in milliseconds that reading the whole file took, for the report.
    """
    phases = [("read", reading)]
    with scratch_folder() as folder, bounded_nesting(run.source.span(0, 0)):
        asking = Asking(run, jars, workers, settings, folder, phases)
        found = asking.memory()
        checks = memory_checks(run, found, settings.timeout, "embedded" if settings.engine == "embedded" else "alloy")
        checks = told(run, checks)
        answers = {property_: asking.progress(property_) for property_ in run.properties}
        checks += asking.hardware()
        checks += progress_checks(run, answers, found, settings.timeout)
        if settings.advise and any(c.verdict == "violated" for c in checks):
            from scopec.advice.search import advised

            aside = folder / "advice"
            aside.mkdir()
            checks = advised(run, checks, lambda r, p: Asking(r, jars, workers, settings, aside, []).progress(p))
        in_order = sorted(checks, key=lambda c: run.checks.index(c.expectation))
        remarks = (*run.remarks, *dead_ends(run, found)) if found is not None and found.answers else ()
        kept = None
        if settings.keep is not None or any(c.verdict != "holds" for c in in_order):
            try:
                kept = _keep(asking)
            except (OSError, EngineError) as failure:  # the verdicts stand
                message = f"the generated specifications could not be kept: {failure}"
                remarks += (Diagnostic(Code.NOT_KEPT, message, run.source.span(0, 0), None, "warning"),)
        generated = _generated(folder)
    return Report(run, tuple(in_order), generated, kept, tuple(phases), remarks)


def _keep(asking: Asking) -> Path | None:
    """The folder that a run's specifications are kept in; OSError or EngineError where they cannot be."""
    if asking.run.memory_checks:
        asking.specification()
    generated = _generated(asking.folder)
    return asking.keep(generated) if generated else None


def _generated(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(p.name for p in folder.iterdir() if p.suffix in (".als", ".tla", ".cfg")))
