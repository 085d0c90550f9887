"""Places in the user's text, and errors about what the machine does not do."""

from __future__ import annotations

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import Diagnostic, InputError, error
from scopec.base.files import source_of
from scopec.base.source import Source, Span
from scopec.frontends.clang.extents import expression_at
from scopec.frontends.clang.llvm.debug import Place
from scopec.frontends.clang.messages import word_at


def span_of(source: Source, place: Place | None) -> Span:
    """A place in a file or in what it includes, as long as the expression that it stands for."""
    if place is None or place.line == 0:
        return source.span(0, 0)
    there = source_of(Span(place.file, place.line, 1, place.line, 1), source)
    word = word_at(there, place.line, place.column)
    if place.file.endswith(".ptx"):
        start = there.offset(word.line, word.column)
        return there.span(start, there.text.find(";", start))
    return expression_at(there, there.offset(word.line, word.column)) or word


class CutError(InputError):
    """An access of so many bytes (``size``) to a part of a number, or to parts of several, of an ``object``."""

    def __init__(self, said: Diagnostic, object_: str, size: int) -> None:
        super().__init__(said)
        self.object = object_
        self.size = size


def refused(what: str, span: Span, help_: str | None = None) -> Exception:
    """The error for something that the machine does not do."""
    return error(Codes.OUTSIDE_SUBSET, f"{what} outside the modelled subset", span, help_)
