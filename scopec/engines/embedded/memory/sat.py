"""The memory question answered in this process: one solver per problem, one assumption per question."""

from __future__ import annotations

import time
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING

from scopec.base.diagnostics import LimitError
from scopec.base.limits import limited, uncut
from scopec.engines.embedded.memory.circuit import TRUE
from scopec.engines.embedded.memory.encode import Encoding
from scopec.engines.embedded.memory.lazy_closures import InexactError
from scopec.engines.embedded.memory.relations import entries
from scopec.engines.embedded.memory.solver import Solver
from scopec.engines.embedded.memory.symmetry import ordered_writes
from scopec.engines.protocol import MemoryAnswer, MemoryEngine
from scopec.memory.choice import Choice
from scopec.memory.questions import Goal
from scopec.program.values import Const

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from scopec.engines.protocol import Call
    from scopec.memory.questions import Problem, Question


#: Conflicts that a solver is soon through with: no thread is started that would interrupt it.
_AT_ONCE = 100
#: The number that a solver takes for any number of them.
_NO_LIMIT = -1
#: The factor by which a question may have more when its turn comes again, and the number from which on it has no limit.
_MORE, _MANY = 8, 10_000_000


def solve(problem: Problem, seconds: float | None = None) -> Mapping[str, Choice | None] | None:
    """For each question the execution that was found, or None where none exists.

    Those that the time limit came before are left out; None if these are all.  Questions take turns, so that one that
    takes long does not keep others from their answers.
    """
    deadline = None if seconds is None else time.monotonic() + seconds
    with Solver() as solver:
        try:
            with limited(seconds, None):
                encoding, goals = _prepared(problem, problem.questions, solver)
                races = [q for q in problem.questions if q.goal is Goal.RACE and problem.reductions.plain_races]
                impossible = {q.name for q in races if _no_races(encoding, q, solver)}
                left = any(q.goal is Goal.LEFT for q in problem.questions)
                if problem.reductions.symmetry and not problem.model.partial_co and not left:
                    encoding.take_in_order(ordered_writes(problem))
        except LimitError:
            return None
        answers: dict[str, Choice | None] = {}
        conflicts = _AT_ONCE
        while len(answers) < len(problem.questions):
            unanswered = [q for q in problem.questions if q.name not in answers]
            for question in sorted(unanswered, key=lambda q: q.goal in _IMPLIED_BY):
                name = question.name
                if (implied := _implied(question, problem, answers)) is not None:
                    answers[name] = implied
                    continue
                found = () if name in impossible else _model(encoding, solver, goals[name], deadline, conflicts)
                if found is not None:
                    answers[name] = _choice(encoding, found) if found else None
            if _is_over(deadline):
                break
            conflicts = conflicts * _MORE if 0 < conflicts < _MANY else _NO_LIMIT
        encoding.release()
        return {q.name: answers[q.name] for q in problem.questions if q.name in answers} or None


_COMPLETE = (Goal.OUTCOME, Goal.COUNTER_OUTCOME, Goal.ASSERTION)
#: The other goals whose executions also reach a goal.
_IMPLIED_BY: Mapping[Goal, tuple[Goal, ...]] = {
    Goal.EXECUTION: _COMPLETE,
    Goal.PREFIX: (Goal.EXECUTION, Goal.RACE, Goal.FAULT, *_COMPLETE),
}


def _implied(question: Question, problem: Problem, answers: Mapping[str, Choice | None]) -> Choice | None:
    """An execution that was found for another question and is one for this question as well."""
    goals = _IMPLIED_BY.get(question.goal, ())
    return next((a for q in problem.questions if q.goal in goals and (a := answers.get(q.name)) is not None), None)


def _no_races(encoding: Encoding, question: Question, solver: Solver) -> bool:
    """Whether it follows without a search that there are none."""
    return not any(solver.admits(race) for race in encoding.plainest_races(question))


def dimacs(problem: Problem) -> str:
    """A problem as clauses, with the literal to assume for each question."""
    clauses: list[list[int]] = []
    _, goals = _prepared(problem, problem.questions, clauses)
    most = max(abs(literal) for clause in [*clauses, list(goals.values())] for literal in clause)
    lines = [f"c {question}: assume {literal}" for question, literal in goals.items()]
    lines += [f"p cnf {most} {len(clauses)}", *(" ".join(map(str, [*clause, 0])) for clause in clauses)]
    return "\n".join(lines) + "\n"


def executions(problem: Problem, question: Question, seconds: float | None = None) -> Iterator[Choice]:
    """Every execution that a question looks for, once.

    They differ in reads-from, coherence, path, who meets at a barrier, or final state.

    Raises TimeoutError when ``seconds`` have passed.
    """
    deadline = None if seconds is None else time.monotonic() + seconds
    with Solver() as solver:
        try:
            with limited(seconds, None):
                encoding, goals = _prepared(problem, [question], solver)
                chosen = [encoding.circuit.use(literal) for literal in dict.fromkeys([TRUE, *_what_differs(encoding)])]
                for literal in chosen:
                    encoding.circuit.use(-literal)
        except LimitError:
            raise TimeoutError from None
        (goal,) = goals.values()
        while model := _model(encoding, solver, goal, deadline, _NO_LIMIT):
            yield _choice(encoding, model)
            true = set(model)
            solver.append([-a if a in true else a for a in chosen])
        if model is None:
            raise TimeoutError


