"""Memory models beyond CUDA: what an execution under a partial coherence order is, and what the models have in common."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from scopec.engines.embedded.memory.sat import executions, solve
from scopec.memory.cat import registry
from scopec.memory.choice import Choice
from scopec.memory.execution import Execution
from scopec.memory.questions import Goal, Problem
from scopec.session.inquiry.run import Run
from scopec.session.plan import Overrides, plan
from tests.conftest import REPOSITORY

PTX = REPOSITORY / "specs" / "ptx"
FIXTURES = REPOSITORY / "tests" / "fixtures" / "cat"


def run_of(path: Path, model: str = "ptx", **variant: str) -> Run:
    runs = plan(path, path.name, Overrides(cache=True)).runs
    (found,) = (r for r in runs if r.model.name == model and dict(r.program.variant) == variant)
    return found


def problems(run: Run, choice: Choice) -> list[str]:
    return list(Execution(run.problem.base, run.problem.model, choice).problems)


def chosen(run: Run, question: str) -> Choice:
    found = solve(run.problem)
    assert found is not None
    choice = found[question]
    assert choice is not None
    return choice


def test_a_partial_coherence_order_is_an_order() -> None:
    run = run_of(PTX / "two-orders.cu", WEAK="true")
    choice = chosen(run, "allowed_1")
    first, second = "writes_0_0_L12_W", "writes_1_0_L15_W"
    between = {(first, second), (second, first)}
    assert not choice.co & between
    assert problems(run, choice) == []

    def with_co(*more: tuple[str, str], without: tuple[str, str] | None = None) -> list[str]:
        co = frozenset({*choice.co, *more} - {without})
        return problems(run, Choice(choice.rf, co, choice.choices, choice.written, choice.sync_fence, choice.last))

    assert "co of x is not an order" in with_co(*between)
    assert "co of x is not an order" in with_co(without=("init_x", first))
    assert "axiom causality" in with_co((first, second))  # an order, but not of this execution


def test_the_last_write_is_a_last_write() -> None:
    """Where nothing orders two writes, the final value is that of either."""
    run = run_of(PTX / "last-write.cu", RELEASE="relaxed")
    ends = {}
    for question in ("allowed_1", "allowed_2"):
        choice = chosen(run, question)
        execution = Execution(run.problem.base, run.problem.model, choice)
        assert execution.problems == ()
        ends[question] = {at.object: value for at, value in execution.final_memory().items()}["x"]
    assert ends == {"allowed_1": 1, "allowed_2": 2}
    choice = chosen(run, "allowed_1")
    (x,) = (at for at in choice.last if at.object == "x")
    stale = Choice(choice.rf, choice.co, choice.choices, choice.written, choice.sync_fence, {x: "init_x"})
    assert problems(run, stale) == ["init_x is not a last write to x"]


def test_the_order_of_fences() -> None:
    """Fence-SC order: total where the fences include each other, without cycles, and never against causality.

    The last is the axiom fence_sc.  It forbids no outcome, because an order along causality can be chosen as well; it
    says which orders there are.
    """
    run = run_of(PTX / "store-buffering.cu", S="device")
    choice = chosen(run, "execution")
    one, other = "sb_0_0_L12_F", "sb_1_0_L16_F"

    def ordered(*pairs: tuple[str, str]) -> list[str]:
        order = frozenset(pairs)
        return problems(run, Choice(choice.rf, choice.co, choice.choices, choice.written, order, choice.last))

    wrong = "sync_fence is not an order of the seq_cst fences that include each other"
    assert wrong in ordered()
    assert wrong in ordered((one, other), (other, one))
    assert wrong in ordered((one, other), (one, "sb_0_0_L11_W"))
    assert [] in (ordered((one, other)), ordered((other, one)))


def test_fences_are_not_ordered_against_causality(tmp_path: Path) -> None:
    path = tmp_path / "fences.cu"
    path.write_text(
        """
        __device__ int x = 0, f = 0;
        __global__ void mp() {
            cuda::atomic_ref<int, cuda::thread_scope_device> flag(f);
            int r = 0;
            if (blockIdx.x == 0) {
                cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
                flag.store(1, cuda::memory_order_relaxed);
            } else {
                r = flag.load(cuda::memory_order_relaxed);
                cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
            }
        }
        //@ launch mp<<<2, 1>>>();
        //@ expect allowed mp[1][0].r == 1 under ptx;
        """
    )
    run = run_of(path)
    question = next(q for q in run.problem.questions if q.name == "allowed_1")
    orders = {choice.sync_fence for choice in executions(run.problem, question)}
    assert orders == {frozenset({("mp_0_0_L7_F", "mp_1_0_L11_F")})}
    choice = chosen(run, "allowed_1")
    against = frozenset({("mp_1_0_L11_F", "mp_0_0_L7_F")})
    wrong = problems(run, Choice(choice.rf, choice.co, choice.choices, choice.written, against, choice.last))
    assert "axiom fence_sc" in wrong


def test_a_race_of_ptx_is_looked_for_where_it_is_asked() -> None:
    """It takes the meaning of nothing else; a listing of final states tells which of them race."""
    run = run_of(PTX / "launch.cu")
    assert {c.kind for c in run.checks}.isdisjoint({"race", "race_free"})
    assert [q.name for q in run.problem.questions if q.goal is Goal.RACE] == []
    listing = replace(run, listing=True)
    assert [q.name for q in listing.problem.questions if q.goal is Goal.RACE] == ["race"]


def answers(problem: Problem) -> dict[str, bool]:
    found = solve(problem)
    assert found is not None
    return {name: choice is not None for name, choice in found.items()}


def under(run: Run, file: Path) -> Problem:
    """A run's questions under a model of the user's."""
    entry = registry.find(str(file))
    base = replace(run.problem.base, version=entry.version, whole=True)
    return replace(run.problem, base=base, model=registry.load(entry, run.settings.options), model_name=entry.name)


@pytest.mark.parametrize(
    "path", sorted(set(PTX.glob("*.cu")) - {PTX / "launch.cu", PTX / "cluster-memory.cu"}), ids=lambda p: p.stem
)
@pytest.mark.sampled(1)
def test_ptx_in_other_words_gives_the_same_answers(path: Path) -> None:
    """A file in Dartagnan's manner, with recursion, `sr` and `syncbar` (but without launches and ends of blocks).

    It has the axiom about thin air that was published: syntactic dependencies.
    """
    for run in plan(path, path.name, Overrides(cache=True)).runs:
        if run.model.name == "ptx":
            model = registry.load(run.model, {**run.settings.options, "thin_air": "syntactic"})
            expected = answers(replace(run.problem, model=model))
            assert answers(under(run, FIXTURES / "dartagnan-style.cat")) == expected


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["message-passing", "release-sequence", "fences", "coherence"])
def test_c11_in_other_words_gives_the_same_answers(name: str) -> None:
    """A file in herd7's manner, without seq_cst, where release sequences are those of C++20."""
    path = REPOSITORY / "specs" / "rc11" / f"{name}.cu"
    for run in plan(path, path.name, Overrides(cache=True)).runs:
        if run.program.variant.get("BY") != "0":
            assert answers(under(run, FIXTURES / "herd-style.cat")) == answers(run.problem)
