"""The headers that a file includes first, over NVIDIA's, precompiled and kept from call to call.

That is the header before every file, and those that a file includes first, of the library and of other people's folders
(``-I``): cub, CUTLASS.  The first is made when it is first wanted.  With a file's headers it takes as long again to
make as to read: it is made when the same are wanted for the second time.

A precompiled header lies in the user's cache; the entry that names it says what clang read for it.  It is used as long
as all of that is as it was, and the command, clang, scopec's own headers and the names in the user's folders too.
"""

from __future__ import annotations

import json
import os
import re
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.cache import key, make_private, user_cache
from scopec.base.records import dataclass
from scopec.frontends.clang.command import environment
from scopec.frontends.clang.compilation_cache import identity_of
from scopec.frontends.clang.read_files import listed, names_in, states, unchanged
from scopec.frontends.clang.running import finished

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scopec.base.cache import Cache
    from scopec.frontends.clang.command import Clang
    from scopec.frontends.clang.libraries import Library

_MOST_BYTES = 1 << 30
_MOST_ENTRY_BYTES = 16 << 20
_MAKE = ("-emit-pch", "-fpch-instantiate-templates", "-o")
#: So many arguments put a header before every file.
_FIRST = 2
_LINE = re.compile(
    r"""(?:\s|//[^\n\\]*\n|/\*.*?\*/|\#\ 1\ "[^"\n\\]*"\n)*  # no code
        (?P<line>\#[ ]*include[ ]*(?:<(?P<name>[\w./+-]+)>|"(?P<path>[^"\n\\]+)")[ ]*(?://[^\n\\]*)?\n)""",
    re.VERBOSE | re.DOTALL,
)
#: What an entry has until there is a file.
_WANTED_ONCE, _NOT_WANTED = b"wanted once", b""


@dataclass(frozen=True)
class Prelude:
    """The headers that a text includes before anything else: what stands behind ``#include``; and the ``text`` without
    these lines, each of which is empty."""

    headers: tuple[str, ...]
    text: str


def prelude(given: str, folder: Path, folders: Sequence[Path], library: Library) -> Prelude:
    """The prelude of a text, as far as it is the library's or in ``folders``, which are those of ``-I``.

    What is in a folder in which the text lies too is the user's own, and changes as often as the text.
    """
    found: list[str] = []
    code = ""
    at = 0
    while line := _LINE.match(given, at):
        name = line["name"] or line["path"]
        if not _others(name, line["path"] is not None, folder, folders, library):
            break
        found.append(f"<{name}>" if not Path(name).is_absolute() else f'"{name}"')
        code += given[at : line.start("line")] + "\n"
        at = line.end()
    return Prelude(tuple(found), code + given[at:])


def _others(name: str, quoted: bool, folder: Path, folders: Sequence[Path], library: Library) -> bool:
    """Whether a header is not the user's own."""
    if Path(name).is_absolute():
        return name.startswith(tuple(f"{own}{os.sep}" for own in library.folders))
    if ".." in Path(name).parts or (quoted and os.path.lexists(folder / name)):
        return False
    place = next((place for place in folders if os.path.lexists(place / name)), None)
    return place is None or not Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(place))


def with_preludes(
    commands: Sequence[list[str]], given: str, begin: Prelude, folders: Sequence[Path], library: Library, clang: Clang
) -> tuple[list[list[str]], str]:
    """The same commands and their text, where what they read first is precompiled if that is there, or worth while.

    The commands end with the arguments that put a header before every file; ``folders`` are those of ``-I``.
    """
    entries = user_cache("preludes", _MOST_ENTRY_BYTES)
    names = names_in(folders) if folders else ""
    if entries.secret is None or names is None or (identity := identity_of(clang, folders)) is None:
        return list(commands), given
    for headers, text in dict.fromkeys(((begin.headers, begin.text), ((), given))):
        keys = [key(json.dumps([command, headers, identity, library.identity, names])) for command in commands]
        files = [_kept(entries, one) for one in keys]
        if None in files:
            worth = [_is_worth(entries, one, at_once=not headers and not folders) for one in keys]
            files = _make(commands, keys, headers, entries) if all(worth) else files
        if None not in files:
            ready = zip(commands, files, strict=True)
            return [[*command[:-_FIRST], "-include-pch", str(file)] for command, file in ready], text
    return list(commands), given


def _kept(entries: Cache, of: str) -> Path | None:
    """The file of an entry, if it is what it was, and so is all that was read for it."""
    content = entries.get(of)
    if content is None or content in (_WANTED_ONCE, _NOT_WANTED):
        return None
    name, own, read = json.loads(content)
    file = _folder(entries) / str(name)
    if _own_state(file) != own or not unchanged(read):
        return None
    with suppress(OSError):
        os.utime(file, ns=(time.time_ns(), own[1]))  # those used longest ago go first
    return file


def _is_worth(entries: Cache, of: str, *, at_once: bool) -> bool:
    """Whether to make what is not there: from the second time on that it is wanted as it is."""
    if entries.get(of) == _WANTED_ONCE or at_once:
        return True
    entries.put(of, _WANTED_ONCE)
    return False


def _make(
    commands: Sequence[list[str]], keys: list[str], headers: tuple[str, ...], entries: Cache
) -> list[Path | None]:
    """The precompiled headers for commands, under keys; None where clang makes none."""
    folder, began = _folder(entries), time.time_ns()
    try:
        make_private(folder)
        _make_room(folder)
    except OSError:
        return [None] * len(commands)
    files = [folder / f"{one[:32]}.{os.getpid()}.{began}.pch" for one in keys]
    lists = [file.with_suffix(".d") for file in files]
    makes = [
        [*command, *_MAKE, str(file), "-dependency-file", str(list_), "-MT", "_", "-sys-header-deps"]
        for command, file, list_ in zip(commands, files, lists, strict=True)
    ]
    text = "".join(f"#include {header}\n" for header in headers)
    made: list[Path] = []
    try:
        runs = finished(makes, text.encode(), folder, environment())
        for of, run, file, list_ in zip(keys, runs, files, lists, strict=True):
            names = "" if run.status else list_.read_text(encoding="utf-8", errors="surrogateescape")
            read = states(listed(names), folder, began) if names else None
            entries.put(of, _NOT_WANTED if read is None else _entry(file, read))
            made += [] if read is None else [file]
    finally:
        for file in (*lists, *(file for file in files if file not in made)):
            file.unlink(missing_ok=True)
    return [file if file in made else None for file in files]


def _entry(file: Path, read: dict[str, list[int]]) -> bytes:
    return json.dumps([file.name, _own_state(file), read]).encode()


def _own_state(file: Path) -> list[int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return [status.st_size, status.st_mtime_ns, status.st_ino]


def _folder(entries: Cache) -> Path:
    return entries.folder.with_name("precompiled")


def _make_room(folder: Path) -> None:
    """Remove those used longest ago, as far as all of them are too much."""
    found = []
    for file in folder.iterdir():
        with suppress(OSError):  # another process may have removed it
            status = file.stat()
            found.append((status.st_atime_ns, status.st_size, file))
    size = sum(bytes_ for _, bytes_, _ in found)
    for _, bytes_, file in sorted(found):
        if size <= _MOST_BYTES:
            break
        with suppress(OSError):
            file.unlink()
        size -= bytes_
