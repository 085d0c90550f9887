"""The engine in this process: circuits, matrices, and the same verdicts as the jars'."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest
from pysat.formula import CNF
from pysat.solvers import Solver

from scopec.base.source import Span
from scopec.engines.embedded.memory.circuit import FALSE, TRUE, Circuit
from scopec.engines.embedded.memory.lazy_closures import InexactError, Relation
from scopec.engines.embedded.memory.relations import Matrices, Set
from scopec.engines.embedded.memory.sat import solve
from scopec.memory.cat import tree
from scopec.memory.cat.evaluate import Evaluation, pairs, relation
from scopec.memory.cat.model import Axiom, Model
from scopec.memory.questions import Goal, Problem
from scopec.session.inquiry.ask import settled
from scopec.session.inquiry.verdicts import disagreements, findings, memory_checks
from scopec.session.plan import plan
from tests.conftest import REPOSITORY, check_text, verdicts
from tests.specifications import KEPT, some

pytestmark = pytest.mark.usefixtures("kept_machines")

AT = Span("m.cat", 1, 1, 1, 1)
SETS, RELATIONS = ("R", "W", "A"), ("po", "rf", "co", "loc")


def test_gates_fold_constants_and_are_shared() -> None:
    circuit = Circuit([])
    a, b = circuit.fresh(), circuit.fresh()
    assert circuit.both(a, TRUE) == a
    assert circuit.both(a, FALSE) == circuit.both(a, -a) == FALSE
    assert circuit.either(a, -a) == circuit.any([TRUE, b]) == TRUE
    assert circuit.both(a, b) == circuit.both(b, a) == circuit.all([b, a, TRUE])
    assert circuit.all([a, b, -a]) == FALSE
    assert circuit.all([]) == TRUE
    assert circuit.any([]) == FALSE


def test_gates_are_translated_in_the_polarity_of_their_use() -> None:
    clauses: list[list[int]] = []
    circuit = Circuit(clauses)
    a, b, c = circuit.fresh(), circuit.fresh(), circuit.fresh()
    gate = circuit.both(a, b)
    clauses.clear()
    circuit.use(-gate)
    assert clauses == [[gate, -a, -b]]
    clauses.clear()
    circuit.use(gate)
    circuit.use(gate)
    assert clauses == [[-gate, a], [-gate, b]]
    clauses.clear()
    neither = circuit.use(circuit.all([c, -gate]))
    assert clauses == [[-neither, -a, -b], [-neither, c]]
    assert circuit.reader([TRUE, a, b])(gate)
    assert circuit.reader([TRUE, a])(-gate)


def expression(chance: random.Random, kind: str, depth: int) -> tree.Expr:
    """A random cat expression."""

    def part(kind: str) -> tree.Expr:
        return expression(chance, kind, depth - 1)

    if depth == 0:
        return tree.Name(AT, chance.choice(SETS if kind == "set" else RELATIONS))
    if kind == "set":
        match chance.randrange(4):
            case 0:
                return tree.Binary(AT, chance.choice("|&\\"), part("set"), part("set"))
            case 1:
                return tree.Complement(AT, part("set"))
            case 2:
                return tree.End(AT, chance.choice(("domain", "range")), part("relation"))
            case _:
                return tree.Binary(AT, "&", part("set"), tree.Universe(AT))
    match chance.randrange(7):
        case 0 | 1:
            return tree.Binary(AT, chance.choice("|&\\;"), part("relation"), part("relation"))
        case 2:
            return tree.Postfix(AT, chance.choice(("+", "*", "?", "^-1")), part("relation"))
        case 3:
            return tree.Binary(
                AT, chance.choice("&\\"), part("relation"), tree.Binary(AT, "*", part("set"), part("set"))
            )
        case 4:
            inside = [tree.IdentityOn(AT, part("set")), part("relation")]
            chance.shuffle(inside)
            return tree.Binary(AT, ";", *inside)
        case 5:
            return tree.Complement(AT, part("relation"))
        case _:
            return tree.Binary(AT, "|", part("relation"), tree.Zero(AT))


@pytest.mark.parametrize("seed", range(200))
@pytest.mark.sampled(40)
def test_matrices_mean_what_the_evaluator_means(seed: int) -> None:
    """On constants, and on literals under every closure made exact and an assignment."""
    chance = random.Random(seed)
    size = 4
    sets = {name: chance.getrandbits(size) for name in SETS}
    relations = {
        name: relation(size, [(i, j) for i in range(size) for j in range(size) if chance.random() < 0.3])
        for name in RELATIONS
    }
    expr = expression(chance, "relation", 4)
    model = Model("m", (), (), ())
    wanted = set(pairs(Evaluation(model, size, sets, relations).relation(expr)))

    circuit = Circuit([])
    model_ = [TRUE]

    def literal(holds: bool) -> int:
        if chance.random() < 0.5:
            return TRUE if holds else FALSE
        variable = circuit.fresh()
        model_.append(variable if holds else -variable)
        return variable

    given_sets = {n: {i: literal(bool(mask >> i & 1)) for i in range(size)} for n, mask in sets.items()}
    given_relations = {
        n: {i: {j: literal(bool(rows[i] >> j & 1)) for j in range(size)} for i in range(size)}
        for n, rows in relations.items()
    }
    executed: Set = dict.fromkeys(range(size), TRUE)
    matrices = Matrices(
        circuit, model, executed, given_sets.__getitem__, given_relations.__getitem__, frozenset(range(100))
    )
    rows = matrices.relation(expr)
    assert {(i, j) for i, row in rows.items() for j, v in row.items() if circuit.reader(model_)(v)} == wanted
    for check in ("acyclic", "irreflexive", "empty"):
        for negated in (False, True):
            axiom = Axiom("a", check, negated, expr, "")
            holds = Evaluation(model, size, sets, relations).holds(axiom)
            assert circuit.reader(model_)(matrices.violated(axiom)) is not holds


def test_a_closure_that_is_needed_exactly_says_so() -> None:
    circuit = Circuit([])
    rows: Relation = {0: {1: circuit.fresh()}, 1: {2: circuit.fresh()}}
    closed = tree.Postfix(AT, "+", tree.Name(AT, "po"))

    def matrices(exact: frozenset[int]) -> Matrices:
        return Matrices(circuit, Model("m", (), (), ()), dict.fromkeys(range(3), TRUE), {}.__getitem__, lambda _: rows, exact)  # type: ignore[arg-type]  # fmt: skip

    upper = matrices(frozenset()).relation(closed)[0][2]
    circuit.use(-upper)
    with pytest.raises(InexactError):
        circuit.use(upper)
    circuit.use(matrices(frozenset({0})).relation(closed)[0][2])


PROGRAMS = sorted((REPOSITORY / "specs").rglob("*.cu"))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("path", some(PROGRAMS, 9), ids=lambda p: p.stem)
def test_every_expectation_of_the_specs_is_met(path: Path) -> None:
    """Where Alloy's verdicts are what the file expects (test_specs.py), so are these."""
    for run in plan(path, str(path), KEPT).runs:
        if run.memory_checks:
            found = settled(run.problem, lambda one: findings(one, solve(one), "embedded", 0.0))
            assert disagreements(found, run.problem.questions) == []
            assert {c.expectation.text: c.verdict for c in memory_checks(run, found)} == {
                c.text: "holds" for c in run.memory_checks
            }


OVERFLOW = """
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};
__global__ void k() {
    if (threadIdx.x == 0) y.store(x.load(cuda::memory_order_relaxed) + 1, cuda::memory_order_relaxed);
    else x.store(y.load(cuda::memory_order_relaxed) + 1, cuda::memory_order_relaxed);
}
//@ launch k<<<1, 2>>>();
//@ options thin_air = off;
//@ expect forbidden x == 77;
//@ expect allowed x == 2;
"""


@pytest.mark.jvm
def test_values_beyond_the_domains_are_noticed(tmp_path: Path) -> None:
    outcome = check_text(tmp_path, OVERFLOW)
    (report,) = outcome.reports
    found = findings(report.run.problem, solve(report.run.problem) or {}, "embedded", 0.0)
    assert disagreements(found, report.run.problem.questions) == []
    assert [c.verdict for c in memory_checks(report.run, found)] == [c.verdict for c in report.checks]
    assert verdicts([outcome])["forbidden x == 77"] == ["unknown"]


@pytest.mark.jvm
def test_unknown_and_violated_verdicts_are_the_jars(tmp_path: Path) -> None:
    text = """
    #include <cuda/atomic>
    __device__ cuda::atomic<int, cuda::thread_scope_device> turn{0}, f{0};
    __device__ int n = 0;
    __global__ void k() {
        if (f.load() == 1) while (turn.fetch_add(1, cuda::memory_order_acq_rel) != 5);
        n++; assert(f.load() == 0); f.store(1);
    }
    //@ launch k<<<2, 1>>>();
    //@ expect race_free;
    //@ expect required n == 2;
    //@ expect allowed turn == 4;
    """
    for extra in ("", "//@ options races = ignore;"):
        outcome = check_text(tmp_path, text + extra)
        (report,) = outcome.reports
        alloy = [(c.expectation.text, c.verdict, c.reason) for c in report.checks]
        found = findings(report.run.problem, solve(report.run.problem), "embedded", 0.0)
        assert disagreements(found, report.run.problem.questions) == []
        assert [(c.expectation.text, c.verdict, c.reason) for c in memory_checks(report.run, found)] == alloy


