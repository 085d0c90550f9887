"""The user's headers that a text includes, as far as their folders are known."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scopec.base.files import shown_source
from scopec.frontends.clang.toolkits import searched

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from scopec.base.source import Source
    from scopec.frontends.clang.flags import Flags

#: A line that includes a header: its name is the first group where it is quoted, else the second.
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*(?:\"([^\"\n]+)\"|<([^>\n]+)>)[^\n]*", re.MULTILINE)


def places(include: re.Match[str], folder: Path, flags: Flags) -> Iterator[Path]:
    """The files that an include in a file of a folder may mean."""
    said = include[1] or include[2]
    yield from (file for place in (folder, *searched(flags)) if (file := place / said).is_file())


def reached(include: re.Match[str], folder: Path, flags: Flags, seen: frozenset[Path] = frozenset()) -> Iterator[Path]:
    """The files that an include leads to."""
    for file in places(include, folder, flags):
        if file not in seen:
            yield file
            for inner in INCLUDE.finditer(file.read_text(encoding="utf-8", errors="replace")):
                yield from reached(inner, file.parent, flags, seen | {file})


def headers(source: Source, folder: Path, flags: Flags, *, angled: bool = False) -> tuple[Source, ...]:
    """The headers that a text includes by names in quotes, or ``angled`` ones too, each once, and those that they
    include.

    A header whose text must not be shown is left out.
    """
    found: dict[Path, Source] = {}

    def follow(text: str, beside: Path) -> None:
        for include in INCLUDE.finditer(text):
            file = next(places(include, beside, flags), None) if include[1] or angled else None
            if file is None or (real := file.resolve()) in found:
                continue
            header = shown_source(str(file), source)
            if header is not None:
                found[real] = header
                follow(header.text, file.parent)

    follow(source.text, folder)
    return tuple(found.values())
