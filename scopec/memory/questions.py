"""The memory question about one event graph, as a value for an engine."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.memory.given import relations
from scopec.memory.reductions import Reductions

if TYPE_CHECKING:
    from collections.abc import Callable

    from scopec.memory.cat.model import Model
    from scopec.memory.domains.domains import Domains
    from scopec.memory.events.base import Base
    from scopec.memory.events.events import Assertion
    from scopec.memory.events.paths import Paths
    from scopec.memory.given.forms import Form
    from scopec.program.observe import Formula, Target


class Goal(Enum):
    """The property of the execution that a question looks for."""

    EXECUTION = "is complete"
    PREFIX = "is complete or not"
    RACE = "has a race"
    OUTCOME = "is complete and satisfies a condition"
    COUNTER_OUTCOME = "is complete and does not satisfy a condition"
    ASSERTION = "is complete and fails an assertion"
    FAULT = "is complete or not and does what is undefined"
    LONGER = "goes round a loop more often than it was unrolled"
    OVERFLOW = "writes a value outside the domains"
    LEFT = "leaves its threads in certain conditions"
    WEAK = "is not sequentially consistent: it has a cycle in po | asw | rf | co | fr"


@dataclass(frozen=True)
class Question:
    """One search for an execution.

    ``name`` identifies it in the generated specification; ``expected`` is whether the file expects one to exist (None:
    nothing is expected).  ``paths`` are the conditions in which threads are left.
    """

    name: str
    goal: Goal
    comment: str
    expected: bool | None = None
    formula: Formula | None = None
    target: Target | None = None
    assertions: tuple[Assertion, ...] = ()
    paths: Paths | None = None


@dataclass(frozen=True)
class Problem:
    """Everything an engine needs: the graph with its context, the model, and the questions.

    If ``strict``, dependencies that are not decided are taken to be some.  ``reductions`` are those that hold for it.
    """

    name: str
    heading: Callable[[], tuple[str, ...]]
    base: Base
    model: Model
    model_name: str
    domains: Domains
    questions: tuple[Question, ...]
    strict: bool = False
    reductions: Reductions = Reductions()

    @property
    def header(self) -> tuple[str, ...]:
        """The first lines of what is generated from it."""
        said = ("dependencies that are not decided are taken to be some",) if self.strict else ()
        return (*self.heading(), *said)

    def prepare(self) -> None:
        """Find out about dependencies, if the model asks for them."""
        if "dep" in self.model.mentioned:
            _ = self.base.real

    def forms(self, name: str) -> tuple[Form, ...]:
        """The forms of a given relation."""
        return relations.forms(self.base, name, strict=self.strict)

    @property
    def named(self) -> frozenset[str]:
        """The sets and relations that the model or a question names."""
        weak = any(question.goal is Goal.WEAK for question in self.questions)
        return self.model.mentioned | ({"po", "asw", "rf", "co"} if weak else frozenset())

    @property
    def may_exceed(self) -> tuple[Question, ...]:
        """The question whether values lie outside the domains, where that and dependencies may hang on each other."""
        hangs = "dep" in self.model.mentioned and self.base.real.undecided
        return tuple(q for q in self.questions if hangs and q.goal is Goal.OVERFLOW)

    def within(self) -> Problem:
        """The other questions, where no value lies outside the domains."""
        base = replace(self.base, known=self.base.known.completed())
        questions = tuple(q for q in self.questions if q.goal is not Goal.OVERFLOW)
        return replace(self, base=base, domains=self.domains.completed(), questions=questions)

    def stricter(self, name: str, questions: tuple[Question, ...]) -> Problem:
        """Some of the questions, asked strictly; ``name`` distinguishes the problem from others."""
        return replace(self, name=f"{self.name}__{name}", questions=questions, strict=True)
