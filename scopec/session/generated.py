"""The folder of generated specifications: one that the user names, or one that does not grow."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.diagnostics import EngineError
from scopec.base.lazy_import import later

if TYPE_CHECKING:
    import hashlib
    import shutil

    import platformdirs

    from scopec.session.inquiry.run import Run
else:
    hashlib = later("hashlib")
    platformdirs = later("platformdirs")
    shutil = later("shutil")

_MOST_FOLDERS = 100


def destination(run: Run, keep: Path | None) -> Path:
    """The folder for a run's generated files: ``keep``, or one of the user's cache a source file.

    The cache holds the 100 latest; older ones are removed.  EngineError where the folder cannot be made.
    """
    if keep is not None:
        return named(keep)
    root = platformdirs.user_cache_path("scopec") / "generated"
    digest = hashlib.sha256(os.fsencode(Path(run.file).resolve())).hexdigest()[:8]
    target = root / f"{Path(run.file).stem}-{digest}"
    known = target.is_dir()
    _made(target, "set XDG_CACHE_HOME to a folder that can be written").touch()
    if known:
        return target
    for old in sorted((f for f in root.iterdir() if f.is_dir()), key=_written, reverse=True)[_MOST_FOLDERS:]:
        shutil.rmtree(old, ignore_errors=True)
    return target


def named(folder: Path) -> Path:
    """The folder that ``--keep`` names."""
    return _made(folder, "name another one with --keep")


def _made(folder: Path, way_out: str) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as failure:
        raise EngineError(f"cannot make the folder {folder}: {failure.strerror}: {way_out}") from failure
    return folder


def _written(folder: Path) -> float:
    """The time of the last change in a folder; it may be gone, as another call removes it too."""
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0
