"""What a call finds around it: closed streams, folders with links, a cache that cannot be written, signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.base.diagnostics import UnavailableError
from scopec.base.files import write_below
from scopec.engines.java import jars
from tests.test_cli import LONG, scopec

HOLDS = "C p\n{ x = 0 }\nP0 (int *x) { *x = 1; }\nexists (x=1)\n"


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_streams_may_be_closed(closed: str, write: Callable[..., Path]) -> None:
    command = f'"$0" -m scopec.cli check --engine embedded "$1" {closed}'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, str(write(HOLDS, "p.litmus"))], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


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


# ---------------------------------------------------------------- the cache, Java


def test_a_cache_that_cannot_be_written_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engines cannot be had, and another answers, as where there is no npm."""
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(jars, "cache_folder", lambda: tmp_path / "file" / "engines")
    with pytest.raises(UnavailableError, match="cannot write to"):
        jars.install(next(iter(jars.PINNED.values())), lambda _line: None)


@pytest.mark.jvm
@pytest.mark.skipif(sys.platform == "win32", reason="no such sockets")
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
