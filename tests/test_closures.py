"""Parts that are not written out at once, against the whole encoding: closures, orders, races that need no search."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest

from benchmarks.programs import chain
from scopec.engines.embedded.memory import lazy_closures, sat
from scopec.engines.embedded.memory.circuit import TRUE, Circuit
from scopec.engines.embedded.memory.lazy_closures import Relation, containing, reach, transitive
from scopec.engines.embedded.memory.solver import Solver
from scopec.memory.questions import Goal, Problem
from scopec.session.plan import Overrides, plan
from tests.samples import programs
from tests.test_wait_loops import program

COUNT = programs(12, 40)


def literals(chance: random.Random, circuit: Circuit, size: int) -> Relation:
    """Random pairs of free variables, conjunctions of them as events have them, and what is certain."""
    there = [TRUE if chance.random() < 0.3 else circuit.fresh() for _ in range(size)]

    def pair(i: int, j: int) -> int:
        own = TRUE if chance.random() < (0.6 if i < j else 0.3) else circuit.fresh()
        return circuit.all([own, there[i], there[j]])

    return {i: {j: pair(i, j) for j in range(size) if chance.random() < 0.4} for i in range(size)}


def variables(circuit: Circuit, rows: Relation) -> list[int]:
    """The free variables that pairs are made of."""
    found = {a for row in rows.values() for v in row.values() for a in circuit._parts(v)} - {TRUE}
    return sorted(a for a in found if circuit._inputs[a] is None)


def values(circuit: Circuit, chosen: Iterable[int]) -> Callable[[int], bool]:
    """What holds where some variables are true and the others false."""
    true = set(chosen)
    return circuit.reader([v if v == TRUE or v in true else -v for v in range(1, max(true, default=1) + 1)])


def closure(rows: Relation, holds: Callable[[int], bool]) -> Mapping[int, set[int]]:
    """What is reached over the pairs that hold."""
    found = reach({i: {j for j, v in row.items() if holds(v)} for i, row in rows.items()})
    return {i: ends for i, ends in found.items() if ends}


def model(circuit: Circuit, solver: Solver) -> list[int] | None:
    """A model that breaks no law, if there is one."""
    while solver.solve([]):
        found = list(solver.model())
        if not circuit.refuted(found):
            return found
    return None


@pytest.mark.parametrize("most", [0, 10**9], ids=["as models need them", "at once"])
@pytest.mark.parametrize("seed", range(COUNT))
def test_no_pair_of_a_closure_is_forbidden_unseen(seed: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """For each choice of the pairs: what is not in the closure can be forbidden, and what is cannot."""
    monkeypatch.setattr(lazy_closures, "WRITTEN_OUT", most)
    chance = random.Random(seed)
    for _ in range(5):
        with Solver() as solver:
            circuit = Circuit(solver, lazy=True)
            rows = literals(chance, circuit, chance.randint(3, 6))
            closed = containing(circuit, rows, 0)
            forbidden = [(i, j) for i, row in closed.items() for j in row if chance.random() < 0.2]
            for i, j in forbidden:
                circuit.require(-closed[i][j])
            chosen = [v if chance.random() < 0.6 else -v for v in variables(circuit, rows)]
            for literal in chosen:
                circuit.require(literal)
            held = closure(rows, values(circuit, chosen))
            assert (model(circuit, solver) is None) is any(j in held.get(i, ()) for i, j in forbidden)


@pytest.mark.parametrize("most", [0, 10**9], ids=["as models need them", "at once"])
def test_transitive_relations_are_all_found(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of four events: 24 orders that relate each two, 219 that may be partial."""
    monkeypatch.setattr(lazy_closures, "WRITTEN_OUT", most)
    for total, count in ((True, 24), (False, 219)):
        with Solver() as solver:
            circuit = Circuit(solver, lazy=True)
            rows: Relation = {i: {} for i in range(4)}
            for i, j in itertools.combinations(range(4), 2):
                rows[i][j] = circuit.fresh()
                rows[j][i] = -rows[i][j] if total else circuit.fresh()
            transitive(circuit, rows)
            pairs = sorted({abs(v) for row in rows.values() for v in row.values()})
            found = 0
            while one := model(circuit, solver):
                found += 1
                solver.append([-one[v - 1] for v in pairs])
            assert found == count


