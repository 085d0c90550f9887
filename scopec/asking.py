"""Asks the engines what one run asks, and keeps what they answered."""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import replace
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

from scopec import engines
from scopec.cache import Cache, key, user_cache
from scopec.diagnostics import EngineError, UnavailableError
from scopec.keep import destination
from scopec.records import dataclass
from scopec.verdicts import Findings, Progress, Reached, disagreements, findings, hardware_check

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from scopec.check import Settings
    from scopec.memory.questions import Problem
    from scopec.progress.models import Property
    from scopec.runs import Run
    from scopec.tla.emit import Module
    from scopec.tla.read import Result
    from scopec.verdicts import Check
    from scopec.workers import Workers

_MOST_BYTES = 128 << 20
#: Pairs of a write and a read of one location up to which ``auto`` asks Alloy: beyond, it takes seconds a question.
MOST_PAIRS = 200


class Jars:
    """The jars of one call, found (and fetched) when the first run needs them."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = Lock()
        self._said = False
        self._missing: dict[engines.EngineName, str | None] = {}

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

    def without(self, engine: engines.EngineName) -> str | None:
        """Why an engine cannot be run here, or None if it can; a jar that is there and is wrong is an EngineError."""
        if engine not in self._missing:
            try:
                engines.java()
                getattr(self, engine)  # fetched, if it is not there
                self._missing[engine] = None
            except UnavailableError as failure:
                self._missing[engine] = str(failure)
        return self._missing[engine]

    def fallen_back(self, reason: str) -> None:
        """Tell the user, once a call, that scopec's own engine answers instead."""
        with self._lock:
            said, self._said = self._said, True
        if not said:
            self._settings.say(f"{reason} Questions are answered by scopec itself (--engine embedded).")


def completed(problem: Problem, ask: Callable[[Problem], Findings | None]) -> Problem:
    """A problem, with domains that are known to be complete where dependencies hang on that and it can be found out.

    No execution has a value outside the domains if none has that takes all that may be dependencies to be some: a value
    that is handed round a cycle of others is out of thin air.
    """
    if problem.may_exceed:
        beyond = ask(problem.stricter("values", problem.may_exceed))
        if beyond is not None and all(execution is None for execution in beyond.answers.values()):
            return problem.within()
    return problem


def settled(problem: Problem, ask: Callable[[Problem], Findings | None]) -> Findings | None:
    """The answers to a problem's questions, or None at the time limit.

    Where an execution needs what is not decided about dependencies, one is looked for that does not.
    """
    problem = completed(problem, ask)
    found = ask(problem)
    left = () if found is None else found.undecided(problem)
    if found is None or not left:
        return found
    again = ask(problem.stricter("strict", left))
    sure = {} if again is None else {name: e for name, e in again.answers.items() if e is not None}
    return replace(found, answers={**found.answers, **sure})


