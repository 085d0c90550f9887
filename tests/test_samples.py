from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.samples import OF_SOME, VARIABLE, spread

CASES = """
import pytest

@pytest.mark.parametrize("n", range(100))
@pytest.mark.sampled(4)
def test_many(n): assert n != 99

@pytest.mark.parametrize("n", range(9))
def test_each(n): pass

@pytest.mark.sampled(0)
def test_at_night(): pass
"""


@pytest.mark.parametrize(("many", "most"), [(0, 3), (2, 3), (3, 3), (10, 3), (100, 7)])
def test_a_sample_is_spread_over_the_cases(many: int, most: int) -> None:
    taken = spread(range(many), most)
    assert len(taken) == min(many, most)
    assert taken == sorted(set(taken))
    assert taken[:1] == list(range(many))[:1]
    assert all(abs((b - a) - many / len(taken)) < 1 for a, b in pairwise(taken))


@pytest.mark.parametrize(
    ("variable", "arguments", "said"),
    [
        (None, [], "13 passed, 97 deselected"),
        (VARIABLE, [], "1 failed, 109 passed"),
        ("SCOPEC_RANDOM_PROGRAMS", [], "1 failed, 109 passed"),
        (None, ["-k", "many"], "4 passed, 106 deselected"),
        (None, ["test_cases.py::test_many[99]"], "1 failed"),
    ],
)
@pytest.mark.sampled(1)
def test_what_is_left_out_is_counted(
    variable: str | None, arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "test_cases.py").write_text(CASES)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = sampled\n")
    for name in (VARIABLE, *(f"SCOPEC_{one}" for one in OF_SOME)):
        monkeypatch.delenv(name, raising=False)
    if variable is not None:
        monkeypatch.setenv(variable, "1")
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.samples", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert said in done.stdout, done.stdout
