"""All final states of a program: every consistent execution of it, enumerated, and what each leaves behind."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from scopec.alloy import run as alloy_run
from scopec.alloy.emit import emit as emit_alloy
from scopec.asking import Jars, completed, settled
from scopec.check import programs
from scopec.diagnostics import EngineError, InputError, UsageError, bounded_nesting
from scopec.expectations import Location
from scopec.memory.cat import registry
from scopec.memory.events import Kind, shown_location
from scopec.memory.execution import Execution
from scopec.memory.questions import Goal
from scopec.plan import plan
from scopec.program import ir
from scopec.progress import models as progress_models
from scopec.scratch import scratch_folder
from scopec.source import Source
from scopec.verdicts import disagreements, findings, not_decided
from scopec.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from scopec.check import Settings
    from scopec.diagnostics import Diagnostic
    from scopec.expectations import Expectation
    from scopec.memory.questions import Problem
    from scopec.plan import Overrides
    from scopec.runs import Run
    from scopec.verdicts import Findings

#: What tells executions apart: reads-from, coherence order, and the events on the path taken.
_Pairs: TypeAlias = tuple[tuple[str, str], ...]
Identity: TypeAlias = tuple[_Pairs, _Pairs, tuple[str, ...], _Pairs]


@dataclass(frozen=True)
class FinalState:
    """A state in which executions end: their number, whether some execution of it races, and one of them.

    ``values`` are those of locals (``mp[1][0].r``, in litmus files ``1:r``) and of memory, by name; a local that has no
    value on the path taken is not among them.  ``execution`` is one that races, if any does.
    """

    values: Mapping[str, int]
    executions: int
    racy: bool
    execution: Execution


@dataclass(frozen=True)
class Listing:
    """The final states of one run, in order of their values.

    ``executions`` is the number of consistent complete executions, distinct in reads-from, coherence order, path taken
    and who meets at a barrier.  One may end in several states, where a partial coherence order or a choice of the
    implementation leaves that open.  ``unfinished`` says why there may be more of them, ``remarks`` what else there is
    to know.
    """

    run: Run
    executions: int
    states: tuple[FinalState, ...]
    unfinished: tuple[str, ...]
    remarks: tuple[str, ...]
    engine: str
    seconds: float

    @property
    def condition(self) -> Expectation | None:
        """The final clause of a litmus file."""
        return next((c for c in self.run.checks if c.kind == "condition"), None)

    @cached_property
    def witnesses(self) -> tuple[int, int]:
        """How many executions of those that a final clause is about satisfy it, and how many do not."""
        condition = self.condition
        assert condition is not None
        assert condition.formula is not None
        about = [s for s in self.states if condition.restriction is None or s.execution.observe(condition.restriction)]
        positive = sum(s.executions for s in about if s.execution.observe(condition.formula))
        return positive, sum(s.executions for s in about) - positive


def listings(path: Path, settings: Settings, limit: int) -> tuple[tuple[Listing, ...], tuple[Diagnostic, ...]]:
    """The final states of each variant of a file, from at most ``limit`` executions each, and warnings about the file.

    Raises InputError where it is not in the language, EngineError as engines fail, UsageError for a folder.
    """
    if path.is_dir():
        raise UsageError(f"{path} is a folder: name one file")
    for _, problem in programs([path]):
        if problem is not None:
            raise InputError(problem)
    runs, warnings = _runs(path, settings.overrides)
    with Workers(settings.remark) as workers, bounded_nesting(Source(str(path), "").span(0, 0)):
        return tuple(_listing(run, Jars(settings), workers, settings, limit) for run in runs), warnings


def _runs(path: Path, overrides: Overrides) -> tuple[Iterable[Run], tuple[Diagnostic, ...]]:
    """One run a variant, under one model, that observes everything; of checks only a litmus file's final clause."""
    planned = plan(path, str(path), overrides)
    model = registry.find(overrides.model or "cuda")
    found: dict[int, Run] = {}
    for run in planned.runs:
        conditions = tuple(c for c in run.checks if c.kind == "condition")[:1]
        known = found.get(id(run.program))
        if known is None or (conditions and not known.checks):
            found[id(run.program)] = replace(
                run,
                model=model,
                progress=progress_models.CUDA,
                checks=conditions,
                void=(),
                listing=True,
                on_hardware=False,
            )
    return found.values(), planned.warnings


def _listing(run: Run, jars: Jars, workers: Workers, settings: Settings, limit: int) -> Listing:
    engines = {"both": ("embedded", "alloy"), "auto": ("embedded",)}.get(settings.engine, (settings.engine,))
    found = []
    for engine in engines:
        started = time.monotonic()
        if engine == "alloy":
            answers, executions, stopped = _ask_alloy(run, jars, workers, settings, limit)
        else:
            answers, executions, stopped = _ask_embedded(run, settings, limit)
        found.append(_summary(run, answers, executions, stopped, engine, time.monotonic() - started))
    if len(found) > 1:
        _same(*found)
    return found[-1]


# ---------------------------------------------------------------- asking


_Answer: TypeAlias = "tuple[Findings | None, list[Execution], str | None]"


