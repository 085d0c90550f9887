"""Threads that can be exchanged: to take them in one order changes no answer, against the encoding of every order.

``SCOPEC_RANDOM_PROGRAMS`` sets how many programs are tried (CONTRIBUTING.md names the command for the full sweep).
"""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from benchmarks.programs import lock
from scopec.engines.embedded.memory import symmetry
from scopec.engines.embedded.memory.sat import solve
from scopec.memory.questions import Goal, Question
from scopec.program.ir import Order
from scopec.session.plan import Overrides, plan
from tests.samples import programs

#: How long eight contenders for a lock may take; with the first turns of their loops in order it is minutes.
SECONDS = 60
COUNT = programs(8, 30)

STEPS = (
    "x = 1;", "int r{n} = x;", "f.store({n}, {order});", "g.fetch_add(1, {order});", "f.exchange({n});",
    "if (g.load({order}) == 1) f.store(5);", "int e{n} = 0; f.compare_exchange_weak(e{n}, 7, {order});",
    "while (f.exchange(1, {order}) == 1); x = 2; f.store(0, {order});",
    "while (f.exchange(1) == 1); x = x + 1; f.store(0, {order});",
    "int e{n} = 0; while (!f.compare_exchange_weak(e{n}, 1, {order})) e{n} = 0; x = x + 1; f.store(0);",
    "if (f.exchange(1, {order}) == 0) {{ x = x + 1; f.store(0, {order}); }}",
    "if (g.fetch_add(1, {order}) == 1) f.store(2, {order});", "if (g.load({order}) < 2) g.fetch_add(1);",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(COUNT))
