"""``scopec serve``: a call that it carries out is the call, with its output, its end and its limits."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from scopec.base.diagnostics import UsageError
from scopec.cli import served, server

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="this system is not Linux")
LITMUS = """C sb
{}
P0 (atomic_int* x, atomic_int* y) { atomic_store(x, 1); int r = atomic_load(y); }
P1 (atomic_int* x, atomic_int* y) { atomic_store(y, 1); int r = atomic_load(x); }
exists (0:r=0 /\\ 1:r=0)
"""
KERNEL = "__device__ int x;\n__global__ void k() { x = 1; }\n//@ launch k<<<2, 1>>>();\n//@ expect race_free;\n"
#: Asked about for longer than any test waits.
LONG = """#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> x[3];
__global__ void k() { for (int i = 0; i < 9; i++) x[x[i % 3].fetch_add(i) % 3].fetch_xor(x[1].load()); }
//@ launch k<<<4, 2>>>();
//@ bound unroll = 9;
//@ expect forbidden x[0] == 77;
"""


class Serving:
    """A server, and the variables with which calls find it."""

    def __init__(self, folder: Path) -> None:
        self.variables = {**os.environ, "XDG_RUNTIME_DIR": str(folder), "COLUMNS": "100"}
        self.variables.pop("SCOPEC_SERVER")
        command = [sys.executable, "-m", "scopec.cli", "serve", "--idle", "5"]
        self.process = subprocess.Popen(command, env=self.variables, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "serving; Ctrl-C ends it\n"

    def call(self, *arguments: str | Path, cwd: Path, stdin: str = "", **more: str) -> tuple[int, str, str]:
        """How a call ends, and what it prints, but for times."""
        done = subprocess.run(
            [sys.executable, "-m", "scopec.cli", *map(str, arguments)],
            cwd=cwd, env={**self.variables, **more}, input=stdin, capture_output=True, text=True, timeout=100, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout.rpartition(" (")[0] or done.stdout, done.stderr

    def served(self) -> int:
        """More after each call that was carried out here: the pages that such have asked for (proc(5), ``cminflt``)."""
        return int(Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[8])


@contextmanager
def started(folder: Path) -> Iterator[Serving]:
    folder.mkdir(mode=0o700, exist_ok=True)
    one = Serving(folder)
    try:
        yield one
    finally:
        one.process.kill()
        one.process.wait()
        assert one.process.stdout is not None
        one.process.stdout.close()


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with started(tmp_path_factory.mktemp("run")) as one:
        yield one


@pytest.mark.sampled(0)
def test_calls_are_as_without_it(serving: Serving, tmp_path: Path) -> None:
    (tmp_path / "a folder").mkdir()
    (tmp_path / "a folder" / "sb.litmus").write_text(LITMUS)
    (tmp_path / "k.cu").write_text(KERNEL)
    calls: list[tuple[list[str], Path, str, Mapping[str, str]]] = [
        (["check", "sb.litmus", "--engine", "embedded"], tmp_path / "a folder", "", {}),
        (["check", "k.cu", "--engine", "embedded"], tmp_path, "", {}),
        (["check", "-", "--engine", "embedded"], tmp_path, LITMUS, {}),
        (["check", "nothing.cu"], tmp_path, "", {}),
        (["check", "k.cu", "--engine", "embedded"], tmp_path, "", {"SCOPEC_CLANG": "/no/clang"}),
        (["check", "k.cu", "--engine", "embedded"], tmp_path, "", {"FORCE_COLOR": "1", "COLUMNS": "60"}),
        (["compile", "k.cu", "--show", "events"], tmp_path, "", {}),
    ]
    for arguments, cwd, stdin, more in calls:
        before = serving.served()
        there = serving.call(*arguments, cwd=cwd, stdin=stdin, **more)
        assert serving.served() > before
        assert there == serving.call(*arguments, cwd=cwd, stdin=stdin, SCOPEC_SERVER="off", **more)
    assert serving.process.poll() is None


def test_calls_that_python_would_start_otherwise_start_by_themselves(serving: Serving, tmp_path: Path) -> None:
    before = serving.served()
    assert serving.call("models", cwd=tmp_path, PYTHONDONTWRITEBYTECODE="1")[0] == 0
    assert serving.call("models", cwd=tmp_path, LC_ALL="C")[0] == 0
    assert serving.served() == before


@pytest.mark.parametrize("told", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_who_asked_ends_the_call(told: signal.Signals, serving: Serving, tmp_path: Path) -> None:
    (tmp_path / "long.cu").write_text(LONG)
    command = [sys.executable, "-m", "scopec.cli", "check", "long.cu", "--engine", "embedded"]
    asking = subprocess.Popen(command, cwd=tmp_path, env=serving.variables, stderr=subprocess.DEVNULL)
    _until(lambda: len(_below(serving.process.pid)) > 0)
    time.sleep(1)
    asking.send_signal(told)
    assert asking.wait(20) == (130 if told != signal.SIGKILL else -signal.SIGKILL)
    _until(lambda: not _below(serving.process.pid), 6)  # sooner than the call ends by itself
    assert serving.process.poll() is None


@pytest.mark.sampled(0)
def test_calls_are_carried_out_side_by_side_and_to_their_ends(tmp_path: Path) -> None:
    """A server that is told to end waits for them, and begins no other."""
    with started(tmp_path / "run") as serving:
        _side_by_side(serving, tmp_path)


def _side_by_side(serving: Serving, tmp_path: Path) -> None:
    (tmp_path / "long.cu").write_text(LONG)
    command = [sys.executable, "-m", "scopec.cli", "check", "long.cu", "--engine", "embedded", "--timeout", "6"]
    asking = subprocess.Popen(command, cwd=tmp_path, env=serving.variables, stdout=subprocess.DEVNULL)
    _until(lambda: len(_below(serving.process.pid)) > 0)
    before = serving.served()
    assert serving.call("models", cwd=tmp_path)[0] == 0
    assert serving.served() > before
    serving.process.send_signal(signal.SIGINT)
    assert asking.wait(30) == 4
    assert serving.process.wait(20) == 0
    assert not list((tmp_path / "run" / "scopec").iterdir())
    assert serving.call("models", cwd=tmp_path)[0] == 0


def test_a_call_has_its_own_limits(serving: Serving, tmp_path: Path) -> None:
    found = []
    for switch in ("", "off"):
        limited = f"ulimit -v 100000; {sys.executable} -m scopec.cli check k.cu --engine embedded"
        (tmp_path / "k.cu").write_text(KERNEL)
        environment = {**serving.variables, "SCOPEC_SERVER": switch}
        found.append(
            subprocess.run(["sh", "-c", limited], cwd=tmp_path, env=environment, capture_output=True, check=False)
        )
    assert found[0].returncode == found[1].returncode == 4


def test_somebody_elses_folder_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    (tmp_path / "scopec").mkdir()
    (tmp_path / "scopec").chmod(0o770)
    with pytest.raises(UsageError, match="not this user's alone"):
        server._listening(served.address(os.environ))
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(served.address(os.environ))
    listening.listen()
    monkeypatch.delenv("SCOPEC_SERVER")
    monkeypatch.setattr(sys, "argv", ["scopec", "models"])
    assert served.status() is None
    listening.close()


def test_a_second_server_is_refused(serving: Serving, tmp_path: Path) -> None:
    assert serving.call("serve", cwd=tmp_path)[0::2] == (2, "scopec: a server of this user runs already\n")


def test_a_server_ends_where_scopec_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The call starts by itself."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr(sys.modules["__main__"], "__package__", "scopec.cli")  # as of who asks
    monkeypatch.setattr(server, "_own", lambda: [tmp_path / "changed"])
    asked, accept = [], server._Server._accept
    monkeypatch.setattr(server._Server, "_accept", lambda *given: asked.append(given) or accept(*given))
    (tmp_path / "changed").write_text("")
    with server._listening(served.address(os.environ)) as listening:
        one = server._Server(listening, 60)
        (tmp_path / "changed").unlink()
        asking = subprocess.Popen(
            [sys.executable, *["-B"] * sys.flags.dont_write_bytecode, "-m", "scopec.cli", "models"],
            env={**os.environ, "SCOPEC_SERVER": ""}, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        wakeup, handlers = signal.set_wakeup_fd(-1), {n: signal.getsignal(n) for n in (1, 2, 15, signal.SIGCHLD)}
        assert one.run() is None
        signal.set_wakeup_fd(wakeup)
        for number, handler in handlers.items():
            signal.signal(number, handler)
    assert len(asked) == 1
    assert asking.wait(20) == 0


def test_an_idle_server_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with server._listening(served.address(os.environ)) as listening:
        one = server._Server(listening, 0.1)
        wakeup, handlers = signal.set_wakeup_fd(-1), {n: signal.getsignal(n) for n in (1, 2, 15, signal.SIGCHLD)}
        assert one.run() is None
        signal.set_wakeup_fd(wakeup)
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _below(parent: int) -> list[int]:
    """The processes that a process has made, and that run."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                fields = (place / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == parent and fields[0] != "Z":
                found.append(int(place.name))
    return found


def _until(holds: Callable[[], bool], seconds: int = 20) -> None:
    for _ in range(20 * seconds):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError
