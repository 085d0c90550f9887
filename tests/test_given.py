"""Every given set and relation: stated once, with its source, needed, and the same to every engine."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest
from pysat.solvers import Solver

from scopec.engines.alloy import run as alloy_run
from scopec.engines.alloy.emit import emit
from scopec.engines.embedded.memory import sat
from scopec.engines.embedded.memory.circuit import TRUE
from scopec.engines.embedded.memory.relations import entries
from scopec.engines.java.jars import Jars
from scopec.engines.java.workers import Workers
from scopec.memory.cat.evaluate import pairs
from scopec.memory.events.base import Base
from scopec.memory.execution import Execution
from scopec.memory.given import relations, sets
from scopec.memory.given.evaluated import Evaluated
from scopec.memory.given.forms import Form, Pair, Product
from scopec.memory.questions import Goal, Problem, Question
from scopec.session.inquiry.hangs import search
from tests.oracles import given as defined
from tests.samples import EVERY
from tests.test_cat import model_of
from tests.test_mutations import run_of

#: The members of a set, or the pairs of a relation, by the events' names.
Rows = frozenset[tuple[str, ...]]
NAMES = (*sets.SETS, *relations.RELATIONS)
ANY = Question("any", Goal.PREFIX, "some execution")
#: Specs that together have an event in each set, a pair in each relation, and each guard both ways.
SPECS = [
    ("algorithms/work-stealing.cu", "cuda-v3", {"FENCES": "true"}),
    ("litmus/mp-release-fence.cu", "cuda-v3", {"FENCE": "acq_rel"}),
    ("litmus/sb-fences.cu", "cuda-v3", {"S": "device"}),
    ("litmus/cas.cu", "cuda-v3", {"ATOMIC": "true"}),
    ("barriers/try.cu", "cuda-v3", {}),
    ("barriers/votes.cu", "cuda-v3", {}),
    ("barriers/latch.cu", "cuda-v3", {"COUNT": "1"}),
    ("cuda-execution-model/device-3.cu", "cuda-v3", {}),
    ("host/legacy-stream-of-two-threads.cu", "cuda-v3", {"STREAM": "1", "AFTER": "true"}),
    ("host/stream-of-two-threads.cu", "cuda-v3", {"ORDER": "1", "ONE_STREAM": "true"}),
    ("ptx/volatile.cu", "ptx", {"FENCES": "true"}),
    ("ptx/address.cu", "ptx", {"DEPENDENT": "true"}),
    ("ptx/reduction.cu", "ptx", {"RED": "true"}),
    ("litmus-files/ptx-clusters-hrf.litmus", "hrf0", {}),
    ("litmus-files/ptx-quorum.litmus", "ptx", {}),
    ("asynchronous/groups.cu", "cuda-v3", {"LEFT": "1", "OWN": "true", "MEETS": "true"}),
    ("asynchronous/groups.cu", "ptx", {"LEFT": "1", "OWN": "false", "MEETS": "true"}),
    ("litmus-files/ptx-proxy-fences.litmus", "ptx", {}),
    ("litmus-files/ptx-proxy-one-thread.litmus", "ptx", {}),
    ("litmus-files/ptx-aliases.litmus", "ptx", {}),
    ("options/vector-whole.cu", "ptx", {"SENDS": "0"}),
    ("asynchronous/phases.cu", "cuda-v3", {"LOOKS": "true", "BOTH": "false"}),
    ("asynchronous/remote-arrival.cu", "cuda-v3", {"FENCED": "true", "WIDE": "true"}),
    ("asynchronous/bulk-load.cu", "ptx", {"WAIT": "0", "BYTES": "32"}),
    ("asynchronous/store-fence.cu", "cuda-v3", {"FENCE": "1"}),
    ("asynchronous/tensor-memory.cu", "cuda-v3", {"WRONG": "0"}),
    ("asynchronous/tensor-epilogue.cu", "cuda-v3", {"WRONG": "4"}),
    ("litmus-files/c-operands.litmus", "cuda-v3", {}),
]
#: Programs of which stuck executions are asked: a thread that sleeps, and one that turns.
STUCK = [
    ("barriers/wait-notify.cu", {"WAIT": "acquire"}),
    ("hangs/stale.cu", {"STORE": "relaxed", "LOAD": "acquire", "POLLED": "true"}),
]


@cache
def problems() -> tuple[Problem, ...]:
    runs = [run_of(spec, model, **variant) for spec, model, variant in SPECS]
    stuck = [search(run_of(spec, **variant), "Termination") for spec, variant in STUCK]
    return tuple(replace(p, questions=(ANY,)) for p in (*(r.problem for r in runs), *(s.problem for s in stuck)))


@dataclass(frozen=True)
class Case:
    """An execution, and what SAT gives in it."""

    execution: Execution
    given: dict[str, Rows]


@cache
def cases() -> tuple[Case, ...]:
    return tuple(case for problem in problems() for case in found(problem))


def found(problem: Problem, most: int = 12) -> Iterator[Case]:
    """Some executions of a problem that differ in what is read or on which path."""
    clauses: list[list[int]] = []
    encoding, goals = sat._prepared(problem, [ANY], clauses)
    ids = [e.id for e in encoding.graph.events]
    literals: dict[str, dict[tuple[str, ...], int]] = {
        n: {(ids[i],): v for i, v in encoding._given_set(n).items()} for n in sets.SETS
    }
    for name in relations.RELATIONS:
        literals[name] = {(ids[i], ids[j]): v for i, j, v in entries(encoding._given_relation(name))}
    differ = [encoding.circuit.use(v) for v in (TRUE, *encoding.rf.values(), *encoding.executed.values())]
    for literal in [*differ, *(v for rows in literals.values() for v in rows.values())]:
        encoding.circuit.use(literal)
        encoding.circuit.use(-literal)
    with Solver(name="minisat22", bootstrap_with=clauses) as solver:
        for _ in range(most):
            if not solver.solve(assumptions=list(goals.values())):
                return
            model = solver.get_model()
            holds = encoding.circuit.reader(model)
            rows_of = {n: frozenset(key for key, v in rows.items() if holds(v)) for n, rows in literals.items()}
            yield Case(Execution(problem.base, problem.model, sat._choice(encoding, model)), rows_of)
            true = set(model)
            solver.add_clause([-a if a in true else a for a in differ])


def evaluated(execution: Execution, base: Base, name: str) -> Rows:
    """What the table gives in an execution."""
    found = Evaluated(base, execution.events, execution.choice, execution.holds)
    ids = [e.id for e in execution.events]
    if name in sets.SETS:
        return frozenset((ids[i],) for i in range(len(ids)) if found.set(name) >> i & 1)
    return frozenset((ids[i], ids[j]) for i, j in pairs(found.relation(name)))


def wanted(x: Execution, name: str) -> Rows:
    """What the definitions give in an execution."""
    if name in defined.SETS:
        return frozenset((e.id,) for e in x.events if defined.SETS[name](e, x))
    return frozenset((a.id, b.id) for a in x.events for b in x.events if defined.RELATIONS[name](a, b, x))


def parts(base: Base, name: str) -> tuple[object, ...]:
    """The forms of a row in a program."""
    return sets.members(base, name) if name in sets.SETS else relations.forms(base, name)


# ---------------------------------------------------------------- the table


def test_each_has_a_source_and_a_meaning_of_its_own() -> None:
    rows: dict[str, sets.GivenSet | relations.GivenRelation] = {**sets.SETS, **relations.RELATIONS}
    assert len(rows) == len(sets.SETS) + len(relations.RELATIONS)
    document = re.compile(
        r"(\[[a-z.]+\](/\d+)?|memory model, |PTX ISA, |CUDA C\+\+ programming guide, |the language of cat, )"
    )
    assert [name for name, row in rows.items() if not document.match(row.source)] == []
    assert len({row.means for row in rows.values()}) == len(rows)


def test_each_is_defined_in_the_oracle() -> None:
    assert set(defined.SETS) == set(sets.SETS)
    assert set(defined.RELATIONS) == set(relations.RELATIONS)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_what_the_definitions_say(name: str) -> None:
    for case in cases():
        x = case.execution
        assert evaluated(x, x.base, name) == wanted(x, name), x.graph.program.name
        assert case.given[name] == wanted(x, name), x.graph.program.name


# ---------------------------------------------------------------- each part is needed


def noticed(name: str) -> bool:
    """Whether the table, as it is now, gives something else than the definitions in some execution."""
    return any(evaluated(c.execution, replace(c.execution.base), name) != wanted(c.execution, name) for c in cases())


@pytest.mark.parametrize("name", NAMES)
def test_some_execution_misses_a_row(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cases()
    if name in sets.SETS:
        row = replace(sets.SETS[name], membership=lambda _base, _event: ())
        monkeypatch.setitem(sets.SETS, name, row)
    else:
        monkeypatch.setitem(relations.RELATIONS, name, replace(relations.RELATIONS[name], forms=lambda _: ()))
    assert noticed(name)


#: Rows of which a part holds on some paths, or where a condition on what is read does.
GUARDED = (
    "RMW",
    "Acq",
    "SC",
    "RLX",
    "ACQ",
    "SEQ_CST",
    "dep",
    "asw",
    "syncbar",
    "issue",
    "api",
    "phase",
    "complete",
    "later",
    "served",
)


def unguarded(forms: Iterable[Form]) -> Iterator[Form]:
    for form in forms:
        yield replace(form, when=None) if isinstance(form, Pair | Product) else form


@pytest.mark.parametrize("name", GUARDED)
def test_some_execution_misses_a_guard(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cases()
    if name in sets.SETS:
        membership = sets.SETS[name].membership
        row = replace(sets.SETS[name], membership=lambda base, event: (None for _ in membership(base, event)))
        monkeypatch.setitem(sets.SETS, name, row)
    else:
        old = relations.RELATIONS[name]
        monkeypatch.setitem(relations.RELATIONS, name, replace(old, forms=lambda base: unguarded(old.forms(base))))
    assert noticed(name)


def test_the_guarded_rows_are_these() -> None:
    found = {
        name
        for problem in problems()
        for name in NAMES
        for form in parts(problem.base, name)
        if getattr(form, "when", None) is not None
    }
    assert found == set(GUARDED)


# ---------------------------------------------------------------- Alloy


@pytest.mark.sampled(4)
@pytest.mark.jvm
@pytest.mark.parametrize("name", NAMES)
def test_alloy_is_given_the_same(name: str, jars: Jars, workers: Workers, tmp_path: Path) -> None:
    """In programs in which it is not empty, both engines find the same of executions in which it is, or is no order."""
    checks = [f"empty {name} as e", f"~empty {name} as e"]
    if name in relations.RELATIONS:
        checks += [f"~empty {name} \\ (rf | co | int) as e", f"~acyclic {name} | rf | co as e"]
    asked = [p for p in problems() if parts(p.base, name)][: 2 if EVERY else 1]
    for number, problem in enumerate(asked):
        for check, text in enumerate(checks):
            probe = replace(problem, name=f"p{number}_{check}", model=model_of(text), questions=(ANY,))
            specification = tmp_path / f"{probe.name}.als"
            specification.write_text(emit(probe), encoding="utf-8")
            instances = alloy_run.run(jars["alloy"], specification, workers, tmp_path, 120).instances
            here = sat.solve(probe)
            assert here is not None
            assert (instances["any"] is None) == (here["any"] is None), (text, problem.name)