RACE = "__device__ int x; __global__ void k() { x = 1; }\n//@ launch k<<<1, 2>>>();\n//@ expect race on x;\n"


def test_both_orders_of_a_compare_exchange_count(tmp_path: Path) -> None:
    """One that acquires whether it succeeds or not: to be a member by one order does not undo the other."""
    text = """
        __device__ int x = 0, f = 0;
        __global__ void k() {
            cuda::atomic_ref<int, cuda::thread_scope_device> flag(f);
            if (threadIdx.x == 0) {
                x = 1;
                flag.store(1, cuda::memory_order_release);
            } else {
                int old = 1, r = -1;
                if (flag.compare_exchange_strong(old, 2, cuda::memory_order_acquire, cuda::memory_order_seq_cst)) r = x;
            }
        }
        //@ launch k<<<1, 2>>>();
        //@ expect race_free;
        //@ expect forbidden k[0][1].r == 0;
    """
    found = verdicts([check_text(tmp_path, text, engine="embedded")])
    assert found == {"race_free": ["holds"], "forbidden k[0][1].r == 0": ["holds"]}


def test_the_command_line_asks_it(tmp_path: Path) -> None:
    outcome = check_text(tmp_path, RACE + "//@ expect race_free;", engine="embedded", keep=tmp_path / "kept")
    (report,) = outcome.reports
    assert [(c.verdict, c.engine) for c in report.checks] == [("holds", "embedded"), ("violated", "embedded")]
    assert report.generated == ("program.als",)
    assert (tmp_path / "kept" / "program.als").is_file()


@pytest.mark.jvm
def test_both_engines_must_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert verdicts([check_text(tmp_path, RACE, engine="both")]) == {"race on x": ["holds"]}

    def wrong(problem: Problem, _: float | None) -> dict[str, None]:
        return dict.fromkeys(q.name for q in problem.questions)

    monkeypatch.setattr("scopec.engines.embedded.memory.sat.solve", wrong)
    outcome = check_text(tmp_path, RACE, engine="both")
    assert outcome.exit_code == 3
    assert outcome.failure is not None
    assert "the engines disagree about `execution`" in outcome.failure
    assert "Alloy finds an execution, scopec none" in outcome.failure
    kept = Path(outcome.failure.rpartition(" in ")[2])
    assert {"program.als", "program.cnf", "program.answers.json"} <= {p.name for p in kept.iterdir()}
    answers = json.loads((kept / "program.answers.json").read_text())
    assert answers["execution"]["embedded"] is None
    assert answers["execution"]["alloy"]["co"]
    text = (kept / "program.cnf").read_text()
    (literal,) = re.findall(r"^c execution: assume (-?\d+)$", text, re.MULTILINE)
    with Solver(bootstrap_with=CNF(from_string=text)) as solver:
        assert solver.solve(assumptions=[int(literal)])


