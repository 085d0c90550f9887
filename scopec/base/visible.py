"""Texts that may be shown: files of a program's repository, of folders that the caller names, and scopec's own.

A text names other files in `#line` and `#include`, and whoever wrote it need not be whoever reads the report: what
stands elsewhere on the machine (`/proc/self/environ`, a key) is never quoted.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.resources import resource

if TYPE_CHECKING:
    from scopec.base.source import Source

#: For those who mean it (`--allow-outside`): every file may be shown.
EVERYWHERE = Path("/")


def repository(folder: Path) -> Path | None:
    """The top folder of the git repository that a folder is in, links followed; None if it is in none."""
    real = folder.resolve()
    return next((one for one in (real, *real.parents) if (one / ".git").exists()), None)


def may_show(file: str | Path, beside: Source) -> bool:
    """Whether a report about ``beside`` may quote a file: links are followed."""
    # Absolute: what is kept of a folder must not be of another one, where the current folder is changed.
    folders = _folders(str(Path(beside.name).parent.absolute()), tuple(folder.absolute() for folder in beside.folders))
    if EVERYWHERE in folders:
        return True
    try:
        real = Path(file).resolve()
    except (OSError, RuntimeError, ValueError):  # a circle of links; no name of a file
        return False
    return any(real.is_relative_to(folder) for folder in folders)


@lru_cache(maxsize=4096)
def _folders(own: str, named: tuple[Path, ...]) -> tuple[Path, ...]:
    folder = Path(own)
    top = repository(folder) or folder.resolve()
    shims = resource("shims").resolve()
    return (top, shims, *(EVERYWHERE if one == EVERYWHERE else one.resolve() for one in named))
