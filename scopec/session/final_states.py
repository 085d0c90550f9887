"""All final states of a program: every consistent execution of it, enumerated, and what each leaves behind."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from scopec.base.diagnostics import EngineError, InputError, LimitError, UsageError, bounded_nesting
from scopec.base.files import quoting
from scopec.base.limits import Deadline, limited
from scopec.base.records import dataclass
from scopec.base.scratch import later_folder
from scopec.base.source import Source
from scopec.engines.protocol import MEMORY
from scopec.memory.cat import registry
from scopec.memory.events.events import Kind, shown_location
from scopec.memory.execution import Execution
from scopec.memory.questions import Goal
from scopec.program import ir
from scopec.program.observe import FinalMemory, FinalRegister, Location, Observation
from scopec.progress import models as progress_models
from scopec.session.inquiry.ask import Inquiry, completed, settled
from scopec.session.inquiry.verdicts import disagreements, not_decided
from scopec.session.plan import plan
from scopec.session.program_files import programs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from scopec.base.diagnostics import Diagnostic
    from scopec.engines.java.workers import Workers
    from scopec.engines.policy import Policy
    from scopec.engines.protocol import Engine
    from scopec.memory.questions import Problem
    from scopec.program.expectations import Expectation
    from scopec.session.asking import Asking
    from scopec.session.inquiry.findings import Findings
    from scopec.session.inquiry.run import Run
    from scopec.session.plan import Overrides

#: The differences between executions: reads-from, coherence order, and the events on the path taken.
_Pairs: TypeAlias = tuple[tuple[str, str], ...]
Identity: TypeAlias = tuple[_Pairs, _Pairs, tuple[str, ...], _Pairs]


@dataclass(frozen=True)
class FinalState:
    """A state in which executions end: their number, whether some execution of it races, one of them, and all.

    ``values`` are those of locals (``mp[1][0].r``, in litmus files ``1:r``) and of memory, by name; a local that has no
    value on the path taken is not among them.  ``execution`` is one that races, if any does.
    """

    values: Mapping[str, int]
    executions: int
    racy: bool
    execution: Execution
    every: tuple[Execution, ...] = ()


@dataclass(frozen=True)
class Listing:
    """The final states of one run, in order of their values.

    ``executions`` is the number of consistent complete executions, distinct in reads-from, coherence order, path taken
    and who meets at a barrier.  One may end in several states, where a partial coherence order or a choice of the
    implementation leaves that open.  ``unfinished`` says why there may be more of them, ``remarks`` what else there is
    to know; of an ``undefined`` program nothing is promised.
    """

    run: Run
    executions: int
    states: tuple[FinalState, ...]
    unfinished: tuple[str, ...]
    remarks: tuple[str, ...]
    engine: str
    seconds: float
    undefined: bool
    asked: tuple[Expectation, ...] = ()

    def broken_by(self, state: FinalState) -> tuple[Expectation, ...]:
        """The expectations of the file, under the model of the listing, that a final state contradicts."""
        return tuple(e for e in self.asked if _breaks(state.execution, e))

    @property
    def condition(self) -> Expectation | None:
        """The final clause of a litmus file."""
        return next((c for c in self.run.checks if c.kind == "condition"), None)

    @cached_property
    def witnesses(self) -> tuple[int, int]:
        """The numbers of executions that a final clause is about that satisfy it, and that do not."""
        condition = self.condition
        assert condition is not None
        assert condition.formula is not None
        about = [s for s in self.states if condition.restriction is None or s.execution.observe(condition.restriction)]
        positive = sum(s.executions for s in about if s.execution.observe(condition.formula))
        return positive, sum(s.executions for s in about) - positive


def listings(path: Path, settings: Asking, limit: int) -> tuple[tuple[Listing, ...], tuple[Diagnostic, ...]]:
    """The final states of each variant of a file, from at most ``limit`` executions each, and warnings about the file.

    Raises InputError where it is not in the language, EngineError as engines fail, LimitError where a limit comes
    before there is anything to list, UsageError for a folder.
    """
    if path.is_dir():
        raise UsageError(f"{path} is a folder: name one file")
    for _, problem in programs([path]):
        if problem is not None:
            raise InputError(problem)
    started = time.monotonic()
    with settings.limited():
        runs, warnings = _runs(path, settings.overrides)
    policy = settings.policy
    with settings.workers() as workers, bounded_nesting(Source(str(path), "").span(0, 0)):
        read = time.monotonic() - started
        found = [(_listing(run, policy, workers, settings, limit, read), asked) for run, asked in runs]
    return tuple(replace(listing, asked=asked) for listing, asked in found), warnings


def listing(run: Run, settings: Asking, limit: int) -> Listing:
    """The final states of a run under its own model, whatever it asks, with every execution."""
    policy = settings.policy
    with settings.workers() as workers, bounded_nesting(run.source.span(0, 0)):
        return _listing(_alone(run, run.model), policy, workers, settings, limit, 0.0)


def _alone(run: Run, model: registry.Entry, checks: tuple[Expectation, ...] = ()) -> Run:
    """A run that observes everything, and asks nothing but a litmus file's final clause."""
    return replace(
        run, model=model, progress=progress_models.CUDA, checks=checks, void=(), listing=True, on_hardware=False
    )


