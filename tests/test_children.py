"""Children end with who started them, and have the memory that they are given, however they are started."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scopec.base import children

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="this system is not Linux")
#: Starts two that sleep, the first of which is forked, and ends.
STARTS = """
import os, sys
from scopec.base.children import started
print(*(started(["sleep", "60"]).pid for _ in range(2)), flush=True)
sys.stdin.read()
os._exit(0)
"""


def test_they_end_with_who_started_them() -> None:
    parent = subprocess.Popen([sys.executable, "-c", STARTS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    sleep = [int(pid) for pid in parent.stdout.readline().split()]
    _until(lambda: all(_command(pid) == "sleep" for pid in sleep))
    parent.communicate("")
    _until(lambda: not any(_command(pid) for pid in sleep))


@pytest.mark.parametrize("earlier", [False, True])
def test_their_memory_is_limited(earlier: bool) -> None:
    command = [sys.executable, "-c", "import resource; input(); print(resource.getrlimit(resource.RLIMIT_DATA)[0])"]
    for _ in range(1 + earlier):
        child = children.started(command, 1 << 30, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert child.communicate("\n")[0] == f"{1 << 30}\n"
    assert resource.getrlimit(resource.RLIMIT_DATA)[0] != 1 << 30


def test_they_start_where_no_setpriv_ties(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "_setpriv", lambda: None)
    assert [children.started(["true"]).wait() for _ in range(2)] == [0, 0]


def test_a_setpriv_that_cannot_tie_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "setpriv").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "setpriv").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert children._setpriv.__wrapped__() is None


def test_setpriv_is_used_where_there_is_one() -> None:
    assert children._setpriv() == shutil.which("setpriv")


def test_who_does_not_start_is_told() -> None:
    for _ in range(2):
        with pytest.raises(FileNotFoundError):
            children.started(["no-such-program"])


def _command(pid: int) -> str:
    """The name of a process; empty if it has ended."""
    try:
        name, _, rest = Path(f"/proc/{pid}/stat").read_text().partition(") ")
    except OSError:
        return ""
    return "" if rest.startswith("Z") else name.partition("(")[2]


def _until(holds: object) -> None:
    assert callable(holds)
    for _ in range(200):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError
