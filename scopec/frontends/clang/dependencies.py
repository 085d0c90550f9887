"""Checks the files that clang reads beside a program, so that no report shows the text of a file that is no header."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, InputError, error
from scopec.base.records import dataclass
from scopec.base.scratch import scratch_folder
from scopec.base.visible import may_show
from scopec.frontends.clang.read_files import listed as named

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.base.source import Source

#: The suffixes of headers, and of what else people include.
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".cuh", ".inl", ".inc", ".ipp", ".tcc", ".c", ".cc", ".cpp", ".cxx", ".cu")


@dataclass(frozen=True)
class Dependencies:
    """Lists of what clang reads for one program, in ``folder``; no list without one.  ``own`` are the folders of
    headers that are no user's."""

    own: tuple[str, ...]
    folder: Path | None

    def arguments(self, number: int) -> tuple[str, ...]:
        """The arguments under which a command writes list ``number``."""
        return () if self.folder is None else ("-dependency-file", str(self.folder / str(number)), "-MT", "_")

    def check(self, source: Source, folder: Path) -> list[str]:
        """The user's files that a program in ``folder`` reads.

        InputError where it includes, or embeds, what is no header and may not be shown: the values of the program would
        be what such a file has.
        """
        for name in self._listed():
            if not is_header(name) and not self._may_read(folder / name, source):
                raise _refused(name, source)
        return self.of_the_user()

    def of_the_user(self) -> list[str]:
        """The user's files that a program reads."""
        return [name for name in self._listed() if not any(Path(name).is_relative_to(own) for own in self.own)]

    def _listed(self) -> Iterator[str]:
        for listed in () if self.folder is None else sorted(self.folder.glob("[0-9]*")):
            yield from named(listed.read_text(encoding="utf-8", errors="surrogateescape"))

    def _may_read(self, file: Path, source: Source) -> bool:
        real = file.resolve()
        return may_show(file, source) or any(real.is_relative_to(Path(own).resolve()) for own in self.own)


@contextmanager
def dependencies(own: tuple[str, ...], *, needed: bool) -> Iterator[Dependencies]:
    """Lists for one program, while a block lasts."""
    if not needed:
        yield Dependencies(own, None)
        return
    with scratch_folder() as folder:
        yield Dependencies(own, folder)


def is_header(name: str) -> bool:
    """Whether a file is one that people include, by its name."""
    return Path(name).suffix.lower() in _HEADERS


def _refused(name: str, source: Source) -> InputError:
    start = max(source.text.find(Path(name).name), 0)
    message = f"`{name}` is outside the repository, and no header"
    return error(Code.UNREADABLE, message, source.span(start, start), "copy it into the repository, or --allow-outside")
