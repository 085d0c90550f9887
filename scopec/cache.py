"""What can be computed again, kept in the user's cache folder: a file an entry, verified when it is read."""

from __future__ import annotations

import hashlib
import os
import pickle
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import platformdirs

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

_DIGEST = hashlib.sha256().digest_size
_ABANDONED_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Cache:
    """Entries by key, at most ``most_bytes`` of them in all: those used longest ago are removed.

    Any number of processes may use one at once: an entry appears whole, in one step.  One that was damaged counts as
    none and is removed; a folder that cannot be read or written is an empty cache.
    """

    folder: Path
    most_bytes: int

    def get(self, key: str) -> bytes | None:
        """The entry of a key (a digest), or None."""
        path = self.folder / key
        try:
            found = path.read_bytes()
        except OSError:
            return None
        digest, content = found[:_DIGEST], found[_DIGEST:]
        if digest != _digest(key, content):
            with suppress(OSError):
                path.unlink()
            return None
        with suppress(OSError):
            os.utime(path)
        return content

    def put(self, key: str, content: bytes) -> None:
        """Keep an entry, if it can be kept."""
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            written = self.folder / f".{key}.{os.getpid()}.{time.monotonic_ns()}"
            try:
                written.write_bytes(_digest(key, content) + content)
                written.replace(self.folder / key)
            finally:
                written.unlink(missing_ok=True)
            self._make_room()

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
    return Cache(platformdirs.user_cache_path("scopec") / name, most_bytes)


def remembered(cache: Cache, key: str, make: Callable[[], T]) -> T:
    """A value that can be pickled, made if the cache has none that can be used."""
    content = cache.get(key)
    if content is not None:
        try:
            value: T = pickle.loads(content)
        except Exception:  # whatever an unusable entry does when it is read, it is replaced
            pass
        else:
            return value
    value = make()
    cache.put(key, pickle.dumps(value, pickle.HIGHEST_PROTOCOL))
    return value


def key(*parts: str) -> str:
    """A digest that differs whenever some part does."""
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode()
        digest.update(f"{len(encoded)}:".encode() + encoded)
    return digest.hexdigest()


def _digest(key: str, content: bytes) -> bytes:
    return hashlib.sha256(key.encode() + content).digest()