def _model(
    encoding: Encoding, solver: Solver, goal: int, deadline: float | None, conflicts: int
) -> Sequence[int] | None:
    """The true literals of an execution that has a goal, none if there is none; None if time, or conflicts, ran out."""
    while True:
        found = _solved(solver, goal, deadline, conflicts)
        if found is None:
            return None
        model = solver.model() if found else ()
        if not (found and encoding.circuit.refuted(model)):
            return model


def _solved(solver: Solver, goal: int, deadline: float | None, conflicts: int) -> bool | None:
    """Whether a goal can be; None if time, or conflicts, ran out first."""
    # A solver looks at an interrupt where it is stuck, and may never be.
    found = None if _is_over(deadline) else solver.solve([goal], _AT_ONCE)
    if found is None and conflicts != _AT_ONCE and not _is_over(deadline):
        with _limit(solver, deadline):
            found = solver.solve([goal], conflicts)
    return found


def _is_over(deadline: float | None) -> bool:
    return deadline is not None and time.monotonic() >= deadline


@contextmanager
def _limit(solver: Solver, deadline: float | None) -> Iterator[None]:
    """Interrupt a solver when its time has passed."""
    timer = None if deadline is None else Timer(max(0.0, deadline - time.monotonic()), solver.interrupt)
    if timer is not None:
        timer.daemon = True
        with uncut():
            timer.start()
    try:
        yield
    finally:
        if timer is not None:
            timer.cancel()
            timer.join()


def _what_differs(encoding: Encoding) -> Iterator[int]:
    """The literals in which two executions can differ.

    Choices of events that are not executed do not, nor do those that change neither the path nor the final state.
    """
    circuit, graph = encoding.circuit, encoding.graph
    yield from encoding.rf.values()
    yield from (v for _, _, v in entries(encoding.co))
    yield from (encoding.values.guard(event.guard) for event in graph.events)
    for edge in graph.asw:
        if edge.barrier and edge.when is not None:
            yield encoding.values.condition(edge.when)
    for candidates in encoding.last.values():
        yield from candidates.values()
    for final in graph.finals.values():
        defined = encoding.values.condition(final.defined)
        yield defined
        yield from (circuit.both(bit, defined) for bit in encoding.values.bits(final.value).values())


def _prepared(
    problem: Problem, questions: Iterable[Question], clauses: Solver | list[list[int]]
) -> tuple[Encoding, Mapping[str, int]]:
    """The encoding with its goals in use; closures are made exact one by one as it turns out that they must be."""
    exact: frozenset[int] | None = frozenset() if problem.reductions.closures else None
    lazy = problem.reductions.closures and isinstance(clauses, Solver)
    while True:
        clauses.clear()
        try:
            encoding = Encoding(problem, clauses, exact, lazy=lazy)
            return encoding, {q.name: encoding.circuit.use(encoding.goal(q)) for q in questions}
        except InexactError as needed:
            assert exact is not None
            exact |= {needed.number}


def _choice(encoding: Encoding, model: Sequence[int]) -> Choice:
    """The choices of a satisfying assignment."""
    holds = encoding.circuit.reader(model)
    graph = encoding.graph
    rf = frozenset(pair for pair, literal in encoding.rf.items() if holds(literal))
    partial = encoding.problem.model.partial_co
    co: set[tuple[str, str]] = set()
    for initial, *rest in encoding.writes.values():
        co |= {(initial.id, other.id) for other in rest}
    for a, b, literal in encoding.unordered:
        if holds(literal):
            co.add((a, b))
        elif not partial:
            co.add((b, a))
    choices = {
        name: next(v for v, bit in encoding.values.registers[name].items() if holds(bit)) for name in graph.choices
    }
    written = {}
    for event in graph.events:
        if event.writes and event.value is not None and not isinstance(event.value, Const):
            for v, bit in encoding.values.bits(event.value).items():
                if holds(bit):
                    written[event.id] = v
    fences = frozenset(
        pair for order in encoding.given.orders.values() for pair, literal in order.items() if holds(literal)
    )
    last = {
        at: next(w for w, literal in candidates.items() if holds(literal)) for at, candidates in encoding.last.items()
    }
    orders = tuple(
        frozenset(pair for pair, literal in encoding.orders.get(order.name, {}).items() if holds(literal))
        for order in encoding.problem.model.orders
    )
    return Choice(rf, frozenset(co), choices, written, fences, last, orders)


class Embedded(MemoryEngine):
    """scopec's own engine for memory questions.

    Its answers are not kept: to write the specification, which is the key, takes as long as to answer.
    """

    immediate = True

    def specification(self, problem: Problem) -> Mapping[str, str]:
        """The clauses."""
        return {f"{problem.name}.cnf": dimacs(problem)}

    def solve(self, problem: Problem, call: Call) -> MemoryAnswer:
        """Solve all questions with one solver."""
        started = time.perf_counter()
        with call.timed("SAT"):
            choices = solve(problem, call.seconds)
        return MemoryAnswer(choices, time.perf_counter() - started)

    def executions(self, problem: Problem, question: Question, most: int, call: Call) -> Iterator[Choice]:  # noqa: ARG002
        """Every execution, once."""
        yield from executions(problem, question, call.seconds)


MEMORY = Embedded()
