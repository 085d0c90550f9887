"""Checks files: plans their runs, asks the engines, interprets the answers."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import field
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal

from scopec import engines
from scopec.diagnostics import Code, Diagnostic, EngineError, InputError, ScopecError, internal_error, suggestion
from scopec.java import scratch_folder
from scopec.keep import destination
from scopec.plan import SUFFIXES, Overrides, Plan, Run, plan
from scopec.records import dataclass
from scopec.verdicts import (
    Check,
    Findings,
    Progress,
    Reached,
    disagreements,
    findings,
    hardware_check,
    memory_checks,
    progress_checks,
)
from scopec.workers import Workers

if TYPE_CHECKING:
    from scopec.progress.models import Property
    from scopec.tla.emit import Module

#: Who answers memory questions; ``both`` asks Alloy and the embedded engine and compares.  ``auto`` is the jars.
Engine = Literal["auto", "alloy", "tlc", "embedded", "both"]


@dataclass(frozen=True)
class Settings:
    """How a call of `check` works: engines, limits, what is kept.

    ``say`` takes progress lines for the user, ``remark`` those that only ``-v`` shows.
    With ``advise`` a violated check comes with a change that would mend it, where one is found.  ``begun`` is told of
    each run when it begins: how many questions it asks, and the report to come.
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
    begun: Callable[[int, Future[Report]], None] = lambda _questions, _answer: None


@dataclass(frozen=True)
class Report:
    """One run with its verdicts; ``phases`` are wall times in milliseconds; ``folder`` is where generated files are."""

    run: Run
    checks: tuple[Check, ...]
    generated: tuple[str, ...]
    folder: Path | None
    phases: tuple[tuple[str, float], ...]


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


class Jars:
    """The jars of one call, found (and fetched) when the first run needs them."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = Lock()

    @cached_property
    def alloy(self) -> engines.Jar:
        """Alloy's jar; EngineError if it cannot be had."""
        with self._lock:
            return engines.jar("alloy", self._settings.alloy_jar, self._settings.say)

    @cached_property
    def tlc(self) -> engines.Jar:
        """TLC's jar; EngineError if it cannot be had."""
        with self._lock:
            return engines.jar("tlc", self._settings.tlc_jar, self._settings.say)


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


def check(paths: Sequence[Path], settings: Settings) -> list[Outcome]:
    """Check every expectation of every program; outcomes are in the order of the paths."""
    jars = Jars(settings)
    with Workers(settings.remark) as workers, ThreadPoolExecutor(max_workers=settings.jobs) as pool:
        try:
            pending: list[tuple[str, Plan | Outcome, list[Future[Report]]]] = []
            for path, problem in programs(paths):
                shown = str(path)
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
            pool.shutdown(wait=False, cancel_futures=True)
            workers.stop()
            raise


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
            diagnostics += _race_warnings(report)
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
    with scratch_folder() as folder:
        found = _ask_memory(run, jars, workers, settings, folder, phases)
        checks = memory_checks(run, found, settings.timeout, "embedded" if settings.engine == "embedded" else "alloy")
        answers = {p: _ask_tlc(run, p, jars, workers, settings, folder, phases) for p in run.properties}
        checks += _ask_hardware(run, jars, workers, settings, folder, phases)
        racy = found is not None and found.racy and run.settings.options["races"] == "report"
        checks += progress_checks(run, answers, racy=racy, limit=settings.timeout)
        if settings.advise and any(c.verdict == "violated" for c in checks):
            from scopec.advice.search import advised

            aside = folder / "advice"
            aside.mkdir()
            checks = advised(run, checks, lambda r, p: _ask_tlc(r, p, jars, workers, settings, aside, []))
        in_order = sorted(checks, key=lambda c: run.checks.index(c.expectation))
        wanted = settings.keep is not None or any(c.verdict != "holds" for c in in_order)
        if wanted and run.memory_checks:
            _specification(run, folder)
        generated = tuple(sorted(p.name for p in folder.iterdir() if p.suffix in (".als", ".tla", ".cfg")))
        kept = _keep(run, folder, generated, settings) if wanted else None
    return Report(run, tuple(in_order), generated, kept, tuple(phases))


def _keep(run: Run, folder: Path, generated: Sequence[str], settings: Settings) -> Path:
    target = destination(run, settings.keep)
    for name in generated:
        shutil.copyfile(folder / name, target / name)
    if settings.keep is not None:
        for name in ("alloy-out", "tlc-out"):
            if (folder / name).is_dir():
                shutil.copytree(folder / name, target / f"{run.name}.{name}", dirs_exist_ok=True)
    return target


class _Timer:
    """Appends (name, milliseconds) to a list when its block ends."""

    def __init__(self, phases: list[tuple[str, float]], name: str) -> None:
        self._phases, self._name = phases, name

    def __enter__(self) -> None:
        self._started = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self._phases.append((self._name, (time.perf_counter() - self._started) * 1000))


