"""The stuck question of a run: whether its memory model allows an execution in which nothing changes any more."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.hangs.conditions import Conditions
from scopec.hangs.graph import build
from scopec.hangs.surroundings import surroundings
from scopec.memory.base import Base
from scopec.memory.cat import registry
from scopec.memory.domains import domains
from scopec.memory.questions import Goal, Problem, Question
from scopec.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scopec.hangs.graph import StuckGraph
    from scopec.hangs.standing import Standing
    from scopec.memory.cat.model import Model
    from scopec.memory.events import EventGraph
    from scopec.memory.paths import Paths
    from scopec.progress.models import Property
    from scopec.progress.system import System
    from scopec.runs import Run

#: The names of the questions: is there a stuck execution, and one that scopec cannot tell to be stuck or not.
STUCK, UNDECIDED, OVERFLOW = "stuck", "undecided", "overflow"


@dataclass(frozen=True)
class Search:
    """The questions to an engine, and how each thread stands in an answer."""

    problem: Problem
    standings: Mapping[str, Standing]


def search(run: Run, property_: Property) -> Search:
    """What is asked of the memory engines for one property of a run.

    Raises InputError for what the event graph of stuck executions cannot be made of.
    """
    system = run.system(property_)
    found = _graph(system, run)
    known = domains(found.graph)
    conditions = Conditions(system, found.standings)
    questions = tuple(_questions(conditions, property_, closed=known.closed))
    model = _model(run, found.graph)
    base = Base(found.graph, run.model.version, run.settings.given, known, run.model.own)
    name = f"{run.name}__{'stuck' if property_ == 'Termination' else 'stalled'}"
    return Search(Problem(name, run.header("hangs"), base, model, run.model.name, known, questions), found.standings)


def _graph(system: System, run: Run) -> StuckGraph:
    unroll = run.settings.bound["unroll"]
    found = build(surroundings(system, own_model=run.model.own), unroll)
    if all(standing.silent.never for standing in found.standings.values()):
        return found
    # Nothing is promised to anyone where a thread is silent for ever: each may stop anywhere.
    return build(surroundings(system, own_model=run.model.own, stops=True), unroll)


def _model(run: Run, graph: EventGraph) -> Model:
    """The memory model with what holds where nothing changes any more."""
    model = registry.load(run.model, run.settings.options, stuck=True)
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
