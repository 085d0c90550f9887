"""The calls that answer questions of the language server, and their ends."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from scopec.base.children import started
from scopec.lsp.wire import Done, message_of, question_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scopec.lsp.wire import Message, Question

#: No folder of a project: what Python imports from the folder that it starts in is scopec's own.
FOLDER = sys.prefix


def itself() -> tuple[str, ...]:
    """The command of this process without its arguments, as a running `scopec serve` knows it."""
    package = getattr(sys.modules["__main__"], "__package__", None)
    return (sys.executable, "-m", package) if package else (sys.executable, str(Path(sys.argv[0]).absolute()))


class Asked:
    """A question that a call answers; messages are handed to ``say`` by a thread of their own.

    The last one is Done, also of a call that ended without; a question that was cancelled says no more.
    """

    def __init__(self, command: Sequence[str], question: Question, say: Callable[[Message], None]) -> None:
        self._command, self._question, self._say = command, question, say
        self._child: subprocess.Popen[str] | None = None
        self.cancelled = False
        # The call ends with the thread that starts it, if the server is killed too.
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def cancel(self) -> None:
        """End the call, and with it all that it has started."""
        self.cancelled = True
        child = self._child
        if child is not None and child.poll() is None:
            with suppress(OSError):
                child.terminate()

    @property
    def runs(self) -> bool:
        """Whether the call has not ended."""
        return self._thread.is_alive()

    def wait(self) -> None:
        """Wait until the call has ended."""
        self._thread.join()

    def _run(self) -> None:
        try:
            done = self._asked()
        except (OSError, ValueError) as failed:
            done = Done(failure=f"the question could not be asked: {failed}")
        if done is not None and not self.cancelled:
            self._say(done)

    def _asked(self) -> Done | None:
        """Ask; what is to be said at the end where the call has not said it."""
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        child = started([*self._command, "lsp", "--answer"], cwd=FOLDER, text=True, encoding="utf-8", **pipes)
        self._child = child
        if self.cancelled:  # meanwhile
            child.terminate()
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        stdin, stdout, stderr = child.stdin, child.stdout, child.stderr
        told: list[str] = []
        errors = Thread(target=lambda: told.append(stderr.read()), daemon=True)
        errors.start()
        with suppress(OSError):  # it has ended
            stdin.write(question_line(self._question))
            stdin.close()
        ended = False
        for line in stdout:
            if not self.cancelled:
                message = message_of(line)
                ended = ended or isinstance(message, Done)
                self._say(message)
        child.wait()
        errors.join()
        stdout.close()
        stderr.close()
        return None if ended else Done(failure="".join(told).strip() or "the question was not answered")
