"""Waits of one phase of a barrier are in vain together: guards are those of each wait by itself, on its own paths."""

from __future__ import annotations

from random import Random

import pytest

from scopec.memory import show
from scopec.memory.graph import build
from scopec.memory.unfold.blocking import Blocking
from tests.conftest import program_of
from tests.random_blocks import text
from tests.samples import programs

COUNT = programs(30, 1000)
LOAD = "cuda::atomic_ref<int, cuda::thread_scope_device>(h).load(cuda::memory_order_relaxed)"
WAIT = f"while ({LOAD} == 0);"
#: Threads that do not come to a barrier at which another one is missing: one does something else, one has ended.
ELSEWHERE = f"""__device__ int h, g;
__global__ void k() {{
    int t = threadIdx.x;
    if (t == 0) {{
        int x = {LOAD};
        if (x) __syncthreads();
        g = 1;
        if (!x) for (;;) {LOAD};
    }} else {{
        {WAIT}
        __syncthreads();
    }}
}}
//@ launch k<<<1, 2>>>();
//@ expect race_free;
"""
ENDED = f"""__device__ int h, g;
__global__ void k() {{
    int t = threadIdx.x;
    if (t == 0) {{
        if ({LOAD} == 2) return;
        __syncwarp(3);
        __syncwarp(5);
    }} else if (t == 1) {{
        {WAIT}
        __syncwarp(3);
    }} else {{
        __syncwarp(5);
        g = 1;
    }}
}}
//@ launch k<<<1, 3>>>();
//@ expect race_free;
"""


def with_waits(kernel: str, chance: Random) -> str:
    """Before many barriers a wait of some threads; of some kernels nobody ends."""
    who = ("", "if (t == 0) ", "if (t != 1) ")
    lines = [
        f"{chance.choice(who)}{WAIT} {line}" if "__sync" in line and chance.random() < 0.6 else line
        for line in kernel.splitlines()
    ]
    if chance.random() < 0.3:
        lines.insert(lines.index("}"), f"    for (;;) {LOAD};")
    return "\n".join(lines)


@pytest.mark.usefixtures("kept_machines")
def test_waits_of_a_phase_are_in_vain_together(monkeypatch: pytest.MonkeyPatch) -> None:
    together = 0
    original = Blocking._in_vain

    def counted(self, wait, arrivals, but=""):  # type: ignore[no-untyped-def]
        nonlocal together
        together += not but
        return original(self, wait, arrivals, but)

    for seed in range(COUNT):
        program = program_of(with_waits(text(seed), Random(seed)))
        with monkeypatch.context() as patch:
            patch.setattr(Blocking, "_in_vain", counted)
            found = build(program, 2)
        with monkeypatch.context() as patch:
            patch.setattr(Blocking, "_alike", lambda _: ())
            assert show.show_events(found) == show.show_events(build(program, 2)), program.source.text
    assert together > COUNT


@pytest.mark.parametrize("kernel", [ELSEWHERE, ENDED])
def test_a_thread_that_comes_to_no_wait_is_not_held_up_there(kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = program_of(kernel)
    found = show.show_events(build(program, 2))
    monkeypatch.setattr(Blocking, "_certain", lambda *_: ())
    assert found == show.show_events(build(program, 2))


@pytest.mark.usefixtures("kept_machines")
def test_why_a_wait_is_in_vain_is_the_same_for_all_that_come_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = 0
    original = Blocking._certain

    def counted(self, thread, own):  # type: ignore[no-untyped-def]
        nonlocal shared
        guards = {e.id: e.guard for e in own}
        found = [wait for wait in original(self, thread, own) if not guards[wait].always]
        shared += len(found)
        return found

    for seed in range(COUNT):
        program = program_of(with_waits(text(seed), Random(seed)))
        with monkeypatch.context() as patch:
            patch.setattr(Blocking, "_certain", counted)
            found = build(program, 2)
        with monkeypatch.context() as patch:
            patch.setattr(Blocking, "_certain", lambda *_: ())
            assert show.show_events(found) == show.show_events(build(program, 2)), program.source.text
    assert shared > COUNT
