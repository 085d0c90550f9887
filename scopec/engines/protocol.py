"""The interface of engines: for the memory question, the progress question, and what the example hardware can do.

An engine of a kind gets a question as a value and a :class:`Call`, and returns an answer, or raises EngineError.  What
the answer means for a check is decided elsewhere.
"""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from scopec.base.cache import key
from scopec.base.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from scopec.base.cache import Cache
    from scopec.engines.java.jars import Jars
    from scopec.engines.java.workers import Workers
    from scopec.memory.choice import Choice
    from scopec.memory.questions import Problem, Question
    from scopec.progress.questions import HardwareProblem, ProgressProblem  # noqa: F401  # named in strings
    from scopec.progress.schedule import Schedule


# ---------------------------------------------------------------- answers


@dataclass(frozen=True)
class MemoryAnswer:
    """For each question, by name, the execution that was found, or None where none exists.

    ``choices`` lacks the questions that the time limit came before, and is None where that are all; ``cached`` says
    whether an earlier call got the answer.
    """

    choices: Mapping[str, Choice | None] | None
    seconds: float
    cached: bool = False


@dataclass(frozen=True)
class ProgressAnswer:
    """Whether a property holds (None: the time limit came first), a schedule if not, and how many states were seen."""

    holds: bool | None
    schedule: Schedule | None
    states: int | None
    seconds: float
    cached: bool = False


@dataclass(frozen=True)
class HardwareAnswer:
    """Whether the hardware reaches what was looked for (None: the time limit came first), and a run that does."""

    found: bool | None
    schedule: Schedule | None
    states: int | None
    seconds: float
    cached: bool = False


# ---------------------------------------------------------------- what an engine has at hand


@contextmanager
def timed(phases: list[tuple[str, float]], name: str) -> Iterator[None]:
    """Append (name, milliseconds) when the block ends."""
    started = time.perf_counter()
    try:
        yield
    finally:
        phases.append((name, (time.perf_counter() - started) * 1000))


@dataclass(frozen=True)
class Call:
    """The means of an engine for one answer.

    ``scratch`` gives its folder, made when it is first asked for.  ``seconds`` is the time limit, ``phases`` gets wall
    times in milliseconds.  With a ``cache`` answers of earlier calls are used; ``fresh`` asks again all the same.
    ``so_far`` is told how far the answer is, in words.
    ``processors`` are how many the answer may keep busy; with more than one nobody minds which counterexample is found.
    """

    scratch: Callable[[], Path]
    seconds: float | None
    jars: Jars
    workers: Workers
    phases: list[tuple[str, float]]
    generated: set[str]
    cache: Callable[[], Cache] | None = None
    fresh: bool = False
    processors: int = 1
    so_far: Callable[[str], None] = lambda _words: None

    @property
    def folder(self) -> Path:
        """For its files: those that :meth:`write` puts there are generated specifications, a folder NAME-out in it is
        what the engine itself wrote; ``--keep`` keeps both.
        """
        return self.scratch()

    def write(self, specification: Mapping[str, str]) -> list[str]:
        """Write generated files into the folder; their names."""
        for name, text in specification.items():
            (self.folder / name).write_text(text, encoding="utf-8")
        self.generated.update(specification)
        return list(specification)

    def timed(self, phase: str) -> AbstractContextManager[None]:
        """Time a block as a phase of the answer."""
        return timed(self.phases, phase)

    def remembered(self, parts: Sequence[str], ask: Callable[[], tuple[Any, float]]) -> tuple[Any, float, bool]:
        """An answer as JSON values, the seconds that it took, and whether an earlier call got it.

        ``parts`` are everything that the answer depends on.  None, for no answer in time, is not kept; nor is what
        raises an error.
        """
        if self.cache is None:
            return *ask(), False
        entry, cache = key(*parts), self.cache()
        found = cache.get(entry)
        if found is not None and not self.fresh:
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


# ---------------------------------------------------------------- engines

P = TypeVar("P")
A = TypeVar("A")


class Answers(ABC, Generic[P, A]):
    """The part of an engine that answers one kind of question.

    ``immediate`` says whether an answer takes milliseconds, in this process, and needs nothing that has to be fetched.
    """

    immediate = False

    def available(self, jars: Jars) -> str | None:  # noqa: ARG002
        """The reason why it cannot answer here, with what to do, or None if it can; EngineError for what is there and
        is wrong.
        """
        return None

    def hesitates(self, problem: P) -> str | None:  # noqa: ARG002
        """The reason why another engine should rather be asked, or None."""
        return None

    def identity(self, jars: Jars) -> Mapping[str, str]:  # noqa: ARG002
        """Its identity in a report: ``version`` and more; empty if the engine is scopec's own."""
        return {}

    def specification(self, problem: P) -> Mapping[str, str]:  # noqa: ARG002
        """The question in the engine's own language, as files by name, for people."""
        return {}

    def extending(self, problem: P) -> Mapping[str, str]:
        """The same with what all specifications repeat in a file of its own, where the engine's language has that."""
        return self.specification(problem)

    @abstractmethod
    def solve(self, problem: P, call: Call) -> A:
        """The answer, or that there is none within the time limit; EngineError where the engine fails."""


class MemoryEngine(Answers["Problem", MemoryAnswer]):
    """An engine that answers the memory question.

    ``repeats`` says whether :meth:`executions` may yield one more than once.
    """

    repeats = False

    @abstractmethod
    def executions(self, problem: Problem, question: Question, most: int, call: Call) -> Iterator[Choice]:
        """The executions that a question looks for: all, or ``most`` of them where they repeat.

        Raises TimeoutError at the time limit, EngineError where the engine fails.
        """


class ProgressEngine(Answers["ProgressProblem", ProgressAnswer]):
    """An engine that answers the progress question."""


class HardwareEngine(Answers["HardwareProblem", HardwareAnswer]):
    """An engine that says what the example hardware of HRF0 can reach."""


@dataclass(frozen=True)
class Engine:
    """An engine by its name, and how messages call it.

    ``answers`` gives for each kind of question that it answers who does: an object, or ``MODULE:NAME``, imported when
    it is asked.  ``target`` is the language of its specifications, if people are to read them, as `scopec compile`
    calls it, and ``endings`` are those of their files; ``naming`` is, as ``MODULE:NAME``, what makes of an identifier a
    name that they may have.
    """

    name: str
    title: str
    answers: Mapping[str, str | Answers[Any, Any]]
    target: str | None = None
    endings: tuple[str, ...] = ()
    naming: str | None = None


def loaded(place: str) -> Any:
    """The object that ``MODULE:NAME`` names."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


E = TypeVar("E", bound="Answers[Any, Any]")


@dataclass(frozen=True)
class Kind(Generic[E]):
    """A kind of question."""

    name: str

    def of(self, engine: Engine) -> E:
        """The part of an engine that answers this kind of question."""
        found: Any = engine.answers[self.name]
        if isinstance(found, str):
            found = loaded(found)
        return found  # type: ignore[no-any-return]


MEMORY: Kind[MemoryEngine] = Kind("memory")
PROGRESS: Kind[ProgressEngine] = Kind("progress")
HARDWARE: Kind[HardwareEngine] = Kind("hardware")
