"""The extension for VS Code compiles, starts ``scopec lsp``, and says only what the server knows."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scopec.base.version import __version__
from scopec.session.plan import SUFFIXES
from tests.conftest import REPOSITORY
from tests.editor import Editor

pytest.importorskip("pygls", reason="pygls is not here")
pytestmark = pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not here")

SOURCE = REPOSITORY / "editors" / "vscode"
MANIFEST: dict[str, Any] = json.loads((SOURCE / "package.json").read_text())


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("extension") / "vscode"
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("node_modules", "out"))
    for command in (["npm", "ci", "--no-audit", "--no-fund"], ["npm", "run", "compile"]):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def told(compiled: Path) -> dict[str, Any]:
    done = subprocess.run(
        ["node", "test/options.js"], cwd=compiled, capture_output=True, text=True, check=True, timeout=60
    )
    said: dict[str, Any] = json.loads(done.stdout)
    return said


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    folder = tmp_path_factory.mktemp("editor")
    session = Editor(folder, folder)
    yield session
    session.end()


@pytest.mark.sampled(0)
def test_it_starts_the_server_without_trust(told: dict[str, Any]) -> None:
    assert (told["server"]["command"], told["server"]["args"]) == ("scopec", ["lsp"])
    assert told["client"]["initializationOptions"] == {"trusted": False, "delay": 0.15}
    assert (told["begins"], told["ends"]) == ("function", "function")


@pytest.mark.sampled(0)
def test_it_is_about_the_files_that_scopec_reads(told: dict[str, Any]) -> None:
    (selector,) = told["client"]["documentSelector"]
    assert selector == {"scheme": "file", "pattern": f"**/*.{{{','.join(s[1:] for s in SUFFIXES)}}}"}
    assert {"scopec.toml", "pyproject.toml", "*.cuh", "*.h"} <= set(re.findall(r"[*\w.]+\.\w+", told["watched"]))


def test_settings_and_commands_are_declared(told: dict[str, Any]) -> None:
    declared = MANIFEST["contributes"]
    assert {f"scopec.{name}" for name in told["settings"]} == set(declared["configuration"]["properties"])
    code = "".join(path.read_text() for path in sorted((SOURCE / "src").glob("*.ts")))
    registered = re.findall(r'registerCommand\("([\w.]+)"', code)
    assert registered == [one["command"] for one in declared["commands"]]
    assert MANIFEST["version"] == __version__


def test_a_workspace_does_not_say_what_is_run() -> None:
    """VS Code reads neither setting from a workspace that is not trusted."""
    restricted = MANIFEST["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
    assert set(restricted) == {"scopec.path", "scopec.arguments"}


@pytest.mark.sampled(0)
def test_the_server_knows_what_it_asks(told: dict[str, Any], editor: Editor, tmp_path: Path) -> None:
    commands = editor.can["executeCommandProvider"]["commands"]
    assert told["page"] in commands
    assert not {one["command"] for one in MANIFEST["contributes"]["commands"]} & set(
        commands
    )  # each is registered once
    path = tmp_path / "race.cu"
    editor.open(
        path, "__device__ int x;\n__global__ void k() { x = 1; }\n//@ launch k<<<2, 1>>>();\n//@ expect race_free;\n"
    )
    assert editor.command(told["page"], path.as_uri(), "", "").startswith("<!doctype html>")
    editor.change(path, "__global__ void k() {}\n//@ launch k<<<2, 1>>>();\n//@ expect race_free;\n")
    assert editor.command(told["page"], path.as_uri(), "", "") is None
    assert editor.messages[-1].startswith("there is no trace to show")
