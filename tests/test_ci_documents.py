"""docs/ci.md and docs/editing.md: their commands do what is said."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import yaml  # mkdocs's and pre-commit's

from scopec.engines.java.jars import cache_folder
from tests.command import scopec
from tests.conftest import REPOSITORY
from tests.test_cli import GOOD, RACE

CI = (REPOSITORY / "docs" / "ci.md").read_text(encoding="utf-8")
EDITING = (REPOSITORY / "docs" / "editing.md").read_text(encoding="utf-8")
#: Every scopec command of the document, without `pip install` before it.
COMMANDS = re.findall(r"(?:^|- run: |- )(scopec (?:check|compile) .*)$", CI, re.MULTILINE)


@pytest.mark.parametrize("text", [GOOD, RACE], ids=["good", "race"])
def test_the_commands_of_the_workflow(text: str, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "p.cu").write_text(text)
    assert len([c for c in COMMANDS if "--format" in c]) == 3
    for command in dict.fromkeys(c for c in COMMANDS if "--format" in c):
        done = scopec(*shlex.split(command)[1:], "--engine", "embedded", cwd=tmp_path)
        assert done.returncode == (0 if text == GOOD else 1), done.stderr
        assert "1 file, 1 program" in done.stdout
        if "github" in command:
            assert ("::error file=src/p.cu,line=1" in done.stdout) == (text == RACE)
            assert json.loads((tmp_path / "scopec.sarif").read_text())["version"] == "2.1.0"
        assert (tmp_path / "scopec.xml").read_text().startswith("<?xml")
        assert (tmp_path / "scopec-report" / "index.html").is_file()


def test_the_workflow_runs_what_the_document_shows() -> None:
    shown = re.search(r"^```sh\n(scopec check .*)\n```$", CI, re.MULTILINE)
    assert shown
    assert f"      - run: {shown[1]}\n" in CI
    assert "docs/ci.md" in (REPOSITORY / ".ci" / "run").read_text()


def test_the_examples_are_what_each_system_reads() -> None:
    """Each is YAML of the form that its system takes; its commands are a shell's, and its reports those that are written."""
    blocks = [yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```$", CI, re.MULTILINE | re.DOTALL)]
    github, action, gitlab, hooks = blocks
    steps = github["jobs"]["check"]["steps"]
    assert all(("uses" in step) != ("run" in step) for step in steps)
    assert github["permissions"]["security-events"] == "write"
    of_gitlab = gitlab["scopec"]
    commands = [step["run"] for step in steps if "run" in step] + of_gitlab["before_script"] + of_gitlab["script"]
    for command in commands:
        subprocess.run(["bash", "-n", "-c", command], check=True)
    for command, reports in (
        (steps[4]["run"], [steps[5]["with"]["sarif_file"], *steps[6]["with"]["path"].split()]),
        (of_gitlab["script"][0], [*of_gitlab["artifacts"]["reports"].values(), *of_gitlab["artifacts"]["paths"]]),
    ):
        written = [after for word, after in pairwise(shlex.split(command)) if word == "--output" and after != "-"]
        assert sorted(written) == sorted(reports)
    inputs = yaml.safe_load((REPOSITORY / "action.yml").read_text())["inputs"]
    assert action[0]["with"].keys() <= inputs.keys()
    (hook,) = yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text())
    (local,) = hooks["repos"][0]["hooks"]
    assert {key: local[key] for key in ("files", "language", "require_serial")} == {
        key: hook[key] for key in ("files", "language", "require_serial")
    }
    assert local["entry"].startswith(hook["entry"])


def test_the_engines_are_where_the_examples_keep_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/project/.cache")
    assert f"{cache_folder()}" == "/project/.cache/scopec/engines"
    monkeypatch.delenv("XDG_CACHE_HOME")
    if sys.platform == "linux":
        assert cache_folder() == Path.home() / ".cache" / "scopec" / "engines"


@pytest.mark.parametrize("text", [GOOD, RACE], ids=["good", "race"])
def test_the_hook_of_a_commit(text: str, tmp_path: Path) -> None:
    entry = re.search(r"^ +entry: scopec (.*)$", CI, re.MULTILINE)
    assert entry
    (tmp_path / "p.cu").write_text(text)
    done = scopec(*shlex.split(entry[1]), "p.cu", cwd=tmp_path)
    assert done.returncode == (0 if text == GOOD else 1), done.stderr


def test_kept_specifications(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "p.cu").write_text(GOOD)
    (command,) = [shlex.split(c)[1:] for c in COMMANDS if "compile" in c]
    assert scopec(*[a for a in command if a != "--check"], cwd=tmp_path).returncode == 0
    assert scopec(*command, cwd=tmp_path).returncode == 0
    (tmp_path / "src" / "p.cu").write_text(RACE)
    changed = scopec(*command, cwd=tmp_path)
    assert changed.returncode == 1
    assert "+++ src/generated/p.als (generated now)" in changed.stdout


#: What a shell is asked after the lines that docs/editing.md gives, and what it must answer.
SHELLS = {
    "bash": ('COMP_WORDS=(scopec ch); COMP_CWORD=1; _scopec_completion scopec; echo "${COMPREPLY[@]}"', "check"),
    "zsh": ("print $_comps[scopec]", "_scopec_completion"),
    "fish": ("complete -C 'scopec check --format sa'", "sarif"),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("shell", list(SHELLS))
def test_completion(shell: str, tmp_path: Path) -> None:
    """The documented lines in the shell itself, where it is installed, and in any case what they evaluate."""
    script = tmp_path / "scopec"
    script.write_text(f"#!{sys.executable}\nfrom scopec.cli import main\nmain()\n")
    script.chmod(0o755)
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "PATH": f"{tmp_path}:{os.environ['PATH']}"}

    def run(*command: str | Path, **more: str) -> str:
        done = subprocess.run(
            command, env={**environment, **more}, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.stderr == ""
        return done.stdout

    assert "_SCOPEC_COMPLETE" in run(script, _SCOPEC_COMPLETE=f"{shell}_source")
    words = {"bash": ("scopec ch", "1"), "zsh": ("scopec ch", "1"), "fish": ("scopec ch", "ch")}[shell]
    assert "check" in run(script, _SCOPEC_COMPLETE=f"{shell}_complete", COMP_WORDS=words[0], COMP_CWORD=words[1])
    row = re.search(rf"^\| {shell} \|(.*)\|$", EDITING, re.MULTILINE)
    assert row
    lines = [c.replace("\\|", "|") for c in re.findall(r"`([^`]*)`", row[1]) if not c.startswith("~")]
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} is on PATH: only the lines themselves are checked")
    question, answer = SHELLS[shell]
    assert run(shell, "-c", "\n".join([*lines, question]), HOME=str(tmp_path)).split() == [answer]


def test_the_problem_matcher_reads_diagnostics(tmp_path: Path) -> None:
    block = re.search(r"```json\n(.*?)```", EDITING, re.DOTALL)
    assert block
    pattern = json.loads(block[1])["pattern"]
    (tmp_path / "a b.cu").write_text("int main( {")
    done = scopec("check", "a b.cu", cwd=tmp_path)
    found = re.match(pattern["regexp"], done.stderr.splitlines()[0])
    assert found
    assert (found[pattern["file"]], found[pattern["line"]], found[pattern["severity"]]) == ("a b.cu", "1", "error")
