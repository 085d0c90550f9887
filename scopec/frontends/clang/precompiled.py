"""Headers that clang reads once for many files, which it has precompiled: those before every file, and those that a
file includes first.

A file that begins with the same ``#include`` lines, with nothing but comments between them, reads the same text after
the same text: clang's own argument for precompiled headers.  That goes for scopec's headers and clang's alone, where no
folder of the user's is searched for them.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.scratch import make_scratch_folder
from scopec.frontends.clang.command import environment, shims
from scopec.frontends.clang.libraries import own as scopecs
from scopec.frontends.clang.running import finished

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scopec.frontends.clang.libraries import Library

#: So many files are read in one way without being worth to be prepared for.
_FEW = 4
#: So many arguments put a header before every file.
_FIRST = 2
#: Template instances that headers ask for are made with them (cc1's own flag).
_MAKE = ("-emit-pch", "-fpch-instantiate-templates", "-o")
_LINE = re.compile(
    r"""(?:\s|//[^\n\\]*\n|/\*.*?\*/|\#\ 1\ "[^"\n\\]*"\n)*  # no code
        \#[ ]*include[ ]*(?:<(?P<name>[\w./]+)>|"(?P<path>[^"\n\\]+)")[ ]*(?://[^\n\\]*)?\n""",
    re.VERBOSE | re.DOTALL,
)


def preamble(given: str, own: Path, library: Library) -> tuple[str, ...]:
    """The headers that a text includes before anything else, as scopec and clang have them: paths of files.

    ``own`` is the folder of clang's headers.  Of NVIDIA's headers, none: they may ask for what is before them.
    """
    if library != scopecs():
        return ()
    found: list[str] = []
    at = 0
    while line := _LINE.match(given, at):
        name, path = line["name"], line["path"]
        places = [Path(path)] if name is None else [shims() / name, own / "include" / name]
        file = next((place for place in places if place.is_file()), None)
        if file is None or ".." in file.parts or not (name or file.is_relative_to(shims())):
            break
        found.append(str(file))
        at = line.end()
    return tuple(found)


class _Precompiled:
    """The precompiled headers of this process: made of what it reads many times in one way."""

    def __init__(self) -> None:
        self._asked: Counter[tuple[str, ...]] = Counter()
        self._made: dict[tuple[str, ...], Path | None] = {}
        self._folder: Path | None = None
        self._lock = threading.Lock()

    def of(self, command: Sequence[str], headers: Sequence[str]) -> Path | None:
        """The file for a command, and headers in their order; None if it is not worth while, or clang makes none."""
        key = (*command, *headers)
        with self._lock:
            self._asked[key] += 1
            if self._asked[key] > _FEW and key not in self._made:
                if self._folder is None:
                    self._folder = make_scratch_folder()
                file = self._folder / f"{len(self._made)}.pch"
                included = "".join(f'#include "{header}"\n' for header in headers).encode()
                (run,) = finished([[*command, *_MAKE, str(file)]], included, self._folder, environment())
                self._made[key] = file if run.status == 0 else None
            return self._made.get(key)


_precompiled = _Precompiled()


def prepared(command: list[str], headers: tuple[str, ...] = ()) -> list[str]:
    """The same command, where what it reads first was read before.

    It ends with the arguments of :func:`first`; ``headers`` are the text's :func:`preamble`.
    """
    for kept in (_precompiled.of(command, of) for of in dict.fromkeys((headers, ()))):
        if kept is not None:
            return [*command[:-_FIRST], "-include-pch", str(kept)]
    return command


def first(library: Library) -> tuple[str, str]:
    """The arguments that put a header before every file."""
    return ("-include", str(library.first))
