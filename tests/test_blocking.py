"""Waits of one phase of a barrier are in vain together: guards are those of each wait by itself."""

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
