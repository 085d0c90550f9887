"""Which programs have changed: since a revision of a git repository, or while one watches."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.diagnostics import UsageError
from scopec.base.later import later
from scopec.session.check import programs

if TYPE_CHECKING:
    import subprocess
else:
    subprocess = later("subprocess")

_INCLUDE = re.compile(r'^[ \t]*(?:#[ \t]*include|//@[ \t]*kernels)[ \t]*[<"]([^">\n]+)[">]', re.MULTILINE)


def included(path: Path, folders: Sequence[Path] = ()) -> set[Path]:
    """The files that a program includes, and those include, as far as they lie beside them or in ``folders``."""
    found: set[Path] = set()
    work = [path]
    while work:
        file = work.pop()
        try:
            names = _INCLUDE.findall(file.read_text(encoding="utf-8", errors="replace"))
        except OSError:
            continue
        for name in names:
            places = (folder / name for folder in (file.parent, *folders))
            header = next((place.resolve() for place in places if place.is_file()), None)
            if header is not None and header not in found:
                found.add(header)
                work.append(header)
    return found


def changed_since(paths: Sequence[Path], revision: str, folders: Sequence[Path] = ()) -> list[Path]:
    """The programs that paths name and that differ from ``revision``, new ones included, committed or not.

    A program differs, too, where a file does that it includes from its own folder or one of ``folders``.

    UsageError where git cannot say.  A path that names no program is kept, so that it is reported.
    """
    found: list[Path] = []
    known: dict[Path, set[Path]] = {}
    for path, problem in programs(paths):
        if problem is not None:
            found.append(path)
            continue
        folder = path.resolve().parent
        top = _top(folder)
        if top not in known:
            known[top] = _changed(top, revision)
        if not known[top].isdisjoint({path.resolve(), *included(path, folders)}):
            found.append(path)
    return found


def _top(folder: Path) -> Path:
    return Path(_git(folder, "rev-parse", "--show-toplevel").rstrip("\n")).resolve()


def _changed(top: Path, revision: str) -> set[Path]:
    """The files of a working tree that differ from a revision, and those that git does not know."""
    if revision.startswith("-"):
        raise UsageError(f"--changed-since takes a revision, not `{revision}`")
    differing = _git(top, "diff", "--name-only", "-z", "--no-renames", revision, "--")
    unknown = _git(top, "ls-files", "--others", "--exclude-standard", "-z")
    return {(top / name).resolve() for name in (differing + unknown).split("\0") if name}


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", folder, *arguments],
            capture_output=True, text=True, encoding="utf-8", errors="surrogateescape", check=False,
        )  # fmt: skip
    except OSError as failure:
        raise UsageError(f"--changed-since needs git: {failure.strerror}") from failure
    if done.returncode != 0:
        first = next(iter(done.stderr.splitlines()), "")
        raise UsageError(f"--changed-since: git says: {first.removeprefix('fatal: ')}")
    return done.stdout


_INTERVAL = 0.5


def watched(
    paths: Sequence[Path],
    sleep: Callable[[float], None] = time.sleep,
    interval: float = _INTERVAL,
    folders: Sequence[Path] = (),
) -> Iterator[tuple[list[Path], list[Path]]]:
    """The programs that paths name, then, without end, those that have changed or are new, and those that are gone.

    A program has changed, too, where a file has that it includes from its own folder or one of ``folders``.
    """
    before: dict[Path, tuple[tuple[int, int], ...]] = {}
    while True:
        now = {
            path: (_stamp(path), *(_stamp(header) for header in sorted(included(path, folders))))
            for path, _ in programs(paths)
        }
        changed = [path for path, stamp in now.items() if before.get(path) != stamp]
        gone = [path for path in before if path not in now]
        if changed or gone:
            yield changed, gone
        before = now
        sleep(interval)


def _stamp(path: Path) -> tuple[int, int]:
    """When a file was written, and its size; one that is missing has a stamp too."""
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size
