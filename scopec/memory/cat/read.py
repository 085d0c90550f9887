"""Reader of .cat files."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, cast

from lark import Lark, Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from scopec.base import grammars
from scopec.base.diagnostics import Code, error
from scopec.base.source import Source, Span
from scopec.base.syntax import Builder, classes
from scopec.memory.cat import tree

#: What the whole language has and the subset has not (strings are looked at to be passed over).
_NOT_READ = re.compile(
    r'"[^"\n]*"|(?P<word>(?<![\w.-])(procedure|call|forall|do|instructions|enum|assert|match|fun|begin|variant)'
    r"(?![\w.-])|\+\+|\{(?!\s*\}))"
)


@cache
def parser() -> Lark:
    """The parser of grammar/cat.lark."""
    return grammars.parser("cat")


def read(source: Source) -> tree.File:
    """Parse a .cat file; InputError at the first place that is not in the subset."""
    text = _without_comments(source)
    try:
        parsed = parser().parse(text)
    except UnexpectedInput as unexpected:
        match unexpected:
            case UnexpectedToken(token=Token() as token) if token.type != "$END":
                span = Span.of_token(source.name, token)
                message = f"unexpected `{token}`"
            case UnexpectedCharacters():
                position = cast(int, unexpected.pos_in_stream)
                span = source.span(position, position + 1)
                message = f"unexpected `{source.text[position]}`"
            case _:
                end = len(text.rstrip())
                span, message = source.span(end, end), "the file ends in the middle of a statement"
        help_ = "docs/memory-models.md says which part of the cat language scopec reads"
        for found in _NOT_READ.finditer(text):
            at = source.span(*found.span())
            if found["word"] and at <= span:
                message = f"`{found['word']}` is outside the part of cat that scopec reads"
                raise error(Code.OUTSIDE_SUBSET, message, at, help_) from None
        raise error(Code.SYNTAX, message, span, help_) from None
    file: tree.File = _Builder(source).transform(parsed)
    return file


def _without_comments(source: Source) -> str:
    """The text with its comments blanked, positions kept; as in herd7 ``(* … *)`` nest."""
    text = source.text
    outside, inside = re.compile(r'"[^"\n]*"|//[^\n]*|#[^\n]*|\(\*'), re.compile(r"\(\*|\*\)")
    comments: list[tuple[int, int]] = []
    openings: list[int] = []
    mark = outside.search(text)
    while mark is not None:
        match mark.group()[:2]:
            case "(*":
                openings.append(mark.start())
            case "*)":
                opening = openings.pop()
                if not openings:
                    comments.append((opening, mark.end()))
            case opening if opening == "//" or opening[0] == "#":
                comments.append(mark.span())
            case _:
                pass  # a string
        mark = (inside if openings else outside).search(text, mark.end())
    if openings:
        at = source.span(openings[-1], openings[-1] + 2)
        raise error(Code.UNTERMINATED, "this comment is never closed", at, "add `*)`")
    kept: list[str] = []
    after = 0
    for start, end in comments:
        kept += [text[after:start], re.sub(r"[^\n]", " ", text[start:end])]
        after = end
    return "".join(kept) + text[after:]


class _Builder(Builder):
    classes = classes(tree)

    def start(self, meta: Any, *parts: Any) -> tree.File:
        headers = tuple(part for part in parts if isinstance(part, str))
        return tree.File(headers, tuple(part for part in parts if not isinstance(part, str)))

    def header(self, meta: Any, token: Token) -> str:
        return str(token).strip('"')

    def let(self, meta: Any, *bindings: tree.Binding) -> tree.Let:
        return tree.Let(self.at(meta), bindings)

    def let_rec(self, meta: Any, *parts: Any) -> tree.Let:
        *bindings, when = parts
        return tree.Let(self.at(meta), tuple(bindings), recursive=True, when=when)

    def binding(self, meta: Any, name: Token, *rest: Any) -> tree.Binding:
        *parameters, body = rest
        return tree.Binding(self.at(meta), str(name), tuple(str(p) for p in parameters), body)

    def check(self, meta: Any, check: Token, expr: Any, name: Any) -> tree.Check:
        return self._check(meta, check, expr, name, flag=False, flip=False)

    def flag(self, meta: Any, flag: Token, check: Token, expr: Any, name: Any) -> tree.Check:
        return self._check(meta, check, expr, name, flag=True, flip=False)

    def undefined_unless(self, meta: Any, check: Token, expr: Any, name: Any) -> tree.Check:
        """``undefined_unless c`` flags what does not satisfy c."""
        return self._check(meta, check, expr, name, flag=True, flip=True)

    def _check(self, meta: Any, check: Token, expr: Any, name: Any, *, flag: bool, flip: bool) -> tree.Check:
        negated = ("~" in str(check)) != flip
        title = str(name) if name is not None else None
        return tree.Check(self.at(meta), flag, negated, str(check).replace("~", "").strip(), expr, title)

    def include(self, meta: Any, file: Token) -> tree.Include:
        return tree.Include(self.at(meta), str(file)[1:-1])

    def show(self, meta: Any, *shown: Any) -> tree.Show:
        return tree.Show(self.at(meta), shown)

    def shown(self, meta: Any, expr: Any, name: Any) -> tree.Expr:
        return cast(tree.Expr, expr)

    def if_option(self, meta: Any, condition: Token, *parts: Any) -> tree.If:
        """The grammar keeps both branches in one list; ``else`` stands between them."""
        branches: tuple[list[Any], list[Any]] = ([], [])
        current = 0
        for part in parts:
            if isinstance(part, Token):
                current = 1
            elif part is not None:
                branches[current].append(part)
        return tree.If(self.at(meta), str(condition)[1:-1], tuple(branches[0]), tuple(branches[1]))

    def let_in(self, meta: Any, *parts: Any) -> tree.LetIn:
        *bindings, body = parts
        return tree.LetIn(self.at(meta), tuple(bindings), body)

    def binary(self, meta: Any, left: Any, op: Token, right: Any) -> tree.Binary:
        return tree.Binary(self.at(meta), str(op), left, right)

    def postfix(self, meta: Any, operand: Any, op: Token) -> tree.Postfix:
        return tree.Postfix(self.at(meta), str(op), operand)

    def application(self, meta: Any, function: Token, *arguments: Any) -> tree.Application:
        return tree.Application(self.at(meta), str(function), arguments)
