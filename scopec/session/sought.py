"""A file that is read as it is, where no flag says how: by what its repository has.

A header that no flag names is sought in the repository: the one file whose name ends so, of several that which is
nearest to the file that is read.  A file that is a part of another one is read with that.  Both are tried where a file
cannot be read else, and said: what its build reads may be another file of that name.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from scopec.base.diagnostics import Code, Diagnostic, InputError
from scopec.base.source import Source
from scopec.base.visible import repository
from scopec.frontends.clang.flags import Flags
from scopec.frontends.clang.including import including
from scopec.session.other_headers import over_others

_T = TypeVar("_T")
_MISSING = re.compile(r"(?:\d+ errors have one root: )?'([^']+)' file not found")
#: So many times headers are sought that headers which were found include, and none after so many seconds; so many files
#: of a repository are looked at.
_MOST_ROUNDS = 12
_SECONDS = 30.0
_MOST_FILES = 400_000


def as_it_is(
    asked: Callable[[Path, str, Flags], _T], path: Path, shown: str, flags: Flags, refused: InputError
) -> tuple[_T, tuple[Diagnostic, ...]]:
    """What becomes of a file which could not be read, with headers that are sought, or by way of another file that
    includes it; and what is to be said of this.  ``asked`` gets a file, how it is shown, and flags.

    Raises InputError where nothing comes of it, about the file itself.
    """
    found = _with_headers(lambda more: asked(path, shown, more), path, shown, flags, refused)
    if not isinstance(found, InputError):
        return found
    whole = including(path)
    if whole is None:
        raise found
    name = str(Path(shown).parent / whole.name)
    said = _said(shown, f"this file is a part of `{whole.name}`, with which it is read", f"name {whole.name} itself")
    try:
        return asked(whole, name, flags), (said,)
    except InputError as again:
        other = _with_headers(lambda more: asked(whole, name, more), whole, name, flags, again)
        if isinstance(other, InputError):
            raise found from None
        return other[0], (said, *other[1])


def over_more(
    asked: Callable[[Path, str, Flags], _T], refused: InputError, path: Path, shown: str, flags: Flags, *, seek: bool
) -> tuple[_T, tuple[Diagnostic, ...]]:
    """What becomes of a file over NVIDIA's headers, where scopec's own lack something; else, where headers are to be
    sought, as it is, and what is to be said of that.

    Raises InputError with what is wrong, by its roots.
    """
    try:
        return over_others(lambda real: asked(path, shown, real), refused, shown, flags), ()
    except InputError as wrong:
        if not seek or path.suffix != ".cu":
            raise
        found = wrong

    def over_both(file: Path, name: str, more: Flags) -> _T:
        try:
            return asked(file, name, more)
        except InputError as again:
            return over_others(lambda real: asked(file, name, real), again, name, more)

    return as_it_is(over_both, path, shown, flags, found)


def are_there(path: Path, flags: Flags, refused: InputError) -> bool:
    """Whether the repository of a file has a header that an error says is missing."""
    return flags.database is None and any(True for _ in _folders(path, flags, refused))


def _with_headers(
    asked: Callable[[Flags], _T], path: Path, shown: str, flags: Flags, refused: InputError
) -> tuple[_T, tuple[Diagnostic, ...]] | InputError:
    told, begun = list[Diagnostic](), time.monotonic()
    for _ in range(_MOST_ROUNDS):
        new = dict(_folders(path, flags, refused)) if flags.database is None else {}
        if not new or time.monotonic() - begun > _SECONDS:
            return refused
        for folder, header in new.items():
            near = os.path.relpath(folder, path.parent.resolve())
            told.append(_said(shown, f"`{header}` is read from {near}, the nearest folder that has it", f"-I {near}"))
        flags = replace(flags, folders=(*flags.folders, *new))
        try:
            return asked(flags), tuple(told)
        except InputError as again:
            refused = again
    return refused


def _said(shown: str, message: str, way_out: str) -> Diagnostic:
    return Diagnostic(Code.SOUGHT, message, Source(shown, "").span(0, 0), way_out, "warning")


def _folders(path: Path, flags: Flags, refused: InputError) -> Iterator[tuple[Path, str]]:
    """New folders with the headers that errors say are missing, and these."""
    for diagnostic in refused.diagnostics:
        named = _MISSING.match(diagnostic.message)
        folder = None if named is None else _nearest(path.resolve(), named[1])
        if named is not None and folder is not None and folder not in flags.folders:
            yield folder, named[1]


def _nearest(file: Path, header: str) -> Path | None:
    """The folder of the repository from which a name leads to a header: the nearest to a file, if there is one such."""
    top = repository(file.parent)
    parts = Path(header).parts
    if top is None or ".." in parts or not parts or Path(header).is_absolute():
        return None
    folders = [Path(*place.parts[: -len(parts)]) for place in _files(top).get(parts[-1], ()) if _ends(place, parts)]
    apart = sorted((len(Path(os.path.relpath(folder, file.parent)).parts), folder) for folder in dict.fromkeys(folders))
    if not apart or (len(apart) > 1 and apart[0][0] == apart[1][0]):
        return None
    return apart[0][1]


def _ends(place: Path, parts: tuple[str, ...]) -> bool:
    return place.parts[-len(parts) :] == parts


@lru_cache(maxsize=4)
def _files(top: Path) -> dict[str, tuple[Path, ...]]:
    """The headers of a repository by their names; links are not followed."""
    found: dict[str, list[Path]] = {}
    count = 0
    for folder, inner, names in os.walk(top):
        inner[:] = [one for one in inner if not one.startswith(".")]
        count += len(names)
        if count > _MOST_FILES:
            break
        for name in names:
            place = Path(folder, name)
            if not name.startswith(".") and not place.is_symlink():
                found.setdefault(name, []).append(place)
    return {name: tuple(places) for name, places in found.items()}
