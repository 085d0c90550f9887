"""Changes of a program's text, as a diff."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.files import source_of
from scopec.base.lazy_import import later
from scopec.base.records import dataclass

if TYPE_CHECKING:
    import difflib
    from collections.abc import Iterable, Iterator, Sequence

    from scopec.base.source import Source, Span
else:
    difflib = later("difflib")


@dataclass(frozen=True, slots=True, order=True)
class Replacement:
    """Other text in the place of a span's; a span that covers nothing is where it is inserted."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A change in words, and as text where one place says what is to change."""

    said: str
    fix: tuple[Replacement, ...]


def replaced(source: Source, replacements: Iterable[Replacement]) -> str:
    """The text of a file with changes, which do not overlap; those of other files are left out."""
    text = source.text
    for one in sorted((r for r in replacements if r.span.file == source.name), reverse=True):
        at = one.span
        start, end = source.offset(at.line, at.column), source.offset(at.end_line, at.end_column)
        text = text[:start] + one.text + text[end:]
    return text


def diff(replacements: Sequence[Replacement], source: Source, context: int) -> Iterator[str]:
    """A unified diff, with ``context`` lines around what changes; ``source`` is the program's file."""
    for file in dict.fromkeys(sorted(r.span.file for r in replacements)):
        before = next(source_of(r.span, source) for r in replacements if r.span.file == file)
        after = replaced(before, replacements).split("\n")
        yield from difflib.unified_diff(before.lines, after, file, file, n=context, lineterm="")
