"""The files that clang read for an answer, and whether it would read the same now.

An ``#include`` may find another file because one is changed, and because there is one where there was none: of the
files that were read all is known, and of the folders that are searched the names of everything in them.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.cache import key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

#: A folder with more in it takes longer to look through than it saves.
_MOST_NAMES = 10_000
#: A file system's clock may be so coarse.
_COARSE_NANOSECONDS = 2_000_000_000
#: A name in a list of dependencies, as clang writes it for make: a backslash before a space or `#`, and `$$` for `$`.
_NAME = re.compile(r"(?:\\[ #]|[^\s\\]|\\(?!\s))+")


def listed(dependencies: str) -> list[str]:
    """The names in a list of dependencies as clang writes it."""
    names = _NAME.findall(dependencies.partition(":")[2])
    return [name.replace("\\ ", " ").replace("\\#", "#").replace("$$", "$") for name in names]


def names_in(folders: Iterable[Path]) -> str | None:
    """A digest of the names of all that is in folders, at any depth; None if that is too much, or cannot be read."""
    found: list[str] = []

    def unreadable(failure: OSError) -> None:
        raise failure

    try:
        for folder in folders:
            found.append(os.path.realpath(folder))
            for place, inner, files in os.walk(folder, onerror=unreadable, followlinks=True):
                inner.sort()
                found += [place, *inner, *sorted(files)]
                if len(found) > _MOST_NAMES:
                    return None
    except OSError:
        return None
    return key(*found)


def states(files: Iterable[str], folder: Path, began: int) -> dict[str, list[int]] | None:
    """The state of each file that clang read in a folder since a moment (nanoseconds of the system's clock).

    None where one may have changed since then.
    """
    found = {}
    for name in dict.fromkeys(str(folder / file) for file in files):
        state = _state(name)
        if state is None or max(state[1:3]) > began - _COARSE_NANOSECONDS:
            return None
        found[name] = state
    return found


def unchanged(files: Mapping[str, Sequence[int]]) -> bool:
    """Whether each file is in the state that it was in."""
    return all(_state(name) == list(state) for name, state in files.items())


def _state(name: str) -> list[int] | None:
    try:
        status = Path(name).stat()
    except (OSError, ValueError):
        return None
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev]
