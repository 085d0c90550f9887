"""The program files that paths name."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, Diagnostic, suggestion
from scopec.base.source import Source
from scopec.session.plan import SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path


def programs(paths: Sequence[Path], given: Collection[Path] = ()) -> Iterator[tuple[Path, Diagnostic | None]]:
    """The program files that paths name, folders searched; a path that yields none comes with a diagnostic.

    Those of ``given`` need not be there: their text is.
    """
    for path in paths:
        at = Source(str(path), "").span(0, 0)
        if path.is_dir():
            # `generated` folders hold specifications, hidden ones nobody's programs.
            found = sorted(
                p
                for p in path.rglob("*")
                if p.suffix in SUFFIXES
                and p.is_file()
                and not any(part.startswith(".") for part in p.relative_to(path).parts)
            )
            if not found:
                yield path, Diagnostic(Code.NOTHING_TO_CHECK, "the folder has no .cu, .ptx or .litmus file", at)
            for file in found:
                yield file, None
        elif path not in given and not path.exists():
            yield path, Diagnostic(Code.NOTHING_TO_CHECK, "there is no such file or folder", at, _like(path))
        elif path.suffix not in SUFFIXES:
            message = f"`{path.suffix or path.name}` is not a kind of file that scopec reads"
            yield path, Diagnostic(Code.NOTHING_TO_CHECK, message, at, "scopec reads .cu, .ptx and .litmus files")
        else:
            yield path, None


def _like(path: Path) -> str:
    """Suggestions for a path that does not exist."""
    beside = (
        [] if not path.parent.is_dir() else [p for p in path.parent.iterdir() if p.suffix in SUFFIXES or p.is_dir()]
    )
    close = suggestion(path.name, [p.name for p in beside])
    return close or "check the path"


def is_empty(path: Path) -> bool:
    """Whether a file has nothing to ask: no kernel, no host program, no directive."""
    if path.suffix != ".cu" or path.is_symlink():  # what a link leads to may be nobody's to read
        return False
    with suppress(OSError, UnicodeDecodeError):
        return re.search(r"__global__|\bmain\b|//@", path.read_text(encoding="utf-8")) is None
    return False
