"""Steps that need not be interleaved: they change no answer, and are taken once where nothing differs."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from scopec.engines.embedded.progress import persistent_steps, stepping
from scopec.engines.embedded.progress.fair_cycles import solve as solve_progress
from scopec.engines.embedded.progress.states import States
from scopec.session.inquiry import questions
from scopec.session.plan import plan
from tests.sizes import NEVER, sizes
from tests.specifications import KEPT
from tests.test_settled import some_of, verdicts

BLOCKS = """
__device__ int in[32], out[4];
__global__ void k() {
    __shared__ int tile[8];
    int t = threadIdx.x;
    tile[t] = in[8 * blockIdx.x + t];
    __syncthreads();
    for (int step = 4; step > 0; step /= 2) {
        if (t < step) tile[t] += tile[t + step];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = tile[0];
}
int main() {
    k<<<4, 8>>>();
    cudaDeviceSynchronize();
}
//@ expect terminates;
"""


@pytest.mark.sampled(0)
def test_sure_steps_change_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    fewer = 0
    for folder in ("barriers", "cuda-execution-model", "progress-models"):
        for file in some_of(folder):
            for run in plan(file, str(file), KEPT).runs:
                for property_ in run.properties:
                    sizes(monkeypatch, many=NEVER)
                    monkeypatch.setattr(stepping, "MANY", 1 << 30)
                    every = solve_progress(questions.progress_problem(run, property_).system, property_)
                    sizes(monkeypatch, many=1)
                    monkeypatch.setattr(stepping, "MANY", 0)
                    some = solve_progress(questions.progress_problem(run, property_).system, property_)
                    assert some.holds == every.holds, (run.name, property_)
                    fewer += some.states < every.states
                    with monkeypatch.context() as patch:
                        patch.setattr(persistent_steps, "TRIED", 0)
                        system = questions.progress_problem(run, property_).system
                        assert solve_progress(system, property_) == some, (run.name, property_)
    assert fewer > 8


def test_sure_steps_of_a_block_are_taken_once_where_nothing_differs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "program.cu"
    file.write_text(BLOCKS)
    (run,) = plan(file, str(file), KEPT).runs
    taken: dict[int, int] = {}
    take = persistent_steps._taken
    for tried in (0, 64):
        counted = count()
        monkeypatch.setattr(persistent_steps, "TRIED", tried)
        monkeypatch.setattr(persistent_steps, "_taken", lambda *step: next(counted) >= 0 and take(*step))  # noqa: B023
        answer = solve_progress(questions.progress_problem(run, "Termination").system, "Termination")
        assert answer.holds
        taken[tried] = next(counted)
    assert 3 * taken[64] < taken[0]


def test_few_threads_with_many_states_are_reduced_as_many_are(tmp_path: Path) -> None:
    file = tmp_path / "program.cu"
    turns = "for (int turn = 0; turn < {}; turn++) {{ out[t] = in[t + turn]; __syncthreads(); }}"
    few = BLOCKS.replace("<<<4, 8>>>", "<<<2, 4>>>").replace("if (t == 0)", turns.format(4) + "if (t == 0)")
    for text, holds in (
        (few, True),
        (few.replace("if (t == 0)", "if (t == 1) while (*(volatile int*)in == 0); if (t == 0)"), False),
    ):
        file.write_text(text)
        (run,) = plan(file, str(file), KEPT).runs
        system = questions.progress_problem(run, "Termination").system
        answer = solve_progress(system, "Termination", 60)
        assert (answer.holds, answer.states < 200) == (holds, True)
        alone = replace(system, reductions=replace(system.reductions, states=NEVER))
        assert solve_progress(alone, "Termination", 2).states > system.reductions.states


def test_what_asks_whether_a_kernel_has_ended_may_find_that_it_has_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sizes(monkeypatch, many=1)
    text = """
    #include <cuda/atomic>
    __managed__ cuda::atomic<int, cuda::thread_scope_system> flag;
    __global__ void k() { if (threadIdx.x == 0) flag.store(1); __syncthreads(); }
    int main() {
        cudaStream_t s;
        cudaStreamCreate(&s);
        k<<<1, 2, 0, s>>>();
        while (flag.load() == 0);
        if (cudaStreamQuery(s) == cudaErrorNotReady) while (flag.load() == 1);
        cudaDeviceSynchronize();
    }
    //@ expect may_hang under cuda-resident;
    """
    assert verdicts(text, tmp_path) == ["holds"]


#: Threads that read a table, decide by it, and add to what decides nothing.
TABLE = """
__device__ unsigned char table[5000] = {1, 0, 2};
__device__ int sums[4];
__global__ void k() {
    for (int i = threadIdx.x; i < 24; i += 2) {
        int found = 0;
        if (table[i]) found = 1;
        atomicAdd(&sums[blockIdx.x], found);
    }
}
//@ launch k<<<2, 2>>>();
//@ expect terminates;
"""


def test_accesses_to_what_decides_nothing_are_sure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "table.cu").write_text(TABLE)
    (run,) = plan(tmp_path / "table.cu", "table.cu", KEPT).runs
    sizes(monkeypatch, many=1)
    answer = solve_progress(questions.progress_problem(run, "Termination").system, "Termination")
    assert answer.holds
    assert answer.states < 40


def test_what_no_step_writes_is_in_no_state(tmp_path: Path) -> None:
    (tmp_path / "table.cu").write_text(TABLE.replace("sums[blockIdx.x], found", "sums[table[i]], found"))
    (run,) = plan(tmp_path / "table.cu", "table.cu", KEPT).runs
    states = States(questions.progress_problem(run, "Termination").system)
    assert len(states.initial) < 100
    shown = states.moment(states.initial).memory["table"]
    assert (len(shown), shown[0], shown[1], shown[2]) == (5000, 1, 0, 2)