@dataclass(frozen=True)
class Asking:
    """The questions of one run to the engines; generated files are in ``folder``, wall times go to ``phases``."""

    run: Run
    jars: Jars
    workers: Workers
    settings: Settings
    folder: Path
    phases: list[tuple[str, float]]

    # ---- the memory question

    def memory(self) -> Findings | None:
        """The answers to the memory questions, or None at the time limit.

        They are also asked for progress checks: a racy program promises nothing, and the verdict must say so.
        """
        run = self.run
        if not run.memory_checks and not (run.progress_checks and run.reports_races):
            return Findings({}, "alloy", 0.0)
        with _Timer(self.phases, "events"):
            run.problem.prepare()  # its time is told apart from the engine's
        return settled(run.problem, self._memory_engine())

    def _memory_engine(self) -> Callable[[Problem], Findings | None]:
        """Who answers the memory questions."""
        match self.settings.engine:
            case "embedded":
                return self._embedded
            case "auto":
                reason = self.jars.without("alloy")
                if reason is not None:
                    self.jars.fallen_back(reason)
                    return self._embedded
                pairs = self.run.graph.reads_from_pairs
                if pairs > MOST_PAIRS:
                    self.settings.say(
                        f"{self.run.name}: {pairs} pairs of a write and a read of one location would take Alloy "
                        "minutes. Scopec answers about memory itself (--engine alloy asks Alloy)."
                    )
                    return self._embedded
                return self._alloy
            case "both":
                return self._both
            case "alloy" | "tlc":
                return self._alloy

    def specification(self, problem: Problem | None = None) -> Path:
        """The Alloy specification of a problem, the run's own if none is given, written if it is not there yet."""
        from scopec.alloy.emit import emit

        problem = problem or self.run.problem
        path = self.folder / f"{problem.name}.als"
        if not path.is_file():
            path.write_text(emit(problem), encoding="utf-8")
        return path

    def _both(self, problem: Problem) -> Findings | None:
        found = self._alloy(problem)
        if found is not None:
            self._compare(problem, found, self._embedded(problem))
        return found

    def _embedded(self, problem: Problem) -> Findings | None:
        from scopec.embedded.memory import solve

        started = time.perf_counter()
        with _Timer(self.phases, "SAT"):
            answers = solve(problem, self._limit)
        if answers is None:
            return None
        milliseconds = (time.perf_counter() - started) * 1000 / len(problem.questions)
        return self._sound(findings(problem, answers, "embedded", milliseconds), problem)

    def _alloy(self, problem: Problem) -> Findings | None:
        from scopec.alloy import run as alloy

        with _Timer(self.phases, "emit Alloy"):
            specification = self.specification(problem)

        def ask() -> tuple[Any, float]:
            answers = alloy.run(self.jars.alloy, specification, self.workers, self.folder, self._limit)
            return answers.instances, answers.seconds

        with _Timer(self.phases, "Alloy"):
            parts = (self.jars.alloy.sha256, alloy.SOLVER, specification.read_text(encoding="utf-8"))
            instances, seconds, kept = self._remembered(parts, ask)
        if instances is None:
            return None
        with _Timer(self.phases, "read Alloy"):
            choices = alloy.choices(instances, self.run.graph)
            milliseconds = seconds * 1000 / len(problem.questions)
            return self._sound(findings(problem, choices, "alloy", milliseconds, cached=kept), problem)

    @property
    def _limit(self) -> float | None:
        seconds = self.settings.timeout
        return None if seconds is None else seconds * len(self.run.problem.questions)

    def _sound(self, found: Findings, problem: Problem) -> Findings:
        """The findings, if each execution is what was asked for by scopec's own evaluation; EngineError if not."""
        wrong = disagreements(found, problem)
        if wrong:
            kept = self.keep([self.specification(problem).name])
            raise EngineError(
                f"{found.engine}'s answer about {self.run.file} is not what scopec's own evaluation of the model finds "
                f"({wrong[0]}): this is a bug in scopec; the specification is in {kept}"
            )
        return found

    def _compare(self, problem: Problem, found: Findings, other: Findings | None) -> None:
        """EngineError where the two engines' answers differ; both specifications and both answers are kept."""
        if other is None:
            return
        wrong = [q for q in problem.questions if found.finds(q) != other.finds(q)]
        if not wrong:
            return
        from scopec.embedded.memory import dimacs

        name = problem.name
        (self.folder / f"{name}.cnf").write_text(dimacs(problem), encoding="utf-8")
        answers = {
            question: {
                each.engine: None if (e := each.answers[question]) is None else e.choice.as_json()
                for each in (found, other)
            }
            for question in found.answers
        }
        (self.folder / f"{name}.answers.json").write_text(json.dumps(answers, indent=2) + "\n", encoding="utf-8")
        kept = self.keep([self.specification(problem).name, f"{name}.cnf", f"{name}.answers.json"])
        finder, denier = ("Alloy", "scopec") if found.finds(wrong[0]) else ("scopec", "Alloy")
        raise EngineError(
            f"the engines disagree about `{wrong[0].name}` of {self.run.file}: {finder} finds an execution, {denier} "
            f"none; this is a bug in scopec; the specifications and answers are in {kept}"
        )

    # ---- questions to TLC

    def progress(self, property_: Property) -> Progress:
        """The answer to one property."""
        match self.settings.engine:
            case "embedded":
                return self._explored(property_)
            case "auto":
                reason = self.jars.without("tlc")
                if reason is not None:
                    self.jars.fallen_back(reason)
                    return self._explored(property_)
                return self._checked(property_)
            case "both":
                found = self._checked(property_)
                self._compare_progress(property_, found, self._explored(property_))
                return found
            case "alloy" | "tlc":
                return self._checked(property_)

    def _explored(self, property_: Property) -> Progress:
        from scopec.embedded.progress import solve

        started = time.perf_counter()
        with _Timer(self.phases, "states"):
            answer = solve(self.run.system(property_), property_, self.settings.timeout)
        milliseconds = (time.perf_counter() - started) * 1000
        return Progress(answer.holds, answer.schedule, answer.states, milliseconds, engine="embedded")

    def _compare_progress(self, property_: Property, found: Progress, other: Progress) -> None:
        """EngineError where the two engines' answers differ; the module and both answers are kept."""
        if found.holds is None or other.holds is None or found.holds == other.holds:
            return
        from scopec.report.json import schedule

        _, module = self.run.module(property_)
        answers = {
            each.engine: {
                "holds": each.holds,
                "states": each.states,
                "schedule": None if each.schedule is None else schedule(each.schedule),
            }
            for each in (found, other)
        }
        steps = "\n".join(f"{label}: {step}" for label, step in self.run.system(property_).steps.items())
        (self.folder / f"{module.name}.steps.txt").write_text(steps + "\n", encoding="utf-8")
        (self.folder / f"{module.name}.answers.json").write_text(json.dumps(answers, indent=2) + "\n", encoding="utf-8")
        kept = self.keep([f"{module.name}.{ending}" for ending in ("tla", "cfg", "steps.txt", "answers.json")])
        finder, denier = ("scopec", "TLC") if found.holds else ("TLC", "scopec")
        raise EngineError(
            f"the engines disagree about {property_} of {self.run.file}: {finder} finds a fair behaviour without it, "
            f"{denier} none; this is a bug in scopec; the specifications and answers are in {kept}"
        )

    def _checked(self, property_: Property) -> Progress:
        from scopec.tla import run as tla

        with _Timer(self.phases, "emit TLA+"):
            system, module = self.run.module(property_)
        result, states, milliseconds, cached = self._tlc(module)
        if result is None:
            return Progress(None, None, states, milliseconds)
        schedule = tla.counterexample(result, system, module)
        return Progress(result.outcome == "holds", schedule, result.states, milliseconds, cached)

    def hardware(self) -> list[Check]:
        """The checks that are about hardware that stands for memory."""
        run = self.run
        if not run.hardware_checks:
            return []
        from scopec.tla.hardware_run import witness

        def ask(number: int | None) -> Reached:
            with _Timer(self.phases, "emit TLA+"):
                module = run.hardware_module(number)
            result, states, milliseconds, cached = self._tlc(module)
            if result is None:
                return Reached(None, None, states, milliseconds)
            schedule = witness(result, run.hardware_system, module)
            return Reached(schedule is not None, schedule, result.states, milliseconds, cached)

        answers = [ask(number) for number in range(len(run.hardware_checks))]
        ends = ask(None) if any(a.found is False for a in answers) else None
        limit = self.settings.timeout
        return [hardware_check(c, a, ends, limit) for c, a in zip(run.hardware_checks, answers, strict=True)]

    def _tlc(self, module: Module) -> tuple[Result | None, int | None, float, bool]:
        """What TLC finds about a module (None at the time limit), states, milliseconds, and whether it was kept."""
        from scopec.tla import run as tla
        from scopec.tla.read import read

        (self.folder / f"{module.name}.tla").write_text(module.tla, encoding="utf-8")
        (self.folder / f"{module.name}.cfg").write_text(module.cfg, encoding="utf-8")
        states: list[int | None] = [None]

        def ask() -> tuple[Any, float]:
            answer = tla.run(self.jars.tlc, module.name, self.workers, self.folder, self.settings.timeout)
            states[0] = answer.states
            return answer.output, answer.seconds

        with _Timer(self.phases, "TLC"):
            printed, seconds, cached = self._remembered((self.jars.tlc.sha256, module.tla, module.cfg), ask)
        return None if printed is None else read(*printed), states[0], seconds * 1000, cached

    # ---- what is kept

    def _remembered(self, parts: Sequence[str], ask: Callable[[], tuple[Any, float]]) -> tuple[Any, float, bool]:
        """An engine's answer, as JSON values, the seconds that it took, and whether it was kept from an earlier call.

        None, for no answer in time, is not kept; nor is what raises an error.
        """
        if not self.settings.cache:
            return *ask(), False
        cache, entry = results(), key(*parts)
        found = cache.get(entry)
        if found is not None and self.settings.keep is None:  # what an engine wrote is to be kept as well
            try:
                answer, seconds = json.loads(found)
            except ValueError:
                pass
            else:
                return answer, float(seconds), True
        answer, seconds = ask()
        if answer is not None:
            cache.put(entry, json.dumps([answer, seconds]).encode())
        return answer, seconds, False

    def keep(self, generated: Sequence[str]) -> Path:
        """Copy generated files, and with ``--keep`` what the engines wrote, to where the user finds them."""
        target = destination(self.run, self.settings.keep)
        for name in generated:
            shutil.copyfile(self.folder / name, target / name)
        if self.settings.keep is not None:
            written = {path: path.name for path in self.folder.glob("*.alloy-out")}
            written |= {path: f"{self.run.name}.{path.name}" for path in self.folder.glob("tlc-out")}
            for path, name in written.items():
                shutil.copytree(path, target / name, dirs_exist_ok=True)
        return target


def results() -> Cache:
    """The answers of earlier calls, by generated specification, checksum of the jar, and options of the engine."""
    return user_cache("results", _MOST_BYTES)


class _Timer:
    """Appends (name, milliseconds) to a list when its block ends."""

    def __init__(self, phases: list[tuple[str, float]], name: str) -> None:
        self._phases, self._name = phases, name

    def __enter__(self) -> None:
        self._started = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self._phases.append((self._name, (time.perf_counter() - self._started) * 1000))
