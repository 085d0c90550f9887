"""Alloy as an engine for the memory question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scopec.base.lazy_import import later
from scopec.engines.java.jars import NeedsJar
from scopec.engines.protocol import MemoryAnswer, MemoryEngine

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scopec.engines.alloy import emit, run
    from scopec.engines.protocol import Call
    from scopec.memory.choice import Choice
    from scopec.memory.questions import Problem, Question
else:  # Start-up: where the embedded engine answers, neither is needed
    emit, run = later("scopec.engines.alloy.emit"), later("scopec.engines.alloy.run")

JAR = "alloy"
#: Pairs of a write and a read of one location, and events, beyond which it takes many seconds a question.
MOST_PAIRS = 200
MOST_EVENTS = 44


class Alloy(NeedsJar, MemoryEngine):
    """Alloy, in a Java virtual machine; it distinguishes executions also by what has no effect."""

    jar = JAR
    repeats = True

    def hesitates(self, problem: Problem) -> str | None:
        """Many pairs of a write and a read of one location take long, and so do many events."""
        graph = problem.base.graph
        if graph.reads_from_pairs > MOST_PAIRS:
            return f"{graph.reads_from_pairs} pairs of a write and a read of one location would take Alloy long"
        return f"{len(graph.events)} events would take Alloy long" if len(graph.events) > MOST_EVENTS else None

    def specification(self, problem: Problem) -> Mapping[str, str]:
        """One file, with a command a question."""
        return {f"{problem.name}.als": emit.emit(problem)}

    def solve(self, problem: Problem, call: Call) -> MemoryAnswer:
        """Execute every command; what Alloy answers is kept as its instances."""
        with call.timed("emit Alloy"):
            ((name, text),) = self.specification(problem).items()
            call.write({name: text})
        path = call.folder / name

        soon: dict[str, str | None] = {}  # what the time limit came after: it is not kept

        def ask() -> tuple[Any, float]:
            answers = run.run(call.jars[JAR], path, call.workers, call.folder, call.seconds)
            if answers.late:
                soon.update(answers.instances)
            return None if answers.late else answers.instances, answers.seconds

        with call.timed("Alloy"):
            instances, seconds, cached = call.remembered((call.jars[JAR].sha256, run.SOLVER, text), ask)
        with call.timed("read Alloy"):
            found = run.choices(soon if instances is None else instances, problem.base.graph)
        return MemoryAnswer(found or None, seconds, cached)

    def executions(self, problem: Problem, question: Question, most: int, call: Call) -> Iterator[Choice]:
        """At most ``most`` solutions of the question's command."""
        (name,) = call.write(self.specification(problem))
        found = run.solutions(
            call.jars[JAR],
            call.folder / name,
            problem.base.graph,
            call.workers,
            call.folder,
            question.name,
            most,
            call.seconds,
        )
        if found is None:
            raise TimeoutError
        yield from found


MEMORY = Alloy()
