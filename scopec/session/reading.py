"""The choice of a reader for a ``.cu`` file: that of the scoped language, or clang."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from scopec.base.diagnostics import EngineError, InputError
from scopec.base.records import dataclass
from scopec.frontends.clang.flags import Flags

# Start-up: a call reads few kinds of files, and only their readers are imported.

if TYPE_CHECKING:
    from pathlib import Path

    from scopec.base.source import Source
    from scopec.frontends.c.syntax import tree
    from scopec.program.program import Program

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Read:
    """A file that was read: its directives, its constants, its program by a name and a choice of those, and whether
    clang would have read it, had there been one."""

    file: tree.File
    constants: Collection[str]
    program: Callable[[str, Mapping[str, tree.Expr]], Program]
    without_clang: bool = False


def read(
    source: Source, path: Path, reader: str, flags: Flags, use: Callable[[Read], _T], *, cache: bool = False,
    sparse: bool = True,
) -> _T:  # fmt: skip
    """The result of ``use`` for a file at ``path``, read by ``scoped``, by ``clang``, or (``auto``) as it is:

    the directive ``language`` says it; else it is C++, for clang.  What clang does not take for C++, and is in the
    scoped language and includes nothing, is read as that, as the documents' own programs are.  Without a clang, every
    file is taken for one in the scoped language.  With ``cache``, what clang made in an earlier call is used.
    Of large arrays few elements are modelled if they are ``sparse``.

    Raises InputError where the file is in neither language.
    """
    from scopec.frontends.clang import command, compiler
    from scopec.frontends.scoped.out_of_subset import is_out_of_subset

    if path.suffix == ".ptx":
        return use(_by_clang(source, path, flags, cache=cache, sparse=sparse))
    stated = _stated(source) if reader == "auto" else reader
    if stated == "scoped" and flags.through:
        raise EngineError("a file in the scoped language is none of nvcc's: leave --through out")
    if stated == "scoped":
        return use(_by_ourselves(source))
    if stated is None and flags == Flags() and command.find() is None:
        return use(replace(_by_ourselves(source), without_clang=True))
    try:
        return use(_by_clang(source, path, flags, cache=cache, sparse=sparse))
    except compiler.Refused as refused:
        if stated is not None or flags != Flags() or "#include" in source.text:
            raise
        try:
            return use(_by_ourselves(source))
        except InputError as error:
            raise (refused if is_out_of_subset(error) else error) from None


def _stated(source: Source) -> str | None:
    """The reader that the directive ``language`` states, ``scoped`` or ``c++``; None without one."""
    from scopec.frontends.scoped.syntax.scan import scan

    found = re.search(r"\blanguage\s+(scoped|c\+\+)\s*;", scan(source).directives)
    return found[1] if found else None


def _by_ourselves(source: Source) -> Read:
    from scopec.frontends.scoped.lower.program import constants, lower
    from scopec.frontends.scoped.syntax import cuda

    file = cuda.read(source)
    return Read(file, constants(file), lambda name, chosen: lower(file, source, name, chosen))


def _by_clang(source: Source, path: Path, flags: Flags, *, cache: bool, sparse: bool) -> Read:
    from scopec.frontends.clang.compilation_cache import compilations
    from scopec.frontends.clang.program import constants, lower, read

    file, of = read(source), flags.of(path, source.span(0, 0))
    entries = compilations() if cache else None
    return Read(
        file,
        constants(source),
        lambda name, chosen: lower(file, source, path.parent, name, chosen, of, entries, sparse=sparse),
    )
