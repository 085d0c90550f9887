"""File names as other programs read them."""

from __future__ import annotations

import os
from pathlib import Path, PurePath
from urllib.parse import quote


def relative(file: str) -> str:
    """A file's name relative to the current folder where it is below it, with forward slashes."""
    path = Path(file)
    if path.is_absolute() and path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return path.as_posix()


def uri(file: str) -> str:
    """A file's name as a URI reference, relative where it is below the current folder."""
    name = relative(file)
    quoted = quote(os.fsencode(name))
    return f"file://{quoted}" if PurePath(name).is_absolute() else quoted
