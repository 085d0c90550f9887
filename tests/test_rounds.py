"""Threads that meet in wait loops, each in one of its own: idle rounds are left out, and nothing is lost with them.

``SCOPEC_RANDOM_PROGRAMS`` sets how many random programs are tried.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from scopec.memory.unfold import rounds, warp_collectives
from scopec.session.plan import Overrides
from tests.conftest import check_text, verdicts
from tests.samples import programs

COUNT = programs(2, 60)

#: Votes of two lanes around what each does once, or one alone.
VOTES = (
    "bool d = false; while (!__all_sync(3, d)) if (!d && {try_}) {{ {then} d = true; }}",
    "bool d = t == {n2}; do {{ if (!d && {try_}) {{ {then} d = true; }} }} while (__any_sync(3, !d));",
    "bool d = false; while (__syncthreads_or(!d)) if (!d && {try_}) {{ {then} d = true; }}",
    "bool d = false; while (!__all_sync(3, d)) {{ if (!d && {try_}) {{ {then} d = true; }} __syncwarp(3); }}",
    "bool d = false; while (!__all_sync(3, d)) {{ {idle} if (!d && {try_}) {{ {then} d = true; }} }}",
    "bool d = false; int w = 0; while (w != 3) {{ if (!d && {try_}) {{ {then} d = true; }} w = __ballot_sync(3, d); }}",
    "bool d = false; while (!__all_sync(3, d)) if (!d) {{ if ({try_}) {{ {then} d = true; }} else __syncwarp(1 << t); }}",
    "bool d = false; while (__any_sync(3, !d)) if (t == {n2}) {{ if (!d && {try_}) {{ {then} d = true; }} }} else d = true;",
)
TRIES = ("f.exchange(1, {rmw}) == 0", "f.load({load}) == 1", "f.load({load}) == t", "g.load({load}) == 1",
         "f.fetch_add(0, {rmw}) == 1", "(f.load({load}) == 1 || g.load({load}) == 1)", "a.load({load}) == 1")  # fmt: skip
THENS = ("x = {n}; f.store(0, {store});", "int r = x; x = r + 1; f.store(0, {store});", "g.store(1, {store});", "x = {n};",
         "f.store(1, {store}); int r = x;", "f.fetch_add(1, {rmw});", "a.store(1, {store});", "")  # fmt: skip
IDLES = ("if (t == 1) {{ int r = x; }}", "if (t == 0) g.fetch_add(0, {rmw});", "cuda::atomic_thread_fence({rmw}, cuda::thread_scope_block);",
         "__syncwarp(3);", "if (t == 0) cuda::atomic_ref<int, cuda::thread_scope_device>(x).fetch_add(0, {rmw});")  # fmt: skip
SENDS = ("x = {n};", "f.store(1, {store});", "g.store(1, {store});", "int r = x;", "while (f.exchange(1, {rmw})); ++x; f.store(0, {store});")  # fmt: skip


def program(seed: int) -> str:
    """Two lanes that vote in a loop, and the thread of another block."""
    chance = random.Random(seed)

    def fill(template: str, **parts: str) -> str:
        def order(*names: str) -> str:
            return f"cuda::memory_order_{chance.choice(names)}"

        return template.format(
            load=order("relaxed", "acquire"),
            store=order("relaxed", "release"),
            rmw=order("relaxed", "acquire", "acq_rel"),
            n=chance.randint(1, 9),
            n2=chance.randrange(2),
            **parts,
        )

    parts = {name: fill(chance.choice(of)) for name, of in (("try_", TRIES), ("then", THENS), ("idle", IDLES))}
    body = fill(chance.choice(VOTES), **parts)
    before, after = (fill(chance.choice(("", *SENDS[:4]))) for _ in range(2))
    sends = " ".join(fill(one) for one in chance.sample(SENDS, 2))
    first = f"if (t == {chance.randrange(2)}) {{ {before} }}" if before else ""
    last = f"if (t == {chance.randrange(2)}) {{ {after} }}" if after else ""
    device = "cuda::atomic<int, cuda::thread_scope_device>"
    return (
        f"#include <cuda/atomic>\n__device__ int x;\n__device__ {device} f{{0}}, g{{0}};\n"
        "__device__ cuda::atomic<int, cuda::thread_scope_block> a{0};\n"
        f"__global__ void k() {{ int t = threadIdx.x; if (blockIdx.x == 0) {{ {first} {body} {last} }}\n"
        f"    else if (t == 0) {{ {sends} }} }}\n//@ launch k<<<2, 2>>>();\n"
        "//@ expect race_free;\n//@ expect allowed x == 0;\n//@ expect allowed x == 2;\n//@ expect required f == 0;\n"
    )


def answers(tmp_path: Path, text: str, **settings: object) -> dict[str, list[str]]:
    return verdicts([check_text(tmp_path, text, engine="embedded", overrides=Overrides(**settings))])  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(COUNT))
def test_as_if_unrolled(seed: int, tmp_path: Path) -> None:
    text = program(seed)
    found = answers(tmp_path, text)
    unrolled = answers(tmp_path, text, unroll=4, without=frozenset({"rounds", "spin_loops"}))
    for check, (verdict,) in found.items():
        assert "unknown" in (verdict, *unrolled[check]) or unrolled[check] == [verdict], text


#: A lane that reads what the other one writes in its turns, which a barrier orders within a turn, and a vote does not.
APART = """#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> f;
__device__ int x;
__global__ void k() {
    int t = threadIdx.x;
    if (blockIdx.x == 0)
        while (__any_sync(3, f.load(cuda::memory_order_relaxed) == 0)) {
            if (t == 0) cuda::atomic_ref<int, cuda::thread_scope_device>(x).fetch_add(0, cuda::memory_order_relaxed);
            __syncwarp(3);
            if (t == 1) int r = x;
        }
    else if (t == 0) f.store(1, cuda::memory_order_relaxed);
}
//@ launch k<<<2, 2>>>();
//@ expect race_free;
"""


def test_a_race_of_two_idle_rounds_needs_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert answers(tmp_path, APART) == {"race_free": ["violated"]}
    ordered = APART.replace("int r = x;", "{ int r = x; } __syncwarp(3);")
    assert answers(tmp_path, ordered) == {"race_free": ["holds"]}
    monkeypatch.setattr(warp_collectives, "needed_twice", lambda _: frozenset())
    assert answers(tmp_path, APART) == {"race_free": ["holds"]}  # and wrongly so


LOCK = """#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> lock;
__device__ int counter;
__global__ void k() {
    bool done = false;
    while (!__all_sync(3, done))
        if (!done && lock.exchange(1, cuda::memory_order_acquire) == 0) {
            counter++;
            lock.store(0, cuda::memory_order_release);
            done = true;
        }
}
//@ launch k<<<1, 2>>>();
//@ expect race_free;
//@ expect required counter == 2;
"""


def test_votes_around_a_lock_are_decided(tmp_path: Path) -> None:
    assert answers(tmp_path, LOCK) == {"race_free": ["holds"], "required counter == 2": ["holds"]}
    broken = LOCK.replace("_acquire", "_relaxed")
    assert answers(tmp_path, broken)["race_free"] == ["violated"]
    assert answers(tmp_path, LOCK, without=frozenset({"rounds"}))["race_free"] == ["unknown"]


#: A lane that goes round a loop while the other one votes on its way.
ON_THE_WAY = """#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> f;
__device__ int x;
__global__ void k() {
    if (threadIdx.x == 0) {
        while (__any_sync(3, f.load(cuda::memory_order_relaxed) == 0));
        x = 1;
    } else {
        __any_sync(3, 1);
        __any_sync(3, 1);
        f.store(1, cuda::memory_order_relaxed);
        __any_sync(3, 0);
    }
}
//@ launch k<<<1, 2>>>();
//@ expect forbidden x == 1;
"""


def test_with_too_few_turns_an_outcome_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert answers(tmp_path, ON_THE_WAY) == {"forbidden x == 1": ["violated"]}
    monkeypatch.setattr(warp_collectives, "turns_needed", lambda *_: {})
    assert answers(tmp_path, ON_THE_WAY) == {"forbidden x == 1": ["unknown"]}  # no execution ends then


#: A lane that does not get on meets itself alone: its turns have one more meeting.
UNEVEN = LOCK.replace("        }\n", "        } else if (!done) __syncwarp(1 << threadIdx.x);\n")


def test_meetings_on_some_ways_alone_are_no_rounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    needed = rounds.turns_needed
    monkeypatch.setattr(warp_collectives, "turns_needed", lambda *parts: asked.append(found := needed(*parts)) or found)
    answers(tmp_path, UNEVEN)
    assert asked == [None]
    answers(tmp_path, LOCK)
    assert asked[1] is not None


#: Two lanes that go round loops whose turns have different meetings.
APART_IN_TURN = """#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> f;
__global__ void k() {
    if (blockIdx.x == 1) { if (threadIdx.x == 0) f.store(1, cuda::memory_order_relaxed); return; }
    if (threadIdx.x == 0) { %s } else { %s }
}
//@ launch k<<<2, 2>>>();
//@ expect race_free;
"""
ONE_MEETING = "while (__any_sync(3, f.load(cuda::memory_order_relaxed) == 0));"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ONE_MEETING, ONE_MEETING.replace(";", " __syncwarp(3);")),
        (ONE_MEETING.replace(";", " __syncwarp(3);"), f"do __syncwarp(3); {ONE_MEETING}"),
    ],
)
def test_turns_with_other_meetings_are_no_rounds(
    one: str, other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    needed = rounds.turns_needed
    monkeypatch.setattr(warp_collectives, "turns_needed", lambda *parts: asked.append(found := needed(*parts)) or found)
    answers(tmp_path, APART_IN_TURN % (one, other))
    assert asked == [None]
    monkeypatch.setattr(rounds, "_aligned", lambda *_: True)
    answers(tmp_path, APART_IN_TURN % (one, other))
    assert asked[1] is not None  # nothing else keeps such turns apart
