"""Whole warps at mbarriers, in schedules: they end or hang as without the sure steps there."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from scopec.engines.embedded.progress.fair_cycles import Answer, solve
from scopec.engines.embedded.progress.settled_waits import settled_ways
from scopec.progress.build import build
from scopec.progress.reductions import Reductions
from scopec.progress.schedule import Kind
from scopec.session.check import Settings, check
from scopec.session.inquiry.questions import progress_problem
from scopec.session.plan import Overrides, plan
from tests.mbarrier_programs import (
    Arrive,
    Copy,
    Follow,
    Init,
    Look,
    Meet,
    Sync,
    Threads,
    Wait,
    program_of,
    random_program,
)
from tests.samples import programs
from tests.test_settled_phases import FENCE, MISTAKES, RING, checked, verdict

COUNT = programs(40, 2000)
ALL, NONE = Reductions(many=0), Reductions(sure_steps=False)


def test_whole_warps_come_to_their_end(tmp_path: Path) -> None:
    """With each consumer there are eight times more schedules."""
    text = RING.format(tiles=4, consumers=32, fence=FENCE).replace("race_free", "terminates")
    assert verdict(checked(tmp_path / "ring.cu", text)) == "holds"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_whole_warps_that_hang(mistake: str, tmp_path: Path) -> None:
    """The schedule that is shown goes round with a look of each thread that waits."""
    old, new = MISTAKES[mistake]
    assert old in RING
    path = tmp_path / "ring.cu"
    path.write_text(
        RING.replace(old, new).format(tiles=4, consumers=32, fence=FENCE).replace("race_free", "terminates")
    )
    (run,) = plan(path, "ring.cu", Overrides()).runs
    found = solve(progress_problem(run, "Termination").system, "Termination")
    assert found.states < 20
    assert found.schedule is not None
    assert found.schedule.kind is Kind.LIVELOCK
    assert found.schedule.loop_to is not None
    around = {move.thread for move in found.schedule.moves[found.schedule.loop_to :]}
    assert around == {stays.thread for stays in found.schedule.behind} - {"main"}


#: A producer's lane and two warps that consume: their lanes meet before one of them arrives for its warp.
WARPS = """#include <cuda/ptx>
namespace ptx = cuda::ptx;
__device__ alignas(16) int input[3][64];
__device__ int output[64];
__device__ void wait(std::uint64_t* b, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(b, parity)) {}
}
__global__ void ring() {
    __shared__ alignas(16) int tile[2][64];
    __shared__ std::uint64_t full[2], empty[2];
    if (threadIdx.x == 0) {
        for (int s = 0; s < 2; s++) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], 2);
        }
    }
    __syncthreads();
    if (threadIdx.x == 64) {
        for (int t = 0; t < 3; t++) {
            wait(&empty[t % 2], (t / 2 & 1) ^ 1);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[t % 2], 256);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[t % 2], input[t], 256, &full[t % 2]);
        }
    } else if (threadIdx.x < 64) {
        for (int t = 0; t < 3; t++) {
            wait(&full[t % 2], t / 2 & 1);
            output[threadIdx.x] += tile[t % 2][threadIdx.x];
            ptx::fence_proxy_async(ptx::space_shared);
            __syncwarp();
            if (threadIdx.x % 32 == 0) ptx::mbarrier_arrive(&empty[t % 2]);
        }
    }
}
//@ launch ring<<<1, 65>>>();
//@ expect race_free;
//@ expect terminates;
"""


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("", "", ["holds", "holds"]),
        ("    ptx::fence_proxy_async(ptx::space_shared);", "", ["violated", "holds"]),
        ("^ 1);", "^ 0);", ["holds", "violated"]),
        ("&empty[s], 2", "&empty[s], 3", ["holds", "violated"]),
    ],
    ids=["ring", "no fence", "first parity", "count"],
)
def test_one_lane_arrives_for_its_warp(old: str, new: str, found: list[str], tmp_path: Path) -> None:
    path = tmp_path / "ring.cu"
    path.write_text(WARPS.replace(old, new))
    (outcome,) = check([path], Settings(engine="embedded"))
    (report,) = outcome.reports
    assert [c.verdict for c in report.checks if not c.expectation.implicit] == found


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("old", "new"),
    [("            wait(&empty[t % 2], (t / 2 & 1) ^ 1);\n", ""), ("&empty[s], 2", "&empty[s], 1")],
    ids=["no wait for empty", "count"],
)
def test_a_stage_that_is_overwritten_too_early(old: str, new: str, tmp_path: Path) -> None:
    assert old in WARPS
    path = tmp_path / "ring.cu"
    path.write_text(WARPS.replace(old, new).replace("//@ expect terminates;", ""))
    (outcome,) = check([path], Settings(engine="embedded"))
    assert [c.verdict for c in outcome.reports[0].checks if not c.expectation.implicit] == ["violated"]


def asked(threads: Threads, reductions: Reductions) -> Answer:
    return solve(build(program_of(threads), reductions=reductions), "Termination")


def is_settled(threads: Threads) -> bool:
    return bool(settled_ways(build(program_of(threads), reductions=ALL)))


#: Programs of which the first is settled, and the second is not, for one reason.
CONDITIONS: dict[str, tuple[Threads, Threads]] = {
    "what a look finds decides nothing": (
        ((Init(2), Sync(), Arrive(), Wait(0, polls=True), Arrive()), (Sync(), Arrive(), Wait(0), Arrive())),
        ((Init(2), Sync(), Arrive(), Look(0), Arrive()), (Sync(), Arrive(), Wait(0), Arrive())),
    ),
    "who finds no phase over looks again": (
        ((Init(1), Sync(), Arrive()), (Sync(), Wait(0, polls=True))),
        ((Init(1), Sync(), Arrive()), (Sync(), Look(0, hangs=False))),
    ),
    "nobody is left at a barrier": (
        ((Init(2), Sync(), Arrive(), Wait(0)), (Sync(),)),
        ((Init(2), Sync(), Arrive(), Wait(0)), (Sync(), Sync(), Arrive(), Wait(0))),
    ),
    "who waits in vain has waited for the phase before": (
        ((Init(3), Sync(), Arrive(), Wait(0), Arrive(), Wait(1)), (Sync(), Arrive(2), Wait(0), Arrive(), Wait(1))),
        ((Init(1), Sync(), Arrive(), Wait(0)), (Sync(), Wait(1))),
    ),
    "lanes that meet come before those that go on": (
        ((Init(1), Sync(), Arrive(), Wait(0), Meet(), Arrive()), (Sync(), Wait(0), Meet())),
        ((Init(1), Sync(), Arrive(), Wait(0), Meet(0b01), Arrive()), (Sync(), Wait(0), Meet(0b10))),
    ),
    "all lanes that meet wait": (
        ((Init(1), Meet()), (Meet(), Arrive())),
        ((Init(1), Meet()), (Meet(waits=False), Arrive())),
    ),
    "nobody is left at a barrier of lanes": (
        ((Init(1), Sync(), Arrive(), Wait(0), Meet(), Arrive()), (Sync(), Wait(0), Meet())),
        ((Init(1), Sync(), Arrive(), Wait(0), Meet(), Meet(), Arrive()), (Sync(), Wait(0), Meet())),
    ),
    "nobody leaves for good": (
        ((Init(1), Sync(), Arrive()), (Sync(), Wait(0))),
        ((Init(1), Sync(), Arrive(drop=True)), (Sync(), Wait(0))),
    ),
    "a phase waits for what it is made for": (
        ((Init(1), Sync(), Arrive()), (Sync(), Wait(0))),
        ((Init(1), Sync(), Follow(counted=False), Arrive()), (Sync(), Wait(0))),
    ),
    "nobody has to come before others": (
        ((Init(2), Sync(), Arrive()), (Sync(), Arrive(), Wait(0))),
        ((Init(2), Sync(), Arrive(partial=True)), (Sync(), Arrive(), Wait(0))),
    ),
    "who arrives behind copies is alone in a phase": (
        ((Init(1), Sync(), Follow(), Wait(0), Follow()), (Sync(), Wait(1))),
        ((Init(2), Sync(), Follow(), Arrive()), (Sync(), Wait(0))),
    ),
    "who arrives again has waited": (
        ((Init(2), Sync(), Arrive(), Wait(0), Arrive(), Wait(1)), (Sync(), Arrive(), Wait(0), Arrive())),
        ((Init(2), Sync(), Arrive(), Wait(0), Arrive(), Wait(1)), (Sync(), Arrive(expect=16), Copy(16), Arrive())),
    ),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_each_condition_is_needed(name: str) -> None:
    settled, other = CONDITIONS[name]
    assert is_settled(settled)
    assert not is_settled(other)
    for threads in (settled, other):
        assert asked(threads, ALL).holds is asked(threads, NONE).holds


def test_no_hang_is_lost() -> None:
    """Programs that a look, a test or a barrier more makes another: a fifth of them is settled."""
    settled = 0
    for seed in range(COUNT):
        threads = random_program(Random(7000 + seed))
        own = is_settled(threads)
        assert asked(threads, ALL).holds is asked(threads, NONE).holds, threads
        settled += own
    assert settled > COUNT // 8
