"""The headers of CUDA's and C++'s library under which clang reads a program: scopec's own, or NVIDIA's."""

from __future__ import annotations

from dataclasses import field
from functools import cache
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.frontends.clang.command import shims

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True)
class Library:
    """Headers as clang is told of them.

    ``folders`` are those whose files are the library's, ``options`` what clang's command has beside those of a side
    (``of_side``: ``device``, ``host``), ``first`` the header before every file.  ``where`` are the folders that a
    header of a name is looked for in, where a program includes none; ``versions`` says which headers these are, for
    reports (of scopec's own nothing is said); ``identity`` is all that clang's answer depends on here, beside the
    command.  ``scopes`` are the numbers of ``thread_scope`` with scopec's, where they differ.
    """

    folders: tuple[str, ...]
    options: tuple[str, ...]
    first: Path
    where: tuple[Path, ...]
    of_side: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    versions: tuple[tuple[str, str], ...] = ()
    identity: tuple[str, ...] = ()
    scopes: Mapping[int, int] = field(default_factory=dict)

    def header(self, name: str) -> Path | None:
        """The file of a header, if there is one."""
        return next((file for folder in self.where if (file := folder / name).is_file()), None)


@cache
def own() -> Library:
    """scopec's own headers."""
    folder = shims()
    return Library((str(folder),), ("-I", str(folder)), folder / "scopec_cuda.h", (folder,))
