"""The surroundings of a call: closed streams, folders with links, a cache that cannot be written, signals."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.base.diagnostics import UnavailableError, starved
from scopec.base.files import write_below
from scopec.base.scratch import scratch_folder
from scopec.engines.java import jars
from tests.command import scopec
from tests.test_cli import LONG

RACES = """C r
{ x = 0; }
P0 (int *x) { *x = 1; }
P1 (int *x) { int r0 = *x; }
exists (1:r0=1)
//@ expect race_free;
"""
HOLDS = "C p\n{ x = 0 }\nP0 (int *x) { *x = 1; }\nexists (x=1)\n"


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-"])
@pytest.mark.sampled(1)
def test_streams_may_be_closed(closed: str, write: Callable[..., Path]) -> None:
    command = f'"$0" -m scopec.cli check --engine embedded "$1" {closed}'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, str(write(HOLDS, "p.litmus"))], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.sampled(0)
def test_a_closed_standard_input_is_empty(tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", '"$0" -m scopec.cli check - <&-', sys.executable], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "internal error" not in done.stderr


# ---------------------------------------------------------------- links


def test_a_file_below_a_folder_replaces_a_link(tmp_path: Path) -> None:
    """Whoever wrote the folder must not choose what is written."""
    (tmp_path / "mine").write_text("kept")
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "a.als").symlink_to(tmp_path / "mine")
    write_below(folder, "a.als", "new")
    assert (tmp_path / "mine").read_text() == "kept"
    assert (folder / "a.als").read_text() == "new"
    assert not (folder / "a.als").is_symlink()
    (folder / "inside").symlink_to(tmp_path)
    with pytest.raises(OSError, match="leads out"):
        write_below(folder, "inside/mine", "new")
    assert [p.name for p in folder.iterdir() if p.name.startswith(".")] == []


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["compile", "p.litmus", "-o", "out"], "p.als"),
        (["check", "--engine", "embedded", "--format", "html", "--output", "out", "p.litmus"], "index.html"),
        (["run", "--emit", "out", "p.litmus"], "Makefile"),
        (["check", "--engine", "embedded", "--keep", "out", "p.litmus"], "p.als"),
    ],
)
def test_no_command_writes_through_a_link(command: list[str], name: str, tmp_path: Path) -> None:
    (tmp_path / "p.litmus").write_text(HOLDS)
    (tmp_path / "mine").write_text("kept")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).symlink_to(tmp_path / "mine")
    done = scopec(*command, cwd=tmp_path)
    assert done.returncode in (0, 2), done.stderr  # a litmus file in C is not for a GPU
    assert (tmp_path / "mine").read_text() == "kept"
    assert (tmp_path / "out" / name).is_file()
    assert not (tmp_path / "out" / name).is_symlink()


def test_no_diff_shows_what_a_link_leads_to(tmp_path: Path) -> None:
    (tmp_path / "p.litmus").write_text(HOLDS)
    (tmp_path / "secret").write_text("SECRET\n")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "p.als").symlink_to(tmp_path / "secret")
    done = scopec("compile", "p.litmus", "-o", "out", "--check", cwd=tmp_path)
    assert done.returncode == 1
    assert "SECRET" not in done.stdout + done.stderr


@pytest.mark.jvm
def test_what_engines_wrote_is_not_kept_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "p.litmus").write_text(HOLDS)
    (tmp_path / "mine").mkdir()
    (tmp_path / "kept").mkdir()
    call = ("check", "--engine", "alloy", "--keep", "kept", "p.litmus")
    assert scopec(*call, cwd=tmp_path).returncode == 0
    (folder,) = (p for p in (tmp_path / "kept").iterdir() if p.is_dir())
    shutil.rmtree(folder)
    folder.symlink_to(tmp_path / "mine")
    assert scopec(*call, cwd=tmp_path).returncode == 0
    assert not list((tmp_path / "mine").iterdir())
    assert any(folder.iterdir())


@pytest.mark.parametrize("leads", ["/dev/zero", "pipe"])
def test_an_index_need_not_have_an_end(leads: str, tmp_path: Path) -> None:
    (tmp_path / "p.litmus").write_text(HOLDS)
    (tmp_path / "out").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "out" / "index.html").symlink_to(tmp_path / leads)
    done = scopec("check", "--engine", "embedded", "--format", "html", "-o", "out", "p.litmus", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


# ---------------------------------------------------------------- little memory, other encodings


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (SystemError("error return without exception set"), True), (SystemError("f returned NULL without setting an exception"), True),
        (SystemError("bad argument"), False), (MemoryError(), True),
    ],
)  # fmt: skip
def test_what_python_says_where_memory_is_short(failure: Exception, expected: bool) -> None:
    assert starved(failure) is expected


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited otherwise")
@pytest.mark.parametrize("kilobytes", [20_000, 26_000, 32_000, 45_000, 70_000, 150_000, 200_000])
@pytest.mark.parametrize("name", ["p.litmus", "p.cu"])
@pytest.mark.sampled(2)
def test_with_little_memory_a_call_says_so(kilobytes: int, name: str, tmp_path: Path) -> None:
    text = "__global__ void k() {}\n//@ launch k<<<1, 1>>>();\n//@ expect race_free;\n"
    (tmp_path / name).write_text(HOLDS if name == "p.litmus" else text)
    command = f'ulimit -v {kilobytes}; exec "$0" -m scopec.cli check --no-cache --engine embedded {name}'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode in (0, 4), done.stderr
    assert "Traceback" not in done.stderr
    assert "This is a bug" not in done.stderr
    assert done.returncode == 0 or re.search(r"ulimit -v|less memory", done.stderr), done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited otherwise")
def test_a_thread_gets_memory_where_there_is_little() -> None:
    """Less than an arena of malloc, 64 MB: a thread that wants its own gets a page for each object, soon nothing, and
    CPython 3.11 then tries for ever to raise a MemoryError."""
    program = """
