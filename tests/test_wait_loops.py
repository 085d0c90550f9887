"""A loop that only waits is reduced to one failed iteration and a last one; unrolled, it gives the same races and ends."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.memory.unfold import symbolic
from scopec.session.plan import Overrides
from tests.conftest import check_text, verdicts
from tests.samples import programs

pytestmark = [pytest.mark.jvm, pytest.mark.usefixtures("kept_machines")]
COUNT = programs(1, 2)

WAITS = (
    "while (f.load({load}) == 0);",
    "while (f.exchange(1, {rmw}) == 1);",
    "while (f.load({load}) == 0) cuda::atomic_thread_fence({rmw}, cuda::thread_scope_{scope});",
    "while (f.load({load}) == 0 && g.load({load}) == 0);",
    "{{ int e = 0; while (!f.compare_exchange_strong(e, 1, {rmw}, {load})) e = 0; }}",
    "while (f.fetch_add(0, {rmw}) == 0);",
    "{{ bool done = false; while (!done) done = f.exchange(1, {rmw}) == 0; }}",
    "{{ bool more = true; while (more) if (f.load({load}) == 1) {{ int r = x; g.store(1, {store}); more = false; }} }}",
    "for (bool done = false; !done;) if (f.exchange(1, {rmw}) == 0) {{ x = {n}; f.store(0, {store}); done = true; }}",
)
STEPS = ("x = {n};", "int r{n} = x;", "f.store(0, {store});", "f.store(1, {store});", "g.store(1, {store});", "f.fetch_add(1, {rmw});")  # fmt: skip


def program(chance: random.Random) -> str:
    """Two threads, one or two of them with a wait loop among plain and atomic accesses."""

    def fill(template: str) -> str:
        def order(*names: str) -> str:
            return f"cuda::memory_order_{chance.choice(names)}"

        return template.format(
            load=order("relaxed", "acquire", "seq_cst"),
            store=order("relaxed", "release", "seq_cst"),
            rmw=order("relaxed", "acquire", "release", "acq_rel", "seq_cst"),
            scope=chance.choice(("block", "device")),
            n=chance.randint(1, 99),
        )

    blocks = chance.choice((1, 2))
    scope = chance.choice(("block", "device", "device"))
    number = "threadIdx.x" if blocks == 1 else "blockIdx.x"
    bodies = []
    for thread in range(2):
        steps = [fill(s) for s in chance.sample(STEPS, 2)]
        if thread == 0 or chance.random() < 0.5:
            steps.insert(chance.randint(0, 2), fill(chance.choice(WAITS)))
        bodies.append(f"if ({number} == {thread}) {{ {' '.join(steps)} }}")
    return (
        f"__device__ int x;\n__device__ cuda::atomic<int, cuda::thread_scope_{scope}> f{{0}}, g{{0}};\n"
        f"__global__ void k() {{ {' else '.join(bodies)} }}\n"
        f"//@ launch k<<<{blocks}, {2 // blocks}>>>();\n//@ expect race;\n//@ expect allowed x == 0;\n"
    )


MEETINGS = (
    "while (__syncthreads_or(f.load({load}) == 0));",
    "while (__syncthreads_count(f.load({load})) != 2) cuda::atomic_thread_fence({rmw}, cuda::thread_scope_{scope});",
    "int s = -1; while (__syncthreads_and(s != 1)) if (t == 0) s = f.load({load}); else s = 1;",
    "int s = f.load({load}); while (!__syncthreads_and(s)) s = t == 1 || f.exchange(1, {rmw});",
    "while (__any_sync(3, f.load({load}) == 0)) {{ __syncwarp(); __syncthreads(); }}",
    "do __syncthreads(); while (!__all_sync(3, t == 0 || f.load({load})));",
    "int s = t; while (__syncthreads_or(s == 0)) {{ s = g.load({load}); s = f.load({load}); }}",
    "while (__syncthreads_and(f.load({load}) == 0)) if (t == 1) x = {n};",
)


def meeting_program(chance: random.Random) -> str:
    """A block of two threads that wait together, among plain and atomic accesses, and a thread that wakes them."""
    one = program(chance).splitlines()

    def fill(template: str) -> str:
        orders = [f"cuda::memory_order_{chance.choice(('relaxed', 'acquire', 'seq_cst'))}" for _ in range(2)]
        scope = chance.choice(("block", "device"))
        return template.format(load=orders[0], rmw=orders[1], scope=scope, n=chance.randint(1, 99))

    stores = [f"cuda::memory_order_{chance.choice(('relaxed', 'release'))}" for _ in range(2)]
    before, after = (f"if (t == {chance.randrange(2)}) {chance.choice(('x = 1;', 'int r = x;'))}" for _ in range(2))
    sends = [f"x = {chance.randint(1, 9)};", f"f.store(1, {stores[0]});", f"g.store(1, {stores[1]});"]
    chance.shuffle(sends)
    body = f"int t = threadIdx.x; {chance.choice((before, ''))} {fill(chance.choice(MEETINGS))} {after}"
    kernel = f"__global__ void k() {{ if (blockIdx.x == 0) {{ {body} }} else if (threadIdx.x == 0) {{ {' '.join(sends)} }} }}"
    return "\n".join((*one[:2], kernel, "//@ launch k<<<2, 2>>>();", *one[4:], ""))


@pytest.mark.parametrize("seed", range(COUNT))
@pytest.mark.parametrize("program", [program, meeting_program])
def test_as_if_unrolled(
    program: Callable[[random.Random], str], seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = program(random.Random(seed))
    reduced = verdicts([check_text(tmp_path, text)])
    monkeypatch.setattr(symbolic.ThreadRun, "only_waits", lambda *_: False)
    unrolled = verdicts([check_text(tmp_path, text, overrides=Overrides(unroll=3))])
    for check, (found,) in reduced.items():
        assert unrolled[check] == [found] or unrolled[check] == ["unknown"], text
    # What is found by unrolling is found by the reduction; "unknown" is all that unrolling says of what is not there.
    assert [c for c, v in unrolled.items() if v == ["holds"]] == [c for c, v in reduced.items() if v == ["holds"]], text
