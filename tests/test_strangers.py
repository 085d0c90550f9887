"""A tree that somebody else wrote: git runs nothing of it, and the name of a file is no option and no code."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from scopec.base.diagnostics import UsageError
from scopec.session import revisions
from scopec.session.changes import changed_since
from tests.command import scopec
from tests.conftest import REPOSITORY
from tests.test_cli import GOOD, RACE, no_traceback

SCOPED = GOOD + "//@ language scoped;\n"


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """A file that is not there, and a program beside it that makes it."""
    program = tmp_path / "evil"
    program.write_text(f"#!/bin/sh\ntouch '{tmp_path / 'marker'}'\nprintf '/\\0'\ncat\n")
    program.chmod(0o755)
    return tmp_path / "marker"


@pytest.fixture(autouse=True)
def alone(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings of the user's: a `safe.bareRepository` there would hide what this is about."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))


def git(folder: Path, *arguments: str, **environment: str) -> str:
    call = [
        "git",
        "-C",
        str(folder),
        "-c",
        "user.name=n",
        "-c",
        "user.email=e",
        "-c",
        "protocol.file.allow=always",
        *arguments,
    ]
    return subprocess.run(
        call, check=True, capture_output=True, text=True, env={**os.environ, **environment}
    ).stdout.strip()  # fmt: skip


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository with a program that has changed since HEAD, and one that has not."""
    top = tmp_path / "tree"
    (top / "sub").mkdir(parents=True)
    git(top, "init", "-q")
    for name in ("same.cu", "sub/changed.cu"):
        (top / name).write_text(GOOD)
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "one")
    (top / "sub" / "changed.cu").write_text(RACE)
    return top


def changed(*paths: Path, revision: str = "HEAD") -> list[str]:
    return [path.name for path in changed_since(paths, revision)]


# ---------------------------------------------------------------- git runs nothing


def test_a_folder_that_looks_like_a_repository_is_files(tree: Path, marker: Path) -> None:
    """A bare repository, committed as ordinary files: git would take it for one, and run what it names."""
    bare = tree / "lib"
    (bare / "objects").mkdir(parents=True)
    (bare / "refs" / "heads").mkdir(parents=True)
    git(tree, "clone", "-q", "--bare", ".", "bare")
    (tree / "bare").rename(bare / "x")
    for file in ("HEAD", "packed-refs", "objects"):
        (bare / "x" / file).rename(bare / file) if file != "objects" else [
            part.rename(bare / "objects" / part.name) for part in (bare / "x" / "objects").iterdir()
        ]
    (bare / "config").write_text(
        f"[core]\nrepositoryformatversion = 0\nbare = false\nworktree = {bare}\nfsmonitor = {marker.parent / 'evil'}\n"
    )
    (bare / "race.cu").write_text(RACE)
    (bare / "info").mkdir(exist_ok=True)
    (bare / "info" / "exclude").write_text("*\n")
    for paths in ([tree], [bare], [bare / "race.cu"], [tree / "lib" / "race.cu", tree]):
        assert "race.cu" in changed(*paths)
        assert not marker.exists()


@pytest.mark.parametrize("setting", ["core.fsmonitor", "core.hooksPath", "filter.f.clean", "filter.f.process", "diff.d.textconv",
                                     "diff.external", "core.pager", "core.sshCommand", "alias.ls-tree", "alias.ls-files"])  # fmt: skip
def test_no_setting_of_a_repository_runs(setting: str, tree: Path, marker: Path) -> None:
    evil = marker.parent / "evil"
    (tree / ".gitattributes").write_text("*.cu filter=f diff=d\n")
    os.utime(tree / "same.cu", (1, 1))  # so that its content is looked at
    if setting == "core.hooksPath":
        for hook in (
            "post-index-change",
            "fsmonitor-watchman",
            "reference-transaction",
            "pre-auto-gc",
            "post-checkout",
        ):
            (tree / ".git" / "hooks" / hook).parent.mkdir(exist_ok=True)
            (tree / ".git" / "hooks" / hook).symlink_to(evil)
        git(tree, "config", setting, str(tree / ".git" / "hooks"))
    else:
        git(tree, "config", setting, str(evil) if not setting.startswith("alias") else f"!{evil}")
    marker.unlink(missing_ok=True)
    assert changed(tree) == ["changed.cu"]
    assert not marker.exists()