import resource, threading
from scopec.base.children import prepare_for_little_memory
resource.setrlimit(resource.RLIMIT_AS, (int(open("/proc/self/statm").read().split()[0]) * 4096 + (24 << 20),) * 2)
prepare_for_little_memory()
thread = threading.Thread(target=lambda: print(len([bytearray(600) for _ in range(8_000)])))
thread.start()
thread.join()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout == "8000\n", done.stderr


@pytest.mark.parametrize("limit", ["-n 8", "-n 12", "-n 16"])
@pytest.mark.sampled(1)
def test_with_few_files_a_call_says_so(limit: str, tmp_path: Path) -> None:
    (tmp_path / "p.litmus").write_text(HOLDS)
    command = f'ulimit {limit}; exec "$0" -m scopec.cli check --no-cache --engine embedded p.litmus'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 3, 4), done.stderr
    assert "Traceback" not in done.stderr
    assert "This is a bug" not in done.stderr


@pytest.mark.sampled(1)
@pytest.mark.parametrize("encoding", ["latin-1", "ascii:strict", "utf-8:strict", "cp437"])
@pytest.mark.parametrize("form", ["text", "json", "junit", "github", "gcc"])
def test_any_name_can_be_told_on_any_terminal(encoding: str, form: str, tmp_path: Path) -> None:
    (tmp_path / "日本\u202e.litmus").write_text(RACES)
    (tmp_path / os.fsdecode(b"a\xff\x1b[31m.litmus")).write_text(RACES)
    command = [sys.executable, "-m", "scopec.cli", "check", "--engine", "embedded", "--format", form, "."]
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, env=environment, check=False)
    assert done.returncode == 1, done.stderr
    assert b"\x1b" not in done.stdout + done.stderr
    assert "\u202e".encode() not in done.stdout + done.stderr


def test_a_baseline_has_a_line_for_each_name(tmp_path: Path) -> None:
    """A line break in a name makes no entry for another program."""
    named = tmp_path / "x\nb.litmus: race_free [; cuda-v3, cuda]\n.litmus"
    for path in (named, tmp_path / os.fsdecode(b"\xff.litmus")):
        path.write_text(RACES)
    call = ("check", "--engine", "embedded")
    assert scopec(*call, "--write-baseline", "known", ".", cwd=tmp_path).returncode == 1
    assert len((tmp_path / "known").read_text().splitlines()) == 2
    assert scopec(*call, "--baseline", "known", ".", cwd=tmp_path).returncode == 0
    (tmp_path / "b.litmus").write_text(RACES)
    assert scopec(*call, "--baseline", "known", "b.litmus", cwd=tmp_path).returncode == 1


# ---------------------------------------------------------------- the cache, Java


def test_a_call_leaves_no_file_to_try_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is ended just then, it would stay."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.gettempdir", lambda: pytest.fail("a file is made"))
    with scratch_folder() as folder:
        assert folder.parent == tmp_path


@pytest.mark.parametrize("name", ["p.litmus", "race.litmus"])
def test_a_cache_that_cannot_be_written_changes_no_status(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(HOLDS if name == "p.litmus" else RACES)
    (tmp_path / "file").write_text("")
    elsewhere = {"XDG_CACHE_HOME": "/dev/null/cache", "XDG_STATE_HOME": str(tmp_path / "file" / "state")}
    with_, without = (
        scopec("check", "--engine", "embedded", name, cwd=tmp_path, **environment) for environment in ({}, elsewhere)
    )
    assert (with_.returncode, "internal error" in without.stderr) == (without.returncode, False)
    assert with_.returncode == (name != "p.litmus")


def test_a_cache_that_cannot_be_written_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engines cannot be had, and another answers, as where there is no npm."""
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(jars, "cache_folder", lambda: tmp_path / "file" / "engines")
    with pytest.raises(UnavailableError, match="cannot write to"):
        jars.install(next(iter(jars.PINNED.values())), lambda _line: None)


@pytest.mark.jvm
@pytest.mark.skipif(sys.platform == "win32", reason="no such sockets")
@pytest.mark.sampled(0)
def test_no_socket_stays(write: Callable[..., Path], tmp_path: Path) -> None:
    before = set(Path("/tmp").glob(".java_pid*"))
    with subprocess.Popen(
        [sys.executable, "-m", "scopec.cli", "check", "--engine", "alloy", "--no-cache", str(write(HOLDS, "p.litmus"))],
        stdout=subprocess.DEVNULL,
    ) as call:
        own: set[int] = set()
        while call.poll() is None:
            own |= {call.pid, *_children(call.pid)}
            time.sleep(0.02)
    assert call.returncode == 0
    left = {int(p.name.removeprefix(".java_pid")) for p in set(Path("/tmp").glob(".java_pid*")) - before}
    assert not left & own


def _children(parent: int) -> set[int]:
    found = set()
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                words = (process / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(words[1]) == parent:
                found.add(int(process.name))
    return found


# ---------------------------------------------------------------- signals


@pytest.mark.sampled(0)
def test_a_second_signal_disturbs_no_ending(write: Callable[..., Path]) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "scopec.cli", "check", "--engine", "embedded", str(write(LONG))],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as call:  # fmt: skip
        time.sleep(3)
        for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGINT, signal.SIGTERM):
            os.kill(call.pid, number)
            time.sleep(0.01)
        _, said = call.communicate(timeout=60)
    assert (call.returncode, said.strip()) == (130, "interrupted")
