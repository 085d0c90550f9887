"""Reader of .cat files."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, cast

from lark import Lark, Token, Transformer_NonRecursive, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from scopec.diagnostics import Code, error
from scopec.memory.cat import tree
from scopec.resources import resource
from scopec.source import Source, Span


@cache
def parser() -> Lark:
    """The parser of grammar/cat.lark."""
    return Lark(
        resource("grammar/cat.lark").read_text(encoding="utf-8"),
        parser="lalr",
        strict=True,
        propagate_positions=True,
        maybe_placeholders=True,
    )


def read(source: Source) -> tree.File:
    """Parse a .cat file; InputError at the first place that is not in the subset."""
    opening = re.search(r"\(\*(?:(?!\*\)).)*\Z", source.text, re.DOTALL)
    if opening and "*)" not in source.text[opening.start() :]:
        at = source.span(opening.start(), opening.start() + 2)
        raise error(Code.UNTERMINATED, "this comment is never closed", at, "add `*)`")
    try:
        parsed = parser().parse(source.text)
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
                end = len(source.text.rstrip())
                span, message = source.span(end, end), "the file ends in the middle of a statement"
        help_ = "docs/memory-models.md says which part of the cat language scopec reads"
        raise error(Code.SYNTAX, message, span, help_) from None
    file: tree.File = _Builder(source).transform(parsed)
    return file


@v_args(meta=True, inline=True)
class _Builder(Transformer_NonRecursive[Any, Any]):
    def __init__(self, source: Source) -> None:
        super().__init__()
        self._file = source.name

    def _span(self, meta: Any) -> Span:
        return Span.of_meta(self._file, meta)

    def start(self, meta: Any, *parts: Any) -> tree.File:
        titles = [part for part in parts if isinstance(part, str)]
        statements = [s for part in parts if not isinstance(part, str) for s in part]
        return tree.File(titles[0] if titles else "", tuple(statements))

    def header(self, meta: Any, token: Token) -> str:
        return str(token).strip('"')

    def let(self, meta: Any, *bindings: tree.Let) -> list[tree.Let]:
        return list(bindings)

    def let_rec(self, meta: Any, *bindings: tree.Let) -> list[tree.LetRec]:
        return [tree.LetRec(self._span(meta), bindings)]

    def bind_value(self, meta: Any, name: Token, body: tree.Expr) -> tree.Let:
        return tree.Let(self._span(meta), str(name), (), body)

    def bind_function(self, meta: Any, name: Token, *rest: Any) -> tree.Let:
        *parameters, body = rest
        return tree.Let(self._span(meta), str(name), tuple(str(p) for p in parameters), body)

    def check(self, meta: Any, flag: Any, check: Token, expr: Any, name: Any) -> list[tree.Check]:
        words = str(check).replace("~", "").strip()
        title = str(name) if name is not None else None
        return [tree.Check(self._span(meta), flag is not None, "~" in str(check), words, expr, title)]

    def undefined_unless(self, meta: Any, check: Token, expr: Any, name: Any) -> list[tree.Check]:
        """``undefined_unless c`` flags what does not satisfy c."""
        words = str(check).replace("~", "").strip()
        title = str(name) if name is not None else None
        return [tree.Check(self._span(meta), True, "~" not in str(check), words, expr, title)]

    def include(self, meta: Any, file: Token) -> list[tree.Include]:
        return [tree.Include(self._span(meta), str(file)[1:-1])]

    def show(self, meta: Any, *shown: Any) -> list[tree.Ignored]:
        return [tree.Ignored(self._span(meta))]

    def shown(self, meta: Any, expr: Any, name: Any) -> None:
        return None

    def if_option(self, meta: Any, condition: Token, *parts: Any) -> list[tree.If]:
        """The grammar keeps both branches in one list; ``else`` stands between them."""
        then: list[Any] = []
        otherwise: list[Any] = []
        current: list[Any] = then
        for part in parts:
            if part is None:
                continue
            if isinstance(part, Token):
                current = otherwise
                continue
            current.extend(part)
        return [tree.If(self._span(meta), str(condition)[1:-1], tuple(then), tuple(otherwise))]

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
