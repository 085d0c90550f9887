"""Source files and positions in them."""

from __future__ import annotations

import bisect
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

from scopec.base.records import dataclass

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of a source file.

    Lines and columns count from 1, columns in characters; ``end_column`` is the column after the last character.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of ``other`` (same file)."""
        return Span(self.file, self.line, self.column, other.end_line, other.end_column)

    def as_json(self) -> dict[str, str | int]:
        """Its beginning, as JSON values."""
        return {"file": self.file, "line": self.line, "column": self.column}

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Source:
    """The text of one input file, under the name the user gave it.

    ``folders`` hold files that may be quoted beside it, besides those of its repository.  ``instead`` are files that it
    includes, each with the text that is read in place of what it has.
    """

    name: str
    text: str = field(repr=False)
    folders: tuple[Path, ...] = field(default=(), repr=False, compare=False)
    instead: tuple[tuple[Path, str], ...] = field(default=(), repr=False, compare=False)

    @cached_property
    def lines(self) -> list[str]:
        """Lines without their terminators; line *n* of the file is ``lines[n - 1]``."""
        return self.text.split("\n")

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for line in self.lines:
            starts.append(starts[-1] + len(line) + 1)
        return starts

    def span(self, start: int, end: int) -> Span:
        """The span of the characters ``start`` to ``end`` (offsets from 0, ``end`` excluded)."""
        line, column = self.position(start)
        end_line, end_column = self.position(end)
        return Span(self.name, line, column, end_line, end_column)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column (both from 1) of a character offset."""
        line = bisect.bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """The character offset of a line and column (both from 1) that the text has."""
        return self._starts[min(line, len(self._starts)) - 1] + column - 1

    def line(self, number: int) -> str:
        """The text of a line, or an empty string beyond the end."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def text_of(self, span: Span) -> str:
        """The text that a span covers, white space squeezed."""
        start, end = self.offset(span.line, span.column), self.offset(span.end_line, span.end_column)
        return " ".join(self.text[start:end].split())
