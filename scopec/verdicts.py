"""Verdicts: what an engine's answers mean for each check of a run."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

from scopec.handover import access_name
from scopec.memory.execution import Execution
from scopec.memory.paths import holds
from scopec.memory.questions import Goal
from scopec.records import dataclass
from scopec.runs import filter_name, question_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from scopec.expectations import Expectation
    from scopec.memory.events import Assertion
    from scopec.memory.execution import Choice
    from scopec.memory.questions import Problem, Question
    from scopec.progress.models import Property
    from scopec.progress.schedule import Schedule
    from scopec.runs import Run

    Trace: TypeAlias = Execution | Schedule

Verdict = Literal["holds", "violated", "unknown"]
UNDEFINED = "undefined behaviour"
#: How the reason begins of a check that an undefined operation, not a race, leaves without a meaning.
FAULTY = f"{UNDEFINED}, "


@dataclass(frozen=True)
class Check:
    """A check with its verdict; ``trace`` shows why, where an execution or schedule can; ``advice`` what would help.

    ``elsewhere`` is the verdict in PTX of what a race between volatile accesses decides in CUDA C++.
    ``cached`` tells that the engine gave the answer in an earlier call.
    """

    expectation: Expectation
    verdict: Verdict
    reason: str | None
    engine: str
    time_ms: float
    states: int | None = None
    trace: Trace | None = None
    warnings: tuple[str, ...] = field(default=())
    advice: str | None = None
    elsewhere: str | None = None
    cached: bool = False


def is_fault(check: Check) -> bool:
    """Whether an undefined operation decides a check; its trace shows it."""
    said = check.reason is not None and check.reason.startswith(FAULTY)
    return check.verdict == "violated" and (said or (check.expectation.implicit and check.reason != UNDEFINED))


@dataclass(frozen=True)
class Findings:
    """The answers to a run's memory questions: an execution, or None where there is none."""

    answers: Mapping[str, Execution | None]
    engine: str
    time_ms: float
    cached: bool = False

    def undecided(self, problem: Problem) -> tuple[Question, ...]:
        """The questions of a problem whose executions need what is not decided about dependencies."""
        return tuple(q for q in problem.questions if (e := self.answers[q.name]) is not None and e.undecided)

    def finds(self, question: Question) -> bool:
        """Whether an execution was found that a question looks for."""
        return self.answers[question.name] is not None

    @property
    def racy(self) -> bool:
        """Whether some execution has a race, for sure."""
        race = self.answers.get("race")
        return race is not None and not race.undecided

    @cached_property
    def fault(self) -> tuple[str, Execution] | None:
        """What some execution does that is undefined, for sure, and the execution."""
        execution = self.answers.get("fault")
        if execution is None or execution.undecided:
            return None
        first = failed_assertions(execution, execution.graph.faults)[0]
        return f"line {first.span.line}: {first.text}", execution


def findings(
    problem: Problem, answers: Mapping[str, Choice | None], engine: str, time_ms: float, *, cached: bool = False
) -> Findings:
    """An engine's choices as executions of a problem's graph."""
    executions = {
        name: None if choice is None else Execution(problem.base, problem.model, choice, problem.strict)
        for name, choice in answers.items()
    }
    return Findings(executions, engine, time_ms, cached)


def disagreements(found: Findings, problem: Problem) -> list[str]:
    """Where an execution that an engine found is not what it was asked for, by scopec's own evaluation of the model."""
    problems = []
    for question in problem.questions:
        execution = found.answers.get(question.name)
        if execution is None:
            continue
        wrong = execution.problems()
        match question.goal:
            case Goal.RACE:
                target = question.target
                if not (execution.flagged if target is None else execution.racing_pair(target)):
                    wrong.append("no race")
            case Goal.OUTCOME | Goal.COUNTER_OUTCOME:
                assert question.formula is not None
                if execution.observe(question.formula) is not (question.goal is Goal.OUTCOME):
                    wrong.append("not the outcome")
            case Goal.LEFT:
                assert question.paths is not None
                if not holds(question.paths, execution.outcomes):
                    wrong.append("not the conditions of the threads")
            case Goal.ASSERTION | Goal.FAULT:
                if not failed_assertions(execution, question.assertions):
                    wrong.append("no assertion fails")
            case _:
                pass
        may_stop = (Goal.PREFIX, Goal.RACE, Goal.FAULT, Goal.LONGER, Goal.OVERFLOW, Goal.LEFT)
        if question.goal not in may_stop and not execution.complete:
            wrong.append("not complete")
        problems += [f"{question.name}: {problem}" for problem in wrong]
    return problems


def failed_assertions(execution: Execution, assertions: Iterable[Assertion]) -> list[Assertion]:
    """The assertions that are reached and fail in an execution."""
    return [a for a in assertions if a.guard.holds(execution.outcomes) and not execution.value(a.condition)]


