"""Verdicts that are there while more is asked: told after a while, and reported where the call is interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scopec.cli.decided import Decided
from scopec.session.check import Report, Settings, check

RACE = "__device__ int x;\n__global__ void k() { x = 1; }\n//@ launch k<<<1, 2>>>();\n//@ expect race_free;\n"

#: A race that is seen at once, in threads whose states are more than anybody counts.
LONG = """#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> a;
__device__ int x;
__global__ void k() {
    x = 1;
    int n = 0;
    while (true) {
        int s = a.load();
        if (s == 99) break;
        n = (n * 5 + s + threadIdx.x) % 97;
        a.store(n % 7);
    }
}
//@ launch k<<<1, 6>>>();
//@ expect race_free;
//@ expect terminates;
//@ bound unroll = 1;
"""


def reports(text: str, tmp_path: Path) -> tuple[list[Report], list[Report]]:
    """What is told before the end of a run, and at its end."""
    file = tmp_path / "program.cu"
    file.write_text(text)
    before: list[Report] = []
    after: list[Report] = []
    check([file], Settings(engine="embedded", decided=before.append, ended=after.append))
    return before, after


def test_verdicts_come_before_more_is_asked(tmp_path: Path) -> None:
    (before,), (after,) = reports(f"{RACE}//@ expect terminates;\n", tmp_path)
    assert [(c.expectation.kind, c.verdict) for c in before.checks] == [("race_free", "violated")]
    assert next((c.expectation.kind, c.verdict) for c in after.checks) == ("race_free", "violated")
    assert len(after.checks) == 2
    assert not reports(RACE, tmp_path)[0]


def test_a_doubtful_violation_is_not_told_before_the_end(tmp_path: Path) -> None:
    text = """\
__device__ int x[2];
__global__ void k(float f) { x[(int)(f * threadIdx.x)] = 1; }
//@ launch k<<<1, 2>>>(1.0f);
//@ expect race_free;
//@ expect terminates;
"""
    before, (after,) = reports(text, tmp_path)
    assert before == []
    assert [(c.expectation.kind, c.verdict) for c in after.checks] == [
        ("race_free", "unknown"),
        ("terminates", "holds"),
    ]


def test_what_waits_is_told_once_it_waits_long(tmp_path: Path) -> None:
    (before,), (after,) = reports(f"{RACE}//@ expect terminates;\n", tmp_path)
    lines: list[str] = []
    decided = Decided(lines.append, patience=0.05)
    decided.decided(before)
    deadline = time.monotonic() + 20
    while not lines:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    file = tmp_path / "program.cu"
    assert lines == [f"{file}: violated race_free: a data race on `x`; `terminates` is still asked"]
    patient = Decided(lines.append, patience=0.5)
    patient.decided(before)
    patient.ended(after)
    time.sleep(0.7)
    assert len(lines) == 1
    assert [c.verdict for c in patient.outcomes()[0].reports[0].checks] == [c.verdict for c in after.checks]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_call_reports_what_is_decided(how: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "long.cu").write_text(LONG)
    process = subprocess.Popen(
        [sys.executable, "-m", "scopec.cli", "check", "long.cu", "--engine", "embedded", "--no-cache"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "SCOPEC_SERVER": "off"}, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        assert process.stderr is not None
        told = process.stderr.readline()
        process.send_signal(how)
        stdout, stderr = process.communicate(timeout=60)
    finally:
        process.kill()
    assert told == "scopec: long.cu: violated race_free: a data race on `x`; `terminates` is still asked\n"
    assert "  violated  race_free: a data race on `x`\n" in stdout
    assert "  unknown   terminates: interrupted\n" in stdout
    assert (process.returncode, stderr.strip()) == (130, "interrupted")
