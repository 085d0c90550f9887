"""The stuck question of a run: whether its memory model allows an execution in which nothing changes any more."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.hangs.conditions import Conditions
from scopec.hangs.execution import StuckExecution
from scopec.hangs.graph import Making, build
from scopec.memory.cat import registry
from scopec.memory.domains.domains import domains
from scopec.memory.events.base import Base
from scopec.memory.questions import Goal, Problem, Question
from scopec.session.inquiry.questions import header, narrowed, progress_problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scopec.base.passes import Passed
    from scopec.base.source import Span
    from scopec.hangs.final_status import FinalStatus
    from scopec.memory.cat.model import Model
    from scopec.memory.events.events import EventGraph
    from scopec.memory.events.paths import Paths
    from scopec.memory.execution import Execution
    from scopec.progress.models import Property
    from scopec.progress.questions import ProgressProblem
    from scopec.progress.system import System
    from scopec.session.inquiry.run import Run

#: The names of the questions: is there a stuck execution, and one of which scopec cannot say whether it is stuck.
STUCK, UNDECIDED, OVERFLOW = "stuck", "undecided", "overflow"


@dataclass(frozen=True)
class Search:
    """The questions to an engine, and how each thread of the system stands in an answer.

    ``turns`` of a loop are gone round at most, before a period and in it; ``timeouts`` and ``wakes_one_of`` as in
    :class:`StuckGraph`.
    """

    problem: Problem
    system: System
    statuses: Mapping[str, FinalStatus]
    timeouts: frozenset[Span]
    wakes_one_of: frozenset[str]
    turns: int

    def shown(self, found: Execution) -> StuckExecution:
        """An execution that was found, as one in which the system's threads are left somewhere."""
        return StuckExecution(
            found.base, found.model, found.choice, found.strict,
            system=self.system, statuses=self.statuses, timeouts=self.timeouts,
        )  # fmt: skip


def search(run: Run, property_: Property, turns: int | None = None) -> Search:
    """The questions to the memory engines for one property of a run; ``turns`` are its bound if nothing is given.

    Raises InputError for what the event graph of stuck executions cannot be made of.
    """
    turns = turns or run.settings.bound["unroll"]
    begun = beginning(run, progress_problem(run, property_), turns)
    log: list[Passed] = []
    system, found = begun.system, build(begun, log)
    run.searched[property_] = turns, log
    known = domains(found.graph)
    conditions = Conditions(system, found.statuses)
    questions = tuple(_questions(conditions, property_, closed=known.closed))
    model = _model(run, found.graph)
    base = Base(found.graph, run.model.version, run.settings.given, known, run.model.own)
    name = f"{run.name}__{'stuck' if property_ == 'Termination' else 'stalled'}"
    problem = Problem(
        name, partial(header, run, "hangs"), base, model, run.model.name, known, questions, reductions=run.reductions
    )
    return Search(narrowed(problem), system, found.statuses, found.timeouts, found.wakes_one_of, turns)


def beginning(run: Run, problem: ProgressProblem, turns: int) -> Making:
    """The stage before any pass of a search for hangs of a progress problem."""
    return Making(replace(problem, program=run.packed).system, run.sliced, turns, run.reductions)


def _model(run: Run, graph: EventGraph) -> Model:
    """The memory model with what holds where nothing changes any more."""
    model = registry.load(run.model, run.readings, stuck=True)
    if graph.asleep:
        return model
    return replace(model, axioms=tuple(axiom for axiom in model.axioms if axiom.name != "asleep"))


def _questions(conditions: Conditions, property_: Property, *, closed: bool) -> Iterator[Question]:
    def left(name: str, comment: str, paths: Paths) -> Question:
        return Question(name, Goal.LEFT, comment, paths=paths)

    yield left(
        STUCK, "some execution gets stuck: no thread takes a step that changes anything", conditions.stuck(property_)
    )
    comment = "some execution goes on beyond the bound, or no state of a thread in it recurs"
    yield left(UNDECIDED, comment, conditions.undecided(property_))
    if not closed:
        yield Question(OVERFLOW, Goal.OVERFLOW, "some write has a value beyond those that are modelled", False)