def memory_checks(run: Run, found: Findings | None, limit: float | None, engine: str = "alloy") -> list[Check]:
    """The verdicts of a run's memory checks; without findings (the time limit came first) all are unknown."""
    checks = []
    for number, expectation in enumerate(run.memory_checks):
        if found is None:
            late = f"no answer within the time limit of {limit:g} s" if limit else "no answer"
            checks.append(Check(expectation, "unknown", late, engine, (limit or 0) * 1000))
        else:
            verdict, reason, trace = _memory(run, found, number, expectation)
            answered = (found.engine, found.time_ms)
            checks.append(Check(expectation, verdict, reason, *answered, trace=trace, cached=found.cached))
    return checks


def _memory(
    run: Run, found: Findings, number: int, expectation: Expectation
) -> tuple[Verdict, str | None, Execution | None]:
    """A verdict with its reason and execution; unknown where that needs what is not decided about dependencies."""
    verdict, reason, execution = _answered(run, found, number, expectation)
    needed = [execution]
    if verdict == "holds" and expectation.kind not in ("race", "race_free", "condition"):
        needed += [found.answers.get("fault"), found.answers.get("race") if run.reports_races else None]
    for one in needed:
        if one is not None and one.undecided:
            return "unknown", not_decided(one), None
    return verdict, reason, execution


def not_decided(execution: Execution) -> str:
    """Why it is not sure that there is an execution of which something is not decided."""
    read, event = execution.undecided[0]
    by_id = execution.graph.by_id
    return (
        f"whether {access_name(by_id[event])} depends on {access_name(by_id[read])} is not decided "
        f"({execution.base.real.undecided[read, event]}), and an execution was found that needs that it does not"
    )


def _answered(
    run: Run, found: Findings, number: int, expectation: Expectation
) -> tuple[Verdict, str | None, Execution | None]:
    answers = found.answers
    name = question_name(number, expectation)
    if expectation.kind in ("race_free", "race"):
        target = expectation.target
        if not run.problem.model.tells_races(on_object=target is not None):
            return "unknown", f"the model {run.model.name} does not define races: ask under one that does", None
        race = answers[run.race_name(target)]
        wanted = expectation.kind == "race"
        if race is not None:
            pair = race.racing_pair(target)
            reason = "a data race" if pair is None else race.shown_race(pair)
            return ("holds", None, race) if wanted else ("violated", reason, race)
        doubt = _doubt(run, found, complete=False)
        if doubt:
            return "unknown", doubt, None
        return ("violated", "no execution has such a race", None) if wanted else ("holds", None, None)
    if expectation.kind == "condition":
        return _condition(run, found, number, expectation)
    if expectation.implicit and found.fault is not None:
        return "violated", *found.fault
    if found.racy and run.reports_races:
        return "violated", UNDEFINED, answers["race"]
    if found.fault is not None:
        what, where = found.fault
        return "violated", f"{FAULTY}{what}", where
    execution = answers.get(name)
    doubt = _doubt(run, found, complete=not expectation.implicit)
    match expectation.kind:
        case "allowed":
            if execution is not None:
                return "holds", None, execution
            return ("unknown", doubt, None) if doubt else ("violated", "no execution ends this way", None)
        case "forbidden" | "required" | "assertion":
            if execution is not None:
                reasons = {
                    "forbidden": "an execution ends this way",
                    "required": "an execution ends otherwise",
                    "assertion": "the assertion fails in some execution",
                }
                return "violated", reasons[expectation.kind], execution
            return ("unknown", doubt, None) if doubt else ("holds", None, None)
        case _:
            raise AssertionError(expectation.kind)


def _condition(
    run: Run, found: Findings, number: int, expectation: Expectation
) -> tuple[Verdict, str | None, Execution | None]:
    """The final clause of a litmus file, races ignored ("its race freedom is a separate verdict").

    It is about executions that do nothing undefined.  Where every execution gets stuck, nothing exists that a clause
    could ask for; `forall` then says nothing.
    """
    execution = found.answers.get(question_name(number, expectation))
    if execution is not None:
        if expectation.quantifier == "exists":
            return "holds", None, execution
        return (
            "violated",
            "an execution ends this way" if expectation.quantifier == "not exists" else ("an execution ends otherwise"),
            execution,
        )
    universal = expectation.quantifier == "forall"
    doubt = _doubt(run, found, complete=universal)
    if doubt:
        return "unknown", doubt, None
    if universal and expectation.restriction and found.answers[filter_name(number, expectation)] is None:
        return "unknown", "no execution satisfies the filter", None
    return (
        ("violated", "no execution ends this way", None)
        if expectation.quantifier == "exists"
        else ("holds", None, None)
    )