_INSTANCES = """
__global__ void k() { __shared__ int s; int local = 0; int* p = &local; s = blockIdx.x + 1; *p = threadIdx.x + 5; }
//@ launch k<<<2, 2>>>();
//@ options races = ignore;
//@ expect forbidden k[0][0].s == 1 && k[1][0].s == 2;
//@ expect required k[0][0].s + 1 == k[1][0].s;
//@ expect required k[0][0].s == k[0][1].s;
//@ expect forbidden k[0][0].local == 5 && k[0][1].local == 6;
//@ expect allowed k[0][0].local == k[0][1].local;
"""


@pytest.mark.parametrize("engine", ["embedded", pytest.param("alloy", marks=pytest.mark.jvm)])
def test_variables_of_several_blocks_and_threads_have_values_of_their_own(engine: str, tmp_path: Path) -> None:
    outcome = check_text(tmp_path, _INSTANCES, engine=engine)
    assert [v for found in verdicts([outcome]).values() for v in found] == [
        "violated", "holds", "holds", "violated", "violated",
    ]  # fmt: skip


def test_an_execution_answers_the_questions_that_it_is_one_for(tmp_path: Path) -> None:
    """One that ends somehow is complete; one with a race need not be, and is none for the question whether some is."""
    wait = "__device__ cuda::atomic<int, cuda::thread_scope_device> f{0};\n__device__ int x;\n"
    kernel = f"{wait}__global__ void k() {{ x = blockIdx.x; while (f.load() == 0); }}\n//@ launch k<<<2, 1>>>();\n"
    path = tmp_path / "waits.cu"
    path.write_text(f"{kernel}//@ expect race_free;\n//@ expect allowed x == 1;\n")
    (run,) = plan(path, path.name, KEPT).runs
    answers = solve(run.problem)
    assert answers is not None
    goals = {question.goal: answers[question.name] for question in run.problem.questions}
    assert goals[Goal.RACE] is not None
    assert goals[Goal.EXECUTION] is goals[Goal.OUTCOME] is None  # nobody sets the flag
    path.write_text(f"{kernel.replace('f{0}', 'f{1}')}//@ expect race_free;\n//@ expect allowed x == 1;\n")
    (run,) = plan(path, path.name, KEPT).runs
    answers = solve(run.problem)
    assert answers is not None
    assert disagreements(findings(run.problem, answers, "embedded", 0.0), run.problem.questions) == []
    goals = {question.goal: answers[question.name] for question in run.problem.questions}
    assert goals[Goal.EXECUTION] is goals[Goal.OUTCOME] is not None


def test_the_time_limit_ends_a_search(tmp_path: Path) -> None:
    """Ten threads count to a number that only a proof by cases refutes; the registers tell the threads apart."""
    kernel = "__device__ cuda::atomic<int, cuda::thread_scope_device> n{0};\n__global__ void k() { int r = n.fetch_add(1); }\n"
    named = " && ".join(f"k[{b}][0].r < {b + 20}" for b in range(10))
    text = f"{kernel}//@ launch k<<<10, 1>>>();\n//@ expect forbidden n == 9 && {named};\n"
    outcome = check_text(tmp_path, text, engine="embedded", timeout=2)
    assert verdicts([outcome]) == {f"forbidden n == 9 && {named}": ["unknown"]}