def test_nothing_is_fetched(tree: Path, marker: Path, tmp_path: Path) -> None:
    """Objects that are elsewhere: how to get them would be a program that the repository names."""
    git(tree, "commit", "-q", "-a", "-m", "two")
    first = git(tree, "rev-parse", "HEAD~1^{tree}")
    git(tree, "config", "core.repositoryformatversion", "1")
    git(tree, "config", "extensions.partialClone", "origin")
    git(tree, "config", "remote.origin.promisor", "true")
    git(tree, "config", "remote.origin.url", f"ext::{marker.parent / 'evil'}")
    git(tree, "config", "protocol.ext.allow", "always")
    (tree / ".git" / "objects" / first[:2] / first[2:]).unlink()
    with pytest.raises(UsageError, match="git says"):
        changed(tree, revision="HEAD~1")
    assert not marker.exists()


@pytest.mark.parametrize("name", ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_EXTERNAL_DIFF",
                                  "GIT_NAMESPACE", "GIT_EXEC_PATH"])  # fmt: skip
def test_variables_that_lead_elsewhere_do_not_count(
    name: str, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hook of git's is called with some of them."""
    other = tmp_path / "other"
    git(tmp_path, "clone", "-q", str(tree), str(other))
    elsewhere = {
        "GIT_DIR": other / ".git",
        "GIT_INDEX_FILE": other / ".git" / "index",
        "GIT_OBJECT_DIRECTORY": tmp_path,
    }
    monkeypatch.setenv(name, str(elsewhere.get(name, other)))
    assert changed(tree) == ["changed.cu"]


def test_what_a_user_says_of_git_counts(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, str]] = []
    run = subprocess.run

    def spy(command: list[str], **how: object) -> object:
        seen.append(how["env"])  # type: ignore[arg-type]
        return run(command, **how)  # type: ignore[call-overload]

    for name in ("GIT_CONFIG_COUNT", "GIT_CONFIG_GLOBAL", "GIT_DIR", "GIT_TRACE"):
        monkeypatch.setenv(name, "0" if name == "GIT_CONFIG_COUNT" else os.devnull)
    monkeypatch.setattr(revisions.subprocess, "run", spy)
    changed(tree)
    assert all({"GIT_CONFIG_COUNT", "GIT_CONFIG_GLOBAL"} <= set(env) for env in seen)
    assert not any({"GIT_DIR", "GIT_TRACE"} & set(env) for env in seen)


