"""Long-lived Java virtual machines in processes of their own, which answer one question after the other.

Starting a virtual machine costs a hundred times what a small question does.  A worker (``java/jvm.py``) is started
when a question finds none idle, and ended when a question takes too long or breaks it.  Where none can be
started, each question gets a process of its own, with the same answer.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scopec.base.diagnostics import EngineError
from scopec.base.lazy_import import later
from scopec.base.limits import uncut
from scopec.base.records import dataclass
from scopec.base.scratch import make_scratch_folder, remove_scratch_folder
from scopec.engines.java import jars
from scopec.engines.java.processes import Finished, Processes, failure

if TYPE_CHECKING:
    import queue
    import subprocess
else:
    queue = later("queue")
    subprocess = later("subprocess")

_START_SECONDS = 60.0
_SLOWER = "each question gets a Java process of its own, which is slower"

#: Further options of a machine that lives on: no signal handlers, so that it ends at once; an end where memory runs
#: out, because what is left then is not to be trusted; soft references let go, or TLC's classes would stay; no chatter.
_WORKER_FLAGS = (
    "-Xrs",
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:SoftRefLRUPolicyMSPerMB=0",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
)


@dataclass(frozen=True, slots=True)
class Question:
    """A run of an engine: what a worker is told, and the arguments of ``java`` that ask the same.

    ``out`` is the file into which a worker puts what the engine prints, if it prints its answer.
    """

    title: str
    request: Mapping[str, Any]
    arguments: Sequence[str | Path]
    out: Path | None = None


class Workers:
    """The workers of one call of scopec: as many as questions are asked at once.  Leaving the context ends them.

    ``heap`` is how many bytes the objects of each may take.
    """

    def __init__(self, remark: Callable[[str], None] = lambda _line: None, heap: int | None = None) -> None:
        self.processes = Processes(heap)
        self._remark = remark
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._libjvm: Path | None = None
        self._refused: str | None = None
        self.folder: Path | None = None
        self._started = 0
        self._unsupported: set[str] = set()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        if self.folder is not None:
            remove_scratch_folder(self.folder)

    def stop(self) -> None:
        """End every worker, busy or not, and start no other."""
        self.processes.stop()

    def available(self) -> bool:
        """Whether one can be started; if not, it is remarked why.  Raises EngineError if there is no Java."""
        worker = self._take()
        if worker is not None:
            self._give_back(worker)
        return worker is not None

    def run(self, question: Question, folder: Path, seconds: float | None) -> Finished:
        """Ask a question, for at most ``seconds``; ``folder`` is where the engine's files are.

        Raises EngineError if Java does not start, or dies, LimitError if it had not enough memory.
        """
        worker = None if question.request["jar"] in self._unsupported else self._take()
        if worker is None:
            return self.processes.run(question.arguments, folder, seconds)
        started = time.monotonic()
        try:
            answer = worker.ask(question.request, seconds)
        except BaseException:  # nobody waits for it any more
            worker.end()
            raise
        took = time.monotonic() - started
        printed = _text(question.out)
        if answer is None or answer.get("broken"):
            worker.end()
        else:
            self._give_back(worker)
        if answer is None:
            if worker.late:
                return Finished(None, printed, "", took)
            raise failure(Finished(worker.status, "", worker.said, took), question.title)
        if "unsupported" in answer:
            self._unsupported.add(question.request["jar"])
            self._remark(f"{_SLOWER}: {answer['unsupported']}")
            return self.processes.run(question.arguments, folder, seconds)
        return Finished(answer["status"], printed, answer["stderr"], took)

    def _take(self) -> _Worker | None:
        """An idle worker or a new one; None if workers cannot be used."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
            if self._refused is not None:
                return None
            self._libjvm = self._libjvm or jars.libjvm()
            self._started += 1
            self.folder = self.folder or make_scratch_folder()
            folder = self.folder / str(self._started)
        if self._libjvm is None:
            self._refuse(f"{jars.java()} has no libjvm beside it")
            return None
        worker = _Worker(self.processes, self._libjvm, folder)
        reason = worker.wait()
        if reason is None:
            return worker
        worker.end()
        self._refuse(reason)
        return None

    def _give_back(self, worker: _Worker) -> None:
        with self._lock:
            self._idle.append(worker)

    def _refuse(self, reason: str) -> None:
        """Use no more workers, and say once why."""
        with self._lock:
            first, self._refused = self._refused is None, reason
        if first:
            self._remark(f"{_SLOWER}: {reason}")


class _Worker:
    """One worker process.  ``late`` is whether its last question took too long."""

    def __init__(self, processes: Processes, libjvm: Path, folder: Path) -> None:
        self._processes = processes
        self._stderr = folder / "stderr"
        self.late = False
        temporary = folder / "tmp"
        try:
            folder.mkdir()
            temporary.mkdir()
        except FileNotFoundError:  # scopec is leaving, and has removed the folder that this one was to be in
            raise EngineError("stopped") from None
        script = Path(__file__).with_name("jvm.py")
        flags = (*processes.flags, *_WORKER_FLAGS, f"-Djava.io.tmpdir={temporary}")
        with self._stderr.open("ab") as stderr:  # appending, so that the worker can empty it
            self._process = processes.start(
                # -P: nothing is imported from the folder of the script, or from where scopec is called.
                [sys.executable, "-P", str(script), str(libjvm), *flags],
                temporary,
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
            )
        self._answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        with uncut():
            threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._answers.put(line)
        self._answers.put(None)

    def wait(self) -> str | None:
        """Wait until the virtual machine runs; the reason if it does not.  Raises EngineError if scopec is stopping."""
        try:
            line = self._answers.get(timeout=_START_SECONDS)
        except queue.Empty:
            return f"no Java virtual machine in {_START_SECONDS:g} s"
        if self._processes.closed:
            raise EngineError("stopped")
        if line is None:
            return _text(self._stderr).strip().rpartition("\n")[2] or "the worker process ended"
        answer = json.loads(line)
        return None if answer["ready"] else str(answer["reason"])

    def ask(self, request: Mapping[str, Any], seconds: float | None) -> dict[str, Any] | None:
        """The answer, or None if the worker died or was late; then it must be ended."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            line = self._answers.get(timeout=seconds)
        except queue.Empty:
            self.late = True
            return None
        except (OSError, ValueError):  # it died since its last answer, or is ended just now
            return None
        return None if line is None else json.loads(line)

    def end(self) -> None:
        """End the worker if it still runs."""
        self._processes.end(self._process)

    @property
    def status(self) -> int | None:
        """The exit status, once the worker has ended."""
        return self._process.returncode

    @property
    def said(self) -> str:
        """The text that it has written to standard error since its last answer."""
        return _text(self._stderr)


def _text(file: Path | None) -> str:
    """The text of a file, if there is one."""
    if file is None or not file.is_file():
        return ""
    return file.read_text(encoding="utf-8", errors="replace")
