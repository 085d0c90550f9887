"""Folders of one call, gone when it ends; those that a killed call left go when the next one begins."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.diagnostics import EngineError
from scopec.base.lazy_import import later

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    import secrets
    import shutil
    import tempfile
    from collections.abc import Callable, Iterator
else:
    secrets = later("secrets")
    shutil = later("shutil")
    tempfile = later("tempfile")

_LOCK = ".in-use"
_OLD_SECONDS = 86_400
_swept: set[tuple[Path, str]] = set()
_held: dict[Path, int | None] = {}
_making = threading.Lock()
_leaving = threading.Event()
#: Whether this process removes at its end what is left: a limit may cut off a removal.
_ends_clean = False


@contextmanager
def scratch_folder(prefix: str = "scopec-", parent: Path | None = None) -> Iterator[Path]:
    """A folder of its own below ``parent`` (the folder for temporary files), gone afterwards."""
    folder = make_scratch_folder(prefix, parent)
    try:
        yield folder
    finally:
        remove_scratch_folder(folder)


@contextmanager
def later_folder() -> Iterator[Callable[[], Path]]:
    """A function that gives a folder as of :func:`scratch_folder`, made when it is first called."""
    made: list[Path] = []

    def folder() -> Path:
        if not made:
            made.append(make_scratch_folder())
        return made[0]

    try:
        yield folder
    finally:
        for path in made:
            remove_scratch_folder(path)


def make_scratch_folder(prefix: str = "scopec-", parent: Path | None = None) -> Path:
    """A folder that this process uses, until it removes it or ends; the first of a kind removes those of processes that
    are no more.

    Raises EngineError once the process is leaving.
    """
    global _ends_clean
    parent = _temporary() if parent is None else parent
    _ = shutil.rmtree  # imported now: where the process ends, there may be no time
    if (parent, prefix) not in _swept:
        _swept.add((parent, prefix))
        _sweep(parent, prefix)
    while True:
        folder = parent / f"{prefix}{secrets.token_hex(6)}"
        with _making:
            if _leaving.is_set():
                raise EngineError("stopped")
            if not _ends_clean:
                _ends_clean = True
                atexit.register(remove_scratch_folders)
            _held[folder] = None  # before it is there: whatever interrupts this, it is removed
            folder.mkdir(mode=0o700)
            with suppress(OSError):  # another process took it for abandoned, in the moment before it was locked
                _held[folder] = _lock(folder / _LOCK, os.O_CREAT)
                return folder


def _temporary() -> Path:
    """The folder for temporary files that ``tempfile`` finds, but without the file that it makes there to try it: where
    the process is ended just then, that stays."""
    named = (os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    for folder in (*named, *(("/tmp", "/var/tmp", "/usr/tmp") if os.name == "posix" else ())):
        if folder and Path(folder).is_dir() and os.access(folder, os.W_OK | os.X_OK):
            return Path(folder).absolute()
    return Path(tempfile.gettempdir())


def remove_scratch_folder(folder: Path) -> None:
    """Remove a folder, into which an engine that was just ended may still write, or that a thread removes as well."""
    for _ in range(50):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            break
        time.sleep(0.02)
    lock = _held.pop(folder, None)
    if lock is not None:
        os.close(lock)


def remove_scratch_folders() -> None:
    """Remove the folders that are left, as of runs that nobody waits for, before the process ends; no other is made."""
    _leaving.set()
    with _making:
        pass
    for folder in list(_held):
        remove_scratch_folder(folder)


def _forked() -> None:
    """In the child of a fork: the folders are its parent's."""
    global _making, _ends_clean
    _held.clear()
    _making, _ends_clean = threading.Lock(), False


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_forked)


def _lock(file: Path, create: int = 0) -> int | None:
    """Hold a file until it is closed or the process ends; OSError if it is not there or another process holds it."""
    if sys.platform == "win32":  # a folder is abandoned when it is old
        return None
    held = os.open(file, os.O_RDWR | create, 0o600)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.samestat(os.fstat(held), file.stat()):
            raise FileNotFoundError(file)
    except OSError:
        os.close(held)
        raise
    return held


def _sweep(parent: Path, prefix: str) -> None:
    with suppress(OSError):
        for folder in parent.iterdir():
            if folder.name.startswith(prefix):
                with suppress(OSError):
                    _remove_abandoned(folder)


def _remove_abandoned(folder: Path) -> None:
    """Remove a folder that no process holds; OSError if one does, or it is somebody else's."""
    status = folder.lstat()
    if folder.is_symlink() or not folder.is_dir() or (hasattr(os, "getuid") and status.st_uid != os.getuid()):
        return
    if sys.platform == "win32" or not (folder / _LOCK).exists():
        if time.time() - status.st_mtime > _OLD_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)
        return
    held = _lock(folder / _LOCK)
    shutil.rmtree(folder, ignore_errors=True)
    if held is not None:
        os.close(held)