def _ask_embedded(run: Run, settings: Settings, limit: int) -> _Answer:
    """The answers to a run's questions (None at the time limit), its executions, and why they may not be all."""
    from scopec.embedded.memory import executions, solve

    problem = run.problem

    def ask(problem: Problem) -> Findings | None:
        answers = solve(problem, settings.timeout)
        return None if answers is None else findings(problem, answers, "embedded", 0.0)

    problem = completed(problem, ask)
    answers = settled(problem, ask)
    if answers is None:
        return None, [], _late(settings)
    found: list[Execution] = []
    (question,) = (q for q in problem.questions if q.goal is Goal.EXECUTION)
    stopped = None
    seen: set[Identity] = set()
    try:
        for choice in executions(problem, question, settings.timeout):
            execution = Execution(problem.base, problem.model, choice)
            seen.add(identity(execution))
            if len(seen) > limit:
                stopped = _too_many(limit)
                break
            found.append(execution)
    except TimeoutError:
        stopped = _late(settings)
    return answers, found, stopped


def _ask_alloy(run: Run, jars: Jars, workers: Workers, settings: Settings, limit: int) -> _Answer:
    problem = run.problem
    with scratch_folder() as folder:

        def ask(problem: Problem) -> Findings | None:
            specification = folder / f"{problem.name}.als"
            specification.write_text(emit_alloy(problem), encoding="utf-8")
            answers = alloy_run.run(jars.alloy, specification, workers, folder, settings.timeout)
            if answers.instances is None:
                return None
            return findings(problem, alloy_run.choices(answers.instances, run.graph), "alloy", 0.0)

        problem = completed(problem, ask)
        answers = settled(problem, ask)
        if answers is None:
            return None, [], _late(settings)
        specification = folder / f"{problem.name}.als"
        (question,) = (q for q in problem.questions if q.goal is Goal.EXECUTION)
        choices = alloy_run.solutions(
            jars.alloy, specification, run.graph, workers, folder, question.name, limit + 1, settings.timeout
        )
        if choices is None:
            return None, [], _late(settings)
        different: dict[tuple[Identity, tuple[tuple[str, int], ...]], Execution] = {}
        for choice in choices:
            execution = Execution(problem.base, problem.model, choice)
            different.setdefault((identity(execution), tuple(final_state(run, execution).items())), execution)
        stopped = _too_many(limit, "solutions of Alloy, which may repeat executions") if len(choices) > limit else None
        return answers, list(different.values()), stopped


def _late(settings: Settings) -> str:
    return f"no end within the time limit of {settings.timeout:g} s: raise it with --timeout"


def _too_many(limit: int, what: str = "executions") -> str:
    return f"there are more than {limit} {what}, and the rest is not listed: raise the number with --limit"


def _sound(run: Run, answers: Findings, states: Iterable[FinalState]) -> None:
    """Raise EngineError unless what is shown is consistent and complete by scopec's own evaluation of the model."""
    wrong = disagreements(answers, run.problem)
    for execution in (state.execution for state in states):
        wrong += execution.problems() if execution.complete else ["not complete"]
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
    """What tells an execution from others; of coherence order what concerns executed writes."""
    path = tuple(e.id for e in execution.events)
    executed = set(path)
    co = ((a, b) for a, b in execution.choice.co if a in executed and b in executed)
    met = execution.relation("syncbar")
    return tuple(sorted(execution.choice.rf)), tuple(sorted(co)), path, tuple((a.id, b.id) for a, b in met)


def final_state(run: Run, execution: Execution) -> dict[str, int]:
    """The values of locals, then of memory, when everything has ended, in the order of the program."""
    graph = execution.graph
    found: dict[str, int] = {}
    for thread in graph.program.threads:
        for register in thread.body.variables:
            final = graph.finals.get((thread.name, register))
            if final is not None and execution.value(final.defined):
                value = execution.value(final.value)
                if value is not None:
                    found[_local(run, thread, register)] = value
    objects = graph.program.objects
    memory: Mapping[Location, int] = execution.final_memory()
    for location in graph.locations:
        if (
            objects[location.object].use is ir.Use.DATA
            and not objects[location.object].type.is_float
            and location in memory
        ):
            found[shown_location(location, graph.program)] = memory[location]
    return found


def _local(run: Run, thread: ir.Thread, register: str) -> str:
    """A local as expectations, or the final clauses of litmus files, call it."""
    return f"{thread.name.removeprefix('P')}:{register}" if run.is_litmus else f"{thread.name}.{register}"


def _summary(
    run: Run, answers: Findings | None, executions: list[Execution], stopped: str | None, engine: str, seconds: float
) -> Listing:
    by_state: dict[tuple[tuple[str, int], ...], dict[Identity, Execution]] = {}
    doubtful = [execution for execution in executions if execution.undecided]
    for execution in (e for e in executions if not e.undecided):
        state = tuple(final_state(run, execution).items())
        by_state.setdefault(state, {}).setdefault(identity(execution), execution)
    racy = answers is not None and answers.racy
    states = []
    for values in sorted(by_state):
        different = [execution for _, execution in sorted(by_state[values].items(), key=lambda item: item[0])]
        racing = next((e for e in different if e.flagged), None) if racy else None
        states.append(FinalState(dict(values), len(different), racing is not None, racing or different[0]))
    unfinished = [stopped] if stopped else []
    if doubtful:
        unfinished.append(f"{not_decided(doubtful[0])}: such executions are not listed ({len(doubtful)} of them)")
    remarks: list[str] = []
    if answers is not None:
        _sound(run, answers, states)
        unfinished += _beyond(run, answers)
        remarks = list(_remarks(run, answers, states))
    every = {i for different in by_state.values() for i in different}
    return Listing(run, len(every), tuple(states), tuple(unfinished), tuple(remarks), engine, seconds)


def _beyond(run: Run, answers: Findings) -> Iterator[str]:
    """What is not within the bounds."""
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
    cuts = [c for c in run.graph.cuts if c.wait and not c.fault]
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
