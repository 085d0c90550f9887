"""Verdicts: what an engine's answers mean for each check of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import LimitError
from scopec.base.records import dataclass
from scopec.explain.synchronisation import access_name
from scopec.explain.verdict import FAULTY, UNDEFINED, UNKNOWN_RACES, Check, Verdict
from scopec.memory.answers import mistakes
from scopec.memory.execution import Execution
from scopec.memory.questions import Goal
from scopec.progress.schedule import Ending
from scopec.session.inquiry.findings import Findings
from scopec.session.inquiry.questions import filter_name, question_name, race_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scopec.memory.choice import Choice
    from scopec.memory.questions import Problem, Question
    from scopec.program.expectations import Expectation
    from scopec.program.observe import Target
    from scopec.progress.models import Property
    from scopec.progress.schedule import Schedule
    from scopec.session.inquiry.findings import Progress
    from scopec.session.inquiry.run import Run


def findings(
    problem: Problem,
    answers: Mapping[str, Choice | None],
    engine: str,
    time_ms: float,
    *,
    late: str = "no answer within the time limit",
    cached: bool = False,
) -> Findings:
    """An engine's choices as executions of a problem's graph, one for questions with the same choice; ``late`` is why
    there are none to some questions, if there are none."""
    made = {
        id(choice): Execution(problem.base, problem.model, choice, problem.strict)
        for choice in answers.values()
        if choice is not None
    }
    executions = {name: made.get(id(choice)) for name, choice in answers.items()}
    left = frozenset(q.name for q in problem.questions) - executions.keys()
    return Findings(executions, engine, time_ms, cached, late if left else None, left)


def disagreements(found: Findings, questions: Sequence[Question]) -> list[str]:
    """Disagreements: executions from an engine that are not what it was asked for, by scopec's own evaluation of the
    model.
    """
    answers = [(question, found.answers.get(question.name)) for question in questions]
    return [
        f"{question.name}: {mistake}"
        for question, execution in answers
        if execution is not None
        for mistake in mistakes(question, execution)
    ]


def lost_race(found: Findings, problem: Problem) -> bool:
    """Whether no execution has the race that is all that is left of a graph (``one_race``): to take that for an answer
    about the whole would lose every other race."""
    certain = problem.base.graph.one_race and not problem.strict
    races = [q.name for q in problem.questions if q.goal is Goal.RACE]
    return certain and any(name in found.answers and found.answers[name] is None for name in races)


def memory_checks(run: Run, found: Findings) -> list[Check]:
    """The verdicts of a run's memory checks; what a limit came before is unknown."""
    answered = (found.engine, found.time_ms)
    if (
        found.unanswered is not None and not found.answers
    ):  # maybe because the event graph, which shows what may fail, is too large
        return [Check(expectation, "unknown", found.unanswered, *answered) for expectation in run.of_the_model]
    checks = []
    for number, expectation in enumerate(run.memory_checks):
        try:
            verdict, reason, trace = _memory(run, found.certain, number, expectation)
        except LimitError as passed:
            verdict, reason, trace = "unknown", str(passed), None
        checks.append(Check(expectation, verdict, reason, *answered, trace=trace, cached=found.cached))
    return checks


def _memory(
    run: Run, found: Findings, number: int, expectation: Expectation
) -> tuple[Verdict, str | None, Execution | None]:
    """A verdict with its reason and execution; unknown where that needs what is not decided about dependencies."""
    verdict, reason, execution = _answered(run, found, number, expectation)
    needed = [execution]
    if verdict == "holds" and expectation.kind not in ("race", "race_free", "undefined", "condition"):
        needed += [found.answers.get("fault"), found.answers.get("race") if run.reports_races else None]
    for one in needed:
        if one is not None and one.undecided:
            return "unknown", not_decided(one), None
    return verdict, reason, execution


def not_decided(execution: Execution) -> str:
    """The reason why an execution of which something is not decided need not exist."""
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
        race = answers[race_name(run, target)]
        wanted = expectation.kind == "race"
        if race is not None:
            pair = race.racing_pair(target)
            reason = "a data race" if pair is None else race.shown_race(pair)
            return ("holds", None, race) if wanted else ("violated", reason, race)
        doubt = _doubt(run, found, complete=False)
        if doubt:
            return "unknown", doubt, None
        return ("violated", "no execution has such a race", None) if wanted else ("holds", None, None)
    if expectation.kind == "undefined":
        return _undefined(run, found)
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


