"""Starts of whole units, and steps of a thread's own arithmetic, are not interleaved, and no answer changes.

``SCOPEC_RANDOM_PROGRAMS`` sets how many random programs are tried.
"""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scopec.engines.embedded.progress import persistent_steps
from scopec.engines.embedded.progress.fair_cycles import Answer, solve
from scopec.progress import stepper
from scopec.progress.reductions import Reductions
from scopec.progress.steps import Tick
from scopec.session.inquiry.questions import progress_problem
from scopec.session.plan import Overrides, plan
from tests.random_progress import progress_program, progress_text
from tests.samples import programs

if TYPE_CHECKING:
    from scopec.progress.models import Property
    from scopec.progress.system import System
    from scopec.session.inquiry.run import Run

NAMES = ("whole_units", "fused")
MODELS = ("cuda", "cuda-resident", "cuda-in-order", "fair", "obe", "hsa", "hsa-obe", "lobe", "none")
#: How long one answer of a random program may take.
SECONDS = 2.0
HEAD = """#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> flag, seat[18];
"""


def answer(run: Run, property_: Property = "Termination", *without: str, seconds: float | None = None) -> Answer:
    """However few threads there are; sure steps of other kinds are interleaved."""
    problem = progress_problem(run, property_)
    reductions = replace(Reductions(several=1, sure_steps=False), **dict.fromkeys(without, False))
    return solve(replace(problem, reductions=reductions).system, property_, seconds)


def only(text: str, folder: Path, name: str = "program.cu") -> Run:
    path = folder / name
    path.write_text(text)
    (run,) = plan(path, path.name, Overrides()).runs
    return run


def kernel(body: str, threads: int, expected: str = "terminates", more: str = "") -> str:
    return f"{HEAD}__global__ void k() {{ {body} }}\n//@ launch k<<<1, {threads}>>>();\n//@ expect {expected};\n{more}"


def ring(threads: int, more: str = "") -> str:
    passed = f"seat[(threadIdx.x + 1) % {threads}].store(1);"
    return f"if (threadIdx.x == 0) seat[0].store(1); while (seat[threadIdx.x].load() == 0); {more} {passed}"


@pytest.mark.parametrize(("more", "ends"), [("", True), ("if (threadIdx.x == 4) return;", False)])
def test_a_ring_of_waits_has_few_states(more: str, ends: bool, tmp_path: Path) -> None:
    run = only(kernel(ring(6, more), 6), tmp_path)
    less = answer(run)
    assert less.holds is ends
    assert less.states < 40
    for name in NAMES:
        found = answer(run, "Termination", name)
        assert found.holds is ends
        assert found.states >= less.states
    assert answer(run, "Termination", *NAMES).states > 4 * less.states


def test_a_start_with_others_is_a_step_of_a_schedule(tmp_path: Path) -> None:
    """It does nothing but start: what a thread does first it does later."""
    shown = answer(only(kernel("flag.fetch_add(1); while (flag.load() < 5);", 4), tmp_path)).schedule
    assert shown is not None
    actions = [move.action for move in shown.moves if move.thread != "main"]
    assert [action.partition(" flag")[0] for action in actions] == [
        "starts, updates",
        *["starts"] * 3,
        *["updates"] * 3,
    ]


#: Where nothing is owed to who has started, the next thread starts only while the device is quiet.
QUIET = """PTX quiet
{ x = 0; }
 P0@cta 0,gpu 0       | P1@cta 0,gpu 0       ;
 L0:                  | L1:                  ;
 ld.relaxed.gpu r0, x | ld.relaxed.gpu r0, x ;
 beq r0, 1, L0        | beq r0, 1, L1        ;
//@ options host_progress = none;
//@ expect terminates under cuda;
exists (0:r0=0)
"""


def test_that_whoever_has_started_is_owed_steps_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = only(QUIET, tmp_path, "quiet.litmus")
    assert answer(run).holds
    monkeypatch.setattr(persistent_steps, "_keeps", lambda _: True)
    assert answer(run).holds is False
    assert answer(run, "Termination", *NAMES).holds


def test_a_turn_of_a_poll_is_a_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that looks for ever makes progress, though its other steps lead back to where it was."""
    monkeypatch.setattr(stepper, "_MOST_WAYS", 2)
    run = only(kernel("while (seat[(threadIdx.x + 3) % 4].load() == 0);", 4, "progresses"), tmp_path)
    assert persistent_steps._fused(progress_problem(run, "Progress").system)
    for without in ((), *zip(NAMES), NAMES):
        assert answer(run, "Progress", *without).holds
        assert answer(run, "Termination", *without).holds is False


def test_that_silent_cycles_are_not_fused_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two branches in turn lead to each other for ever."""
    monkeypatch.setattr(stepper, "_MOST_WAYS", 2)
    body = "int s = flag.load(); while (s < 9) { if (s > 2) s ^= 3; else s ^= 5; } flag.store(s);"
    run = only(kernel(body, 2), tmp_path)
    assert answer(run).holds is answer(run, "Termination", *NAMES).holds is False

    def ticks(system: System) -> frozenset[str]:
        return frozenset(label for label, step in system.steps.items() if isinstance(step.operation, Tick))

    monkeypatch.setattr(persistent_steps, "_fused", ticks)
    assert answer(run, seconds=1).holds is None


def random_body(seed: int) -> str:
    """Waits with branches in their turns, and writes that may end them."""
    chance = random.Random(seed)

    def statement(depth: int) -> str:
        flag = chance.choice(["seat[0]", "seat[1]", "seat[threadIdx.x]", "flag"])
        value = chance.randrange(3)
        inner = statement(depth + 1) if depth < 2 else ""
        return chance.choice([
            f"{flag}.store({value});",
            f"{flag}.fetch_add(1);",
            f"while ({flag}.load() == {value}) {{ if (threadIdx.x == {value}) {{ {inner} }} }}",
            f"while ({flag}.load() != {value});",
            f"if (threadIdx.x == {value}) {{ {inner} }} else {{ {statement(2) if depth < 2 else ''} }}",
            f"if ({flag}.load() == {value}) {{ {inner} }}",
            f"if ({flag}.load() == {value}) return;",
            "__syncthreads();" if depth == 0 else "",
        ])  # fmt: skip

    return " ".join(statement(0) for _ in range(chance.randrange(1, 4)))


@pytest.mark.parametrize("seed", range(programs(8, 100)))
@pytest.mark.sampled(4)
def test_no_answer_changes(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each branch is a step of its own, so that there is more to fuse."""
    chance = random.Random(seed)
    monkeypatch.setattr(stepper, "_MOST_WAYS", 2)
    model = chance.choice(MODELS)
    if seed % 4:
        text = kernel(random_body(seed), 1 + seed % 3, f"terminates under {model}")
    else:
        text = progress_text(progress_program(chance))
    path = tmp_path / "program.cu"
    path.write_text(text)
    for run in plan(path, path.name, Overrides()).runs:
        for property_ in ("Termination", "Progress"):
            whole = answer(run, property_, *NAMES, seconds=SECONDS)  # type: ignore[arg-type]
            for without in ((), NAMES[:1], NAMES[1:]):
                found = answer(run, property_, *without, seconds=SECONDS)  # type: ignore[arg-type]
                assert found.holds is whole.holds or None in (found.holds, whole.holds), (property_, without, text)