def _breaks(execution: Execution, expected: Expectation) -> bool:
    """Whether an expectation about final states cannot hold with an execution that ends as one does."""
    if expected.formula is None:
        return False
    if expected.restriction is not None and not execution.observe(expected.restriction):
        return False
    ends_so = bool(execution.observe(expected.formula))
    return ends_so if "forbidden" in (expected.kind, _AS.get(expected.quantifier or "")) else not ends_so


#: The kinds of expectations that one final state can break, and the final clauses that mean the same.
_BREAKABLE = ("forbidden", "required")
_AS = {"not exists": "forbidden", "forall": "required"}


def _runs(path: Path, overrides: Overrides) -> tuple[list[tuple[Run, tuple[Expectation, ...]]], tuple[Diagnostic, ...]]:
    """One run a variant, under one model, that observes everything, of checks only a litmus file's final clause; and
    what the file expects of its final states there."""
    planned = plan(path, str(path), overrides)
    model = registry.find(overrides.model or "cuda")
    found: dict[int, Run] = {}
    for run in planned.runs:
        conditions = tuple(c for c in run.checks if c.kind == "condition")[:1]
        known = found.get(id(run.program))
        if known is None or (conditions and not known.checks):
            found[id(run.program)] = _alone(run, model, conditions)
    asked: dict[int, dict[str, Expectation]] = {}
    for run in planned.runs:
        if run.model.name == model.name:
            wanted = (c for c in run.checks if _AS.get(c.quantifier or "", c.kind) in _BREAKABLE)
            asked.setdefault(id(run.program), {}).update({c.text: c for c in wanted})
    return [(run, tuple(asked.get(key, {}).values())) for key, run in found.items()], planned.warnings


def _listing(run: Run, policy: Policy, workers: Workers, settings: Asking, limit: int, read: float) -> Listing:
    end = settings.deadline(read)
    with quoting(run.source):
        with limited(end.left(), settings.memory, said=end.late):
            engines = policy.asked(MEMORY, run.problem, run.name, many=True)
        first, *others = [_listed_by(engine, run, policy, workers, settings, limit, end) for engine in engines]
    for other in others:
        _same(first, other)
    return first


# ---------------------------------------------------------------- asking


