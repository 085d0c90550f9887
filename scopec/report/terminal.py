"""The terminal: how wide it is, colours where they are wanted, and a status line on long work."""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from scopec.session.check import Report


def width() -> int:
    """Columns to write in: those of the terminal, within reason."""
    return max(40, min(120, _columns() or 100))


def _columns() -> int:
    """As ``shutil.get_terminal_size``, which takes as long to import as a small question to answer; 0 for unknown."""
    with suppress(KeyError, ValueError):
        if (columns := int(os.environ["COLUMNS"])) > 0:
            return columns
    with suppress(AttributeError, ValueError, OSError):
        return os.get_terminal_size(sys.__stdout__.fileno()).columns  # type: ignore[union-attr]
    return 0


# ---------------------------------------------------------------- colours

_RED, _GREEN, _YELLOW, _BOLD, _DIM, _PLAIN = (f"\x1b[{code}m" for code in ("1;31", "32", "33", "1", "2", "0"))

#: The painted part of a finished line, the first that matches: the group of that name.
_PAINT = (
    (r"^  (?P<part>violated)(?=  )", _RED),
    (r"^  (?P<part>holds)(?=  )", _GREEN),
    (r"^  (?P<part>unknown|void)(?=  )", _YELLOW),
    (r"^\s*\| +(?P<part>\^.*)", _RED),
    (r"^\s+(?P<part>why:|try:)", _BOLD),
    (r"^\s+(?P<part>warning:)", _YELLOW),
    (r"^\S.*:\d+:\d+: (?P<part>error:)", _RED),
    (r"^\S.*:\d+:\d+: (?P<part>warning:)", _YELLOW),
    (r"^  (?P<part>help:)", _BOLD),
    (r"^(?P<part>(  )?not asked: .*)$", _DIM),
    (r"^\s+(?P<part>-- .* --)$", _DIM),
    (r"(?P<part>\[race\])", _RED),
)


def colours(stream: IO[Any]) -> bool:
    """Whether a stream is a terminal that wants colours (https://no-color.org, https://force-color.org)."""
    if os.environ.get("NO_COLOR"):
        return False
    forced = os.environ.get("FORCE_COLOR", "0") not in ("", "0")
    return forced or (os.environ.get("TERM") != "dumb" and stream.isatty())


def painted(line: str) -> str:
    """A finished line, which has no control characters, with colours."""
    for pattern, colour in _PAINT:
        found = re.search(pattern, line)
        if found:
            start, end = found.span("part")
            return f"{line[:start]}{colour}{line[start:end]}{_PLAIN}{line[end:]}"
    return line


def tell(line: str) -> None:
    """Write a line to standard error; where that cannot be written, the exit status has to do."""
    from scopec.base.excerpt import inert  # Start-up: most calls tell nothing

    try:
        print(inert(line), file=sys.stderr, flush=True)
    except OSError:
        abandon(sys.stderr)


def abandon(stream: IO[Any]) -> None:
    """Drop what is still to be written to a standard stream, which the end of the process would try again."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


# ---------------------------------------------------------------- status


class Status:
    """One line on standard error, rewritten as the work goes on: questions done, and what is asked just now.

    Nothing is written where standard error is no terminal, and nothing in the first second.
    """

    def __init__(self, stream: IO[str] | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._shown = self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._started = time.monotonic()
        self._total = self._done = self._states = 0
        #: By thread what it does, since when, and how far it is.  No lock: a limit may end a thread in any function.
        self._doing: dict[int, tuple[str, float, str]] = {}
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Status:
        if self._shown:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._shown:
            self._thread.join()
            self._write("")

    def begun(self, questions: int) -> None:
        """Count questions that are asked."""
        with self._lock:
            self._total += questions

    def doing(self, what: str, so_far: str = "") -> None:
        """Show the work of this thread from now on, nothing if ``what`` is empty, and how far it is."""
        thread = threading.get_ident()
        if not what:
            self._doing.pop(thread, None)
            return
        before, since, _ = self._doing.get(thread, ("", 0.0, ""))
        self._doing[thread] = what, since if before == what else time.monotonic(), so_far

    def say(self, tell: Callable[[str], None], line: str) -> None:
        """Tell the user a line above the status line."""
        if self._shown:
            self._write("")
        tell(line)

    def ended(self, report: Report) -> None:
        """Count the answers of a run."""
        with self._lock:
            self._done += len(report.checks)
            self._states += sum(c.states or 0 for c in report.checks)

    def line(self, columns: int = 120) -> str:
        """The status line now; of things done at once, that which takes longest."""
        with self._lock:
            done = [f"{self._done} of {self._total} questions"] * bool(self._total)
            done += [f"{self._states:,} states"] * bool(self._states)
        whole = ", ".join((*done, _clock(self._started)))
        if not (doing := list(self._doing.values())):
            return whole[:columns]
        from scopec.base.excerpt import clean  # Start-up: only long work has such a line

        what, since, so_far = min(doing, key=lambda one: one[1])
        far = f", {so_far}" * bool(so_far) + f", {_clock(since)}"
        room = columns - len(f"{whole}; {far}")
        what = clean(what)
        return f"{whole}; {what if len(what) <= room else what[: max(0, room - 1)] + '…'}{far}"[:columns]

    def _run(self) -> None:
        wait = 1.0
        while not self._over.wait(wait):
            self._write(self.line(self._columns() - 1))
            wait = 0.5

    def _columns(self) -> int:
        """The length of a line at most: one that goes on in the next could not be rewritten."""
        with suppress(OSError, ValueError):
            return os.get_terminal_size(self._stream.fileno()).columns or 80
        return 80

    def _write(self, text: str) -> None:
        with suppress(OSError):
            self._stream.write(f"\r\x1b[K{text}")
            self._stream.flush()


def _clock(since: float) -> str:
    seconds = int(time.monotonic() - since)
    return f"{seconds // 60}:{seconds % 60:02}"