@pytest.mark.sampled(4)
def test_threads_taken_in_order_change_no_answer(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    steps = [
        step.format(n=n, order=f"cuda::memory_order_{chance.choice(('relaxed', 'seq_cst'))}")
        for n, step in enumerate(chance.sample(STEPS, chance.randint(1, 2)))
    ]
    blocks, threads = chance.choice([(2, 1), (1, 2), (3, 1), (1, 3)])
    scope = chance.choice(("block", "device"))
    (tmp_path / "k.cu").write_text(
        f"__device__ int x;\n__device__ cuda::atomic<int, cuda::thread_scope_{scope}> f{{0}}, g{{0}};\n"
        f"__global__ void k() {{ {' '.join(steps)} }}\n//@ launch k<<<{blocks}, {threads}>>>();\n"
        "//@ expect race;\n//@ expect race on x;\n"
        + "".join(f"//@ expect allowed f == {v};\n//@ expect allowed g == {v} && x == {v % 3};\n" for v in range(4))
    )
    (run,) = plan(tmp_path / "k.cu", "k.cu", Overrides()).runs
    groups = symmetry.interchangeable(run.problem)
    writes = any(event.writes and event.thread for event in run.graph.events)
    assert [len(group) for group in groups] == ([blocks * threads] if writes else [])
    ordered = solve(run.problem)
    monkeypatch.setattr("scopec.engines.embedded.memory.sat.ordered_writes", lambda _: ())
    assert {n: c is not None for n, c in ordered.items()} == {n: c is not None for n, c in solve(run.problem).items()}


#: Questions about one thread, values that travel between threads, threads that do not all do the same.
TELLING = (
    "int i{n} = g.fetch_add(1); a[i{n}] = 1;", "int i{n} = f.load() + g.exchange(1); if (i{n} < 2) a[i{n}] = 2;",
    "int t{n} = g.fetch_add(1); assert(t{n} < 2);", "__syncthreads();", "int v{n} = __syncthreads_or(g.load() == 1);",
    "if (__syncthreads_count(f.exchange(2) == 0) == 1) g.store(3);", "if (threadIdx.x == 1) g.store(1);",
    "while (g.load() < 1 && f.exchange(1) == 1); g.store(1);", "a[threadIdx.x % 2] = 1;",
    "int t{n} = g.fetch_add(1, {order}); while (f.load() != t{n}); x = x + 1; f.store(t{n} + 1, {order});",
)  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(COUNT))
def test_what_tells_threads_apart_keeps_its_answer(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    chosen = [*chance.sample(TELLING, chance.randint(1, 2)), *chance.sample(STEPS, 1)]
    chance.shuffle(chosen)
    steps = [step.format(n=n, order="cuda::memory_order_relaxed") for n, step in enumerate(chosen)]
    blocks, threads = chance.choice([(2, 1), (1, 2), (3, 1), (1, 3)])
    first, last = "k[0][0]", f"k[{blocks - 1}][{threads - 1}]"
    local = next((step.split()[1] for step in steps if step.startswith("int ")), None)
    asked = [f"allowed {t}.{local} == {v};" for t in (first, last) for v in (0, 1)] if local else []
    (tmp_path / "k.cu").write_text(
        "__device__ int x, a[2];\n__device__ cuda::atomic<int, cuda::thread_scope_device> f{0}, g{0};\n"
        f"__global__ void k() {{ {' '.join(steps)} }}\n//@ launch k<<<{blocks}, {threads}>>>();\n"
        + "".join(f"//@ expect {e}\n" for e in chance.sample(asked, min(1, len(asked))))
        + "//@ expect race on x;\n//@ expect race on a;\n//@ expect allowed g == 1;\n"
    )
    (run,) = plan(tmp_path / "k.cu", "k.cu", Overrides()).runs
    ordered = solve(run.problem)
    monkeypatch.setattr("scopec.engines.embedded.memory.sat.ordered_writes", lambda _: ())
    assert {n: c is not None for n, c in ordered.items()} == {n: c is not None for n, c in solve(run.problem).items()}


#: What threads do with an element of their own.
OWN = (
    "own[t] = g.fetch_add(1, {order});", "own[t] = f.exchange(t + 1, {order});", "if (own[t] == 0) g.fetch_add(1);",
    "own[t] = x; x = own[t] + 1;", "if (f.exchange(1, {order}) == 0) own[t] = 2;", "own[t] += g.fetch_add(1);",
    "while (f.exchange(1, {order}) == 1); own[t] = x; x = own[t] + 1; f.store(0, {order});",
    "own[t] = f.load(); f.store(own[t] + 1);",
)  # fmt: skip
#: Conditions on these elements, of which some stay the same when threads change places.
ABOUT_OWN = (
    "own[0] != own[1] && own[1] != own[2] && own[2] != own[0]", "own[0] + own[1] + own[2] == 3", "own[1] == 1",
    "own[0] + own[1] - own[2] == 1", "own[0] == 0 || own[1] == 0 || own[2] == 0", "own[0] < own[1] && own[1] < own[2]",
    "own[2] + own[2] + own[1] == 2", "(own[0] == own[1]) == own[2]", "own[0] == 2 && own[1] == 2 || own[2] == 2",
    "own[0] * own[1] == 2 && g == 3", "own[0] != own[2] && own[1] == 0", "(own[2] | own[1] | own[0]) == 3",
)  # fmt: skip


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(COUNT))
def test_elements_of_their_own_change_places_with_threads(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    chosen = [*chance.sample(OWN, chance.randint(1, 2)), *chance.sample(STEPS, chance.randint(0, 1))]
    chance.shuffle(chosen)
    order = f"cuda::memory_order_{chance.choice(('relaxed', 'seq_cst'))}"
    steps = [step.format(n=n, order=order) for n, step in enumerate(chosen)]
    threads = chance.choice((2, 3, 3))
    formulas = [f for f in ABOUT_OWN if threads == 3 or "own[2]" not in f]
    values = chance.choice(("", "", " = {0, 0, 1}", " = {1, 1, 1}"))
    (tmp_path / "k.cu").write_text(
        f"__device__ int x, own[3]{values};\n__device__ cuda::atomic<int, cuda::thread_scope_device> f{{0}}, g{{0}};\n"
        f"__global__ void k() {{ int t = threadIdx.x; {' '.join(steps)} }}\n//@ launch k<<<1, {threads}>>>();\n"
        + "".join(f"//@ expect allowed {f};\n" for f in chance.sample(formulas, min(2, len(formulas))))
        + chance.choice(("", "//@ expect race on own[1];\n"))
        + "//@ expect race on x;\n//@ expect race on own;\n"
    )
    (run,) = plan(tmp_path / "k.cu", "k.cu", Overrides()).runs
    ordered = solve(run.problem)
    monkeypatch.setattr("scopec.engines.embedded.memory.sat.ordered_writes", lambda _: ())
    assert {n: c is not None for n, c in ordered.items()} == {n: c is not None for n, c in solve(run.problem).items()}


@pytest.mark.parametrize(
    ("does", "more", "groups"),
    [
        ("own[t] = g.fetch_add(1);", "required own[0] != own[1] && own[2] != own[1] && own[0] != own[2]", ["012"]),
        ("own[t] = g.fetch_add(1);", "required own[2] + own[0] + own[1] == 3", ["012"]),
        ("own[t] = g.fetch_add(1);", "required own[0] + own[1] - own[2] != 4", ["01"]),
        ("own[t] = g.fetch_add(1);", "required own[0] + own[0] + own[1] != 4", []),
        ("own[t] = g.fetch_add(1);", "required (own[0] == own[1]) == own[2]", ["01"]),
        ("own[t] = g.fetch_add(1);", "allowed own[1] < own[2]", []),
        ("own[t] = g.fetch_add(1);", "allowed own[1] - own[2] == 1", []),
        ("own[t] = g.fetch_add(1);", "allowed own[0] == own[1] && own[1] != own[2]", []),
        ("own[t] = g.fetch_add(1);", "allowed own[1] == 0", ["02"]),
        ("own[t] = g.fetch_add(1);", "race on own[2]", ["01"]),
        ("g.fetch_add(own[t]);", "race_free", ["12"]),
        ("own[t] = g.fetch_add(1); other[t] = own[2 - t];", "race_free", []),
        ("own[t] = g.fetch_add(1); own[(t + 1) / 2] = 1;", "race_free", []),
    ],
)
def test_elements_of_their_own_distinguish_threads_by_what_else_is_about_them(
    does: str, more: str, groups: list[str], tmp_path: Path
) -> None:
    values = " = {5, 0, 0}" if "g.fetch_add(own" in does else ""
    (tmp_path / "k.cu").write_text(
        f"__device__ int own[3]{values}, other[3];\n__device__ cuda::atomic<int, cuda::thread_scope_device> g{{0}};\n"
        f"__global__ void k() {{ int t = threadIdx.x; {does} }}\n"
        f"//@ launch k<<<1, 3>>>();\n//@ expect {more};\n//@ expect race_free;\n"
    )
    (run,) = plan(tmp_path / "k.cu", "k.cu", Overrides()).runs
    found = symmetry.interchangeable(run.problem)
    assert sorted("".join(own[0].thread[-2] for own in group) for group in found) == groups


def test_threads_are_not_ordered_by_writes_to_elements_of_their_own(tmp_path: Path) -> None:
    """No two of these are in coherence order."""
    (tmp_path / "k.cu").write_text(
        "__device__ int own[3];\n__device__ cuda::atomic<int, cuda::thread_scope_device> g{0};\n"
        "__global__ void k() { g.fetch_add(1); own[threadIdx.x] = 1; }\n"
        "//@ launch k<<<1, 3>>>();\n//@ expect race_free;\n"
    )
    (run,) = plan(tmp_path / "k.cu", "k.cu", Overrides()).runs
    by_id = run.graph.by_id
    pairs = list(symmetry.ordered_writes(run.problem))
    assert len(pairs) == 2
    assert all(by_id[a].location == by_id[b].location for a, b in pairs)


def test_one_element_of_a_thread_does_not_become_two(tmp_path: Path) -> None:
    """The first thread writes one element twice, the others two each; the model has no relation that says it."""
    (tmp_path / "m.cat").write_text("acyclic po | rf as order\n")
    (tmp_path / "k.cu").write_text(
        "__device__ int own[6];\n__device__ cuda::atomic<int, cuda::thread_scope_device> g{0};\n"
        "__global__ void k() { int t = threadIdx.x; own[t] = 1; own[t > 0 ? t + 3 : t] = 2; g.fetch_add(1); }\n"
        "//@ launch k<<<1, 3>>>();\n//@ expect allowed g == 3;\n"
    )
    (run,) = plan(tmp_path / "k.cu", "k.cu", Overrides(model=str(tmp_path / "m.cat"))).runs
    ((one, other),) = symmetry.interchangeable(run.problem)
    assert (one[0].thread, other[0].thread) == ("k[0][1]", "k[0][2]")


def test_a_question_about_one_thread_tells_it_apart(tmp_path: Path) -> None:
    """Each of three threads may be the last; to order them would leave it to one of them."""
    (tmp_path / "k.cu").write_text(
        "__device__ cuda::atomic<int, cuda::thread_scope_device> f{0};\n__device__ int a[2];\n"
        "__global__ void k() { int i = f.fetch_add(1); a[i] = 1; }\n"
        "//@ launch k<<<3, 1>>>();\n//@ expect race_free;\n"
    )
    (run,) = plan(tmp_path / "k.cu", "k.cu", Overrides()).runs
    each = [Question(a.thread, Goal.FAULT, "", assertions=(a,)) for a in run.graph.faults]
    answers = solve(replace(run.problem, questions=tuple(each)))
    assert answers is not None
    assert [name for name, choice in answers.items() if choice is not None] == ["k[0][0]", "k[1][0]", "k[2][0]"]


@pytest.mark.parametrize(
    ("kernel", "launch", "more"),
    [
        ("f.store(threadIdx.x);", "k<<<1, 2>>>", ""),
        ("if (blockIdx.x < 2) f.store(1);", "k<<<3, 2>>>", "//@ expect allowed k[0][0].r == 1;"),
        ("__shared__ int s; s = 1;", "k<<<2, 2>>>", ""),
    ],
)
def test_threads_that_differ_are_not_exchanged(kernel: str, launch: str, more: str, tmp_path: Path) -> None:
    text = (
        "__device__ cuda::atomic<int, cuda::thread_scope_device> f{0};\n"
        f"__global__ void k() {{ int r = f.load(); {kernel} }}\n//@ launch {launch}();\n//@ expect race_free;\n{more}\n"
    )
    (tmp_path / "k.cu").write_text(text)
    (run,) = plan(tmp_path / "k.cu", "k.cu", Overrides()).runs
    groups = symmetry.interchangeable(run.problem)
    assert all(len({own[0].thread for own in g}) < len(run.program.threads) - 1 for g in groups)


def test_contenders_are_taken_in_the_order_in_which_they_release(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(lock(8))
    (run,) = plan(tmp_path / "k.cu", "k.cu", Overrides()).runs
    released = [e.id for e in run.graph.events if e.order is Order.RELEASE]
    assert list(symmetry.ordered_writes(run.problem)) == list(pairwise(released))
    answers = solve(run.problem, SECONDS)
    assert answers is not None
    assert [name for name, choice in answers.items() if choice is not None] == ["execution", "prefix"]
