"""Texts for others to read: without the names of users, and of folders that are neither scopec's nor the project's."""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.lazy_import import later
from scopec.base.resources import PACKAGE

if TYPE_CHECKING:
    import getpass

    import platformdirs
else:
    getpass = later("getpass")
    platformdirs = later("platformdirs")

#: A path that begins at a root, of POSIX or of Windows, or at home.
_PATH = re.compile(r"""(?<![\w.…/\\])(?:~|[A-Za-z]:)?[/\\][^\s:;,'"`()<>]*""")
#: A shorter name may be part of any text.
_SHORTEST_NAME = 3


def hidden(text: str, project: Path) -> str:
    """The text with known folders under names of their own, and of each other path its last part alone."""
    known = _known(project)
    for folder in sorted(known, key=len, reverse=True):
        text = re.sub(rf"(?<![\w.…~/\\-]){re.escape(folder)}(?![\w.-])", lambda _found, name=known[folder]: name, text)  # type: ignore[misc]
    text = _PATH.sub(lambda found: _last(found[0]), text)
    for user in _users():
        text = re.sub(rf"(?<!\w){re.escape(user)}(?!\w)", "USER", text)
    return text


def at_home(text: str) -> str:
    """The text with the user's home as ``~``."""
    return re.sub(rf"(?<![\w.…~/\\-]){re.escape(str(Path.home()))}(?=[/\\])", "~", text)


def _known(project: Path) -> dict[str, str]:
    """Folders, and what they are called."""
    # Names with spaces have an end here alone: programs that variables name, the folders in which they are looked for.
    values = (part for value in os.environ.values() for part in value.split(os.pathsep))
    known = {part: _last(part) for part in values if Path(part).is_absolute()}
    own = {
        project: ".",
        Path.home(): "~",
        PACKAGE: "SCOPEC",
        Path(sys.prefix): "PYTHON",
        platformdirs.user_cache_path("scopec"): "CACHE",
        platformdirs.user_state_path("scopec"): "STATE",
    }
    known |= {str(each): name for folder, name in own.items() for each in (folder, folder.resolve())}
    return {folder: name for folder, name in known.items() if Path(folder) != Path(folder).parent}


def _last(path: str) -> str:
    name = re.split(r"[/\\]", path.rstrip("/\\"))[-1]
    return f"…/{name}" if name not in ("", "~") else path


def _users() -> set[str]:
    """The user's name, as the system and the home folder have it."""
    names = {Path.home().name}
    with suppress(OSError, KeyError, ImportError):  # the system knows none
        names.add(getpass.getuser())
    return {name for name in names if len(name) >= _SHORTEST_NAME}
