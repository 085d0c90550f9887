"""The scripts of .ci: what they read of this repository is there, and what they take of the machine gets to the other system."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import settings

from tests.conftest import REPOSITORY

CI = REPOSITORY / ".ci"
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())

linux = pytest.mark.skipif(sys.platform != "linux", reason="this system is not Linux")


def output(*command: str | Path, **variables: str) -> str:
    return subprocess.run(
        command, env={**os.environ, **variables}, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def test_the_lowest_versions_are_those_of_each_requirement() -> None:
    """Each has a lower bound, and one constraint; conditions stay."""
    constraints = output(sys.executable, CI / "lowest").split("\n")[:-1]
    extras = PROJECT["project"]["optional-dependencies"].values()
    wanted = [
        *PROJECT["build-system"]["requires"],
        *PROJECT["project"]["dependencies"],
        *(one for extra in extras for one in extra),
    ]
    assert {re.split(r"[=>]", one)[0] for one in wanted} == {one.split("==")[0] for one in constraints}
    conditions = [(one.split("==")[0], one.partition(";")[2]) for one in constraints]
    assert len(set(conditions)) == len(conditions)
    assert [one for one in constraints if one.startswith("JPype1==") and one.endswith("; python_version < '3.14'")]


def test_tools_of_developers_are_held_still() -> None:
    """A release of a tool shall not decide what the tests say."""
    for one in PROJECT["project"]["optional-dependencies"]["dev"]:
        assert re.fullmatch(r"[\w-]+>=[\d.]+,<[\d.]+", one), one
    for line in (CI / "tools.txt").read_text().splitlines():
        assert line.startswith("#") or re.fullmatch(r"[\w-]+(\[[\w,]+\])?==[\d.]+\*", line), line


def test_random_tests_are_the_same_on_every_day() -> None:
    """Each random number comes of a seed that is written down, and hypothesis draws the same."""
    assert (settings.default.derandomize, settings.default.database) == (True, None)
    of_chance = re.compile(
        r"\bRandom\(\)|\brandom\.(seed|random|choice|choices|randint|randrange|sample|shuffle)\(|SystemRandom"
    )
    for file in (REPOSITORY / "tests").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if re.search(r"^import random$", text, re.MULTILINE):  # a variable may have this name, where the module is not
            assert not of_chance.search(text), file
        assert not re.search(r"(?<!\\b)\bRandom\(\)", text), file


@linux
def test_the_sample_can_run_without_a_compiler_and_a_browser() -> None:
    files = [line for line in (CI / "sample.txt").read_text().splitlines() if not line.startswith("#")]
    assert files
    for file in files:
        assert not re.search(r"mark\.(nvcc|browser)", (REPOSITORY / file).read_text()), file


@linux
def test_both_commands_of_readme_are_found() -> None:
    for number, end in (
        ("1", ".venv/bin/scopec check --confirm specs/causality specs/programs\n"),
        ("2", ".venv-dev/bin/pytest\n"),
    ):
        command = output(CI / "readme", number)
        assert command.startswith("python3 -m venv .venv")
        assert command.endswith(end)
        assert command in (REPOSITORY / "README.md").read_text()


@linux
@pytest.mark.sampled(0)
def test_the_other_system_asks_whom_this_machine_asks(tmp_path: Path) -> None:
    """Settings of pip and npm, by files and by variables, and the files that they name."""
    wheels, certificate, here = tmp_path / "some" / "wheels", tmp_path / "ca.pem", tmp_path / "here"
    wheels.mkdir(parents=True)
    (wheels / "one.whl").write_text("wheel")
    certificate.write_text("certificate")
    (here / ".config" / "pip").mkdir(parents=True)
    (here / ".config" / "pip" / "pip.conf").write_text(
        f"[global]\nindex-url = https://pip.invalid/simple\nfind-links = {wheels}\n"
    )
    (here / ".npmrc").write_text(f"registry=https://npm.invalid/\ncafile={certificate}\n")
    (here / ".netrc").write_text("machine pip.invalid login a password b\n")
    root = tmp_path / "root"
    home = root / "home" / "bare"
    home.mkdir(parents=True)
    (root / "etc").mkdir()
    assert output(
        sys.executable, CI / "registries", root, home,
        HOME=str(here), PIP_TIMEOUT="17", https_proxy="http://proxy.invalid", UNRELATED_TOKEN="token",
    ) == ""  # fmt: skip
    assert re.search(r"^index-url ?= ?https://pip\.invalid/simple$", (root / "etc/pip.conf").read_text(), re.MULTILINE)
    assert "registry=https://npm.invalid/" in (home / ".npmrc").read_text()
    assert "pip.invalid" in (home / ".netrc").read_text()
    variables = output("sh", "-c", f". '{root}/etc/registries'; env", UNRELATED_TOKEN="")
    assert {"PIP_TIMEOUT=17", "https_proxy=http://proxy.invalid"} <= set(variables.split("\n"))
    assert "token" not in (root / "etc/registries").read_text()
    assert (root / wheels.relative_to("/") / "one.whl").read_text() == "wheel"
    assert (root / certificate.relative_to("/")).read_text() == "certificate"


def test_no_file_names_a_registry() -> None:
    """They are the machine's own settings."""
    for path in CI.iterdir():
        assert not re.search(r"https?://|index-url|deb\.debian", path.read_text()), path