def _doubt(run: Run, found: Findings, *, complete: bool) -> str | None:
    """Why the absence of an execution decides nothing, or None if it does."""
    answers = found.answers
    witness = answers["execution"] if complete else answers.get("prefix", answers["execution"])
    if witness is not None and witness.undecided:
        return not_decided(witness)
    if witness is None:
        what = "complete execution" if complete else "execution"
        bound = run.settings.bound["unroll"]
        if found.fault is not None and complete:
            return f"no execution completes: {found.fault[0]}"
        loops = sorted({cut.span.line for cut in run.graph.cuts if not cut.fault})
        where = f" (loops at line {', '.join(map(str, loops))}, unrolled {bound} times)" if loops else ""
        return f"there is no consistent {what} within the bound{where}"
    if answers.get("longer") is not None:
        lines = sorted({cut.span.line for cut in run.graph.cuts if not cut.wait})
        bound = run.settings.bound["unroll"]
        return (
            f"the loop at line {', '.join(map(str, lines))} can go round more than {bound} times: "
            f"raise the bound with `//@ bound unroll = {min(64, bound * 2)};`"
        )
    if answers.get("overflow") is not None:
        return "values that the program computes from each other exceed what scopec models"
    return None


# ---------------------------------------------------------------- the example hardware


@dataclass(frozen=True)
class Reached:
    """Whether the hardware reaches what was looked for, with a run that does; None at the time limit."""

    found: bool | None
    schedule: Schedule | None
    states: int | None
    time_ms: float
    cached: bool = False


def hardware_check(expectation: Expectation, answer: Reached, ends: Reached | None, limit: float | None) -> Check:
    """The verdict of a check that the example hardware answers; ``ends`` tells whether any run of it ends.

    ``ends`` is needed, and may be None elsewhere, where nothing was found: that says nothing if no run ends.
    """

    def checked(verdict: Verdict, reason: str | None) -> Check:
        answered = ("tlc", answer.time_ms, answer.states, answer.schedule)
        return Check(expectation, verdict, reason, *answered, cached=answer.cached)

    exists = expectation.kind == "allowed" or expectation.quantifier == "exists"
    if answer.found is None:
        reached = f", after {answer.states} states" if answer.states is not None else ""
        return checked("unknown", f"no answer within the time limit of {limit:g} s{reached}")
    if answer.found:
        how = "otherwise" if expectation.kind == "required" or expectation.quantifier == "forall" else "this way"
        return checked("holds", None) if exists else checked("violated", f"a run of the hardware ends {how}")
    if exists:
        return checked("violated", "no run of the hardware ends this way")
    if expectation.kind != "assertion" and (ends is None or not ends.found):
        return checked("unknown", "no run of the hardware ends")
    return checked("holds", None)


# ---------------------------------------------------------------- progress


@dataclass(frozen=True)
class Progress:
    """The answer to one property: ``holds``, a violation with its schedule, or None at the time limit."""

    holds: bool | None
    schedule: Schedule | None
    states: int | None
    time_ms: float
    cached: bool = False
    engine: str = "tlc"


def progress_checks(
    run: Run, answers: Mapping[Property, Progress], found: Findings | None, limit: float | None
) -> list[Check]:
    """The verdicts of a run's progress checks; the memory question may have found that the program is undefined."""
    warnings: tuple[str, ...] = ()
    if found is not None and found.racy and run.reports_races:
        warnings = ("the program has a data race, so it is undefined behaviour and promises nothing",)
    elif found is not None and found.fault is not None:
        warnings = (f"{found.fault[0]}, so it is undefined behaviour and promises nothing",)
    checks = []
    for expectation in run.progress_checks:
        universal = expectation.kind in ("terminates", "progresses")
        answer = answers["Termination" if expectation.kind in ("terminates", "may_hang") else "Progress"]
        if answer.holds is None:
            reached = f", after {answer.states} states" if answer.states is not None else ""
            reason = f"no answer within the time limit of {limit:g} s{reached}"
            verdict: Verdict = "unknown"
        else:
            verdict = "holds" if answer.holds == universal else "violated"
            reason = None
            if verdict == "violated":
                reason = _progress_reason(expectation, answer)
        checks.append(
            Check(
                expectation,
                verdict,
                reason,
                answer.engine,
                answer.time_ms,
                answer.states,
                answer.schedule,
                () if (reason or "").startswith(FAULTY) else warnings,
                cached=answer.cached,
            )
        )
    return checks


_ALLOWED = "that the progress model allows"
_COUNTS = "steps that count as progress"


def _progress_reason(expectation: Expectation, answer: Progress) -> str:
    from scopec.progress.schedule import Ending

    if expectation.kind == "may_hang":
        return f"every execution {_ALLOWED} ends"
    if expectation.kind == "may_stall":
        return f"in every execution {_ALLOWED}, some thread goes on taking {_COUNTS}, or everything ends"
    if answer.schedule is not None and answer.schedule.ending is Ending.UNDEFINED:
        return f"{FAULTY}which promises nothing"
    if answer.schedule is not None and answer.schedule.ending is Ending.DEADLOCK:
        return "deadlock: no thread can take a step"
    if expectation.kind == "progresses":
        return f"in some execution {_ALLOWED}, no thread takes {_COUNTS} from some point on"
    return f"some execution {_ALLOWED} never ends"
