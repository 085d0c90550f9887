"""Source excerpts with carets, safe for terminals and files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from scopec.base.files import source_of
from scopec.base.records import dataclass

if TYPE_CHECKING:
    from scopec.base.source import Source, Span


@dataclass(frozen=True, slots=True)
class Mark:
    """A place to underline, with what to write beside it."""

    span: Span
    note: str = ""


def clean(text: str) -> str:
    """Text without control characters: tabs become spaces, others are shown as their escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c in "\t\r" else c.encode("unicode_escape").decode() for c in text)


#: Commands to the runners of GitHub, Azure and TeamCity: `::name::`, white space before it or not, and `##[name]` or
#: `##vso[name]` wherever they stand.
_COMMAND = re.compile(r"^(?=[^\S\n]*::)|(?<=#)(?=#(?:\[|vso\[|teamcity\[))", re.MULTILINE)


def inert(text: str) -> str:
    """Text for a log, in which nothing is a command to the runner that shows it: a backslash is put before it."""
    return _COMMAND.sub(r"\\", text)


def excerpt(source: Source, marks: Iterable[Mark], width: int = 100) -> Iterator[str]:
    """The marked lines with carets below, in line order; long lines are cut to ``width`` around the mark.

    Those of a file that the source includes have its name.
    """
    notes: dict[Span, list[str]] = {}
    for mark in marks:
        notes.setdefault(mark.span, []).append(mark.note)
    ordered = [Mark(at, ", ".join(n for n in dict.fromkeys(notes[at]) if n)) for at in sorted(notes)]
    numbers = {m.span: _number(m.span, source) for m in ordered}
    gutter = max(map(len, numbers.values()), default=1)
    shown_line = ""
    for mark in ordered:
        text = source_of(mark.span, source).line(mark.span.line)
        start = mark.span.column - 1
        end = mark.span.end_column - 1 if mark.span.end_line == mark.span.line else len(text.rstrip())
        end = max(end, start + 1)
        cut, offset = _window(text, start, end, max(20, width - gutter - 5))
        before = clean(text[offset:start])
        marked = clean(text[start:end]) or " "
        if numbers[mark.span] != shown_line:
            shown_line = numbers[mark.span]
            yield f"{shown_line:>{gutter + 2}} | {clean(cut)}".rstrip()
        carets = "^" * max(1, min(len(marked), width - gutter - 5 - len(before)))
        lead = " " * len(before)
        margin = f"{'':>{gutter + 2}} | "
        if len(margin) + len(lead) + len(carets) + 1 + len(mark.note) <= width or not mark.note:
            yield f"{margin}{lead}{carets} {mark.note}".rstrip()
        else:  # the note goes below, where it fits
            yield f"{margin}{lead}{carets}"
            yield f"{margin}{' ' * max(0, min(len(lead), width - len(margin) - len(mark.note)))}{mark.note}"


def _number(span: Span, source: Source) -> str:
    return str(span.line) if span.file == source.name else f"{clean(span.file.rpartition('/')[2])}:{span.line}"


def _window(text: str, start: int, end: int, width: int) -> tuple[str, int]:
    """At most ``width`` characters of a line around a mark, elided at both ends, and the offset at which they begin."""
    text = text.rstrip()
    if len(text) <= width:
        return text, 0
    offset = max(0, min(start - 10, len(text) - width)) if end > width else 0
    cut = text[offset : offset + width]
    if offset:
        cut = "…" + cut[1:]
    if offset + width < len(text):
        cut = cut[:-1] + "…"
    return cut, offset
