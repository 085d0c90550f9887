"""One race that nothing can order answers for all: given programs, and random ones with it and without.

``SCOPEC_RANDOM_PROGRAMS`` sets how many.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from scopec.memory.reduce.constant_order import ConstantOrder
from scopec.session.check import Settings, check
from scopec.session.inquiry.run import Run
from scopec.session.plan import Overrides, plan
from tests.samples import programs
from tests.sizes import sizes

COUNT = programs(24, 200)
HEAD = """#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_block> own{0};
__device__ cuda::atomic<int, cuda::thread_scope_device> all{0};
__device__ int x, y, out[8];
"""
#: A lock at each scope around what follows it.
LOCKED = (
    "while ({lock}.exchange(1, cuda::memory_order_{taken}) != 0); {body} {lock}.store(0, cuda::memory_order_release);"
)


def kernel(body: str, asked: str = "race_free", blocks: int = 2, threads: int = 2) -> str:
    return f"{HEAD}__global__ void k() {{ {body} }}\n//@ launch k<<<{blocks}, {threads}>>>();\n//@ expect {asked};\n"


def locked(body: str, lock: str = "own", taken: str = "acquire") -> str:
    return LOCKED.format(lock=lock, taken=taken, body=body)


def run_of(text: str, folder: Path) -> Run:
    path = folder / "program.cu"
    path.write_text(text)
    (run,) = plan(path, path.name, Overrides()).runs
    return run


def verdicts(text: str, folder: Path, without: frozenset[str] = frozenset()) -> list[str]:
    """Of every check; a race that is none would be an error."""
    path = folder / "program.cu"
    path.write_text(text)
    (outcome,) = check([path], Settings(Overrides(without=without), engine="embedded", timeout=60, cache=False))
    assert outcome.failure is None
    return [c.verdict for report in outcome.reports for c in report.checks if not c.expectation.implicit]


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes(monkeypatch, events=0)


def test_atomic_operations_race_at_scopes_that_leave_a_thread_out(tmp_path: Path) -> None:
    """And two threads are left of them; within one block they do not race."""
    text = kernel("own.fetch_add(1, cuda::memory_order_relaxed);", threads=8)
    run = run_of(text, tmp_path)
    assert run.graph.one_race
    assert len({e.thread for e in run.graph.events if e.thread}) == 2
    assert verdicts(text, tmp_path) == ["violated"]
    assert not run_of(text.replace("<<<2, 8>>>", "<<<1, 8>>>"), tmp_path).graph.one_race


def test_a_race_that_is_asked_for_is_looked_for_where_it_is_asked_for(tmp_path: Path) -> None:
    """One elsewhere is no answer to it, nor to two."""
    body = "x = 1; own.fetch_add(1, cuda::memory_order_relaxed);"
    for asked, on in (("race on x", "x"), ("race on own", "own"), ("race_free", "x")):
        run = run_of(kernel(body, asked), tmp_path)
        assert run.graph.one_race
        assert {e.location.object for e in run.graph.events if e.thread and e.location} == {on}
        assert verdicts(kernel(body, asked), tmp_path) == (["violated"] if asked == "race_free" else ["holds"])
    assert not run_of(kernel(body, "race on all"), tmp_path).graph.one_race
    assert verdicts(kernel(body, "race on all"), tmp_path) == ["violated"]
    assert not run_of(kernel(body, "race on x;\n//@ expect race on own"), tmp_path).graph.one_race


STATEMENTS = (
    "x = {n};", "y = x;", "out[{n}] = x;", "int r{i} = y;",
    "{a}.fetch_add(1, cuda::memory_order_{rmw});", "{a}.store({n}, cuda::memory_order_{store});",
    "if ({a}.load(cuda::memory_order_{load}) == {n}) x = 2;", "while ({a}.load(cuda::memory_order_{load}) == 3);",
    "if (t == {n}) y = 1;", "if (blockIdx.x == {n}) x = 1;", "__syncthreads();", "atomicAdd{block}(&y, 1);",
    "{{ int e = {n}; if ({a}.compare_exchange_strong(e, 5, cuda::memory_order_{rmw})) x = e; }}",
    "cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_{scope});",
)  # fmt: skip


def statement(chance: random.Random, i: int) -> str:
    text = chance.choice(STATEMENTS).format(
        n=chance.randrange(2), i=i, a=chance.choice(["own", "all"]), scope=chance.choice(["block", "device"]),
        rmw=chance.choice(["relaxed", "acquire", "acq_rel"]), store=chance.choice(["relaxed", "release"]),
        load=chance.choice(["relaxed", "acquire"]), block=chance.choice(["", "_block"]),
    )  # fmt: skip
    if chance.random() < 0.25 and "sync" not in text and "int r" not in text:
        return locked(text, chance.choice(["own", "all"]), chance.choice(["acquire", "relaxed"]))
    return text


def program(seed: int) -> str:
    chance = random.Random(seed)
    body = "int t = threadIdx.x; " + " ".join(statement(chance, i) for i in range(chance.randint(1, 4)))
    asked = chance.choice(["race_free"] * 3 + ["race on x", "race on own", "race_free;\n//@ expect race on y"])
    return kernel(body, asked, threads=chance.randint(1, 2))


@pytest.mark.parametrize("seeds", [range(n, n + 8) for n in range(0, COUNT, 8)], ids=str)
@pytest.mark.sampled(2)
def test_one_race_answers_as_all_do(seeds: range, tmp_path: Path) -> None:
    for seed in seeds:
        text = program(seed)
        assert verdicts(text, tmp_path) == verdicts(text, tmp_path, frozenset({"racing"})), (seed, text)


def test_the_random_programs_have_races_that_are_certain(tmp_path: Path) -> None:
    found = [run_of(program(seed), tmp_path).graph.one_race for seed in range(24)]
    assert 3 < sum(found) < 23


# ---------------------------------------------------------------- what is no certain race

#: Two grids of which the second one writes what the first one has written.
GRIDS = """__device__ int g, h[20];
__global__ void k() { if (threadIdx.x == 0) g = 1; h[threadIdx.x] = 1; }
//@ launch k<<<1, 20>>>();
//@ launch k<<<1, 20>>>();
//@ expect race_free;
"""


def test_a_certain_race_that_is_none_is_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a wrong reduction leaves of a program, two accesses that do not race, says nothing of the others."""
    (tmp_path / "program.cu").write_text(GRIDS)
    monkeypatch.setattr(ConstantOrder, "may_connect", lambda *_: False)
    without = ("settled", "condensed")
    assert verdicts(GRIDS, tmp_path, frozenset((*without, "racing"))) == ["holds"]
    (outcome,) = check(
        [tmp_path / "program.cu"], Settings(Overrides(without=frozenset(without)), engine="embedded", cache=False)
    )
    assert outcome.exit_code == 3
    assert "(`--without racing` asks about all races): this is a bug in scopec" in (outcome.failure or "")


