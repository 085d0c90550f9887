"""A cache of what can be computed again, in the user's cache folder: a file an entry, verified when it is read.

An entry carries a code (HMAC, RFC 2104) over the question and the answer, under a key that lies elsewhere and is the
user's alone: one that was edited, renamed or brought from another machine is none.
"""

from __future__ import annotations

import os
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.lazy_import import later
from scopec.base.records import dataclass

if TYPE_CHECKING:
    import hashlib
    import hmac
    import secrets

    import platformdirs
else:
    hashlib, hmac, secrets = later("hashlib"), later("hmac"), later("secrets")
    platformdirs = later("platformdirs")
_DIGEST = 32  # of SHA-256
_ABANDONED_SECONDS = 3600
#: After so much of a cache was written, or nothing yet, a process looks whether there is room for more.
_PARTS = 16
_written: dict[Path, int] = {}


@dataclass(frozen=True, slots=True)
class Cache:
    """Entries by key, at most ``most_bytes`` of them in all, and what a process wrote since it last looked (a part of
    that): those used longest ago are removed.

    Any number of processes may use one at once: an entry appears whole, in one step.  One that was damaged counts as
    none and is removed; a folder that cannot be read or written, or that others may use, is an empty cache, and so is
    every one without a ``secret``.
    """

    folder: Path
    most_bytes: int
    secret: bytes | None

    def get(self, key: str) -> bytes | None:
        """The entry of a key (a digest), or None."""
        if self.secret is None or not private(self.folder):
            return None
        path = self.folder / key
        try:
            found = path.read_bytes()
        except OSError:
            return None
        code, content = found[:_DIGEST], found[_DIGEST:]
        if not hmac.compare_digest(code, self._code(key, content)):
            with suppress(OSError):
                path.unlink()
            return None
        with suppress(OSError):
            os.utime(path)
        return content

    def put(self, key: str, content: bytes) -> None:
        """Keep an entry, if it can be kept."""
        if self.secret is None:
            return
        with suppress(OSError):
            make_private(self.folder)
            written = self.folder / f".{key}.{os.getpid()}.{time.monotonic_ns()}"
            try:
                written.write_bytes(self._code(key, content) + content)
                written.replace(self.folder / key)
            finally:
                written.unlink(missing_ok=True)
            _written[self.folder] = _written.get(self.folder, self.most_bytes) + len(content)
            if _written[self.folder] > self.most_bytes // _PARTS:
                _written[self.folder] = 0
                self._make_room()

    def _code(self, key: str, content: bytes) -> bytes:
        assert self.secret is not None
        return hmac.digest(self.secret, f"{len(key)}:{key}".encode() + content, "sha256")

    def _make_room(self) -> None:
        entries = []
        for path in self.folder.iterdir():
            with suppress(OSError):  # another process may have removed it
                status = path.stat()
                if not path.name.startswith("."):
                    entries.append((status.st_mtime, status.st_size, path))
                elif time.time() - status.st_mtime > _ABANDONED_SECONDS:
                    path.unlink()
        size = sum(entry[1] for entry in entries)
        for _, bytes_, path in sorted(entries):
            if size <= self.most_bytes:
                break
            with suppress(OSError):
                path.unlink()
            size -= bytes_


def user_cache(name: str, most_bytes: int) -> Cache:
    """A cache in the user's cache folder."""
    return Cache(platformdirs.user_cache_path("scopec") / name, most_bytes, _secret())


def private(folder: Path) -> bool:
    """Whether a folder is the user's own, and nobody else's (mode 0700)."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and _own(status)


def make_private(folder: Path) -> None:
    """Make a folder that only the user may use; OSError where that is not possible."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not private(folder):
        folder.chmod(0o700)
    if not private(folder):
        raise PermissionError(f"{folder} belongs to somebody else")


def _own(status: os.stat_result) -> bool:
    return os.name == "nt" or (status.st_uid == os.getuid() and not status.st_mode & 0o077)


def _secret() -> bytes | None:
    """The key of the user's entries, made when there is none; None where none can be had."""
    path = platformdirs.user_state_path("scopec") / "cache-key"
    with suppress(OSError):
        make_private(path.parent)
        if not path.exists():
            _make_secret(path)
        found = path.read_bytes()
        if len(found) == _DIGEST and _own(path.stat()):
            return found
    return None


def _make_secret(path: Path) -> None:
    """Make the key, whole at once; that of another call that was first stays."""
    new = path.with_name(f".{os.getpid()}.{time.monotonic_ns()}")
    new.touch(mode=0o600, exist_ok=False)
    try:
        new.write_bytes(secrets.token_bytes(_DIGEST))
        with suppress(FileExistsError):
            os.link(new, path)
    finally:
        new.unlink()


def key(*parts: str) -> str:
    """A digest that differs whenever some part does."""
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode()
        digest.update(f"{len(encoded)}:".encode() + encoded)
    return digest.hexdigest()