@pytest.mark.parametrize("seed", range(COUNT))
def test_a_step_that_two_others_make_is_left_out(seed: int) -> None:
    """The closure is the same whatever holds, and of an order on what is certain little is left."""
    chance = random.Random(seed)
    circuit = Circuit([])
    rows = literals(chance, circuit, 6)
    steps = lazy_closures._reduced(circuit, rows)
    for _ in range(50):
        holds = values(circuit, [v for v in variables(circuit, rows) if chance.random() < 0.6])
        assert closure(rows, holds) == closure(steps, holds)
    order = {i: dict.fromkeys(range(i + 1, 8), TRUE) for i in range(8)}
    assert [list(row) for row in lazy_closures._reduced(circuit, order).values()] == [[i + 1] for i in range(7)] + [[]]


def answers(problem: Problem) -> Mapping[str, bool]:
    """Which questions find an execution."""
    found = sat.solve(problem)
    assert found is not None
    return {name: choice is not None for name, choice in found.items()}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(COUNT))
def test_random_waits_have_the_same_answers(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if all that follows of the plainest executions alone is taken for an answer, not only what follows at once."""
    path = tmp_path / "k.cu"
    path.write_text(program(random.Random(seed)))
    (run,) = plan(path, "k.cu", Overrides()).runs
    monkeypatch.setattr(sat, "_no_races", lambda *_: False)
    whole = answers(run.problem)
    monkeypatch.undo()
    monkeypatch.setattr(Solver, "admits", lambda self, race: self.solve(race))
    assert answers(run.problem) == whole
    monkeypatch.setattr(lazy_closures, "WRITTEN_OUT", 0)
    assert answers(run.problem) == whole


POLLED = """#include <cuda/atomic>
__device__ int x, y;
__device__ cuda::atomic<int, cuda::thread_scope_SCOPE> f{0};
__global__ void k() {
    if (blockIdx.x == 0) { x = 1; f.store(1, cuda::memory_order_release); }
    else { while (f.load(cuda::memory_order_acquire) == 0); y = x; }
}
//@ launch k<<<2, 1>>>();
//@ expect race_free;
"""


#: The read in a failed turn races with a write that is there only where the loop is left.
LATER = """#include <cuda/atomic>
__device__ int x;
__device__ cuda::atomic<int, cuda::thread_scope_device> f{0}, g{0};
__global__ void k() {
    if (blockIdx.x == 0) f.store(1, cuda::memory_order_release);
    if (blockIdx.x == 1) {
        while (f.load(cuda::memory_order_acquire) == 0) { int r = x; }
        g.store(1, cuda::memory_order_relaxed);
    }
    if (blockIdx.x == 2 && g.load(cuda::memory_order_relaxed) == 1) x = 1;
}
//@ launch k<<<3, 1>>>();
//@ expect race_free;
"""


@pytest.mark.parametrize(
    ("text", "free"),
    [
        (chain(6), True),
        (chain(6).replace("f3.store(1, cuda::memory_order_release)", "f3.store(1, cuda::memory_order_relaxed)"), False),
        (chain(17), True),
        (
            chain(17).replace("f9.store(1, cuda::memory_order_release)", "f9.store(1, cuda::memory_order_relaxed)"),
            False,
        ),
        (POLLED.replace("SCOPE", "device"), True),
        (POLLED.replace("SCOPE", "block"), False),
        (LATER, False),
    ],
    ids=[
        "chain",
        "a store relaxed",
        "many threads",
        "a store relaxed of many",
        "poll",
        "poll at too narrow a scope",
        "a failed turn and what comes later",
    ],
)
def test_what_a_read_implies_needs_no_search(
    text: str, free: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(text)
    (run,) = plan(path, "k.cu", Overrides()).runs
    (race,) = [q for q in run.problem.questions if q.goal is Goal.RACE]
    with Solver() as solver:
        encoding, _ = sat._prepared(run.problem, [race], solver)
        assert sat._no_races(encoding, race, solver) is free
    monkeypatch.setattr(sat, "_no_races", lambda *_: False)
    assert (answers(run.problem)[race.name]) is not free
