"""Asks the engines the questions of one run, as their policy says, and compares their answers."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from scopec.base.cache import Cache, user_cache
from scopec.base.diagnostics import Code, EngineError, InputError, LimitError, ScopecError, ValuesError
from scopec.base.files import write_below
from scopec.base.lazy_import import later
from scopec.base.limits import Deadline, late, limited
from scopec.engines.policy import immediate
from scopec.engines.protocol import HARDWARE, MEMORY, PROGRESS, Call, timed
from scopec.engines.table import able
from scopec.session.generated import destination
from scopec.session.inquiry.findings import Findings, Progress
from scopec.session.inquiry.questions import hardware_problem, progress_problem
from scopec.session.inquiry.verdicts import Reached, disagreements, findings, hardware_check, lost_race

if TYPE_CHECKING:
    import shutil
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from scopec.engines.java.workers import Workers
    from scopec.engines.policy import Policy
    from scopec.engines.protocol import Engine, Kind
    from scopec.explain.verdict import Check
    from scopec.memory.execution import Execution
    from scopec.memory.questions import Problem
    from scopec.progress.models import Property
    from scopec.progress.questions import ProgressProblem
    from scopec.session.asking import Asking
    from scopec.session.inquiry.run import Run
    from scopec.session.inquiry.stuck import Hangs
else:
    shutil = later("shutil")

_MOST_BYTES = 128 << 20
#: From so many states on TLC is a quarter faster and more with two workers, if a second processor has nothing to do.
_STATES_FOR_TWO = 4_000
#: The part of the time left that memory questions take where progress is asked about as well, and engines where
#: their answers are checked.
_MEMORY_PART, _ASKED_PART = 3 / 4, 9 / 10
_TORN = "a step is an access of one element, and whether it is so too where vectors are whole is not known"


def completed(problem: Problem, ask: Callable[[Problem], Findings]) -> Problem:
    """A problem, with domains that are known to be complete where dependencies hang on that and it can be found out: of
    a user's model that names them and may have values out of thin air.

    No execution has a value outside the domains if none has that takes all that may be dependencies to be some: a value
    that is handed round a cycle of others is out of thin air.
    """
    if problem.may_exceed:
        beyond = ask(problem.stricter("values", problem.may_exceed))
        if not beyond.unanswered and all(execution is None for execution in beyond.answers.values()):
            return problem.within()
    return problem


def settled(problem: Problem, ask: Callable[[Problem], Findings]) -> Findings:
    """The answers to a problem's questions.

    Where an execution needs what is not decided about dependencies, one is looked for that does not.
    """
    problem = completed(problem, ask)
    found = ask(problem)
    left = () if found.unanswered else found.undecided(problem)
    if not left:
        return found
    again = ask(problem.stricter("strict", left))
    sure = {name: e for name, e in again.answers.items() if e is not None}
    return replace(found, answers={**found.answers, **sure})


class Inquiry:
    """The questions of one run to the engines, all of them before one deadline; generated files are in what ``scratch``
    gives, wall times go to ``phases``."""

    def __init__(
        self, run: Run, policy: Policy, workers: Workers, settings: Asking,
        scratch: Callable[[], Path], phases: list[tuple[str, float]], deadline: Deadline,
    ) -> None:  # fmt: skip
        self.run, self.policy, self.workers, self.settings = run, policy, workers, settings
        self.deadline = deadline
        self.scratch, self.phases = scratch, phases
        self.generated: set[str] = set()
        self._specified = False
        #: Whether the event graph is not known to take too long.
        self._graph_in_time = True

    def about(self, run: Run) -> Inquiry:
        """The questions of a changed run, in a folder of its own."""

        def aside() -> Path:
            folder = self.scratch() / "aside"
            folder.mkdir(exist_ok=True)
            return folder

        inquiry = Inquiry(run, self.policy, self.workers, self.settings, aside, [], self.deadline)
        inquiry._graph_in_time = self._graph_in_time
        return inquiry

    def call(self, seconds: float | None, processors: int = 1, asked: str = "") -> Call:
        """The means of an engine for one answer; ``asked`` is what the user is told of it."""
        cache = results if self.settings.cache else None
        fresh = self.settings.keep is not None  # what an engine wrote is to be kept as well
        return Call(
            self.scratch, seconds, self.policy.jars, self.workers, self.phases, self.generated, cache, fresh,
            processors, partial(self.settings.doing, asked),
        )  # fmt: skip

    def _doing(self, engine: Engine, what: str, so_far: str = "") -> str:
        """Tell the user what is asked; the words for it."""
        asked = f"{self.run.file}: {what} ({engine.title})"
        self.settings.doing(asked, so_far)
        return asked

    # ---- the memory question

    def memory(self) -> Findings | None:
        """The answers to the memory questions; None if there are no questions.

        They are also asked for progress checks: a racy program promises nothing, and the verdict must say so.
        """
        run = self.run
        end = self._part(_MEMORY_PART) if run.progress_checks else self.deadline
        try:
            with self.limited(end):  # what may fail is found out from the event graph
                self.settings.doing(f"{run.file}: events", "")
                if not run.memory_checks and not (run.progress_checks and run.reports_races):
                    return None
                problem = run.problem
        except LimitError as passed:
            self._graph_in_time = False
            return self._nothing(passed)
        return self.settled(problem, end)

    def _part(self, part: float) -> Deadline:
        """The end of a part of the time that is left: the rest is for what is asked, or done, then."""
        left = self.deadline.left()
        return self.deadline if left is None else replace(self.deadline, at=time.monotonic() + left * part)

    def settled(self, problem: Problem, end: Deadline | None = None) -> Findings:
        """The answers to the questions of a problem by the deadline, or an earlier ``end``; none to what is left."""
        end = end or self.deadline
        try:
            with self.limited(), timed(self.phases, "events"):
                problem.prepare()  # its time is told apart from the engine's
            with limited(None, self.settings.memory):
                engines = self.policy.asked(MEMORY, problem, problem.name)
                return settled(problem, lambda one: self._agreed(engines, one, end))
        except (LimitError, ValuesError) as passed:
            return self._nothing(passed)

    @contextmanager
    def limited(self, end: Deadline | None = None) -> Iterator[None]:
        """LimitError in a block that is past the limits of this run, or an earlier ``end``; engines look at the clock
        themselves.

        So it is where one question is too large of a run that asks about memory and progress: the other has an answer.
        """
        with limited((end or self.deadline).left(), self.settings.memory, said=self.deadline.late):
            try:
                yield
            except InputError as bad:
                first = bad.diagnostics[0]
                if self.run.progress_checks and first.code is Code.TOO_LARGE:
                    at = f" (line {first.span.line})" if first.span.line else ""
                    raise LimitError(f"no answer: {first.message}{at}") from bad
                raise

    def _nothing(self, passed: ScopecError) -> Findings:
        return Findings({}, immediate(MEMORY).name, 0.0, unanswered=str(passed))

    def quickly(self, problem: Problem, seconds: float) -> Findings:
        """The answers to the questions of a problem of the engine that answers at once."""
        return self.answers(immediate(MEMORY), problem, self.deadline.within(seconds))

    def answers(self, engine: Engine, problem: Problem, seconds: float | None) -> Findings:
        """An engine's answers to the questions of a problem."""
        if seconds == 0:
            return Findings({}, engine.name, 0.0, unanswered=self.deadline.late)
        what = ", ".join(check.text for check in self.run.memory_checks) or "race_free"
        asked = self._doing(engine, what, f"{len(problem.base.graph.events):,} events")
        answer = MEMORY.of(engine).solve(problem, self.call(seconds, asked=asked))
        milliseconds = answer.seconds * 1000 / len(problem.questions)
        said = self.deadline.late or late(seconds or 0)
        return findings(problem, answer.choices or {}, engine.name, milliseconds, late=said, cached=answer.cached)

    def _agreed(self, engines: Sequence[Engine], problem: Problem, end: Deadline) -> Findings:
        """The first engine's answers to the questions of a problem; EngineError where another's differ."""
        first, *others = engines
        end = min(end, self._part(_ASKED_PART), key=lambda one: one.at or 0.0)
        found = self._sound(self.answers(first, problem, end.left()), problem)
        self._specified |= first is able(MEMORY)[0] and problem.name == self.run.name
        for engine in () if found.unanswered else others:
            other = self._sound(self.answers(engine, problem, end.left()), problem)
            self.policy.compared(MEMORY, engine, answered=not other.unanswered)
            wrong = [] if other.unanswered else [q for q in problem.questions if found.finds(q) != other.finds(q)]
            if wrong:
                answers = {
                    question: {
                        each.engine: None if (e := each.answers[question]) is None else e.choice.as_json()
                        for each in (found, other)
                    }
                    for question in found.answers
                }
                both = (first, engine) if found.finds(wrong[0]) else (engine, first)
                what = "{} finds an execution, {} none"
                self._disagree(MEMORY, problem, both, f"`{wrong[0].name}`", what, answers)
        return found

    def _sound(self, found: Findings, problem: Problem) -> Findings:
        """The findings, if each execution is what was asked for by scopec's own evaluation, and a race that a reduction
        is sure of is one; EngineError if not.

        Those that a limit comes before are none.
        """
        checked: dict[str, Execution | None] = {}
        wrong: list[str] = []
        try:
            with self.limited():
                for question in problem.questions:
                    if question.name in found.answers and not wrong:
                        wrong = disagreements(found, (question,))
                        checked[question.name] = found.answers[question.name]
        except LimitError as passed:
            left = frozenset(q.name for q in problem.questions if q.name not in checked)
            found = replace(found, answers=checked, unanswered=str(passed), left=left)
        if wrong:
            what = f"answer about {self.run.file} is not what scopec's own evaluation of the model finds ({wrong[0]})"
        elif lost_race(found, problem):
            sure = "none, where the reduction `racing` was sure of one (`--without racing` asks about all races)"
            what = f"answer to the race of {self.run.file} is {sure}"
        else:
            return found
        kept = self.keep(self.call(None).write(MEMORY.of(able(MEMORY)[0]).specification(problem)))
        raise EngineError(f"{found.engine}'s {what}: this is a bug in scopec; the specification is in {kept}")

    def specify(self) -> None:
        """Write the memory questions as the reference for them reads them, if they are not there yet."""
        if not self._specified:
            self._specified = True
            self.call(None).write(MEMORY.of(able(MEMORY)[0]).specification(self.run.problem))

    def hangs(self, property_: Property, answer: Progress, found: Findings | None) -> Hangs | None:
        """The answer of the memory engines about executions that get stuck, beside one about schedules."""
        # Start-up: many runs are not asked about progress.
        from scopec.session.inquiry.stuck import hangs

        return hangs(self.run, property_, answer, found, self.settled, self.limited)

    # ---- the progress question

    def progress(self, property_: Property, others: int = 0) -> Progress:
        """The answer to one property; none past a limit, and before ``others`` are asked, which have as much time."""
        try:
            end = self._part(1 / (others + 1))
            with self.limited():
                problem = progress_problem(self.run, property_, graph=self._graph_in_time)
            with limited(None, self.settings.memory):
                return self._agreed_progress(problem, property_, end)
        except LimitError as passed:
            return Progress(None, None, None, 0.0, immediate(PROGRESS).name, unanswered=str(passed))

    def progress_soon(self, property_: Property, seconds: float) -> Progress:
        """The answer to one property of the engine that answers at once."""
        with self.limited():
            problem = progress_problem(self.run, property_, graph=self._graph_in_time)
        with limited(None, self.settings.memory):
            return self._explored(immediate(PROGRESS), problem, self.deadline.within(seconds))

    def _agreed_progress(self, problem: ProgressProblem, property_: Property, end: Deadline) -> Progress:
        first, *others = self.policy.asked(PROGRESS, problem, self.run.name)
        found = self._explored(first, problem, end.left())
        # Which counterexample several workers find is left to chance; where nothing is violated there is none.
        large = found.holds is True and (found.states or 0) >= _STATES_FOR_TWO
        for engine in others:
            processors = self.settings.processors if large else 1
            other = self._explored(engine, problem, end.left(), processors)
            self.policy.compared(PROGRESS, engine, answered=not other.unanswered)
            if None in (found.holds, other.holds) or found.holds == other.holds:
                continue
            answers = {
                each.engine: {
                    "holds": each.holds,
                    "states": each.states,
                    "schedule": None if each.schedule is None else each.schedule.as_json(),
                }
                for each in (found, other)
            }
            both = (engine, first) if found.holds else (first, engine)
            what = "{} finds a fair behaviour without it, {} none"
            self._disagree(PROGRESS, problem, both, property_, what, answers)
        return found

    def _explored(
        self, engine: Engine, problem: ProgressProblem, seconds: float | None, processors: int = 1
    ) -> Progress:
        if seconds == 0:
            return Progress(None, None, None, 0.0, engine.name, unanswered=self.deadline.late)
        asked = self._doing(engine, ", ".join(check.text for check in self.run.progress_checks))
        answer = PROGRESS.of(engine).solve(problem, self.call(seconds, processors, asked))
        milliseconds = answer.seconds * 1000
        if answer.holds is False and self.run.whole_vectors:
            return Progress(None, None, answer.states, milliseconds, engine.name, answer.cached, _TORN)
        unanswered = (self.deadline.late or late(seconds or 0)) if answer.holds is None else None
        return Progress(
            answer.holds, answer.schedule, answer.states, milliseconds, engine.name, answer.cached, unanswered
        )

    # ---- the example hardware

    def hardware(self) -> list[Check]:
        """The checks that are about hardware that stands for memory."""
        checks = self.run.hardware_checks
        answers = [self._reached(number) for number in range(len(checks))]
        ends = self._reached(None) if any(a.found is False for a in answers) else None
        return [hardware_check(c, a, ends) for c, a in zip(checks, answers, strict=True)]

    def _reached(self, number: int | None) -> Reached:
        try:
            with self.limited():
                problem = hardware_problem(self.run, number)
            engine, *_ = self.policy.asked(HARDWARE, problem, self.run.name)
            with limited(None, self.settings.memory):
                asked = self._doing(engine, self.run.hardware_checks[number or 0].text)
                answer = HARDWARE.of(engine).solve(problem, self.call(self.deadline.left(), asked=asked))
        except LimitError as passed:
            return Reached(None, None, None, 0.0, able(HARDWARE)[0].name, unanswered=str(passed))
        milliseconds = answer.seconds * 1000
        if answer.found and self.run.whole_vectors:
            return Reached(None, None, answer.states, milliseconds, engine.name, answer.cached, _TORN)
        unanswered = self.deadline.late if answer.found is None else None
        return Reached(
            answer.found, answer.schedule, answer.states, milliseconds, engine.name, answer.cached, unanswered
        )

    # ---- what is kept

    def _disagree(
        self, kind: Kind[Any], problem: Any, engines: tuple[Engine, Engine], about: str, what: str,
        answers: Mapping[str, Any],
    ) -> NoReturn:  # fmt: skip
        """EngineError: the first of two engines finds what the second denies; what each was asked is kept."""
        texts = {f"{problem.name}.answers.json": json.dumps(answers, indent=2) + "\n"}
        for engine in engines:
            texts |= kind.of(engine).specification(problem)
        kept = self.keep(self.call(None).write(texts))
        raise EngineError(
            f"the engines disagree about {about} of {self.run.file}: {what.format(*(e.title for e in engines))}; this "
            f"is a bug in scopec; the specifications and answers are in {kept}"
        )

    def keep(self, generated: Iterable[str]) -> Path:
        """Copy generated files, and with ``--keep`` what the engines wrote, to where the user finds them."""
        target = destination(self.run, self.settings.keep)
        for name in generated:
            write_below(target, name, (self.scratch() / name).read_text(encoding="utf-8"))
        if self.settings.keep is not None:
            for folder in self.scratch().glob("*-out"):
                name = folder.name if "." in folder.name else f"{self.run.name}.{folder.name}"
                if (target / name).is_symlink():
                    (target / name).unlink()
                shutil.rmtree(target / name, ignore_errors=True)
                shutil.copytree(folder, target / name)
        return target


def results() -> Cache:
    """The answers of earlier calls, by everything that they depend on."""
    return user_cache("results", _MOST_BYTES)