#: Accesses that a barrier orders, and that atomics may order.
BOTH = """#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> flag;
__device__ int x;
__global__ void k() {
    if (threadIdx.x == 0) x = 1;
    flag.fetch_add(1);
    __syncthreads();
    flag.fetch_add(1);
    if (threadIdx.x == 1) x = 2;
}
//@ launch k<<<1, 20>>>();
//@ expect race_free;
"""


def test_what_atomics_may_order_is_no_certain_race(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A barrier without a proxy fence orders too little, but there may be one on the way through the atomics."""
    monkeypatch.setattr(ConstantOrder, "may_connect", lambda *_: False)
    for program, certain in ((BOTH, False), (BOTH.replace("flag.fetch_add(1);", ""), True)):
        (tmp_path / "program.cu").write_text(program)
        (run,) = plan(tmp_path / "program.cu", "p.cu", Overrides(without=frozenset(("settled", "condensed")))).runs

        assert run.graph.one_race is certain


#: A lane whose way a value decides that it gets from a lane which runs after it.
LATER = """__device__ int a[2], x, y;
__global__ void k() {
    a[threadIdx.x] = threadIdx.x + 1;
    int other = __shfl_sync(3, a[threadIdx.x], 1);
    if (other == 2) { if (threadIdx.x == 1) x = 2; else y = 1; } else x = 1;
}
//@ launch k<<<1, 2>>>();
//@ expect race_free;
"""


def test_a_way_that_another_lane_decides_later_is_not_known(tmp_path: Path) -> None:
    (tmp_path / "program.cu").write_text(LATER)
    (run,) = plan(tmp_path / "program.cu", "p.cu", Overrides(without=frozenset(("settled", "condensed")))).runs
    assert not run.graph.one_race
    assert verdicts(LATER, tmp_path, frozenset(("settled", "condensed"))) == ["holds"]
