"""What is left out of large programs changes no verdict: random small ones with all of it, and with none.

``SCOPEC_RANDOM_PROGRAMS`` sets how many are tried (CONTRIBUTING.md names the command for the full sweep).
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scopec.engines.embedded import sure_steps
from scopec.memory import asw, unfolding
from scopec.session import questions
from scopec.session.check import Settings, check
from tests.random_blocks import text

COUNT = int(os.environ.get("SCOPEC_RANDOM_PROGRAMS", "24"))


def verdicts(file: Path) -> list[str]:
    """Whether each expectation holds; its errors for a program that is refused."""
    (outcome,) = check([file], Settings(engine="embedded", timeout=10, cache=False))
    errors = [d.message for d in outcome.diagnostics if d.severity != "warning"]
    return errors or [c.verdict for report in outcome.reports for c in report.checks]


def sizes(monkeypatch: pytest.MonkeyPatch, large: int, paired: int) -> None:
    """From which size on something is left out: events, threads, pairs of events that a barrier orders."""
    for module, name in ((questions, "LARGE"), (questions, "MANY_THREADS"), (unfolding, "MANY_THREADS")):
        monkeypatch.setattr(module, name, large)
    monkeypatch.setattr(sure_steps, "MANY", large)
    monkeypatch.setattr(asw, "MOST_PAIRED", paired)


@pytest.mark.parametrize("seeds", [range(n, n + 8) for n in range(0, COUNT, 8)], ids=str)
def test_what_is_left_out_changes_no_verdict(seeds: range, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "program.cu"
    for seed in seeds:
        file.write_text(text(seed))
        sizes(monkeypatch, 1 << 30, 16)
        whole = verdicts(file)
        sizes(monkeypatch, 0, 16 * (seed % 2))
        short = verdicts(file)
        assert len(short) == len(whole), file.read_text()
        for less, every in zip(short, whole, strict=True):
            assert less == every or "unknown" in (less, every), file.read_text()
