"""A cache of clang's output, keyed by everything that the output depends on.

The key covers the command, the text, clang itself, scopec's headers, and every file that an ``#include`` may look for:
its content, or that it is not there.  A text that may look at more than its ``#include`` directives name
(``__has_include`` of a macro, the time) is not kept.
"""

from __future__ import annotations

import json
import os
import re
import stat
import time
import zlib
from functools import cache
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.cache import Cache, key, user_cache
from scopec.frontends.clang.command import environment
from scopec.frontends.clang.read_files import names_in, states, unchanged

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scopec.frontends.clang.command import Clang

_MOST_BYTES = 64 << 20
#: More places to look at than that take longer than clang.
_MOST_PLACES = 2000
#: The first bytes of a program for a machine: what a script runs is not known.
_PROGRAMS = (b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
_SPLICE = re.compile(r"\\[ \t\f\v]*\r?\n")
_NAMED = re.compile(
    r"(?:#\s*(?:include|include_next|import)|\b__has_include(?:_next)?\s*\()\s*"
    r'(?:"(?P<quoted>[^"\n]+)"|<(?P<angled>[^>\n]+)>)'
)
#: Other words that may look at files or at the clock, or make a word that does.
_FURTHER = re.compile(
    r"#\s*(?:include|import|embed|__include|/)|%:|##|has_include|has_embed|__(?:DATE|TIME|TIMESTAMP)__|\0"
)
_ANGLED = re.compile(r"#[ ]*include[ ]*<[^>\n]*>")
#: Words of a text that may look for a file beside it; and those that may look at the clock, or for one anywhere.
_BESIDE = re.compile(r"include|embed")
_ANYWHERE = re.compile(
    r'__(?:DATE|TIME|TIMESTAMP)__|has_(?:include\w*|embed)\s*\((?!\s*["<](?!/)(?:(?!\.\.)[^">\n])+[">])'
)


class _UnknownError(Exception):
    """Raised if something that a text may depend on is not known."""


def compilations() -> Cache:
    """The cache of clang's output in earlier calls."""
    return user_cache("clang", _MOST_BYTES)


def remembered(
    entries: Cache | None, make: Callable[[], Sequence[str]], what: Sequence[str], clang: Clang,
    text: str, folder: Path, folders: Sequence[Path], shims: Path,
) -> list[str]:  # fmt: skip
    """The texts that ``make`` gives, from the cache if they are there: clang's answer to ``what`` about a text in a
    folder.

    ``clang`` is who writes them, ``folders`` those of ``-I``, ``shims`` that of scopec's headers.  An error is
    not kept.
    """

    def asked() -> str:
        around = [str(folder), os.path.realpath(folder)]
        found = _context([text, *what], {folder, *folders}, shims)
        return key(json.dumps([what, _identity(clang, folders), around, _shims(shims)[2], text, found]))

    if entries is None:
        return list(make())
    try:
        entry = asked()
    except _UnknownError:
        return list(make())
    if (kept := entries.get(entry)) is not None:
        return [str(part) for part in json.loads(zlib.decompress(kept))]
    made = list(make())
    try:
        unchanged = asked() == entry
    except _UnknownError:
        unchanged = False
    if unchanged:
        entries.put(entry, zlib.compress(json.dumps(made).encode(), 1))
    return made


def remembered_as_read(
    entries: Cache | None, make: Callable[[], tuple[Sequence[str], Sequence[str] | None]], what: Sequence[str],
    clang: Clang, text: str, folder: Path, folders: Sequence[Path], shims: Path,
) -> list[str]:  # fmt: skip
    """The same where headers of the user's may stand for one of a large library, which is known once they are read.

    ``make`` gives the texts, and the user's files that were read for them, if these are known: what is read from
    elsewhere than ``folders`` and beside the text is not kept.
    """
    places = [*folders, *([folder] if _BESIDE.search(_ANGLED.sub("", text)) else [])]
    identity = identity_of(clang, folders)
    names = names_in(places) if entries is not None and identity is not None else None
    if entries is None or names is None or _ANYWHERE.search(text):
        return list(make()[0])
    entry = key(json.dumps([what, identity, str(folder), os.path.realpath(folder), _shims(shims)[2], text, names]))
    if (kept := entries.get(entry)) is not None:
        texts, read = json.loads(zlib.decompress(kept))
        if unchanged(read):
            return [str(one) for one in texts]
    began = time.time_ns()
    made, files = make()
    read = None if files is None else states(files, folder, began)
    if read is not None and names_in(places) == names and all(_is_within(file, places) for file in read):
        entries.put(entry, zlib.compress(json.dumps([made, read]).encode(), 1))
    return list(made)


def _is_within(file: str, places: Sequence[Path]) -> bool:
    """Whether a file that was read is in some folders, and finds all that it looks for there."""
    real = os.path.realpath(file)
    if not any(Path(real).is_relative_to(os.path.realpath(place)) for place in places):
        return False
    found = _content(Path(real))
    return found is not None and not _ANYWHERE.search(found[1].decode(errors="replace"))


def identity_of(clang: Clang, folders: Sequence[Path]) -> list[str | int | None] | None:
    """The identity of the clang that is used with the user's folders, if it is known."""
    try:
        return _identity(clang, folders)
    except _UnknownError:
        return None


def _identity(clang: Clang, folders: Sequence[Path]) -> list[str | int | None]:
    """The identity of the clang that is used; the user's folders must not have headers of names that its own have."""
    program = clang.program[0]
    try:
        with Path(program).open("rb") as opened:
            if not opened.read(4).startswith(_PROGRAMS):
                raise _UnknownError
            status = os.fstat(opened.fileno())
        if folders:
            own = {path.name for path in (clang.resources / "include").iterdir()}
            if any(path.name in own for folder in folders for path in folder.iterdir()):
                raise _UnknownError
    except OSError:
        raise _UnknownError from None
    # Which libraries it loads may differ; to find it, PATH has been used.
    loading = [f"{name}={value}" for name, value in environment().items() if name != "PATH"]
    return [clang.version, *loading, os.path.realpath(program), status.st_size, status.st_mtime_ns, status.st_ino]


@cache
def _shims(folder: Path) -> tuple[frozenset[Path], frozenset[str], str]:
    """The files of scopec's own headers, the names that they look for elsewhere, and a digest of them."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    names = {name for text in texts.values() for m in _NAMED.finditer(text) for name in m.groups() if name}
    outside = frozenset(name for name in names if folder / name not in texts)
    return frozenset(files), outside, key(*(part for path, text in texts.items() for part in (str(path), text)))


def _context(texts: Sequence[str], places: set[Path], shims: Path) -> list[tuple[str, str]]:
    """Every file that clang may look for, with what is in it, if it is there: any name that is included somewhere, in
    any folder where one may be searched."""
    seen: dict[Path, str] = {}
    wanted = set(_shims(shims)[1])
    while texts:
        for one in texts:
            wanted |= _named(one, shims)
        texts = []
        if len(wanted) * len(places) > _MOST_PLACES:
            raise _UnknownError
        for path in {place / name for place, name in product(places, wanted)} - seen.keys():
            seen[path] = ""
            found = _content(path)
            if found is not None:
                status, content = found
                # Two names of one file are one header for `#pragma once`.
                seen[path] = f"{status.st_dev} {status.st_ino} {sha256(content).hexdigest()}"
                texts.append(content.decode(errors="replace"))
                places.add(path.parent)
    return sorted((str(path), content) for path, content in seen.items())


def _named(text: str, shims: Path) -> set[str]:
    """The names of what a text includes, but for those that scopec's own headers have, where these come first."""
    text, (own, _, _) = _SPLICE.sub("", text), _shims(shims)
    if _FURTHER.search(_NAMED.sub(" ", text)):
        raise _UnknownError
    found = set()
    for match in _NAMED.finditer(text):
        name = match["quoted"] or match["angled"]
        searched = "_next" in match[0] or (match["quoted"] is not None and not Path(name).is_absolute())
        if searched or shims / name not in own:
            found.add(name)
    return found


def _content(path: Path) -> tuple[os.stat_result, bytes] | None:
    """A file, with what is said of it; None if there is none."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    if stat.S_ISDIR(status.st_mode):
        return None
    try:
        if stat.S_ISREG(status.st_mode):
            return status, path.read_bytes()
    except OSError:
        pass
    raise _UnknownError
