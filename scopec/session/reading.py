"""Who reads a ``.cu`` file: the scoped language's reader, or clang."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from scopec.base.diagnostics import Code, error
from scopec.base.records import dataclass
from scopec.frontends.clang.flags import Flags

# Start-up: a call reads few kinds of files, and only their readers are imported.

if TYPE_CHECKING:
    from pathlib import Path

    from scopec.base.source import Source
    from scopec.frontends.scoped.syntax import tree
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


def read(source: Source, path: Path, reader: str, flags: Flags, use: Callable[[Read], _T]) -> _T:
    """What ``use`` makes of a file at ``path``, read by ``scoped``, by ``clang``, or (``auto``) as it is:

    the directive ``language`` says it; else it is C++, for clang.  What clang does not take for C++, and has nothing
    that only C++ has, not even an include, is in the scoped language, as the documents' own programs are.  Without a
    clang, the scoped language's reader takes what means the same in both.

    Raises InputError where the file is in neither language.
    """
    from scopec.frontends import language
    from scopec.frontends.clang import compiler

    stated = language.stated(source) if reader == "auto" else reader
    if stated == "scoped":
        return use(_by_ourselves(source))
    if stated is None and flags == Flags() and compiler.find() is None:
        return use(replace(_where_alike(source), without_clang=True))
    try:
        return use(_by_clang(source, path, flags))
    except compiler.Refused:
        if stated is not None or flags != Flags() or "#include" in source.text or language.beyond(source) is not None:
            raise
    return use(_where_alike(source))


def _by_ourselves(source: Source) -> Read:
    from scopec.frontends.scoped.lower.program import constants, lower
    from scopec.frontends.scoped.syntax import cuda

    file = cuda.read(source)
    return Read(file, constants(file), lambda name, chosen: lower(file, source, name, chosen))


def _where_alike(source: Source) -> Read:
    """A file that means in the scoped language what it means in C++."""
    from scopec.frontends import language
    from scopec.frontends.clang.compiler import WAY_TO_CLANG
    from scopec.frontends.scoped.lower.moving import moving
    from scopec.frontends.scoped.lower.unordered import unordered

    if (beyond := language.beyond(source)) is not None:
        span, what = beyond
        message = f"{what} is C++, which clang reads, and there is none"
        raise error(Code.OUTSIDE_SUBSET, message, span, WAY_TO_CLANG)
    found = _by_ourselves(source)
    help_ = f"write two statements, say `//@ language scoped;`, or {WAY_TO_CLANG}"
    if (place := unordered(found.file)) is not None:
        message = "C++ leaves these operands in no order, which clang reads, and there is none"
        raise error(Code.UNSEQUENCED, message, place, help_)
    if (place := moving(found.file)) is not None:
        message = "an address is kept of an element whose index may change, which clang reads, and there is none"
        raise error(Code.UNSEQUENCED, message, place, help_)
    return found


def _by_clang(source: Source, path: Path, flags: Flags) -> Read:
    from scopec.frontends.clang.program import constants, lower, read

    file, of = read(source), flags.of(path, source.span(0, 0))
    return Read(file, constants(source), lambda name, chosen: lower(file, source, path.parent, name, chosen, of))
