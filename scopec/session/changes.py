"""Programs that have changed: since a revision of a git repository, or while one watches."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.files import text_of
from scopec.session.program_files import programs
from scopec.session.revisions import revision

if TYPE_CHECKING:
    from scopec.session.revisions import Revision

_INCLUDE = re.compile(r'^[ \t]*(?:#[ \t]*include|//@[ \t]*kernels)[ \t]*[<"]([^">\n]+)[">]', re.MULTILINE)


def included(path: Path, folders: Sequence[Path] = ()) -> set[Path]:
    """The files that a program includes, and those include, as far as they lie beside them or in ``folders``."""
    found: set[Path] = set()
    work = [path]
    while work:
        file = work.pop()
        try:
            names = _INCLUDE.findall(text_of(file, errors="replace"))
        except OSError:
            continue
        for name in names:
            places = (folder / name for folder in (file.parent, *folders))
            header = next((place.resolve() for place in places if place.is_file()), None)
            if header is not None and header not in found:
                found.add(header)
                work.append(header)
    return found


def changed_since(paths: Sequence[Path], name: str, folders: Sequence[Path] = ()) -> list[Path]:
    """The programs that paths name and that differ from the revision ``name``, new ones included, committed or not.

    A program differs, too, where a file does that it includes from its own folder or one of ``folders``.  Each path is
    of the repository that it is in; what is below it and of another one, or of none, differs.

    UsageError where git cannot say.  A path that names no program is kept, so that it is reported.
    """
    found: list[Path] = []
    known: dict[Path, Revision] = {}
    for named in paths:
        for path, problem in programs([named]):
            if problem is not None:
                found.append(path)
                continue
            folder = (named if named.is_dir() else named.parent).resolve()
            if folder not in known:
                known[folder] = revision(folder, name)
            of = known[folder]
            differs = of.differs(path, outside=True)
            if differs or any(of.differs(header, outside=False) for header in included(path, folders)):
                found.append(path)
    return found


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
    """The time of a file's last change, and its size; one that is missing has a stamp too."""
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size
