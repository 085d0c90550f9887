"""The command as a user calls it: a process with its arguments, folder, variables and standard files.

Most of a short call is to import scopec.  So a process that has imported it, and has done nothing else, makes a copy of
itself (``fork``) for each call, which goes on as ``python -m scopec.cli`` does.  A call gets a Python that starts for it
where ``fresh`` is true, where a variable is given that Python reads at its start, and where there is no fork.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path
from typing import Any

_SECONDS = 120
#: What the names of variables begin with that Python reads at its start.
_OF_PYTHON = ("PYTHON", "LC_", "LANG")


def scopec(
    *arguments: str | Path, cwd: Path | None = None, fresh: bool = False, **variables: str
) -> subprocess.CompletedProcess[str]:
    """What a call ends with and prints."""
    given = [str(argument) for argument in arguments]
    environment = {**os.environ, "COLUMNS": "100", **variables}
    if fresh or not hasattr(os, "fork") or any(name.startswith(_OF_PYTHON) for name in variables):
        return subprocess.run(
            [sys.executable, "-m", "scopec.cli", *given],
            capture_output=True, text=True, cwd=cwd, env=environment, timeout=_SECONDS, check=False,
        )  # fmt: skip
    with _Streams() as streams:
        server = _server()
        request = {"arguments": given, "cwd": str(cwd or Path.cwd()), "environment": environment}
        pid = server.start(request, streams.written)
        streams.close_written()
        late = threading.Timer(_SECONDS, os.kill, (pid, signal.SIGKILL))
        late.start()
        try:
            out, err = streams.read()
            status = server.status()
        finally:
            late.cancel()
            late.join()
    return subprocess.CompletedProcess(given, status, out, err)


class _Streams:
    """Pipes for what a call prints on standard output and on standard error."""

    def __enter__(self) -> _Streams:
        pairs = [os.pipe(), os.pipe()]
        self._read = [os.fdopen(pair[0]) for pair in pairs]
        self.written = [pair[1] for pair in pairs]
        return self

    def __exit__(self, *_: object) -> None:
        self.close_written()
        for file in self._read:
            file.close()

    def close_written(self) -> None:
        """Close the ends that the call has now."""
        while self.written:
            os.close(self.written.pop())

    def read(self) -> list[str]:
        """What is printed until nobody can print any more."""
        texts = ["", ""]

        def take(which: int) -> None:
            texts[which] = self._read[which].read()

        readers = [threading.Thread(target=take, args=(which,)) for which in range(2)]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
        return texts


class _Server:
    """A process that has imported scopec; it ends with this one."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.command", str(theirs.fileno())],
                cwd=Path(__file__).parent.parent, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()],
            )  # fmt: skip
        self._answers = self._socket.makefile("r", encoding="utf-8")

    def start(self, request: dict[str, Any], files: list[int]) -> int:
        """Start a call that prints to these files, and tell its process."""
        data = json.dumps(request).encode()
        socket.send_fds(self._socket, [len(data).to_bytes(8, "big")], files)
        self._socket.sendall(data)
        return int(self._answers.readline())

    def status(self) -> int:
        """How the call ended: its exit status, or the number of a signal below zero."""
        return os.waitstatus_to_exitcode(int(self._answers.readline()))


@cache
def _server() -> _Server:
    return _Server()


def _serve(descriptor: int) -> None:
    """Import scopec; then for each request make a copy that carries it out, and tell its process and its end."""
    import scopec.cli
    from scopec.base import scratch
    from scopec.cli import server

    server.prepare()
    _precompile()
    asked = socket.socket(fileno=descriptor)
    while True:
        size, files, _, _ = socket.recv_fds(asked, 8, 2)
        if not size:
            return
        request = json.loads(server.received(asked, int.from_bytes(size, "big")))
        pid = os.fork()
        if pid == 0:
            asked.close()
            atexit.unregister(scratch.remove_scratch_folder)
            for number, file in enumerate(files, 1):
                os.dup2(file, number)
                os.close(file)
            os.chdir(request["cwd"])
            main = str(Path(scopec.cli.__file__).with_name("__main__.py"))
            server.Call("", 0, "", [main, *request["arguments"]], request["environment"]).begin()
            sys.modules["__main__"].__package__ = "scopec.cli"
            scopec.cli.main()
        for file in files:
            os.close(file)
        asked.sendall(f"{pid}\n".encode())
        asked.sendall(f"{os.waitpid(pid, 0)[1]}\n".encode())


def _precompile() -> None:
    """What clang reads before every file is read once, as where a call reads many, and not by each call."""
    from scopec.frontends.clang import command, compiler, precompiled
    from scopec.frontends.clang.flags import Flags

    for _ in range(precompiled._FEW + 1):
        for side in compiler._SIDES:
            precompiled.prepared(compiler._command(command.found(), side, "", Flags()))


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
