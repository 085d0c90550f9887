"""``python -m benchmarks.profile``: where the time of a call goes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY


def profile(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.profile", *map(str, arguments)],
        capture_output=True, text=True, cwd=REPOSITORY, timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.sampled(0)
def test_a_call_is_carried_out_and_its_functions_are_listed(write: Callable[..., Path]) -> None:
    path = write("__device__ int x; __global__ void k() { x = 1; }\n//@ launch k<<<2, 1>>>();\n//@ expect race_free;\n")
    done = profile("--top", "400", "--", "check", path, "--engine", "embedded", "--reader", "scoped")
    assert done.returncode == 1, done.stderr
    assert "violated  race_free: a data race on `x`" in done.stdout
    by_function, _, by_module = done.stdout.partition("by module:")
    assert "scopec/engines/embedded/memory/sat.py:" in by_function  # it is asked in a thread of its own
    assert "  scopec/" in by_module


def test_a_call_has_to_be_said() -> None:
    assert profile("--top", "3").returncode == 2
