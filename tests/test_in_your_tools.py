"""Python, pytest, pre-commit, GitHub, CMake, settings: docs/python.md and docs/ci.md are true of them."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import scopec
from tests.command import scopec as command
from tests.conftest import REPOSITORY
from tests.test_cli import GOOD, RACE

DOCUMENT = (REPOSITORY / "docs" / "python.md").read_text(encoding="utf-8")


def block(language: str, document: str = DOCUMENT) -> str:
    """The first block of a language."""
    found = re.search(rf"^```{language}\n(.*?)^```$", document, re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a good program and a race, asked of the engine that answers at once."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "good.cu").write_text(GOOD)
    (tmp_path / "src" / "race.cu").write_text(RACE)
    (tmp_path / "scopec.toml").write_text('engine = "embedded"\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


# ---------------------------------------------------------------- Python


def test_the_example_prints_what_the_document_says() -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(block("python"), {})
    assert printed.getvalue() == DOCUMENT.partition("prints\n\n```\n")[2].partition("```")[0]


def test_results(project: Path) -> None:
    results = scopec.check("src", engine="embedded")
    assert (results.ok, results.exit_code, results.failures, results.diagnostics) == (False, 1, {}, ())
    assert [(Path(v.file).name, v.line, v.kind, v.answer) for v in results] == [
        ("good.cu", 3, "race_free", "holds"),
        ("race.cu", 3, "race_free", "violated"),
    ]
    (bad,) = results.violated
    assert bad.message is not None
    assert bad.message.startswith("`race_free` is violated")
    assert bad.trace is not None
    assert "1 hold, 1 violated" in results.text()
    assert json.loads(results.json())["summary"]["violated"] == 1
    assert scopec.check("src/good.cu", engine="embedded").ok


def test_bad_input_is_a_diagnostic_and_no_input_an_error() -> None:
    results = scopec.check(text="int main( {")
    assert results.exit_code == 2
    assert results.diagnostics[0].span.file == "program.cu"
    with pytest.raises(ValueError, match="name a path"):
        scopec.check()
    with pytest.raises(AttributeError, match="no attribute 'chek'"):
        scopec.chek  # noqa: B018


# ---------------------------------------------------------------- the command


def test_the_package_is_the_command() -> None:
    done = subprocess.run([sys.executable, "-m", "scopec", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"scopec, version {scopec.__version__}\n"


def test_settings_of_a_project(project: Path) -> None:
    assert json.loads(command("check", "--format", "json", "src/good.cu").stdout)["engines"].keys() <= {"java"}
    (project / "scopec.toml").unlink()
    (project / "pyproject.toml").write_text('[tool.scopec]\nengine = "embedded"\nbaseline = "known.txt"\n')
    (project / "known.txt").write_text("")
    inside = command("check", "race.cu", cwd=project / "src")  # the settings are above, and so is the baseline
    assert inside.returncode == 1, inside.stderr
    (project / "scopec.toml").write_text("engin = 1\n")
    done = command("check", "src")
    assert done.returncode == 2
    assert "there is no setting `engin` [SCP008]" in done.stderr
    assert "help: did you mean `engine`?" in done.stderr


def test_the_settings_of_the_document_are_taken(project: Path) -> None:
    (project / "scopec.toml").write_text(re.findall(r"^```toml\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)[1])
    assert command("check", "src/good.cu").returncode == 0


def test_violations_that_are_known(project: Path) -> None:
    wrote = command("check", "src", "--write-baseline", "known.txt")
    assert (wrote.returncode, wrote.stderr) == (1, "scopec: 1 violations written to known.txt\n")
    done = command("check", "src", "--baseline", "known.txt")
    assert done.returncode == 0
    assert "violated  race_free: a data race on `x`  (known: it does not count)" in done.stdout
    assert "1 violated, 0 unknown, 1 of them known" in done.stdout
    (project / "src" / "race.cu").write_text(RACE + "//@ expect required x == 2;\n")
    assert command("check", "src", "--baseline", "known.txt").returncode == 1
    assert command("check", "src", "--baseline", "none.txt").returncode == 2


def test_what_is_selected(project: Path) -> None:
    assert "1 file, 1 program: 1 hold" in command("check", "src", "-k", "GOOD").stdout
    assert command("check", "src", "-k", "nothing").returncode == 2
    (project / "src" / "a.cu").write_text(RACE)
    assert "1 file, 1 program: 0 hold" in command("check", "src", "-x").stdout


@pytest.mark.sampled(0)
def test_standard_input(project: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scopec", "check", "-"], input=RACE, capture_output=True, text=True, check=False,
        env={**os.environ, "COLUMNS": "100"},
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stdout.startswith("stdin.cu\n  violated  race_free")


# ---------------------------------------------------------------- other tools


@pytest.mark.sampled(0)
def test_each_expectation_is_a_test_of_pytest(project: Path) -> None:
    call = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-o", "scopec_engine=embedded"]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

    def run(*arguments: str) -> str:
        return subprocess.run(
            [*call, "-p", "scopec.pytest_plugin", *arguments], capture_output=True, text=True, check=False, env=environment
        ).stdout  # fmt: skip

    named = run("src/good.cu", "src/race.cu")
    assert "1 failed, 1 passed" in named
    assert "violated  race_free: a data race on `x`" in named
    assert "FAILED src/race.cu::race_free" in named
    assert "no tests ran" in run("src")
    assert "1 passed" in run("src", "-o", "scopec_files=g*.cu")


def test_the_hook_and_the_action_name_what_there_is() -> None:
    hook = (REPOSITORY / ".pre-commit-hooks.yaml").read_text()
    assert re.search(r"^  entry: scopec check --quiet$", hook, re.MULTILINE)
    pins = re.search(r'additional_dependencies: \["(.*)"\]', hook)
    assert pins
    assert f'cxx = ["{pins[1]}"]' in (REPOSITORY / "pyproject.toml").read_text()
    action = (REPOSITORY / "action.yml").read_text()
    assert "scopec check --format text --format github --output - " in action  # tests/test_strangers.py runs it


@pytest.mark.skipif(shutil.which("ctest") is None, reason="CMake is not here")
@pytest.mark.sampled(0)
def test_cmake(project: Path) -> None:
    script = project / "scopec"
    script.write_text(f"#!{sys.executable}\nfrom scopec.cli import main\nmain()\n")
    script.chmod(0o755)
    (project / "cmake").mkdir()
    shutil.copy(REPOSITORY / "docs" / "Scopec.cmake", project / "cmake")
    listed = block("cmake").replace("handover.cu", "good.cu").replace("mp.cu", "race.cu")
    (project / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.16)\nproject(p NONE)\n{listed}")
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "PATH": f"{project}:{os.environ['PATH']}"}
    subprocess.run(["cmake", "-B", "build"], check=True, capture_output=True, env=environment)
    done = subprocess.run(
        ["ctest", "--test-dir", "build"], capture_output=True, text=True, env=environment, check=False
    )  # fmt: skip
    assert re.search(r"scopec:src/good\.cu \.+ +Passed", done.stdout)
    assert re.search(r"scopec:src/race\.cu \.+\*+Failed", done.stdout)
