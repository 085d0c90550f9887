"""Settings of a project run no code, name nothing outside it, and are the same for the command, Python and pytest."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import scopec
from scopec.base.diagnostics import Code, InputError, UsageError
from scopec.cli import commands
from scopec.cli.settings import defaults, options_of
from scopec.session import project
from scopec.session.project import KEYS, USERS, settings
from tests.command import scopec as command
from tests.conftest import REPOSITORY
from tests.test_cli import GOOD, RACE, no_traceback

SCOPED = GOOD + "//@ language scoped;\n"
#: A value of each kind that is right, but for what a project cannot say.
VALUES = {
    "model": '"ptx"', "given": "{device = \"empty\"}", "bound": "{unroll = 3}", "progress": '"cuda"', "memory": '"sc"',
    "hangs": '"sc"', "ignore-races": "true", "reader": '"scoped"', "I": '["below"]', "D": '{N = 4}', "U": '["N"]',
    "std": '"c++17"', "include": '["below/a.h"]', "p": '"below"', "engine": '"embedded"', "confirm": '"never"',
    "jobs": "1", "timeout": "2.5", "memory-limit": '"2GB"', "no-cache": "true", "allow": '["SCP042"]',
    "baseline": '"known.txt"', "quiet": "true", "verbose": "true", "alloy-jar": '"a.jar"', "tlc-jar": '"t.jar"',
    "executor": '"dask:x:1"', "keep": '"kept"',
    "allow-outside": "true", "no-guess": "true", "headers": '"shims"', "cuda-path": '"below"', "without": '["all"]',
    "through": '"nvcc"', "nvcc": '"/bin/nvcc"',
}  # fmt: skip


@pytest.fixture(autouse=True)
def alone(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with no settings in it."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    return home


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository, with folders and files to name."""
    top = tmp_path / "tree"
    (top / ".git").mkdir(parents=True)
    (top / "below").mkdir()
    for name in ("below/a.h", "known.txt", "x.cat", ".git/config"):
        (top / name).touch()
    return top


def said(folder: Path, text: str, name: str = "scopec.toml") -> dict[str, Any]:
    (folder / name).write_text(text, encoding="utf-8")
    return {key: setting.value for key, setting in settings(folder).items()}


def refused(folder: Path, text: str, name: str = "scopec.toml") -> tuple[str, int, str]:
    with pytest.raises(InputError) as raised:
        said(folder, text, name)
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.span.file == str(folder / name)
    return diagnostic.code.id, diagnostic.span.line, diagnostic.message


# ---------------------------------------------------------------- what a project cannot say


def test_a_jar_of_the_tree_does_not_run(tree: Path) -> None:
    """Its main class left a marker: a jar is code."""
    (tree / "good.cu").write_text(SCOPED)
    (tree / "scopec.toml").write_text('engine = "tlc"\ntlc-jar = "evil.jar"\n')
    done = command("check", "good.cu", cwd=tree)
    assert done.returncode == 2
    assert f"{tree / 'scopec.toml'}:2:1: error: `tlc-jar`: a project cannot say this" in done.stderr
    no_traceback(done)


@pytest.mark.parametrize("key", sorted(USERS))
def test_what_runs_and_where_is_written_is_not_a_projects(key: str, tree: Path) -> None:
    assert refused(tree, f"{key} = {VALUES[key]}\n")[:2] == ("SCP008", 1)


@pytest.mark.parametrize("key", sorted(USERS))
def test_it_is_the_users(key: str, alone: Path, tree: Path) -> None:
    own = alone / "config" / "scopec"
    own.mkdir(parents=True)
    (own / "scopec.toml").write_text(f"{key} = {VALUES[key]}\njobs = 2\n")
    found = settings(tree)
    assert set(found) == {key, "jobs"}
    assert str(found[key].value).lower().endswith(VALUES[key].strip('"'))
    assert said(tree, "jobs = 1\n")["jobs"] == 1  # the project's go first


@pytest.mark.parametrize("key", ["include", "I", "p", "baseline", "model"])
@pytest.mark.parametrize("place", ["/etc/passwd.cat", "../x.cat", "link/x.cat", ".git/x.cat", "~/x.cat/../../../x.cat"])
def test_paths_stay_in_the_tree(key: str, place: str, tree: Path, tmp_path: Path) -> None:
    (tree / "link").symlink_to(tmp_path)
    value = f'["{place}"]' if key in ("include", "I") else f'"{place}"'
    code, line, message = refused(tree, f"jobs = 1\n{key} = {value}\n")
    assert (code, line) == ("SCP008", 2)
    assert "is not a file or folder of" in message


