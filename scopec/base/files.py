"""Reads the text of a file."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, Diagnostic, InputError, error
from scopec.base.source import Source, Span
from scopec.base.visible import may_show

if TYPE_CHECKING:
    from collections.abc import Iterator

#: The largest programs that scopec was tried on have a hundredth of this.
MOST_BYTES = 4 << 20


def read_source(path: Path, name: str | None = None, folders: tuple[Path, ...] = ()) -> Source:
    """The text of a file, called ``name`` in diagnostics (default: the path as given); files in ``folders`` may be
    quoted beside it.

    Raises InputError when the file cannot be read, is larger than MOST_BYTES, no regular file, or not UTF-8.
    """
    shown = name if name is not None else str(path)
    at_start = Source(shown, "").span(0, 0)
    data = _bytes(path, at_start)
    try:
        return Source(shown, data.decode("utf-8-sig"), folders)
    except UnicodeDecodeError as failure:
        valid = data[: failure.start].decode("utf-8")
        place = Source(shown, valid).span(len(valid), len(valid))
        message = f"byte 0x{data[failure.start]:02x} is not UTF-8 ({failure.reason})"
        raise error(Code.NOT_UTF8, message, place) from failure


def given_source(text: str, name: str, folders: tuple[Path, ...] = ()) -> Source:
    """A text that is given in place of a file's, as :func:`read_source` has it; InputError where it is too large."""
    size = len(text.encode("utf-8", errors="replace"))
    if size > MOST_BYTES:
        raise _too_large(size, Source(name, "").span(0, 0))
    return Source(name, text, folders)


def _too_large(size: int, at_start: Span) -> InputError:
    help_ = f"scopec reads files of at most {MOST_BYTES} bytes"
    return error(Code.TOO_LARGE, f"a file of {size} bytes", at_start, help_)


def shown_source(file: str, beside: Source) -> Source | None:
    """The text of a file for excerpts of it, whatever it has that is not UTF-8 replaced; None if it cannot be read, or
    must not be quoted in reports about ``beside``."""
    if not may_show(file, beside):
        return None
    try:
        data = _bytes(Path(file), Source(file, "").span(0, 0))
    except InputError:
        return None
    return Source(file, data.decode("utf-8-sig", errors="replace"), beside.folders)


def source_of(span: Span, source: Source) -> Source:
    """The source that a span is in: the one given, or a file that it includes; an empty one if that cannot be read, or
    must not be quoted."""
    return source if span.file == source.name else shown_source(span.file, source) or Source(span.file, "")


@contextmanager
def quoting(source: Source) -> Iterator[None]:
    """Bad input that is found in a source, or in what it includes, is told with the line that it is in."""
    try:
        yield
    except InputError as bad:
        raise InputError(*(quoted(diagnostic, source) for diagnostic in bad.diagnostics)) from bad.__cause__


def quoted(diagnostic: Diagnostic, source: Source) -> Diagnostic:
    """A diagnostic about a source, or a file that it includes, with the line that it is in."""
    return replace(diagnostic, line=source_of(diagnostic.span, source).line(diagnostic.span.line))


def text_of(path: Path, most: int = 64 << 20, errors: str = "strict") -> str:
    """The text of a file that is no program, of at most so many bytes.

    Raises OSError where it cannot be read, is larger or no regular file (a device has no end), UnicodeDecodeError.
    """
    # A pipe to which nobody writes would be waited for.
    with open(path, "rb", opener=lambda name, how: os.open(name, how | getattr(os, "O_NONBLOCK", 0))) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        if status.st_size > most:
            raise OSError(errno.EFBIG, f"it has more than {most} bytes")
        return file.read(most).decode(errors=errors)


def write_below(folder: Path, place: Path | str, text: str) -> None:
    """Write a file below a folder, which is made if need be.

    What is there is replaced, and a link is not followed: whoever wrote the folder need not be whoever writes to it.
    OSError where it cannot be written, or where a link on the way leads out of the folder.
    """
    target = folder / place
    if not target.parent.resolve().is_relative_to(folder.resolve()):
        raise OSError(errno.ELOOP, f"{target.parent} is a link that leads out of it")
    target.parent.mkdir(parents=True, exist_ok=True)
    written = target.with_name(f".{os.getpid()}.{target.name}"[:200])
    try:
        written.write_text(text, encoding="utf-8")
        written.replace(target)
    finally:
        written.unlink(missing_ok=True)


def _bytes(path: Path, at_start: Span) -> bytes:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise error(Code.UNREADABLE, "this is not a regular file", at_start, "name a file with the text in it")
        if status.st_size > MOST_BYTES:
            raise _too_large(status.st_size, at_start)
        with path.open("rb") as file:
            return file.read(MOST_BYTES)
    except OSError as failure:
        raise error(Code.UNREADABLE, f"cannot read the file: {failure.strerror}", at_start) from failure