def _ask_memory(
    run: Run, jars: Jars, workers: Workers, settings: Settings, folder: Path, phases: list[tuple[str, float]]
) -> Findings | None:
    """The answers to the memory questions, or None at the time limit.

    They are also asked for progress checks: a racy program promises nothing, and the verdict must say so.
    """
    asked = run.memory_checks or (run.progress_checks and run.settings.options["races"] == "report")
    if not asked:
        return Findings({}, "alloy", 0.0)
    with _Timer(phases, "events"):
        run.problem  # noqa: B018  # cached; its time is told apart from the engine's
    if settings.engine == "embedded":
        return _ask_embedded(run, settings, folder, phases)
    found = _ask_alloy(run, jars, workers, settings, folder, phases)
    if settings.engine == "both" and found is not None:
        _same(run, found, _ask_embedded(run, settings, folder, phases), folder, settings)
    return found


def _same(run: Run, found: Findings, other: Findings | None, folder: Path, settings: Settings) -> None:
    """EngineError where the two engines' answers differ."""
    if other is None:
        return
    for question in run.problem.questions:
        if found.finds(question) != other.finds(question):
            finder, denier = ("Alloy", "scopec") if found.finds(question) else ("scopec", "Alloy")
            kept = _keep(run, folder, [_specification(run, folder).name], settings)
            raise EngineError(
                f"the engines disagree about `{question.name}` of {run.file}: {finder} finds an execution, {denier} "
                f"none; this is a bug in scopec; the specification is in {kept}"
            )


def _specification(run: Run, folder: Path) -> Path:
    """The Alloy specification of a run, written into the folder if it is not there yet."""
    from scopec.alloy.emit import emit

    path = folder / f"{run.name}.als"
    if not path.is_file():
        path.write_text(emit(run.problem), encoding="utf-8")
    return path


def _ask_embedded(run: Run, settings: Settings, folder: Path, phases: list[tuple[str, float]]) -> Findings | None:
    from scopec.embedded.memory import solve

    problem = run.problem
    started = time.perf_counter()
    limit = None if settings.timeout is None else settings.timeout * len(problem.questions)
    with _Timer(phases, "SAT"):
        answers = solve(problem, limit)
    if answers is None:
        return None
    seconds = time.perf_counter() - started
    return _sound(run, findings(run, answers, "embedded", seconds * 1000 / len(problem.questions)), folder, settings)


def _ask_alloy(
    run: Run, jars: Jars, workers: Workers, settings: Settings, folder: Path, phases: list[tuple[str, float]]
) -> Findings | None:
    from scopec.alloy import run as alloy_run

    problem = run.problem
    with _Timer(phases, "emit Alloy"):
        specification = _specification(run, folder)
    limit = None if settings.timeout is None else settings.timeout * len(problem.questions)
    with _Timer(phases, "Alloy"):
        answers = alloy_run.run(jars.alloy, specification, run.graph, workers, folder, limit)
    if answers.answers is None:
        return None
    with _Timer(phases, "read Alloy"):
        found = findings(run, answers.answers, "alloy", answers.seconds * 1000 / len(problem.questions))
        return _sound(run, found, folder, settings)


def _sound(run: Run, found: Findings, folder: Path, settings: Settings) -> Findings:
    """The findings, if each execution is what was asked for by scopec's own evaluation; EngineError if not."""
    wrong = disagreements(found, run)
    if wrong:
        kept = _keep(run, folder, [_specification(run, folder).name], settings)
        raise EngineError(
            f"{found.engine}'s answer about {run.file} is not what scopec's own evaluation of the model finds "
            f"({wrong[0]}): this is a bug in scopec; the specification is in {kept}"
        )
    return found


def _ask_hardware(
    run: Run, jars: Jars, workers: Workers, settings: Settings, folder: Path, phases: list[tuple[str, float]]
) -> list[Check]:
    from scopec.tla import run as tla_run
    from scopec.tla.hardware_run import witness

    def ask(number: int | None) -> Reached:
        with _Timer(phases, "emit TLA+"):
            module = run.hardware_module(number)
            _write_module(module, folder)
        with _Timer(phases, "TLC"):
            answer = tla_run.run(jars.tlc, module.name, workers, folder, settings.timeout)
        if answer.result is None:
            return Reached(None, None, answer.states, answer.seconds * 1000)
        schedule = witness(answer.result, run.hardware_system, module)
        return Reached(schedule is not None, schedule, answer.states, answer.seconds * 1000)

    answers = [ask(number) for number in range(len(run.hardware_checks))]
    ends = ask(None) if any(a.found is False for a in answers) else None
    return [hardware_check(c, a, ends, settings.timeout) for c, a in zip(run.hardware_checks, answers, strict=True)]


def _write_module(module: Module, folder: Path) -> None:
    (folder / f"{module.name}.tla").write_text(module.tla, encoding="utf-8")
    (folder / f"{module.name}.cfg").write_text(module.cfg, encoding="utf-8")


def _ask_tlc(
    run: Run,
    property_: Property,
    jars: Jars,
    workers: Workers,
    settings: Settings,
    folder: Path,
    phases: list[tuple[str, float]],
) -> Progress:
    from scopec.tla import run as tla_run

    with _Timer(phases, "emit TLA+"):
        system, module = run.module(property_)
        _write_module(module, folder)
    with _Timer(phases, "TLC"):
        answer = tla_run.run(jars.tlc, module.name, workers, folder, settings.timeout)
    if answer.result is None:
        return Progress(None, None, answer.states, answer.seconds * 1000)
    schedule = tla_run.counterexample(answer.result, system, module)
    return Progress(answer.result.outcome == "holds", schedule, answer.states, answer.seconds * 1000)