def test_paths_are_beside_the_file(tree: Path) -> None:
    (tree / "scopec.toml").write_text('I = ["../tree/below"]\nmodel = "x.cat"\n')
    assert {k: s.value for k, s in settings(tree / "below").items()} == {
        "I": [str(tree / "../tree/below")], "model": str(tree / "x.cat"),
    }  # fmt: skip


def test_where_there_is_no_repository_paths_stay_in_the_folder(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert refused(tmp_path / "a", 'I = [".."]\n')[0] == "SCP008"
    assert said(tmp_path / "a", 'I = ["b"]\n') == {"I": [str(tmp_path / "a" / "b")]}


def test_settings_are_no_link_out_of_the_tree(tree: Path, tmp_path: Path) -> None:
    """What cannot be read of a file would be shown."""
    (tmp_path / "secret").write_text("password\n")
    (tree / "scopec.toml").symlink_to(tmp_path / "secret")
    with pytest.raises(UsageError, match="leads out of") as raised:
        settings(tree)
    assert "password" not in str(raised.value)
    (tree / "scopec.toml").unlink()
    (tree / "pyproject.toml").symlink_to(tmp_path / "secret")
    assert settings(tree) == {}


# ---------------------------------------------------------------- where they are looked for


def test_the_search_ends_at_the_repository(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "scopec.toml").write_text("jobs = 2\n")
    assert settings(tree / "below") == {}
    (tree / ".git" / "config").unlink()
    (tree / ".git").rmdir()
    assert settings(tree / "below")["jobs"].value == 2


def test_the_search_ends_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home" / "work").mkdir(parents=True)
    (tmp_path / "scopec.toml").write_text("jobs = 2\n")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert settings(tmp_path / "home" / "work") == {}
    (tmp_path / "home" / "scopec.toml").write_text("jobs = 1\n")
    assert settings(tmp_path / "home" / "work")["jobs"].value == 1


class Owned:
    """Who owns what, as the system says it: the suite may run as anybody."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, user: int) -> None:
        self.owners: dict[Path, int] = {}
        self.user = user
        monkeypatch.setattr(project, "_owner", lambda path: self.owners.get(path, user))
        monkeypatch.setattr(os, "geteuid", lambda: user)


def test_the_search_ends_at_another_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file in a shared folder would reach everybody."""
    shared, work = tmp_path / "shared", tmp_path / "shared" / "work"
    work.mkdir(parents=True)
    (shared / "scopec.toml").write_text("jobs = 2\n")
    owned = Owned(monkeypatch, 1000)
    assert settings(work)["jobs"].value == 2
    owned.owners = {shared: 1001, shared / "scopec.toml": 1001}
    assert settings(work) == {}
    owned.owners = {shared: 0}
    assert settings(work) == {}


def test_a_file_of_another_user_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder that all may write to, whoever owns it; it is told."""
    (tmp_path / "work").mkdir()
    (tmp_path / "scopec.toml").write_text("jobs = 2\n")
    owned = Owned(monkeypatch, 0)
    owned.owners = {tmp_path / "scopec.toml": 1001}
    warnings: list[str] = []
    assert settings(tmp_path / "work", warnings) == {}
    assert warnings == [f"{tmp_path / 'scopec.toml'} is not read: it is another user's than {tmp_path / 'work'}"]


def test_another_users_repository_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = tmp_path / "work"
    (tmp_path / ".git").mkdir()
    work.mkdir()
    (tmp_path / "below.h").touch()
    owned = Owned(monkeypatch, 0)
    assert said(work, 'include = ["../below.h"]\n')
    owned.owners = {tmp_path / ".git": 1001}
    assert refused(work, 'include = ["../below.h"]\n')[0] == "SCP008"


def test_in_a_container_everything_has_one_other_owner(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And sometimes the files that were fetched are of the user that runs, in a folder of the other."""
    (tree / "scopec.toml").write_text("jobs = 2\n")
    owned = Owned(monkeypatch, 0)
    for owners in (dict.fromkeys((tree, tree / "below", tree / ".git", tree / "scopec.toml"), 1001), {tree: 1001}):
        owned.owners = owners
        assert settings(tree / "below")["jobs"].value == 2


# ---------------------------------------------------------------- what they may be

WRONG = [
    ('["ptx"]', "model"), ('"no such model"', "model"), ('"x"', "given"), ("[1]", "given"), ('["device"]', "given"),
    ("{device = 1.5}", "given"), ('{devices = "empty"}', "given"), ("{unroll = 0}", "bound"), ("{unroll = true}", "bound"),
    ('"no such model"', "progress"), ('"weak"', "memory"), ('"never"', "hangs"), ("1", "ignore-races"), ('"gcc"', "reader"),
    ('"below"', "I"), ("[[]]", "I"), ('["\\u0000"]', "I"), ('"N"', "D"), ("{N = {M = 1}}", "D"), ("4", "U"), ("20", "std"),
    ('["a", 1]', "include"), ("[]", "p"), ('"\\u0000"', "p"), ('"no such engine"', "engine"), ("1", "engine"),
    ('"maybe"', "confirm"), ("true", "jobs"), ("0", "jobs"), ("65", "jobs"), ("1.5", "jobs"), ('"1"', "jobs"), ("0", "timeout"),
    ("nan", "timeout"), ("inf", "timeout"), ("-inf", "timeout"), ('"1 s"', "timeout"), (f"1{'0' * 400}", "timeout"),
    ("-1", "memory-limit"), ('"much"', "memory-limit"), ("true", "memory-limit"), ("0", "memory-limit"), ('"yes"', "no-cache"),
    ('"SCP042"', "allow"), ('["SCP001"]', "allow"), ("1979-05-27", "baseline"), ("0", "quiet"),
    ("{}", "verbose"), ('["none such"]', "without"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "key"), WRONG)
@pytest.mark.parametrize("name", ["scopec.toml", "pyproject.toml"])
@pytest.mark.sampled(41)
def test_a_wrong_value_is_an_error_with_a_place(value: str, key: str, name: str, tree: Path) -> None:
    head = "" if name == "scopec.toml" else "[tool.scopec]"
    code, line, message = refused(tree, f"# {key} = 1\n{head}\n  {key} = {value}\n", name)
    assert code in ("SCP008", "SCP022")
    assert line == 3, message


@pytest.mark.parametrize("text", ["[given]\ndevices = 1\n", "[bound]\n# unroll\nunroll = 65\n", '["given"]\nx.y = 1\n'])
def test_the_place_of_a_table(text: str, tree: Path) -> None:
    assert refused(tree, "# given, bound\n" + text)[1] == 2


@pytest.mark.parametrize(
    "text", ["x = [", "\x00", "[a]\n[a]\n", "x = " + "[" * 5000 + "]" * 5000, "x = 1" + "0" * 5000, '"']
)
def test_what_is_no_toml_is_an_error_with_a_place(text: str, tree: Path) -> None:
    code, *_ = refused(tree, text)
    assert code in ("SCP008", "SCP030")
    (tree / "scopec.toml").unlink()
    assert said(tree, text, "pyproject.toml") == {}  # other tools tell of it


@pytest.mark.parametrize("text", ["tool = 1\n", "[tool]\nscopec = 1\n", "[tool.scopec]\nengin = 1\n"])
def test_tables_that_are_none(text: str, tree: Path) -> None:
    if text.startswith("tool"):
        assert said(tree, text, "pyproject.toml") == {}
    else:
        assert refused(tree, text, "pyproject.toml")[0] == "SCP008"


def test_a_shared_file_that_does_not_name_scopec_is_not_read(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TOML may write a key with escapes."""
    assert set(said(tree, '[tool."\\u0073copec"]\ntimeout = 9', "pyproject.toml")) == {"timeout"}
    monkeypatch.setattr(tomllib, "loads", None)
    assert said(tree, "[tool.other]\ntimeout = 9", "pyproject.toml") == {}


def test_bytes_that_are_no_text(tree: Path) -> None:
    (tree / "scopec.toml").write_bytes(b"jobs = 1 # \xff")
    with pytest.raises(InputError, match="SCP003"):
        settings(tree)


def test_the_command_says_it(tree: Path) -> None:
    """The same for every command, without a traceback; an excerpt shows where."""
    (tree / "good.cu").write_text(SCOPED)
    for text in ('jobs = "two"\n', "x = [", '[bound]\nunroll = "x"\n', 'I = ["nowhere"]\n'):
        (tree / "scopec.toml").write_text(text)
        done = command("check", "good.cu", cwd=tree)
        no_traceback(done)
        assert (done.returncode, f"{tree / 'scopec.toml'}:1:" in done.stderr) == (2, True), done.stderr


# ---------------------------------------------------------------- one list, for all


def test_each_setting_is_an_option_and_each_option_of_a_project_a_setting() -> None:
    check = commands.commands["check"]
    of_a_call = {
        "every", "list", "format", "output", "watch", "changed-since", "k", "budget", "x", "write-baseline",
    }  # fmt: skip
    assert set(options_of(check)) == set(KEYS) == set(VALUES)
    assert {max(o.opts, key=len).lstrip("-") for o in check.params if o.param_type_name == "option"} - set(
        KEYS
    ) == of_a_call


def test_each_is_taken_and_passed_on(tree: Path) -> None:
    text = "".join(f"{key} = {value}\n" for key, value in VALUES.items() if key not in USERS)
    (tree / "scopec.toml").write_text(text)
    (tree / "below" / "compile_commands.json").write_text("[]")
    passed = defaults(commands.commands.values(), tree)["check"]
    assert len(passed) == len(VALUES) - len(USERS)
    assert passed["bound"] == ["unroll=3"]
    assert passed["timeout"] == 2.5


def test_the_document_lists_them() -> None:
    text = (REPOSITORY / "docs" / "python.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| (`.*?) \|.*\| (.*) \|$", text.partition("## Settings")[2].partition("\n## ")[0], re.MULTILINE
    )
    listed = {key: whose for keys, whose in rows for key in re.findall(r"`([\w-]+)`", keys)}
    assert listed == {key: "a call's, the user's" if key in USERS else "the project's" for key in KEYS}
    assert Code.BAD_SETTING.way_out == 'see docs/python.md, "Settings"'
    assert "\n## Settings\n" in text


def test_python_takes_them(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "race.cu").write_text(RACE)
    monkeypatch.chdir(tree)
    (tree / "scopec.toml").write_text('engine = "embedded"\nreader = "scoped"\nmodel = "ptx"\n')
    (found,) = scopec.check("race.cu")
    assert (found.engine, found.model, found.answer) == ("embedded", "ptx", "violated")
    (found,) = scopec.check("race.cu", model=None)
    assert (found.model, found.answer) == ("cuda-v3", "violated")
    (found,) = scopec.check("race.cu", model="sc-drf")
    assert found.model == "sc-drf"
    (tree / "scopec.toml").write_text("jobs = 0\n")
    with pytest.raises(InputError, match="jobs"):
        scopec.check("race.cu")


def test_python_takes_a_baseline(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "race.cu").write_text(RACE)
    monkeypatch.chdir(tree)
    text = 'engine = "embedded"\nreader = "scoped"\n'
    (tree / "scopec.toml").write_text(text)
    assert command("check", "race.cu", "--write-baseline", "known.txt", cwd=tree).returncode == 1
    assert not scopec.check("race.cu").ok
    (tree / "scopec.toml").write_text(text + 'baseline = "known.txt"\n')
    assert scopec.check("race.cu").ok


@pytest.mark.sampled(0)
def test_pytest_takes_them(tree: Path) -> None:
    (tree / "race.cu").write_text(RACE)
    (tree / "scopec.toml").write_text('engine = "embedded"\nreader = "scoped"\nbaseline = "known.txt"\n')

    def run() -> str:
        call = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "scopec.pytest_plugin", "-q", "race.cu"]
        environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        done = subprocess.run(call, cwd=tree, capture_output=True, text=True, check=False, env=environment)
        return done.stdout + done.stderr

    assert "1 failed" in run()
    assert command("check", "race.cu", "--write-baseline", "known.txt", cwd=tree).returncode == 1
    assert "1 xfailed" in run()
    (tree / "scopec.toml").write_text("jobs = 0\n")
    assert "scopec.toml:1:1: error: `jobs`" in run()
