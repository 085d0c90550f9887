"""Broken and odd inputs, some of those of ``python -m tests.fuzz``."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests import fuzz
from tests.conftest import REPOSITORY


@pytest.mark.sampled(1)
@pytest.mark.parametrize("first", range(0, 60, 10))
def test_no_input_makes_scopec_fail(first: int) -> None:
    """In a process that has no other threads and little memory: inputs are tried in its forks."""
    command = [sys.executable, "-m", "tests.fuzz", "10", str(first)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("10 inputs, 0 with a fault;")


def test_an_input_is_made_again() -> None:
    assert [fuzz.made(n) for n in range(20)] == [fuzz.made(n) for n in range(20)]
    assert len({(fuzz.made(n).files, fuzz.made(n).arguments) for n in range(200)}) > 190


@pytest.mark.parametrize(
    ("status", "output", "wrong"),
    [
        (0, "", None),
        (2, "a.cu:1:1: error: no [SCP001]", None),
        (2, "no", "exit status 2 without a diagnostic"),
        (3, "scopec: an engine failed", "exit status 3"),
        (-9, "", "exit status -9"),
        (3, "scopec: a.cu: the results have nothing of a.cu as it is now", None),
        (0, "a \x1b[31m b", "'\\x1b' in what is printed"),
        (0, "a \u202e b", "'\\u202e' in what is printed"),
        (1, "Traceback (most recent call last)", "an internal error"),
    ],
)
def test_texts_with_faults_are_seen(status: int, output: str, wrong: str | None) -> None:
    assert fuzz.fault(fuzz.Result(status, 0.1, 40.0, output)) == wrong


@pytest.mark.parametrize(
    ("seconds", "megabytes", "left", "wrong"),
    [
        (15.1, 40.0, (), "15 s"),
        (14.9, 799.0, (), None),
        (0.1, 801.0, (), "801 MB"),
        (0.1, 40.0, ("evil",), "a file 'evil'"),
    ],
)
def test_other_faults_are_seen(seconds: float, megabytes: float, left: tuple[str, ...], wrong: str | None) -> None:
    assert fuzz.fault(fuzz.Result(0, seconds, megabytes, "", left)) == wrong
