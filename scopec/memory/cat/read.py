"""Reader of .cat files."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, cast

from lark import Lark, Token, Transformer_NonRecursive, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from scopec.base import grammars
from scopec.base.diagnostics import Code, error
from scopec.base.source import Source, Span
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


@v_args(meta=True, inline=True)
class _Builder(Transformer_NonRecursive[Any, Any]):
    def __init__(self, source: Source) -> None:
        super().__init__()
        self._file = source.name

    def _span(self, meta: Any) -> Span:
        return Span.of_meta(self._file, meta)

    def start(self, meta: Any, *parts: Any) -> tree.File:
        headers = tuple(part for part in parts if isinstance(part, str))
        return tree.File(headers, tuple(part for part in parts if not isinstance(part, str)))

    def header(self, meta: Any, token: Token) -> str:
        return str(token).strip('"')

    def let(self, meta: Any, *bindings: tree.Binding) -> tree.Let:
        return tree.Let(self._span(meta), bindings)

    def let_rec(self, meta: Any, *parts: Any) -> tree.Let:
        *bindings, when = parts
        return tree.Let(self._span(meta), tuple(bindings), recursive=True, when=when)

    def bind_value(self, meta: Any, name: Token, body: tree.Expr) -> tree.Binding:
        return tree.Binding(self._span(meta), str(name), (), body)

    def bind_function(self, meta: Any, name: Token, *rest: Any) -> tree.Binding:
        *parameters, body = rest
        return tree.Binding(self._span(meta), str(name), tuple(str(p) for p in parameters), body)

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
        return tree.Check(self._span(meta), flag, negated, str(check).replace("~", "").strip(), expr, title)

    def with_from(self, meta: Any, name: Token, orders: Any) -> tree.WithFrom:
        return tree.WithFrom(self._span(meta), str(name), orders)

    def include(self, meta: Any, file: Token) -> tree.Include:
        return tree.Include(self._span(meta), str(file)[1:-1])

    def show(self, meta: Any, *shown: Any) -> tree.Show:
        return tree.Show(self._span(meta), shown)

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
        return tree.If(self._span(meta), str(condition)[1:-1], tuple(branches[0]), tuple(branches[1]))

    def let_in(self, meta: Any, *parts: Any) -> tree.LetIn:
        *bindings, body = parts
        return tree.LetIn(self._span(meta), tuple(bindings), body)

    def try_with(self, meta: Any, body: Any, otherwise: Any) -> tree.Try:
        return tree.Try(self._span(meta), body, otherwise)

    def _binary(self, meta: Any, op: str, left: Any, right: Any) -> tree.Binary:
        return tree.Binary(self._span(meta), op, left, right)

    def union(self, meta: Any, left: Any, right: Any) -> tree.Binary:
        return self._binary(meta, "|", left, right)

    def composition(self, meta: Any, left: Any, right: Any) -> tree.Binary:
        return self._binary(meta, ";", left, right)

    def difference(self, meta: Any, left: Any, right: Any) -> tree.Binary:
        return self._binary(meta, "\\", left, right)

    def intersection(self, meta: Any, left: Any, right: Any) -> tree.Binary:
        return self._binary(meta, "&", left, right)

    def product(self, meta: Any, left: Any, right: Any) -> tree.Binary:
        return self._binary(meta, "*", left, right)

    def complement(self, meta: Any, operand: Any) -> tree.Complement:
        return tree.Complement(self._span(meta), operand)

    def plus(self, meta: Any, operand: Any) -> tree.Postfix:
        return tree.Postfix(self._span(meta), "+", operand)

    def star(self, meta: Any, operand: Any) -> tree.Postfix:
        return tree.Postfix(self._span(meta), "*", operand)

    def optional(self, meta: Any, operand: Any) -> tree.Postfix:
        return tree.Postfix(self._span(meta), "?", operand)

    def inverse(self, meta: Any, operand: Any) -> tree.Postfix:
        return tree.Postfix(self._span(meta), "^-1", operand)

    def name(self, meta: Any, token: Token) -> tree.Name:
        return tree.Name(self._span(meta), str(token))

    def universe(self, meta: Any) -> tree.Universe:
        return tree.Universe(self._span(meta))

    def zero(self, meta: Any) -> tree.Zero:
        return tree.Zero(self._span(meta))

    def identity_on(self, meta: Any, operand: Any) -> tree.IdentityOn:
        return tree.IdentityOn(self._span(meta), operand)

    def application(self, meta: Any, function: Token, *arguments: Any) -> tree.Application:
        return tree.Application(self._span(meta), str(function), arguments)

    def domain(self, meta: Any, operand: Any) -> tree.End:
        return tree.End(self._span(meta), "domain", operand)

    def range(self, meta: Any, operand: Any) -> tree.End:
        return tree.End(self._span(meta), "range", operand)