def _listed_by(
    engine: Engine, run: Run, policy: Policy, workers: Workers, settings: Asking, limit: int, end: Deadline
) -> Listing:
    """The findings of one engine: the answers to a run's questions, its executions, and why they may not be all."""
    who = MEMORY.of(engine)
    started = time.monotonic()
    stopped = None
    found: list[Execution] = []
    with later_folder() as folder:
        inquiry = Inquiry(run, policy, workers, settings, folder, [], end)

        def ask(problem: Problem) -> Findings:
            return inquiry.answers(engine, problem, end.left())

        with limited(None, settings.memory):
            problem = completed(run.problem, ask)
            answers = settled(problem, ask)
        if answers.unanswered:
            return _summary(run, answers, found, _late(settings), time.monotonic() - started)
        (question,) = (q for q in problem.questions if q.goal is Goal.EXECUTION)
        seen: set[Identity] = set()
        number = 0
        try:
            with limited(None, settings.memory):
                for choice in who.executions(problem, question, limit + 1, inquiry.call(end.left())):
                    execution = Execution(problem.base, problem.model, choice)
                    seen.add(identity(execution))
                    number += 1
                    if not who.repeats and len(seen) > limit:
                        stopped = _too_many(limit)
                        break
                    found.append(execution)
        except TimeoutError:
            stopped = _late(settings)
        except LimitError as passed:
            stopped = str(passed)
    if who.repeats and number > limit:
        stopped = _too_many(limit, f"solutions of {engine.title}, which may repeat executions")
    return _summary(run, answers, found, stopped, time.monotonic() - started)


def _late(settings: Asking) -> str:
    return f"no end within the time limit of {settings.timeout:g} s: raise it with --timeout"


def _too_many(limit: int, what: str = "executions") -> str:
    return f"there are more than {limit} {what}, and the rest is not listed: raise the number with --limit"


def _sound(run: Run, answers: Findings, states: Iterable[FinalState]) -> None:
    """Raise EngineError unless what is shown is consistent and complete by scopec's own evaluation of the model."""
    wrong = disagreements(answers, run.problem.questions)
    for execution in (state.execution for state in states):
        wrong += execution.problems if execution.complete else ["not complete"]
    if wrong:
        raise EngineError(
            f"{answers.engine}'s executions of {run.file} are not what scopec's own evaluation of the model finds "
            f"({wrong[0]}): this is a bug in scopec"
        )


def _same(first: Listing, second: Listing) -> None:
    """EngineError where two engines that both came to an end do not list the same."""
    if not first.unfinished and not second.unfinished and _counts(first) != _counts(second):
        raise EngineError(
            f"the engines disagree about {first.run.file}: {first.engine} finds {first.executions} executions with "
            f"{len(first.states)} final states, {second.engine} {second.executions} with {len(second.states)}; "
            "this is a bug in scopec"
        )


def _counts(listing: Listing) -> tuple[int, list[tuple[Mapping[str, int], int, bool]]]:
    return listing.executions, [(s.values, s.executions, s.racy) for s in listing.states]


# ---------------------------------------------------------------- executions and their final states


def identity(execution: Execution) -> Identity:
    """The identity of an execution among others; of coherence order the part about executed writes."""
    path = tuple(e.id for e in execution.events)
    executed = set(path)
    co = ((a, b) for a, b in execution.choice.co if a in executed and b in executed)
    met = execution.relation("syncbar")
    return tuple(sorted(execution.choice.rf)), tuple(sorted(co)), path, tuple((a.id, b.id) for a, b in met)


def observables(run: Run) -> dict[Observation, str]:
    """The observables of a final state: locals that may have a value, then memory, in the order of the program, by
    name.
    """
    graph = run.graph
    found: dict[Observation, str] = {}
    for thread in graph.program.threads:
        for register in thread.body.variables:
            if (thread.name, register) in graph.finals:
                called = f"{thread.name.removeprefix('P')}:{register}" if run.is_litmus else f"{thread.name}.{register}"
                found[FinalRegister(thread.name, register)] = called  # as expectations, or final clauses, call it
    objects = graph.program.objects
    for location in graph.locations:
        if objects[location.object].use is ir.Use.DATA and not objects[location.object].type.is_float:
            found[FinalMemory(location)] = shown_location(location, graph.program)
    return found


