"""Runs a jar in a Java process of its own, and never leaves one behind."""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scopec.base.children import started
from scopec.base.diagnostics import EngineError, LimitError, ScopecError
from scopec.base.lazy_import import later
from scopec.base.limits import uncut
from scopec.base.records import dataclass
from scopec.engines.java import jars

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Sequence
else:
    subprocess = later("subprocess")

#: Serial collection and one compiler tier halve the CPU time of short runs (engines note).
FLAGS = (
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "--enable-native-access=ALL-UNNAMED",
    "-Djava.awt.headless=true",
    # Nobody attaches: a socket for it would stay in the folder for temporary files.
    "-XX:+DisableAttachMechanism",
    # Nor measures: a file for it would stay in /tmp where the machine is killed.
    "-XX:-UsePerfData",
)

#: In MiB; with less, no engine starts.
_LEAST_HEAP = 64
#: The words of Java, and of TLC, for not enough memory.
_TOO_SMALL = ("OutOfMemoryError", "insufficient memory", "ran out of memory", "Could not reserve enough space")


@dataclass(frozen=True, slots=True)
class Finished:
    """The result of a Java process: its status (None if it was stopped at the time limit), output and wall time."""

    status: int | None
    stdout: str
    stderr: str
    seconds: float


class Processes:
    """The processes of one call of scopec that run Java.  Leaving the context ends those that still run.

    ``heap`` is how many bytes each virtual machine may use for its objects, None what Java takes by itself.
    """

    def __init__(self, heap: int | None = None) -> None:
        self.flags: tuple[str, ...] = FLAGS if heap is None else (*FLAGS, f"-Xmx{max(heap >> 20, _LEAST_HEAP)}m")
        self._running: set[subprocess.Popen[str]] = set()
        self._lock = threading.Lock()
        self.closed = False

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def running(self) -> list[subprocess.Popen[str]]:
        """The processes that have not been ended."""
        with self._lock:
            return list(self._running)

    def stop(self) -> None:
        """End every running process, and start no other."""
        with self._lock:
            self.closed = True
        running = self.running()
        for process in running:
            process.kill()
        for process in running:
            self.end(process)

    def start(
        self, command: Sequence[str | Path], temporary: Path, *, tied: bool = False, **how: Any
    ) -> subprocess.Popen[str]:
        """Start a process, as subprocess.Popen does; EngineError if it cannot be started.

        Native libraries that it loads get ``temporary`` for their temporary files; Java itself takes a flag for that.
        It is ``tied`` to this thread, which then has to wait for it: it ends with it, however that ends.
        """
        begin = started if tied else subprocess.Popen
        how["env"] = {**os.environ, "TMPDIR": str(temporary)}
        try:
            with uncut(), self._lock:
                if self.closed:
                    raise EngineError("stopped")
                process = begin(list(map(str, command)), text=True, encoding="utf-8", errors="replace", **how)
                self._running.add(process)
        except OSError as failure:
            raise EngineError(
                f"{command[0]} does not start ({failure.strerror}): set SCOPEC_JAVA to a java of version 21 or newer"
            ) from failure
        return process

    def end(self, process: subprocess.Popen[str]) -> None:
        """End a process if it still runs."""
        if process.poll() is None:
            process.kill()
            process.wait()
        if process.stdin is not None:
            with suppress(OSError):  # what was not sent has no reader any more
                process.stdin.close()
        with self._lock:
            self._running.discard(process)

    def run(self, arguments: Sequence[str | Path], folder: Path, seconds: float | None) -> Finished:
        """Run ``java`` with arguments in ``folder``, which also gets its temporary files, for at most ``seconds``.

        Raises EngineError if java cannot be started.
        """
        java = jars.java()
        temporary = folder / "tmp"
        temporary.mkdir(exist_ok=True)
        command = [str(java), *self.flags, f"-Djava.io.tmpdir={temporary}", *map(str, arguments)]
        begun = time.monotonic()
        process = self.start(
            command,
            temporary,
            tied=True,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            stdout, stderr = process.communicate(timeout=seconds)
            status: int | None = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            stdout, stderr = process.communicate()
            status = None
        finally:
            self.end(process)
        return Finished(status, stdout, stderr, time.monotonic() - begun)


def failure(finished: Finished, what: str) -> ScopecError:
    """The reason why a Java process gave no answer: LimitError if its memory was too small, EngineError otherwise."""
    text = finished.stderr + finished.stdout
    if ran_out(text):
        return LimitError(f"{what} ran out of memory: raise --memory-limit, or use fewer threads or a smaller bound")
    return EngineError(_explained(finished, what, text))


def ran_out(text: str) -> bool:
    """Whether a process says that it had not enough memory."""
    return any(words in text for words in _TOO_SMALL)


def _explained(finished: Finished, what: str, text: str) -> str:
    """One line on why a Java process failed, with what to do where scopec knows."""
    if finished.status is not None and finished.status < 0:
        return f"{what} was killed by signal {-finished.status} (out of memory?)"
    if "UnsupportedClassVersionError" in text:
        return f"{what} needs a newer java: unset SCOPEC_JAVA, or set it to version 21 or newer"
    if "corrupt jarfile" in text or "Could not find or load main class" in text:
        return f"{what}'s jar cannot be run: delete it and run `scopec engines install`"
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith(("\tat ", "WARNING:"))]
    first = lines[0] if lines else f"exit status {finished.status}"
    return f"{what} failed: {first[:300]}"