def _undefined(run: Run, found: Findings) -> tuple[Verdict, str | None, Execution | None]:
    """Whether something is undefined, other than a race: an execution does it, complete or not."""
    if found.answers.get("fault") is not None:
        return "holds", None, found.answers["fault"]
    doubt = _doubt(run, found, complete=False)
    if doubt:
        return "unknown", doubt, None
    racy = found.racy and run.reports_races
    return "violated", f"no execution does what is undefined{', other than to race' * racy}", None


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
    """The reason why the absence of an execution decides nothing, or None if it does."""
    answers = found.answers
    witness = answers["execution"] if complete else answers.get("prefix", answers["execution"])
    if witness is not None and witness.undecided:
        return not_decided(witness)
    if witness is None:
        what = "complete execution" if complete else "execution"
        bound = run.settings.bound["unroll"]
        if found.fault is not None and complete:
            return f"no execution completes: {found.fault[0]}"
        loops = sorted({cut.span.line for cut in run.graph.unfinished if not cut.fault})
        where = f" (loops at line {', '.join(map(str, loops))}, unrolled {bound} times)" if loops else ""
        return f"there is no consistent {what} within the bound{where}"
    torn = next((t.text for t in run.torn if answers[race_name(run, t)] is not None or _volatile(run, t)), None)
    if torn is not None:
        return (
            f"accesses to `{torn}` race, and a plain one to 16 bytes is two for PTX, which this does not show: "
            "with `//@ given vector = whole;` it is one"
        )
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


def _volatile(run: Run, target: Target) -> bool:
    """Whether threads share an object by volatile accesses, which do not race in PTX."""
    events = [e for e in run.graph.events if e.thread and target.holds(e.location)]
    return any(e.volatile for e in events) and len({e.thread for e in events}) > 1


# ---------------------------------------------------------------- the example hardware


@dataclass(frozen=True)
class Reached:
    """Whether the hardware reaches what was looked for, with a run that does; None where a limit came first."""

    found: bool | None
    schedule: Schedule | None
    states: int | None
    time_ms: float
    engine: str
    cached: bool = False
    unanswered: str | None = None


def hardware_check(expectation: Expectation, answer: Reached, ends: Reached | None) -> Check:
    """The verdict of a check that the example hardware answers; ``ends`` says whether any run of it ends.

    ``ends`` is needed, and may be None elsewhere, where nothing was found: that says nothing if no run ends.
    """

    def checked(verdict: Verdict, reason: str | None) -> Check:
        answered = (answer.engine, answer.time_ms, answer.states, answer.schedule)
        return Check(expectation, verdict, reason, *answered, cached=answer.cached)

    exists = expectation.kind == "allowed" or expectation.quantifier == "exists"
    if answer.found is None:
        return checked("unknown", _unanswered(answer))
    if answer.found:
        how = "otherwise" if expectation.kind == "required" or expectation.quantifier == "forall" else "this way"
        return checked("holds", None) if exists else checked("violated", f"a run of the hardware ends {how}")
    if exists:
        return checked("violated", "no run of the hardware ends this way")
    if expectation.kind != "assertion" and (ends is None or not ends.found):
        return checked("unknown", "no run of the hardware ends")
    return checked("holds", None)


# ---------------------------------------------------------------- progress


def _unanswered(answer: Progress | Reached) -> str:
    reached = f", after {answer.states} states" if answer.states is not None else ""
    return f"{answer.unanswered}{reached}"


def progress_checks(run: Run, answers: Mapping[Property, Progress], found: Findings | None) -> list[Check]:
    """The verdicts of a run's progress checks; the memory question may have found that the program is undefined."""
    warnings: tuple[str, ...] = ()
    if found is not None and found.racy and run.reports_races:
        warnings = ("the program has a data race, so it is undefined behaviour and promises nothing",)
    elif found is not None and found.unanswered is not None and run.reports_races and "race" not in found.answers:
        warnings = (f"{UNKNOWN_RACES}: {found.unanswered}",)
    elif found is not None and found.fault is not None:
        warnings = (f"{found.fault[0]}, so it is undefined behaviour and promises nothing",)
    checks = []
    for expectation in run.progress_checks:
        universal = expectation.kind in ("terminates", "progresses")
        answer = answers[property_of(expectation)]
        if answer.holds is None:
            reason = _unanswered(answer)
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


def property_of(expectation: Expectation) -> Property:
    """The property that a progress check is about."""
    return "Termination" if expectation.kind in ("terminates", "may_hang") else "Progress"


_ALLOWED = "that the progress model allows"
_COUNTS = "steps that count as progress"


def _progress_reason(expectation: Expectation, answer: Progress) -> str:
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
