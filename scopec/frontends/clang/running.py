"""Programs that run at the same time, in a thread that a limit may stop."""

from __future__ import annotations

import signal
import subprocess
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from scopec.base.children import memory_of_the_system, started
from scopec.base.diagnostics import EngineError, LimitError
from scopec.base.limits import memory_left, shown_size, too_much, uncut

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

#: The seconds between two looks of a thread that waits for a program whether it has been told to stop.
_LOOK_SECONDS = 0.1
#: With less clang does not read an empty file.
_LEAST_BYTES = 32 << 20
#: With less it may be ended before it can say that it got none.
_FEW_BYTES = 4 * _LEAST_BYTES
#: The statuses of a program that gets no memory and does not say so.
_ENDED = (-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS)
#: LLVM's words before it ends by a signal.
_OUT_OF_MEMORY = "LLVM ERROR: out of memory"


def finished(commands: Iterable[list[str]], given: bytes, folder: Path, environment: Mapping[str, str]) -> list[Run]:
    """Commands that ran at the same time on a text, in the memory that this thread may take.

    EngineError if one does not start, LimitError if one needs more memory.
    """
    runs: list[Run] = []
    commands, memory = list(commands), memory_left()
    try:
        for command in commands:
            runs.append(Run())
            runs[-1].start(command, given, folder, environment, memory and max(_LEAST_BYTES, memory // len(commands)))
        for run in runs:
            run.wait()
    finally:
        for run in runs:
            run.kill()
        for run in runs:
            run.wait()
    if memory is not None and any(_OUT_OF_MEMORY in run.messages for run in runs if run.status):
        raise too_much()
    if memory is not None and memory < _FEW_BYTES * len(commands) and any(run.status in _ENDED for run in runs):
        raise too_much()
    given_ = memory_of_the_system()
    if given_ is not None and any(run.status in _ENDED for run in runs):
        raise LimitError(f"clang needs more memory than the system lets it have, {shown_size(given_)} (ulimit -v)")
    return runs


class Run:
    """A clang that runs; what it writes is collected by a thread.

    A limit raises an exception wherever its thread is, and Thread.join, hit by one, takes the other thread for ended:
    a lock that the collector releases says when it has.
    """

    def __init__(self) -> None:
        self.output, self.messages, self.status = "", "", 0
        self._process: subprocess.Popen[bytes] | None = None
        self._started = self._collected = False
        self._lock = threading.Lock()

    @property
    def failure(self) -> str:
        """The first that it says is wrong, or how it ended."""
        lines = [line.strip() for line in self.messages.splitlines() if line.strip()]
        wrong = [line for line in lines if "error: " in line] or lines
        return wrong[0][:300] if wrong else f"exit status {self.status}"

    def start(
        self, command: list[str], given: bytes, folder: Path, environment: Mapping[str, str], memory: int | None
    ) -> None:
        """Run a command in a folder on a text with so many bytes of memory; EngineError if it does not start."""
        pipe = subprocess.PIPE
        with uncut():
            try:
                process = self._process = started(
                    command, memory, cwd=folder, env=environment, stdin=pipe, stdout=pipe, stderr=pipe
                )
            except OSError as failure:
                raise EngineError(f"{command[0]} does not start ({failure.strerror})") from failure
            self._lock.acquire()
            threading.Thread(target=self._collect, args=(process, given), name="clang", daemon=True).start()
            self._started = True

    def _collect(self, process: subprocess.Popen[bytes], given: bytes) -> None:
        try:
            output, messages = process.communicate(given)
            self.output, self.messages = (b.decode(errors="surrogateescape") for b in (output, messages))
            self.status = process.returncode
        finally:
            self._collected = True
            self._lock.release()

    def wait(self) -> None:
        """Until it has ended; a thread that is stopped meanwhile notices."""
        while self._started and not self._collected:
            self._lock.acquire(timeout=_LOOK_SECONDS)

    def kill(self) -> None:
        """End it if it still runs."""
        if self._process is not None:
            with suppress(OSError):  # it has ended
                self._process.kill()