def final_state(run: Run, execution: Execution) -> dict[str, int]:
    """The values of what is observed when everything has ended; a local has none on some paths."""
    found: dict[str, int] = {}
    memory: Mapping[Location, int] = execution.final_memory()
    for what, name in observables(run).items():
        if isinstance(what, FinalMemory):
            value = memory.get(what.location)
        else:
            final = execution.graph.finals[what.thread, what.register]
            value = execution.value(final.value) if execution.value(final.defined) else None
        if value is not None:
            found[name] = value
    return found


def state_text(values: Mapping[str, int], run: Run) -> str:
    """A state on a line: ``1:r0=0; [x]=1;`` of a litmus file, ``mp[1][0].r=0; x=1;`` of a CUDA program."""

    def shown(name: str) -> str:
        return f"[{name}]" if run.is_litmus and re.fullmatch(r"[A-Za-z_]\w*", name) else name

    return " ".join(f"{shown(name)}={value};" for name, value in values.items()) or "(no variables)"


def _summary(run: Run, answers: Findings, executions: list[Execution], stopped: str | None, seconds: float) -> Listing:
    by_state: dict[tuple[tuple[str, int], ...], dict[Identity, Execution]] = {}
    doubtful = [execution for execution in executions if execution.undecided]
    for execution in (e for e in executions if not e.undecided):
        state = tuple(final_state(run, execution).items())
        by_state.setdefault(state, {}).setdefault(identity(execution), execution)
    states = []
    for values in sorted(by_state):
        different = [execution for _, execution in sorted(by_state[values].items(), key=lambda item: item[0])]
        racing = next((e for e in different if e.flagged), None) if answers.racy else None
        states.append(
            FinalState(dict(values), len(different), racing is not None, racing or different[0], tuple(different))
        )
    unfinished = [stopped] if stopped else []
    if doubtful:
        number = len({identity(execution) for execution in doubtful})
        unfinished.append(f"{not_decided(doubtful[0])}: such executions are not listed ({number} of them)")
    remarks: list[str] = []
    if not answers.unanswered:
        _sound(run, answers, states)
        unfinished += _beyond(run, answers)
        remarks = list(_remarks(run, answers, states))
    every = {i for different in by_state.values() for i in different}
    undefined = (answers.racy and run.problem.model.races_undefined) or answers.fault is not None
    return Listing(
        run, len(every), tuple(states), tuple(unfinished), tuple(remarks), answers.engine, seconds, undefined
    )


def _beyond(run: Run, answers: Findings) -> Iterator[str]:
    """The bounds that executions exceed, a sentence each."""
    if answers.answers.get("longer") is not None:
        lines = sorted({cut.span.line for cut in run.graph.cuts if not cut.wait})
        bound = run.settings.bound["unroll"]
        yield (
            f"the loop at line {', '.join(map(str, lines))} can go round more than {bound} times, and such executions "
            f"are not listed: raise the bound with `--bound unroll={min(64, bound * 2)}`"
        )
    if answers.answers.get("overflow") is not None:
        yield "values that the program computes from each other exceed what scopec models"


def _remarks(run: Run, answers: Findings, states: Sequence[FinalState]) -> Iterator[str]:
    reads = {(e.thread, e.span.line) for e in run.graph.events if e.kind is Kind.READ}
    cuts = [c for c in run.graph.unfinished if c.wait and not c.fault]
    waits = sorted({c.span.line for c in cuts if (c.thread, c.span.line) in reads})
    if waits:
        yield f"the wait at line {', '.join(map(str, waits))} is counted with at most one turn in vain"
    if not states:
        yield "no execution ends" if answers.answers.get("prefix") else "no execution is consistent"
    if answers.racy:
        which = "some execution" if any(s.racy for s in states) else "an execution that does not end"
        yield f"{which} has a race{': the program is undefined' if run.problem.model.races_undefined else ''}"
    if answers.fault is not None:
        yield f"{answers.fault[0]}: the program is undefined, and executions that do this are not listed"
    if not run.problem.model.values_have_origins:
        yield "values out of thin air are those that the program can compute from its constants"
