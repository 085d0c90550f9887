"""Places in the user's text, and errors about what the machine does not do."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import Diagnostic, InputError, error
from scopec.base.files import source_of
from scopec.base.source import Source, Span
from scopec.frontends.clang.extents import expression_at
from scopec.frontends.clang.llvm.debug import Place
from scopec.frontends.clang.messages import word_at

if TYPE_CHECKING:
    from collections.abc import Callable


def places(source: Source) -> tuple[Callable[[Place | None], Span], Callable[[Span], str]]:
    """What finds a place in a file or in what it includes, as long as the expression that it stands for, and the text
    there, if that can be read; each file is read once.
    """

    @cache
    def there(file: str) -> Source:
        return source_of(Span(file, 1, 1, 1, 1), source)

    @cache
    def span_of(place: Place | None) -> Span:
        if place is None or place.line == 0:
            return source.span(0, 0)
        file = there(place.file)
        word = word_at(file, place.line, place.column)
        if place.file.endswith(".ptx"):
            start = file.offset(word.line, word.column)
            return file.span(start, file.text.find(";", start))
        return expression_at(file, file.offset(word.line, word.column)) or word

    @cache
    def text_of(span: Span) -> str:
        file = there(span.file)
        return file.text_of(span) if file.line(span.end_line) else "this"

    return span_of, text_of


class CutError(InputError):
    """An access of so many bytes (``size``) to a part of a number, or to parts of several, of an ``object``."""

    def __init__(self, said: Diagnostic, object_: str, size: int) -> None:
        super().__init__(said)
        self.object = object_
        self.size = size


def refused(what: str, span: Span, help_: str | None = None) -> Exception:
    """The error for something that the machine does not do."""
    return error(Codes.OUTSIDE_SUBSET, f"{what} outside the modelled subset", span, help_)
