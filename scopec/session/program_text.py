"""The text of a program's file."""

from __future__ import annotations

from pathlib import Path

from scopec.base.diagnostics import Code, InputError
from scopec.base.files import read_source
from scopec.base.source import Source
from scopec.frontends.scoped.syntax.scan import scan

#: What stands for bytes that are not UTF-8.
_NO_CHARACTER = "\ufffd"


def read_program(path: Path, shown: str, folders: tuple[Path, ...]) -> Source:
    """The text of a file as ``read_source`` has it; in comments of CUDA C++ other bytes are no matter, as to nvcc.

    Many files have a ``©`` of Latin-1 in their head.
    """
    try:
        return read_source(path, shown, folders)
    except InputError as bad:
        if path.suffix != ".cu" or {diagnostic.code for diagnostic in bad.diagnostics} != {Code.NOT_UTF8}:
            raise
        found = Source(shown, path.read_bytes().decode("utf-8-sig", errors="replace"), folders)
        scanned = scan(found)
        if _NO_CHARACTER in scanned.code + scanned.directives:
            raise
        return found
