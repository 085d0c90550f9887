"""Reads the text of a file."""

from __future__ import annotations

import stat
from pathlib import Path

from scopec.base.diagnostics import Code, InputError, error
from scopec.base.source import Source, Span

#: The largest programs that scopec was tried on have a hundredth of this.
MOST_BYTES = 4 << 20


def read_source(path: Path, name: str | None = None) -> Source:
    """The text of a file, called ``name`` in diagnostics (default: the path as given).

    Raises InputError when the file cannot be read, is larger than MOST_BYTES, no regular file, or not UTF-8.
    """
    shown = name if name is not None else str(path)
    at_start = Source(shown, "").span(0, 0)
    data = _bytes(path, at_start)
    try:
        return Source(shown, data.decode("utf-8-sig"))
    except UnicodeDecodeError as failure:
        valid = data[: failure.start].decode("utf-8")
        place = Source(shown, valid).span(len(valid), len(valid))
        message = f"byte 0x{data[failure.start]:02x} is not UTF-8 ({failure.reason})"
        raise error(Code.NOT_UTF8, message, place) from failure


def shown_source(file: str) -> Source | None:
    """The text of a file for excerpts of it, whatever it has that is not UTF-8 replaced; None if it cannot be read."""
    try:
        data = _bytes(Path(file), Source(file, "").span(0, 0))
    except InputError:
        return None
    return Source(file, data.decode("utf-8-sig", errors="replace"))


def source_of(span: Span, source: Source) -> Source:
    """The source that a span is in: the one given, or a file that it includes; an empty one if that cannot be read."""
    return source if span.file == source.name else shown_source(span.file) or Source(span.file, "")


def _bytes(path: Path, at_start: Span) -> bytes:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise error(Code.UNREADABLE, "this is not a regular file", at_start, "name a file with the text in it")
        if status.st_size > MOST_BYTES:
            message = f"a file of {status.st_size} bytes"
            raise error(Code.TOO_LARGE, message, at_start, f"scopec reads files of at most {MOST_BYTES} bytes")
        with path.open("rb") as file:
            return file.read(MOST_BYTES)
    except OSError as failure:
        raise error(Code.UNREADABLE, f"cannot read the file: {failure.strerror}", at_start) from failure