def test_one_repository_for_each_path(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many folders there are below it."""
    asked: list[Path] = []
    made = revisions.revision
    monkeypatch.setattr(
        "scopec.session.changes.revision", lambda folder, name: asked.append(folder) or made(folder, name)
    )
    changed(tree, tree / "sub", tree / "same.cu")
    assert asked == [tree, tree / "sub"]


def test_another_repository_below_is_checked(tree: Path) -> None:
    """It has no such revision, or another one of this name: its programs are not taken to be as they were."""
    inner = tree / "inner"
    inner.mkdir()
    (inner / "own.cu").write_text(GOOD)
    git(inner, "init", "-q")
    git(inner, "add", ".")
    git(inner, "commit", "-q", "-m", "inner")
    assert changed(tree) == ["own.cu", "changed.cu"]
    git(tree, "add", "inner")
    git(tree, "commit", "-q", "-a", "-m", "with a submodule")
    assert changed(tree) == ["own.cu"]
    assert changed(inner) == []


def test_files_elsewhere(tree: Path, tmp_path: Path) -> None:
    git(tree, "config", "core.worktree", str(tmp_path))
    with pytest.raises(UsageError, match="are elsewhere"):
        changed(tree)


def test_links_and_ends_of_lines(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.cu").write_text(GOOD)
    (tree / "out.cu").symlink_to(tmp_path / "outside.cu")
    (tree / "in.cu").symlink_to("same.cu")
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "-m", "links")
    assert changed(tree) == ["out.cu"]  # nobody knows what it was
    (tree / "same.cu").write_bytes(GOOD.replace("\n", "\r\n").encode())
    assert changed(tree) == ["out.cu"]
    (tree / "same.cu").write_text(RACE)
    assert changed(tree) == ["in.cu", "out.cu", "same.cu"]
    assert changed(tree / "sub" / ".." / "in.cu") == ["in.cu"]


def test_repositories_of_longer_names(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256")
    (tmp_path / "a.cu").write_text(GOOD)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "one")
    assert changed(tmp_path) == []
    (tmp_path / "a.cu").write_text(RACE)
    assert changed(tmp_path) == ["a.cu"]


# ---------------------------------------------------------------- a file's name is no option


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["--alloy-jar=x.cu", "--keep=x.cu", "-qx.cu", "-Ix.cu", "--watch", "-"])
def test_a_files_name_is_no_option(name: str, tmp_path: Path) -> None:
    """As a shell, a hook or the action hands it over: `scopec check *`."""
    for each in (name, "good.cu"):
        (tmp_path / each).write_text(SCOPED)
    done = scopec("check", "--engine", "embedded", *sorted([name, "good.cu"]), cwd=tmp_path)
    no_traceback(done)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"`{name}` is a file here, and would be taken for an option" in done.stderr
    if name.endswith(".cu"):
        for way in ([f"./{name}"], ["--", name]):
            assert scopec("check", "--engine", "embedded", *way, cwd=tmp_path).returncode == 0


def test_what_follows_an_option_is_its_value(tmp_path: Path) -> None:
    """Options that no file is called as are taken as ever, those with a value and those behind `--` too."""
    (tmp_path / "good.cu").write_text(SCOPED)
    assert scopec("check", "--engine", "embedded", "-q", "good.cu", "-k", "good", cwd=tmp_path).returncode == 0


def test_the_hook_refuses_it_too(tmp_path: Path) -> None:
    """With `args:` in between, as pre-commit calls it: entry, args, names."""
    entry = re.search(r"^  entry: scopec (.*)$", (REPOSITORY / ".pre-commit-hooks.yaml").read_text(), re.MULTILINE)
    assert entry
    (tmp_path / "--executor=dask:x:1.cu").write_text(SCOPED)
    done = scopec(*entry[1].split(), "--model", "ptx", "--executor=dask:x:1.cu", cwd=tmp_path)
    assert (done.returncode, "is a file here" in done.stderr) == (2, True)


def action() -> str:
    """The script of the action that checks."""
    text = (REPOSITORY / "action.yml").read_text(encoding="utf-8")
    script = text[text.index("    - shell: bash\n      run: |\n") :].partition("      env:\n")[0]
    return "\n".join(line[8:] for line in script.splitlines()[2:])


@pytest.mark.parametrize(
    ("paths", "arguments", "called"),
    [
        (".", "", ["--", "."]),
        ("src\nmore tests/*\n\n--keep=x.cu", "", ["--", "src", "more tests/*", "--keep=x.cu"]),
        ("a;touch marker.cu\n$(touch marker)\n`touch marker`\n\"q'.cu", "", ["--", "a;touch marker.cu", "$(touch marker)", "`touch marker`", "\"q'.cu"]),
        ("src", "--model ptx  --allow * ", ["--model", "ptx", "--allow", "*", "--", "src"]),
    ],
)  # fmt: skip
def test_the_action_hands_names_over_as_they_are(paths: str, arguments: str, called: list[str], tmp_path: Path) -> None:
    (tmp_path / "scopec").write_text("#!/bin/sh\nfor a; do printf '%s\\0' \"$a\"; done\n")
    (tmp_path / "scopec").chmod(0o755)
    environment = {
        **os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "SCOPEC_PATHS": paths, "SCOPEC_ARGUMENTS": arguments,
    }  # fmt: skip
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", action()],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split("\0")[:-1] == ["check", "--format", "text", "--format", "github", "--output", "-", *called]
    assert not (tmp_path / "marker").exists()


@pytest.mark.parametrize(
    "name", ['a"\nint evil; .cu', 'b", "key": "0", "x": "\\.cu', "c\r#error\u2028 \\.cu", "d\udce9.cu"]
)
def test_a_files_name_is_no_code_of_the_harness(name: str, tmp_path: Path) -> None:
    """Nor of what the harness prints, which names tests."""
    (tmp_path / name).write_text(RACE + "//@ language scoped;\n")
    done = scopec("run", "--emit", tmp_path / "out", tmp_path / name)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "out" / "part0.cu").read_text(encoding="utf-8")
    comment, entry = (line for line in text.split("\n") if line.startswith("// ---") or "entry<" in line)
    assert re.fullmatch(r"// -+ [\w ./,=+()\[\]-]*", comment)
    assert re.fullmatch(r'\s+entry<test_\w+::Program>\("[\w ./,=+()\[\]-]*", "\w+", \{[\d, ]*\}\),', entry)


# ---------------------------------------------------------------- what SECURITY.md says


def test_each_row_of_what_was_tried_names_its_test() -> None:
    text = (REPOSITORY / "SECURITY.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| .* \| `(test_\w+)` of `(tests/\w+\.py)` \|$", text, re.MULTILINE)
    assert len(rows) == text.partition("## What was tried")[2].count("\n| ") - 1 > 10
    for test, file in rows:
        assert f"def {test}(" in (REPOSITORY / file).read_text(encoding="utf-8"), test
