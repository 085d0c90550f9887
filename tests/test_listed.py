"""A list of questions, without asking them: ``scopec check --list``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.command import scopec
from tests.test_guessed_ways import LAUNCH, MIXED, REFUSED

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ASKED = """\
__device__ int x;
__global__ void k() { x = 1; }
//@ launch k<<<1, 1>>>();
//@ expect required x == 1;
"""


def test_expectations_and_guesses_are_listed(write: Callable[..., Path]) -> None:
    done = scopec("check", write(MIXED, "mixed.cu"), write(ASKED, "asked.cu"), "--list")
    assert (done.returncode, REFUSED in done.stderr) == (2, True)
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert LAUNCH in lines
    assert lines[-6:] == [
        "race_free",
        "terminates",
        lines[-4],
        "required x == 1",
        "not asked: race_free, terminates",
        "2 files, 2 programs: 3 can be asked",
    ]


@pytest.mark.parametrize("more", [(), ("--every",)])
def test_the_list_is_json_too(more: tuple[str, ...], write: Callable[..., Path], tmp_path: Path) -> None:
    report = tmp_path / "asks.json"
    done = scopec("check", write(MIXED, "mixed.cu"), "--list", *more, "-o", report)
    found = json.loads(report.read_text())
    if more:
        assert done.returncode == 0
        texts = [[one["text"] for one in program["asks"]] for program in found["programs"]]
        assert texts == [
            [f"{kind} for every launch of {k}" for kind in ("race_free", "uniform")] for k in ("count", "bad")
        ]
        return
    assert done.returncode == 2
    (program,) = found["programs"]
    assert [(one["kind"], one["span"]["line"]) for one in program["asks"]] == [("race_free", 1), ("terminates", 1)]
    assert (program["guessed"], program["checks"], program["guess_notes"]) == (True, [], [])
    assert REFUSED in found["diagnostics"][0]["message"]


def test_what_the_file_asks_of_all_launches_is_listed(write: Callable[..., Path]) -> None:
    path = write(f"{ASKED}//@ every k where gridDim.x == 1;\n//@ expect race_free;\n", "every.cu")
    done = scopec("check", path, "--list")
    assert done.returncode == 0, done.stderr
    assert "  required x == 1\n" in done.stdout
    assert "  race_free for every launch of k where gridDim.x == 1\n" in done.stdout
    assert "1 can be asked" in scopec("check", path, "--list", "-k", "required").stdout


def test_nothing_is_asked_of_a_folder_that_is_listed(tmp_path: Path) -> None:
    (tmp_path / "mixed.cu").write_text(MIXED)
    (tmp_path / "helpers.cu").write_text("int f() { return 1; }\n")
    assert "1 file, 1 program: 2 can be asked" in scopec("check", tmp_path, "--list").stdout


@pytest.mark.parametrize(
    ("more", "said"), [(("--format", "sarif"), "text or json, not sarif"), (("--watch",), "does not --watch")]
)
def test_a_list_is_no_report(more: tuple[str, ...], said: str, write: Callable[..., Path]) -> None:
    done = scopec("check", write(ASKED, "asked.cu"), "--list", *more)
    assert (done.returncode, said in done.stderr) == (2, True)
    assert "is for files" in scopec("check", "-", "--list").stderr
