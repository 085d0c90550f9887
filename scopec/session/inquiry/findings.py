"""The engines' answers about a run."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scopec.base.diagnostics import LimitError
from scopec.base.records import dataclass
from scopec.memory.answers import undefined_at
from scopec.memory.execution import Execution

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.memory.questions import Problem, Question
    from scopec.progress.schedule import Schedule


@dataclass(frozen=True)
class Findings:
    """The answers to a run's memory questions: an execution, or None where there is none.

    ``unanswered`` says why there are not all answers, where a limit came first: ``left`` are the questions that were
    asked and have none.
    """

    answers: Mapping[str, Execution | None]
    engine: str
    time_ms: float
    cached: bool = False
    unanswered: str | None = None
    left: frozenset[str] = frozenset()

    @property
    def certain(self) -> Findings:
        """The same, where LimitError is raised for an answer that is looked at and is not there."""
        return replace(self, answers=_Certain(self)) if self.left else self

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
        """The undefined behaviour that some execution surely has, and the execution."""
        execution = self.answers.get("fault")
        if execution is None or execution.undecided:
            return None
        return undefined_at(execution), execution


class _Certain(dict[str, "Execution | None"]):
    """The answers that there are."""

    def __init__(self, found: Findings) -> None:
        super().__init__(found.answers)
        self._found = found

    def __getitem__(self, name: str) -> Execution | None:
        if name in self._found.left:
            raise LimitError(self._found.unanswered or "")
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self or name in self._found.left else default


@dataclass(frozen=True)
class Progress:
    """The answer to one property: ``holds``, a violation with its schedule, or None where a limit came first."""

    holds: bool | None
    schedule: Schedule | None
    states: int | None
    time_ms: float
    engine: str
    cached: bool = False
    unanswered: str | None = None
