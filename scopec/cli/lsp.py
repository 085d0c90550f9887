"""``scopec lsp``."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import click

from scopec.base.children import started
from scopec.base.diagnostics import UsageError
from scopec.cli.serve import LONGEST
from scopec.cli.served import address, folder, is_own, possible

# Start-up: a command imports what it needs when it runs; to show help or the version needs little of it.
if TYPE_CHECKING:
    from collections.abc import Sequence

    from scopec.lsp.wire import Message


@click.command("lsp")
@click.option("--answer", is_flag=True, hidden=True)
@click.option("--stdio", is_flag=True, hidden=True, help="What it does anyway: some clients say it.")
def lsp(answer: bool, stdio: bool) -> None:  # noqa: ARG001
    """Speak with an editor, on standard input and output (docs/editing.md).

    Diagnostics as one types, verdicts as they come, fixes that were checked by asking again. Questions are asked by
    calls that `scopec serve` carries out, which is started where none runs. It reads the settings of the project that
    each file is in, and runs nothing that they name.
    """
    if answer:
        _answer()
        return
    try:
        from scopec.lsp.editor.language_server import run
    except ImportError as missing:
        raise UsageError(f"the language server needs pygls: pip install 'scopec[lsp]' ({missing})") from None
    from scopec.cli.listings import explained
    from scopec.lsp.ask import itself

    warm = _Warm(itself())
    try:
        run(itself(), warm.keep, explained)
    finally:
        warm.end()


def _answer() -> None:
    """Answer the question on standard input."""
    from scopec.lsp.answer import answer
    from scopec.lsp.wire import message_line, question_of

    output = sys.stdout.buffer
    lock = threading.Lock()

    def say(message: Message) -> None:
        with lock:
            output.write(message_line(message).encode())
            output.flush()

    answer(question_of(sys.stdin.buffer.readline().decode()), say)


class _Warm:
    """The `scopec serve` that carries out the questions: one that runs, or one that is started."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = [*command, "serve", "--idle", str(LONGEST)]
        self._process: subprocess.Popen[bytes] | None = None

    def keep(self) -> None:
        """Start one, if there is none: it ends where scopec is changed."""
        if not possible() or os.environ.get("SCOPEC_SERVER") == "off" or _serves():
            return
        if self._process is None or self._process.poll() is not None:
            from scopec.lsp.ask import FOLDER

            nothing = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
            self._process = started(self._command, cwd=FOLDER, **nothing)

    def end(self) -> None:
        """End the one that was started, once the calls that it carries out have ended."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.wait()


def _serves() -> bool:
    """Whether somebody serves calls like those of this process."""
    place = address(os.environ)
    if not os.path.exists(place) or not is_own(folder()):  # noqa: PTH110
        return False
    import socket  # Start-up: other commands need none

    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(place)
        except OSError:  # its server was killed
            return False
    return True
