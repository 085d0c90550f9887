"""Reductions change no verdict: random programs, each state space whole and with everything left out that may be.

``SCOPEC_RANDOM_PROGRAMS`` sets how many programs are tried.
"""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from scopec.engines.java.jars import Jars
from scopec.engines.java.workers import Workers
from scopec.engines.tla import run as tla_run
from scopec.engines.tla.emit import emit
from scopec.progress.build import build
from scopec.progress.models import Property
from scopec.progress.reductions import NOTHING, Reductions
from scopec.session.inquiry.run import Run
from scopec.session.plan import Overrides, plan
from tests.random_progress import progress_program, progress_text
from tests.samples import programs

COUNT = programs(3, 6)


def answer(
    run: Run, property_: Property, reductions: Reductions, jars: Jars, workers: Workers, folder: Path
) -> tuple[bool, int]:
    """Whether the property holds, and how many states there are."""
    folder.mkdir()
    module = emit(build(run.program, run.progress, reductions), "m", ("a random program",), property_)
    (folder / "m.tla").write_text(module.tla)
    # The fast check ends a search early; the numbers of states compare whole ones.
    (folder / "m.cfg").write_text(module.cfg.replace("INVARIANT NotStuck\n", ""))
    found = tla_run.run(jars["tlc"], "m", workers, folder, 300)
    assert found.result is not None
    return found.result.outcome == "holds", found.result.states


@pytest.mark.sampled(1)
@pytest.mark.jvm
@pytest.mark.parametrize("seed", range(1000, 1000 + COUNT))
def test_verdicts_are_those_of_the_whole_state_space(seed: int, jars: Jars, workers: Workers, tmp_path: Path) -> None:
    path = tmp_path / "program.cu"
    path.write_text(progress_text(progress_program(random.Random(seed))))
    (run,) = plan(path, "program.cu", Overrides()).runs
    for property_, polls in (("Termination", True), ("Progress", False)):
        whole, _ = answer(run, property_, NOTHING, jars, workers, tmp_path / f"{property_}-whole")  # type: ignore[arg-type]
        less, _ = answer(run, property_, Reductions(polls=polls), jars, workers, tmp_path / f"{property_}-less")  # type: ignore[arg-type]
        assert whole == less, path.read_text()


HEAD = (
    "__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};\n__global__ void k() { int me = threadIdx.x; "
)

#: For each reduction a kernel of two threads whose state space it makes smaller.
SMALLER = {
    "polls": "x.fetch_add(1); while (x.load() != 2);",
    "start": "x.store(me); while (x.load() > me);",
    "local": "x.fetch_add(1); __threadfence(); volatile int v = me; while (x.load() < v);",
    "registers": "int a = x.fetch_add(me + 1); while (x.load() <= a); while (x.load() != 3);",
    "objects": "y.exchange(me + 1); while (x.load() > 0);",
}


@pytest.mark.jvm
@pytest.mark.parametrize("name", list(SMALLER))
def test_each_reduction_reduces(name: str, jars: Jars, workers: Workers, write, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    text = f"{HEAD} {SMALLER[name]} }}\n//@ launch k<<<1, 2>>>();\n//@ expect terminates;"
    (run,) = plan(write(text), "program.cu", Overrides()).runs
    kept = replace(Reductions(), **{name: False})
    before, more = answer(run, "Termination", kept, jars, workers, tmp_path / "more")
    after, less = answer(run, "Termination", Reductions(), jars, workers, tmp_path / "less")
    assert before == after
    assert less < more


FOUR = {
    "counters": "x.fetch_add(1); y.fetch_add(1); x.fetch_sub(1); y.fetch_sub(1);",
    "loads": "x.store(1); int a = y.load(); y.store(1); int b = x.load();",
    "values": "x.store(me); y.exchange(me); int a = x.fetch_max(me + 1); y.store(me + 1);",
}


@pytest.mark.sampled(2)
@pytest.mark.jvm
@pytest.mark.parametrize("name", list(FOUR))
def test_four_threads_of_four_operations_are_few_states(
    name: str,
    jars: Jars,
    workers: Workers,
    write,
    tmp_path: Path,  # type: ignore[no-untyped-def]
) -> None:
    text = f"{HEAD} {FOUR[name]} }}\n//@ launch k<<<1, 4>>>();\n//@ expect terminates;"
    (run,) = plan(write(text), "program.cu", Overrides()).runs
    holds, states = answer(run, "Termination", Reductions(), jars, workers, tmp_path / "four")
    assert holds
    assert states <= 5000
