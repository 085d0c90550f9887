"""The first pass over a litmus file: comments blanked, the file cut into its parts.

Each part has the length of the input, so that every later position is a position in the file.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error, suggestion
from scopec.base.records import dataclass
from scopec.frontends.scoped.syntax.scan import refuse_almost

if TYPE_CHECKING:
    from scopec.base.source import Source
    from scopec.frontends.litmus.syntax.tree import Dialect

#: The first words of the files that scopec reads.
DIALECTS: dict[str, Dialect] = {"C": "C", "OPENCL": "OPENCL", "OpenCL": "OPENCL", "PTX": "PTX"}

_WORD = re.compile(r"[^\s{(\"]+")
_COMMENT = re.compile(r"//[^\n]*|/\*|\(\*")
#: The marks that divide a file: comments, braces, and the words that begin what follows the program.
_MARK = re.compile(
    r"//|/\*|\(\*|[{}]|"
    r"(?:~\s*|\b(?:not\s+)?)(?:exists|forall|filter|locations|final|observed|scopes|scopeTree)\b"
)
#: In a thread of the C dialects, and in conditions, `(*x)` is an expression: a comment there has a space or a star
#: after `(*`, or ends before any other parenthesis.
_SURELY_COMMENT = re.compile(r"\(\*(?:[\s*]|[^()\n;]*\*\))")
_NESTED = re.compile(r"\(\*|\*\)")
#: The head of a first thread, where the initial state was left out.
_HEAD = re.compile(r"P\d+[ \t]*[(@|]")


@dataclass(frozen=True)
class Parts:
    """The parts of a file, each with everything else blank; ``init`` has its braces."""

    dialect: Dialect
    init: str
    program: str
    footer: str
    directives: str


def split(source: Source) -> Parts:
    """Cut a file into its parts.

    Raises InputError for an unknown dialect, a file without an initial state, and comments, strings and braces that are
    not closed.
    """
    return _Splitter(source).split()


class _Splitter:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.kept: dict[str, list[tuple[int, int]]] = {"init": [], "program": [], "footer": [], "directives": []}

    def split(self) -> Parts:
        dialect, position = self._dialect()
        position = self._header(position)
        self._body(position, c=dialect != "PTX")
        return Parts(dialect, *(self._only(self.kept[name]) for name in self.kept))

    def _only(self, ranges: list[tuple[int, int]]) -> str:
        out, done = [], 0
        for start, end in ranges:
            out.append(_blank(self.text[done:start]))
            out.append(self.text[start:end])
            done = end
        out.append(_blank(self.text[done:]))
        return "".join(out)

    def _comment(self, at: int) -> int | None:
        """The end of the comment that begins at a position, or None; a directive is kept."""
        opening = _COMMENT.match(self.text, at)
        if opening is None:
            return None
        refuse_almost(self.source, at)
        word = opening.group()
        if word.startswith("//"):
            if word.startswith("//@"):
                self.kept["directives"].append((at + 3, opening.end()))
            return opening.end()
        if word == "/*":
            end = self.text.find("*/", at + 2)
            if end < 0:
                raise self._unclosed("this comment", at, 2, "*/")
            return end + 2
        depth = 0
        for mark in _NESTED.finditer(self.text, at):
            depth += 1 if mark.group() == "(*" else -1
            if depth == 0:
                return mark.end()
        raise self._unclosed("this comment", at, 2, "*)")

    def _unclosed(self, what: str, at: int, length: int, closing: str) -> Exception:
        message = f"{what} is never closed"
        return error(Code.UNTERMINATED, message, self.source.span(at, at + length), f"add `{closing}`")

    def _dialect(self) -> tuple[Dialect, int]:
        """The first word of the file, and the end of its line."""
        at = 0
        while at < len(self.text):
            end = self._comment(at)
            if end is None and not self.text[at].isspace():
                break
            at = end if end is not None else at + 1
        word = _WORD.match(self.text, at)
        if word is None:
            message = "a litmus file begins with the name of its dialect"
            raise error(Code.SYNTAX, message, self.source.span(at, at), f"begin with {_listed()} and a title")
        if word.group() not in DIALECTS:
            message = f"`{word.group()}` is not a litmus dialect that scopec reads"
            help_ = suggestion(word.group(), DIALECTS) or f"the dialects are {_listed()}"
            raise error(Code.OUTSIDE_SUBSET, message, self.source.span(*word.span()), help_)
        ends = [i for i in (self.text.find(c, word.end()) for c in "\n{") if i >= 0]
        return DIALECTS[word.group()], min(ends, default=len(self.text))

    def _header(self, at: int) -> int:
        """Skip title and description: the position of the brace that opens the initial state."""
        while at < len(self.text) and self.text[at] != "{":
            end = self._comment(at)
            if _HEAD.match(self.text, at) and not self.text[self.text.rfind("\n", 0, at) + 1 : at].strip():
                break
            if end is None and self.text[at] == '"':
                end = self.text.find('"', at + 1) + 1
                if not end:
                    raise self._unclosed("this description", at, 1, '"')
            at = end if end is not None else at + 1
        if at == len(self.text) or self.text[at] != "{":
            end = min(at, len(self.text.rstrip()))
            place = self.source.span(end, end)
            message = "the file has no initial state"
            raise error(Code.SYNTAX, message, place, "write `{ x = 0; }` before the program, or `{}`")
        return at

    def _body(self, at: int, *, c: bool) -> None:
        part, depth, start, opened = "init", 0, at, at
        while (mark := _MARK.search(self.text, at)) is not None:
            at = mark.start()
            may_be_expression = part == "footer" or (part == "program" and c and depth)
            expression = may_be_expression and mark.group() == "(*"
            end = None if expression and not _SURELY_COMMENT.match(self.text, at) else self._comment(at)
            if end is not None:
                self.kept[part].append((start, at))
                start = at = end
                continue
            match mark.group():
                case "{":
                    opened = opened if depth else at
                    depth += 1
                case "}":
                    depth = max(0, depth - 1)
                case "(*":
                    pass
                case _ if part == "program" and not depth:
                    self.kept[part].append((start, at))
                    part, start = "footer", at
            at += 1
            if part == "init" and depth == 0:
                self.kept[part].append((start, at))
                part, start = "program", at
        if depth:
            raise self._unclosed("this brace", opened, 1, "}")
        self.kept[part].append((start, len(self.text)))


def _blank(text: str) -> str:
    return "\n".join(" " * len(line) for line in text.split("\n"))


def _listed() -> str:
    return ", ".join(sorted(set(DIALECTS.values())))
