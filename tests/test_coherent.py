"""Reads return in the orders of a location's accesses what they return in executions.

``SCOPEC_RANDOM_PROGRAMS`` sets how many random programs are tried.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from scopec.base.source import Source
from scopec.engines.embedded.memory import sat
from scopec.engines.embedded.memory.solver import Solver
from scopec.frontends.litmus.lower.program import lower
from scopec.frontends.litmus.syntax.reader import read
from scopec.memory.cat import registry
from scopec.memory.domains.coherent import returned
from scopec.memory.events.events import Kind
from scopec.memory.graph import build
from scopec.memory.questions import Goal, Problem, Question
from scopec.program import ir
from scopec.program.observe import Location
from scopec.session.inquiry.run import Run
from scopec.session.plan import Overrides, plan
from tests.samples import programs

Write = Callable[..., Path]

COUNT = programs(6, 20)
#: The orders of the first programs are few enough to be looked at.
SMALL = 20
SOME = Question("prefix", Goal.PREFIX, "some execution is consistent, complete or not")
HEAD = """#include <cuda/atomic>
using cuda::memory_order_relaxed;
__device__ cuda::atomic<int, cuda::thread_scope_device> x;
__device__ cuda::atomic<int, cuda::thread_scope_device> y;
__device__ int out[4];
"""
X = Location("x", 0, "")


def run_of(write: Write, body: str, threads: int = 2, model: str = "cuda") -> Run:
    text = f"{HEAD}__global__ void k() {{ int t = threadIdx.x; {body} }}\n"
    path = write(f"{text}//@ launch k<<<1, {threads}>>>();\n//@ expect race_free;\n", "t.cu")
    return plan(path, "t.cu", Overrides(model)).runs[0]


def made(run: Run, location: Location = X) -> Iterator[tuple[str, int]]:
    """The values that each read of a location returns in some execution."""
    model = registry.load(run.model, run.readings)
    problem = Problem(run.name, lambda: (), run.base, model, run.model.name, run.known, (SOME,))
    with Solver() as solver:
        encoding, _ = sat._prepared(problem, (SOME,), solver)
        for event in run.graph.accesses(location):
            for value, bit in encoding.values.registers[event.id].items() if event.kind is Kind.READ else ():
                if sat._model(encoding, solver, encoding.circuit.use(bit), None, -1):
                    yield event.id, value


def found(run: Run, location: Location = X) -> set[tuple[str, int]] | None:
    values = returned(run.graph, location)
    return None if values is None else {(read, value) for read, some in values.items() for value in some}


STATEMENTS = (
    "r = x.load(memory_order_relaxed);", "x.store(r + 1, memory_order_relaxed);", "r = x.fetch_add(2);",
    "x.store(3);", "r = x.exchange(r);", "r = 1; x.compare_exchange_strong(r, r + 4);", "x.fetch_xor(r);",
    "if (r > 1) x.fetch_add(1); else r = x.load();", "if (y.load() == 0) r = x.fetch_or(1);", "y.store(r);",
    "if (x.load() != r) return;", "while (x.load() == 0);", "r = x.load() ? 2 : x.fetch_add(1);",
)  # fmt: skip


def body_of(seed: int) -> str:
    """Statements of two or three threads, of which two are alike in half of the programs."""
    chance = Random(seed)
    ways = [" ".join(chance.choices(STATEMENTS, k=chance.randrange(1, 4))) for _ in range(2)]
    return f"int r = 0; if (t == 0) {{ {ways[0]} }} else {{ {ways[1]} }} out[t] = r;"


@pytest.mark.parametrize("seed", range(COUNT))
@pytest.mark.sampled(4)
def test_reads_return_nothing_else(seed: int, write: Write) -> None:
    """And nothing less, where no branch hangs on another location and none is cut off; few have too many orders."""
    body = body_of(seed)
    run = run_of(write, body, threads=2 + seed % 2)
    if not any(event.kind is Kind.READ for event in run.graph.accesses(X)):
        return
    values, executed = found(run), set(made(run))
    if values is None:
        assert seed >= SMALL, body
        return
    assert executed <= values, body
    if "y.load" not in body and "while" not in body:
        assert executed == values, body


def test_threads_that_branch_otherwise_are_not_alike(write: Write) -> None:
    body = "if (t == 0) { if (x.load() == 9) x.store(9); } else { if (x.load() == 0) x.store(9); }"
    run = run_of(write, body)
    assert found(run) == set(made(run))
    assert {value for _, value in made(run)} == {0, 9}


def test_arrivals_at_a_barrier_take_few_values(write: Write) -> None:
    body = """__shared__ cuda::barrier<cuda::thread_scope_block> b; if (t == 0) init(&b, 3); __syncthreads();
        b.arrive_and_wait(); b.arrive_and_drop();"""
    path = write(
        f"#include <cuda/barrier>\n__global__ void k() {{ int t = threadIdx.x; {body} }}\n"
        "//@ launch k<<<1, 3>>>();\n//@ expect race_free;\n",
        "t.cu",
    )
    run = plan(path, "t.cu", Overrides()).runs[0]
    narrow = run.problem.domains.of
    assert max(map(len, narrow.values())) < 20 < max(map(len, run.known.of.values()))


# ---------------------------------------------------------------- where it is not made


def test_a_model_without_coherence_has_other_values(tmp_path: Path, write: Write) -> None:
    (tmp_path / "weak.cat").write_text('"weak"\nacyclic po | rf as thin_air\n')
    body = "x.fetch_add(1); out[t] = x.load();"
    weak, cuda = run_of(write, body, model=str(tmp_path / "weak.cat")), run_of(write, body)
    assert cuda.reductions.coherent
    assert not weak.reductions.coherent
    assert not set(made(weak)) <= (found(weak) or set())


@pytest.mark.parametrize("model", ["ptx", "rc11", "hrf0"])
def test_only_cudas_models_are_known_to_order_all_accesses(model: str, write: Write) -> None:
    assert not run_of(write, "x.fetch_add(1);", model=model).reductions.coherent


def test_a_value_that_is_computed_elsewhere_is_none_of_the_location(write: Write) -> None:
    assert found(run_of(write, "x.store(y.load()); y.store(1);")) is None
    assert found(run_of(write, "int r = x.load(); if (y.load()) x.store(r + 1); y.store(1);")) is not None


@pytest.mark.parametrize(("statement", "ordered"), [("int r = atomic_exchange(x, 5), s = atomic_load(x);", True),
                                                    ("int r = atomic_exchange(x, 5) + atomic_load(x);", False)])  # fmt: skip
def test_operands_come_in_any_order(statement: str, ordered: bool) -> None:
    text = f"C order\n{{ }}\nP0 (atomic_int* x) {{ {statement} }}\nexists (true)\n"
    source = Source("t.litmus", text)
    graph = build(lower(read(source), source, "t").program, 2)
    assert (returned(graph, X) is not None) is ordered


def test_an_access_of_a_copy_is_in_no_order_with_its_thread(write: Write) -> None:
    text = """#include <cuda_pipeline.h>
    __device__ int from[1];
    __global__ void k() { __shared__ int to[1]; if (threadIdx.x == 0) {
        __pipeline_memcpy_async(to, from, 4); __pipeline_commit(); from[0] = 1; __pipeline_wait_prior(0); } }
    //@ launch k<<<1, 1>>>();
    //@ expect race on from;
    """
    run = plan(write(text, "t.cu"), "t.cu", Overrides()).runs[0]
    assert any(event.agent for event in run.graph.accesses(Location("from", 0, "")))
    assert found(run, Location("from", 0, "")) is None


def test_dependencies_are_those_among_all_values(write: Write) -> None:
    """A write does not hang less on a read of which fewer values are left."""
    run = run_of(write, "x.fetch_add(7); x.fetch_xor(5); x.fetch_add(3);")
    assert run.problem.domains.of != run.known.of
    assert run.problem.base.known.of == run.known.of


@pytest.mark.parametrize("changed", [{"agent": "copy"}, {"alias": "other"}, {"proxy": ir.Proxy.ASYNC}])
def test_accesses_by_another_way_have_orders_of_their_own(changed: dict[str, object], write: Write) -> None:
    """Coherence is of what threads do at one address by the generic proxy."""
    graph = run_of(write, "if (t == 0) x.store(1); else x.load();").graph
    assert returned(graph, X) is not None
    events = tuple(
        dataclasses.replace(event, **changed) if event.kind is Kind.WRITE and event.location == X else event
        for event in graph.events
    )
    assert returned(dataclasses.replace(graph, events=events), X) is None
