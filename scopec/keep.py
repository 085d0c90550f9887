"""Where generated specifications are kept: the folder that the user names, or one that does not grow."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

if TYPE_CHECKING:
    from scopec.plan import Run

_MOST_FOLDERS = 100


def destination(run: Run, keep: Path | None) -> Path:
    """The folder for a run's generated files: ``keep``, or one of the user's cache a source file.

    The cache holds the 100 latest; older ones are removed.
    """
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        return keep
    root = platformdirs.user_cache_path("scopec") / "generated"
    digest = hashlib.sha256(str(Path(run.file).resolve()).encode()).hexdigest()[:8]
    target = root / f"{Path(run.file).stem}-{digest}"
    target.mkdir(parents=True, exist_ok=True)
    target.touch()
    folders = sorted((f for f in root.iterdir() if f.is_dir()), key=lambda f: f.stat().st_mtime, reverse=True)
    for old in folders[_MOST_FOLDERS:]:
        shutil.rmtree(old, ignore_errors=True)
    return target
