"""Stuck executions: periods and final conditions in the graph, and what the engines find."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from scopec.engines.alloy import run as alloy
from scopec.engines.alloy.emit import emit
from scopec.engines.embedded.memory.sat import solve
from scopec.engines.embedded.progress.fair_cycles import solve as explore
from scopec.engines.java.jars import Jars
from scopec.engines.java.workers import Workers
from scopec.hangs import conditions
from scopec.hangs.graph import Making, StuckGraph, build
from scopec.memory.events.events import Left
from scopec.memory.events.paths import holds
from scopec.memory.execution import Execution
from scopec.progress.promises import promises
from scopec.progress.system import may_pend, readings
from scopec.session.check import Settings, check
from scopec.session.inquiry.hangs import STUCK, UNDECIDED, Search, search
from scopec.session.inquiry.questions import progress_problem
from scopec.session.inquiry.run import Run
from tests.conftest import plan_of
from tests.random_loops import SEQUENTIAL, program
from tests.samples import programs

pytestmark = pytest.mark.usefixtures("kept_machines")

_PROGRAMS = programs(0, 4)
_HEAD = """#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0}, f{0}, go{0};
__device__ int plain = 0;
"""
_RELAXED, _ACQUIRE, _RELEASE = (f"cuda::memory_order_{order}" for order in ("relaxed", "acquire", "release"))


def kernel(*blocks: str, launch: str | None = None) -> str:
    """One thread a block, of a cooperative grid if nothing else is said."""
    body = "".join(f"    if (blockIdx.x == {n}) {{ {text} }}\n" for n, text in enumerate(blocks))
    call = launch or f"cudaLaunchCooperativeKernel((void *)k, {len(blocks)}, 1, nullptr);"
    return f"{_HEAD}__global__ void k() {{\n{body}}}\nint main() {{ {call} cudaDeviceSynchronize(); }}\n//@ expect terminates;\n"


@pytest.fixture
def run_of(write: Callable[..., Path]) -> Callable[..., Run]:
    def made(text: str, **overrides: object) -> Run:
        (run,) = plan_of(write(text), **overrides).runs
        return run

    return made


def graph_of(run: Run) -> StuckGraph:
    return build(Making(progress_problem(run, "Termination").system, run.sliced, run.settings.bound["unroll"]))


def answers(asked: Search) -> dict[str, Execution | None]:
    """What the embedded engine finds, each execution checked."""
    problem = asked.problem
    found = solve(problem)
    assert found is not None
    executions = {name: None if c is None else Execution(problem.base, problem.model, c) for name, c in found.items()}
    for question in problem.questions:
        execution = executions[question.name]
        if execution is not None:
            assert not execution.problems
            assert question.paths is not None
            assert holds(question.paths, execution.outcomes)
    return executions


def is_stuck(run: Run) -> bool:
    found = answers(search(run, "Termination"))
    assert found[STUCK] is not None or found[UNDECIDED] is None
    return found[STUCK] is not None


# ---------------------------------------------------------------- the graph


def accesses(found: StuckGraph, thread: str) -> list[tuple[str, bool]]:
    """The accesses of a thread: what each is, and whether it is of a period."""
    events = [e for e in found.graph.events if e.thread == thread and e.is_access]
    return [(f"{e.kind.value} {e.location.object if e.location else ''}", e.last) for e in events]


def left(found: StuckGraph, thread: str) -> set[Left]:
    return {cut.left for cut in found.graph.cuts if cut.thread == thread and cut.left is not None}


def test_a_wait_loop_is_a_period_or_one_turn(run_of: Callable[..., Run]) -> None:
    found = graph_of(run_of(kernel("while (x.load() == 0);", "x.store(1);")))
    assert accesses(found, "k[0][0]") == [("R x", False), ("R x", True)]
    assert {Left.SPINNING, Left.UNSTARTED} <= left(found, "k[0][0]")
    assert Left.BEYOND not in left(found, "k[0][0]")


def test_a_read_modify_write_of_a_period_is_its_read_alone(run_of: Callable[..., Run]) -> None:
    found = graph_of(run_of(kernel("while (x.exchange(1) == 1);", "x.store(0);")))
    assert accesses(found, "k[0][0]") == [("R x", False), ("W x", False), ("R x", True)]


def test_a_loop_that_alternates_has_a_period_of_two_turns(run_of: Callable[..., Run]) -> None:
    blocks = "bool odd = false; while ((odd ? y.load() : x.load()) == 0) odd = !odd;", "go.store(1);", "y.store(1);"
    text, own = kernel(*blocks), kernel(*blocks, launch="k<<<3, 1>>>();")
    found = graph_of(run_of("//@ language scoped;\n" + own))  # clang's reader knows in each turn which it is
    assert [what for what, last in accesses(found, "k[0][0]") if last] == ["R y", "R x"] * 2
    assert not is_stuck(run_of(text))
    assert is_stuck(run_of(text.replace("y.store", "f.store")))


def test_a_counter_that_decides_nothing_does_not_keep_a_state_from_recurring(run_of: Callable[..., Run]) -> None:
    text = "int n = 0; while (x.load() == 0) ++n; plain = n;"
    assert Left.DIVERGING not in left(graph_of(run_of(kernel(text))), "k[0][0]")
    counts = "int n = 0; while (x.load() == 0) { n = n + 1 + x.load(); if (n > 1000) break; }"
    assert Left.DIVERGING in left(graph_of(run_of(kernel(counts))), "k[0][0]")


def test_a_bounded_loop_has_no_period(run_of: Callable[..., Run]) -> None:
    found = graph_of(run_of(kernel("for (int i = 0; i < 3; ++i) x.fetch_add(1);")))
    assert left(found, "k[0][0]") == {Left.UNSTARTED}


def test_accesses_that_decide_nothing_are_not_in_the_graph(run_of: Callable[..., Run]) -> None:
    found = graph_of(run_of(kernel("plain = 7; f.store(1);", "while (f.load() == 0); int r = plain;")))
    assert {e.location.object for e in found.graph.events if e.location} == {"f"}


@pytest.mark.parametrize("operation", ["store(7)", "fetch_add(1)"])
def test_a_store_of_what_nobody_looks_at_changes_nothing(run_of: Callable[..., Run], operation: str) -> None:
    text = kernel(f"while (x.load() == 0) f.{operation};", "go.store(1);")
    assert is_stuck(run_of(text))
    assert answers(search(run_of(text.replace("go.store", "x.store")), "Termination"))[STUCK] is None
    looked_at = kernel(f"while (x.load() == 0) f.{operation};", "if (f.load() == 9) x.store(1);")
    found = answers(search(run_of(looked_at), "Termination"))
    assert (found[STUCK] is not None) is (operation == "store(7)")
    assert found[UNDECIDED] is not None


def test_turns_that_change_memory_are_unrolled_and_cut_off(run_of: Callable[..., Run]) -> None:
    found = graph_of(run_of(kernel("while (x.load() == 0) { y.fetch_add(1); if (y.load() == 9) break; }")))
    assert [a for a in accesses(found, "k[0][0]") if a == ("W y", False)] == [("W y", False)] * 3
    assert Left.BEYOND in left(found, "k[0][0]")


def test_a_host_thread_may_stay_in_a_call(run_of: Callable[..., Run]) -> None:
    assert Left.PENDING in left(graph_of(run_of(kernel("x.store(1);"))), "main")


def test_the_calls_in_which_a_host_thread_may_stay_are_those_of_the_other_question(run_of: Callable[..., Run]) -> None:
    text = kernel("x.store(1);", launch="k<<<1, 1>>>(); cudaStreamQuery(0);")
    for api in ("blocks", "returns"):
        run = run_of(f"//@ options api = {api};\n{text}")
        system, chosen = progress_problem(run, "Termination").system, readings(run.settings.options, run.settings.given)
        at = {
            step.label for step in system.host_steps if may_pend(getattr(step.operation, "of", step.operation), chosen)
        }
        assert {label.split("_")[1] for label in system.api_labels} == {label.split("_")[1] for label in at}


# ---------------------------------------------------------------- the table


_SLEEPER = (
    "x.store(1, {store}); {fence} if (y.load({load}) == 0) {{ while (go.load({load}) == 0); }}",
    "y.store(1, {store}); {fence} if (x.load({load}) == 1) go.store(1, {store});",
)
_STALE = (
    "x.store(1, {store}); {fence} f.store(1, {store});",
    "while (f.load({load}) == 0); {fence} if (x.load({load}) == 0) {{ while (go.load({load}) == 0); }}",
)
_POLLED = (
    "x.store(1, {store}); {fence} f.store(1, {store});",
    "while (f.load({load}) == 0); {fence} while (x.load({load}) == 0);",
)
_FENCE = "cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_{});"
_COLUMNS = {
    "relaxed": (_RELAXED, _RELAXED, ""),
    "release/acquire": (_RELEASE, _ACQUIRE, ""),
    "seq_cst": ("cuda::memory_order_seq_cst", "cuda::memory_order_seq_cst", ""),
    "fences": (_RELAXED, _RELAXED, _FENCE.format("device")),
    "block fences": (_RELAXED, _RELAXED, _FENCE.format("block")),
}
_TABLE = {
    "sleeper": (_SLEEPER, {"relaxed", "release/acquire", "block fences"}),
    "stale": (_STALE, {"relaxed", "block fences"}),
    "polled": (_POLLED, set[str]()),
}


def column(parts: tuple[str, ...], name: str) -> str:
    store, load, fence = _COLUMNS[name]
    return kernel(*(part.format(store=store, load=load, fence=fence) for part in parts))


@pytest.mark.parametrize("name", _COLUMNS)
@pytest.mark.parametrize("row", _TABLE)
@pytest.mark.sampled(4)
def test_hangs_that_only_a_weaker_memory_allows(run_of: Callable[..., Run], row: str, name: str) -> None:
    parts, hangs = _TABLE[row]
    run = run_of(column(parts, name))
    assert explore(progress_problem(run, "Termination").system, "Termination").holds
    assert is_stuck(run) is (name in hangs)


_LOCKED = "plain = plain + 1;"
_NEVER = {
    "exchange lock": ["while (x.exchange(1, {acq}) == 1); " + _LOCKED + " x.store(0, {rel});"] * 2,
    "compare-exchange lock": [
        "int e = 0; while (!x.compare_exchange_strong(e, 1, {acq})) e = 0; " + _LOCKED + " x.store(0, {rel});"
    ]
    * 3,
    "test-and-test-and-set lock": [
        "do {{ while (x.load({rlx}) == 1); }} while (x.exchange(1, {acq}) == 1); " + _LOCKED + " x.store(0, {rel});"
    ]
    * 2,
    "ticket lock": ["int t = x.fetch_add(1, {rlx}); while (y.load({acq}) != t); " + _LOCKED + " y.store(t + 1, {rel});"]
    * 2,
    "retry": ["int e = x.load({rlx}); while (!x.compare_exchange_weak(e, e + 1, {acq}, {rlx}));"] * 2,
    "peterson": [
        "x.store(1); f.store(1); while (y.load() == 1 && f.load() == 1); " + _LOCKED + " x.store(0);",
        "y.store(1); f.store(0); while (x.load() == 1 && f.load() == 0); " + _LOCKED + " y.store(0);",
    ],
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("orders", ["proper", "relaxed"])
@pytest.mark.parametrize("name", _NEVER)
def test_what_never_hangs(run_of: Callable[..., Run], name: str, orders: str) -> None:
    proper = {"acq": _ACQUIRE, "rel": _RELEASE, "rlx": _RELAXED}
    chosen = proper if orders == "proper" else dict.fromkeys(proper, _RELAXED)
    run = run_of(kernel(*(text.format(**chosen) for text in _NEVER[name])))
    assert explore(progress_problem(run, "Termination").system, "Termination").holds
    assert not is_stuck(run)


_SENSE = (
    "for (int round = 0; round < 2; ++round) {{ if (x.fetch_add(1, {both}) == 1) {{ x.store(0, {rlx}); y.store(1 - round, {rel}); }} "
    "else {{ while (y.load({acq}) == round); }} }}"
)


@pytest.mark.parametrize(("orders", "hangs"), [("acquire/release", False), ("relaxed", True)])
def test_a_barrier_by_hand(run_of: Callable[..., Run], orders: str, hangs: bool) -> None:
    proper = {"acq": _ACQUIRE, "rel": _RELEASE, "rlx": _RELAXED, "both": "cuda::memory_order_acq_rel"}
    chosen = proper if orders != "relaxed" else dict.fromkeys(proper, _RELAXED)
    text = _SENSE.format(**chosen).replace("y.store(1 - round", "y.store(1 - round").replace("== round", "== round")
    run = run_of(kernel(text, text))
    assert explore(progress_problem(run, "Termination").system, "Termination").holds
    assert is_stuck(run) is hangs


# ---------------------------------------------------------------- engines and random programs


@pytest.mark.parametrize("seed", range(_PROGRAMS or 10))
@pytest.mark.sampled(5)
def test_sequentially_consistent_programs_get_stuck_where_schedules_do(run_of: Callable[..., Run], seed: int) -> None:
    run = run_of(program(random.Random(seed), SEQUENTIAL))
    asked = search(run, "Termination")
    if asked.problem.base.graph.reads_from_pairs > 1500:
        return
    found = answers(asked)
    answer = explore(progress_problem(run, "Termination").system, "Termination", 20)
    if answer.holds is None:
        return
    if found[STUCK] is not None:
        assert not answer.holds
    elif found[UNDECIDED] is None:
        assert answer.holds


def alloy_finds(asked: Search, jars: Jars, workers: Workers, folder: Path) -> dict[str, bool]:
    """Which executions Alloy finds, each checked."""
    problem = asked.problem
    specification = folder / f"{problem.name}.als"
    specification.write_text(emit(problem), encoding="utf-8")
    instances = alloy.run(jars["alloy"], specification, workers, folder, None).instances
    assert instances is not None
    chosen = alloy.choices(instances, problem.base.graph)
    for choice in chosen.values():
        assert choice is None or not Execution(problem.base, problem.model, choice).problems
    return {name: choice is not None for name, choice in chosen.items()}


@pytest.mark.sampled(2)
@pytest.mark.jvm
@pytest.mark.parametrize("model", ["cuda-v3", "cuda-v1", "rc11", "ptx", "sc-drf"])
@pytest.mark.parametrize("row", _TABLE)
def test_the_engines_agree_on_the_table(
    run_of: Callable[..., Run], jars: Jars, workers: Workers, tmp_path: Path, row: str, model: str
) -> None:
    for name in _COLUMNS:
        asked = search(run_of(column(_TABLE[row][0], name), model=model), "Termination")
        found = {question: execution is not None for question, execution in answers(asked).items()}
        folder = tmp_path / name.replace("/", " ")
        folder.mkdir()
        assert alloy_finds(asked, jars, workers, folder) == found


@pytest.mark.sampled(4)
@pytest.mark.jvm
@pytest.mark.parametrize("seed", range(1000, 1000 + (_PROGRAMS or 12)))
def test_the_engines_agree_on_random_programs(
    run_of: Callable[..., Run], jars: Jars, workers: Workers, tmp_path: Path, seed: int
) -> None:
    asked = search(run_of(program(random.Random(seed))), "Termination")
    if asked.problem.base.graph.reads_from_pairs > 120:
        return
    found = {question: execution is not None for question, execution in answers(asked).items()}
    assert alloy_finds(asked, jars, workers, tmp_path) == found


# ---------------------------------------------------------------- mutations


_UNTIL_TOLD = kernel("f.wait(0);", "f.store(1); f.notify_all();")
_ONE_BLOCK = kernel("if (threadIdx.x == 0) while (f.load() == 0); else f.store(1);", launch="k<<<1, 2>>>();")
_QUERIES = (
    "#include <cuda/atomic>\n__managed__ cuda::atomic<int, cuda::thread_scope_system> f{0};\n"
    "__global__ void k() { f.store(1); }\n"
    "int main() { k<<<1, 1>>>(); while (f.load() == 0) (void)cudaStreamQuery(0); }\n//@ expect terminates;\n"
)


@pytest.mark.parametrize(("axiom", "text"), [("last_write", _ONE_BLOCK), ("asleep", _UNTIL_TOLD)])
def test_an_axiom_of_stuck_executions_that_is_removed_is_noticed(
    run_of: Callable[..., Run], axiom: str, text: str
) -> None:
    asked = search(run_of(text), "Termination")
    assert answers(asked)[STUCK] is None
    model = asked.problem.model
    assert axiom in {a.name for a in model.axioms}
    less = replace(model, axioms=tuple(a for a in model.axioms if a.name != axiom))
    without = replace(asked, problem=replace(asked.problem, model=less))
    assert answers(without)[STUCK] is not None


@pytest.mark.parametrize(
    ("promise", "text", "progress"),
    [
        ("ApiProgress", _ONE_BLOCK, "cuda"),
        ("DeviceProgress", _ONE_BLOCK, "cuda"),
        ("QueryProgress", _QUERIES, "cuda"),
        ("ThreadProgress", _ONE_BLOCK, "fair"),
        ("SomeProgress", _ONE_BLOCK.replace("while (f.load() == 0)", "f.store(2)"), "obe"),
    ],
)
def test_a_promise_that_is_removed_is_noticed(
    run_of: Callable[..., Run], monkeypatch: pytest.MonkeyPatch, promise: str, text: str, progress: str
) -> None:
    run = run_of(text, progress=progress)
    assert not is_stuck(run)
    made = [p for p in promises(progress_problem(run, "Termination").system) if p.name != promise]
    assert len(made) < len(list(promises(progress_problem(run, "Termination").system)))
    monkeypatch.setattr(conditions, "promises", lambda _: made)
    assert is_stuck(run)


def test_an_arrival_in_a_loop_that_a_read_ends_is_repeated_in_no_hang(tmp_path: Path) -> None:
    """A turn that is repeated for ever changes nothing, so that the arrival in it has no write."""
    text = """#include <cuda/ptx>
__device__ int x;
__global__ void k() {
    __shared__ std::uint64_t b;
    if (threadIdx.x == 0) cuda::ptx::mbarrier_init(&b, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        int n = *(volatile int*)&x;
        for (int i = 0; i FIRST n; ++i) cuda::ptx::mbarrier_arrive(&b);
    } else {
        while (!cuda::ptx::mbarrier_try_wait_parity(&b, 0)) {}
    }
}
//@ launch k<<<1, 2>>>();
//@ expect terminates;
"""
    found = []
    for first in ("<=", "<"):
        (tmp_path / "k.cu").write_text(text.replace("FIRST", first))
        (outcome,) = check([tmp_path / "k.cu"], Settings(engine="embedded"))
        found += [c.verdict for r in outcome.reports for c in r.checks if c.expectation.kind == "terminates"]
    assert found == ["holds", "violated"]
