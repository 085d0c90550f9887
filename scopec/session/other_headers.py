"""A second reading over NVIDIA's headers, of a file that cannot be read over scopec's own."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from scopec.base.diagnostics import Code, Diagnostic, EngineError, InputError
from scopec.frontends.clang.roots import by_root
from scopec.frontends.clang.toolkits import cccl_of, toolkit_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scopec.frontends.clang.flags import Flags

_T = TypeVar("_T")
_READ = "so NVIDIA's headers are read; the errors are those over them"
_HEADER = re.compile(r"scopec has no header `([^`]+)`|'([^']+)' file not found")
#: A name that a header of the library would declare.
_NAME = re.compile(r"no (?:member|type|template) named '\w+' in (?:namespace )?'(?:std|cuda|cooperative_groups)\b.*")


def with_real(refused: InputError, flags: Flags) -> Flags | None:
    """Flags for NVIDIA's headers, where they are there and have what an error of clang's begins with; else None."""
    if flags.headers != "auto" or not any(map(_may_be_lacking, refused.diagnostics)):
        return None
    from scopec.frontends.clang.real_headers import real  # Start-up: few files lack something.

    try:
        library = real(toolkit_of(flags), cccl_of(flags))
    except EngineError:  # none, or not as they are known: nothing changes
        return None
    named = (found for d in refused.diagnostics if (found := _HEADER.match(d.message)))
    absent = [found[1] or found[2] for found in named]
    if absent and not any(library.header(name) for name in absent):
        return None
    return replace(flags, headers="real")


def over_others(over: Callable[[Flags], _T], refused: InputError, file: str, flags: Flags) -> _T:
    """What becomes of a file over NVIDIA's headers, where scopec's own lack what is wanted and nothing comes of them.

    Raises InputError with what is wrong, by its roots: over NVIDIA's, where these were read, with a warning why.
    """
    real = with_real(refused, flags)
    if real is None:
        raise InputError(*_by_root(refused.diagnostics, file, flags)) from refused.__cause__
    try:
        return over(real)
    except InputError as again:
        lacking = _by_root(tuple(filter(_may_be_lacking, refused.diagnostics)), file, flags)
        read = (replace(d, severity="warning", help=_READ) for d in lacking)
        raise InputError(*_by_root(again.diagnostics, file, real), *read) from again.__cause__


def _by_root(diagnostics: Sequence[Diagnostic], file: str, flags: Flags) -> tuple[Diagnostic, ...]:
    return by_root(diagnostics, file, real=flags.headers == "real")


def _may_be_lacking(diagnostic: Diagnostic) -> bool:
    """Whether an error may be that scopec's headers lack something."""
    if diagnostic.severity != "error":
        return False
    return diagnostic.code is Code.NO_HEADER or bool(
        _HEADER.match(diagnostic.message) or _NAME.match(diagnostic.message)
    )
