"""The first pass over a file: comments are blanked, directives set apart.

Both results have the length of the input, so that every later position is a position in the file.
"""

from __future__ import annotations

import re

from scopec.base.diagnostics import Code, error
from scopec.base.records import dataclass
from scopec.base.source import Source

_LEXEMES = re.compile(
    r"""
      (?P<line>//(?:\\\r?\n|[^\n])*)
    | (?P<block>/\*.*?\*/)
    | (?P<open>/\*)
    | (?P<string>"(?:[^"\\\n]|\\.)*")
    | (?P<char>(?<![0-9A-Za-z_])'(?:[^'\\\n]|\\.)*')
    | (?P<quote>"|(?<![0-9A-Za-z_])')
    | (?P<hash>(?:(?<=\n)|\A)[ \t]*\#(?:\\\r?\n|(?!//|/\*)[^\n])*)
    """,
    re.VERBOSE | re.DOTALL,
)
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"|(?<![0-9A-Za-z_])\'(?:[^\'\\\n]|\\.)*\'')
#: A comment that would be a directive, had it begun with `//@`: what it asks would not be asked.
_ALMOST = re.compile(r"(//+[ \t]+@|/\*+[ \t]*@)[ \t]*(expect|vary|launch|object|bound|given|options)\b[^;]*;")
_NOT_NEWLINE = re.compile(r"[^\n]")


@dataclass(frozen=True)
class Scanned:
    """``code``: the program text, comments blank; ``directives``: what follows each ``//@``, all else blank."""

    code: str
    directives: str


def blank(text: str) -> str:
    """As many spaces, line by line."""
    return _NOT_NEWLINE.sub(" ", text)


def scan(source: Source) -> Scanned:
    """Separate program text and directives.

    Raises InputError for a comment or literal without an end.
    """
    text = source.text
    code: list[str] = []
    directives: list[str] = []
    done = 0
    for match in _LEXEMES.finditer(text):
        start, end = match.span()
        between = text[done:start]
        code.append(between)
        directives.append(blank(between))
        lexeme = match.group()
        keep = None
        match match.lastgroup:
            case "string" | "char":
                keep = lexeme
            case "open":
                raise error(
                    Code.UNTERMINATED, "this comment is never closed", source.span(start, start + 2), "add `*/`"
                )
            case "quote":
                message = "this string is not closed on its line" if lexeme == '"' else "this character is not closed"
                raise error(Code.UNTERMINATED, message, source.span(start, start + 1), f"add {lexeme}")
            case "hash":
                keep = lexeme
            case _:
                pass
        code.append(keep if keep is not None else blank(lexeme))
        refuse_almost(source, start)
        is_directive = match.lastgroup == "line" and lexeme.startswith("//@")
        directives.append("   " + lexeme[3:] if is_directive else blank(lexeme))
        done = end
    code.append(text[done:])
    directives.append(blank(text[done:]))
    return Scanned("".join(code), "".join(directives))


def refuse_almost(source: Source, at: int) -> None:
    """InputError for a comment at a position that is a directive but for its first characters."""
    if (almost := _ALMOST.match(source.text, at)) is not None:
        span, help_ = source.span(at, almost.end(1)), f"write `//@ {almost[2]} …;`"
        raise error(Code.BAD_DIRECTIVE, f"a directive begins with `//@`, not with `{almost[1]}`", span, help_)


def without_literals(code: str) -> str:
    """Program text with its strings and characters blank."""
    return LITERAL.sub(lambda literal: " " * len(literal.group()), code)
