"""The first hour of a new user: commands do what they look like."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import BashComplete

from scopec.cli import commands
from tests.command import scopec
from tests.conftest import REPOSITORY, check_text
from tests.test_cli import GOOD, RACE

DIVERGENT = "__global__ void k() { if (threadIdx.x == 0) __syncthreads(); }\n//@ launch k<<<1, 2>>>();\n//@ expect terminates;\n"


@pytest.mark.sampled(0)
def test_the_summary_is_the_last_line(tmp_path: Path) -> None:
    """Of a terminal, where both streams are one."""
    (tmp_path / "p.cu").write_text(DIVERGENT)
    done = subprocess.run(
        [sys.executable, "-m", "scopec.cli", "check", "--engine", "embedded", "p.cu"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tmp_path, timeout=120, check=False,
    )  # fmt: skip
    assert "[SCP042]" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("1 file, 1 program: 1 hold")


def test_warnings_that_a_file_allows(tmp_path: Path) -> None:
    assert [d.code.id for d in check_text(tmp_path, DIVERGENT, engine="embedded").diagnostics] == ["SCP042"]
    assert check_text(tmp_path, DIVERGENT + "//@ allow SCP044, SCP042;\n", engine="embedded").diagnostics == ()
    (refused,) = check_text(tmp_path, DIVERGENT + "//@ allow SCP013;\n").diagnostics
    assert (refused.code.id, refused.span.line) == ("SCP020", 4)
    assert "`SCP013` is not the code of a warning" in refused.message


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("command", "output", "begins"),
    [
        ("check", "o.json", "{"),
        ("check", "o.sarif", "{"),
        ("check", "o.xml", "<?xml"),
        ("check", "o.txt", "p.cu"),
        ("outcomes", "o.json", "{"),
        ("trace", "o.html", "<!doctype html>"),
        ("trace", "o.svg", "<svg"),
    ],
)
def test_an_output_without_a_format_is_what_its_name_says(
    command: str, output: str, begins: str, tmp_path: Path
) -> None:
    (tmp_path / "p.cu").write_text(RACE)
    done = scopec(command, "--engine", "embedded", "p.cu", "-o", output, cwd=tmp_path)
    assert done.returncode == (0 if command == "outcomes" else 1), done.stderr
    assert (tmp_path / output).read_text().lower().startswith(begins)


def test_two_forms_of_a_trace_are_refused(tmp_path: Path) -> None:
    (tmp_path / "p.cu").write_text(RACE)
    done = scopec("trace", "p.cu", "--html", "--svg", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "scopec: --html and --svg: one form per call\n")


def test_colours_that_are_forced(tmp_path: Path) -> None:
    (tmp_path / "p.cu").write_text(GOOD)
    call = ("check", "--engine", "embedded", "p.cu")
    assert "\x1b[32mholds\x1b[0m" in scopec(*call, cwd=tmp_path, FORCE_COLOR="1").stdout
    for chosen in ({}, {"FORCE_COLOR": "0"}, {"FORCE_COLOR": "1", "NO_COLOR": "1"}):
        assert "\x1b" not in scopec(*call, cwd=tmp_path, **chosen).stdout


# ---------------------------------------------------------------- what things mean


def test_lines_as_compilers_write_them(tmp_path: Path) -> None:
    (tmp_path / "p.cu").write_text(RACE.replace("x = 1;", "x = 1;\n", 1))
    (tmp_path / "bad.cu").write_text("int main( {")
    done = scopec("check", "--engine", "embedded", "--format", "gcc", "bad.cu", "p.cu", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "")
    *bad, violated, thread, expected = done.stdout.splitlines()
    assert bad
    assert all(re.fullmatch(r"bad\.cu:1:\d+: error: .* \[SCP\d+\]", line) for line in bad)
    assert re.fullmatch(r"p\.cu:1:41: error: `race_free` is violated: a data race on `x`; .* \[data-race\]", violated)
    assert (thread, expected) == ("p.cu:1:41: note: k[1][0]", "p.cu:4:5: note: expected here")


def test_problems_as_gitlab_reads_them(tmp_path: Path) -> None:
    (tmp_path / "p.cu").write_text(RACE)
    (tmp_path / "bad.cu").write_text("int main( {")
    found = []
    for lines in (0, 2):
        (tmp_path / "p.cu").write_text("\n" * lines + RACE)
        done = scopec("check", "--engine", "embedded", "--format", "gitlab", "bad.cu", "p.cu", cwd=tmp_path)
        *bad, violated = json.loads(done.stdout)
        assert (done.returncode, {one["severity"] for one in bad}) == (2, {"major"})
        assert violated["description"].startswith("`race_free` is violated: a data race on `x`")
        assert violated["location"]["path"] == "p.cu"
        found.append((violated["location"]["lines"]["begin"], violated["fingerprint"]))
    assert found[1] == (found[0][0] + 2, found[0][1])


def test_explanations() -> None:
    done = scopec("explain", "scp013")
    assert done.stdout.startswith("SCP013: a call that scopec does not model\n\nAn error. What to do: see `scopec docs")
    assert "`//@ allow SCP042;`" in scopec("explain", "SCP042").stdout
    assert "Make both accesses atomic" in scopec("explain", "data-race").stdout
    assert "did you mean `data-race`?" in scopec("explain", "data-rase").stderr


def test_documents_are_at_hand() -> None:
    folder = REPOSITORY / "docs"
    listed = {line.split()[0] for line in scopec("docs").stdout.splitlines()}
    assert listed == {f.name.removesuffix(".md") for f in folder.iterdir() if f.is_file()}
    assert scopec("docs", "language").stdout == (folder / "language.md").read_text(encoding="utf-8")
    assert scopec("docs", "results.schema.json").stdout == (folder / "results.schema.json").read_text(encoding="utf-8")
    assert "did you mean `results`?" in scopec("docs", "result").stderr
    assert '"docs" = "scopec/docs"' in (REPOSITORY / "pyproject.toml").read_text()


@pytest.mark.parametrize(
    ("begun", "completed"),
    [
        ("check --model rc", "rc11"),
        ("check --progress lo", "lobe"),
        ("check --given pageableMemoryAccess=", "pageableMemoryAccess=0 pageableMemoryAccess=1"),
        ("check --format g", "github gitlab gcc"),
        ("models hsa-", "hsa-obe"),
        ("explain data-", "data-race"),
        ("docs mem", "memory-models"),
    ],
)
def test_values_are_completed(begun: str, completed: str) -> None:
    words = begun.split()
    found = BashComplete(commands, {}, "scopec", "_SCOPEC_COMPLETE").get_completions(words[:-1], words[-1])
    assert [c.value for c in found] == completed.split()
