"""Reader of .cat files."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn, cast

from scopec.base import grammars
from scopec.base.diagnostics import Code, error
from scopec.base.lalr import Parser, Token
from scopec.base.source import Source
from scopec.base.syntax import Builder, classes
from scopec.memory.cat import tree

if TYPE_CHECKING:
    from scopec.base.lalr import Node

#: Words of the whole language that the subset has not (strings are looked at to be passed over).
_NOT_READ = re.compile(
    r'"[^"\n]*"|(?P<word>(?<![\w.-])(procedure|call|forall|do|instructions|enum|assert|match|fun|begin|variant)'
    r"(?![\w.-])|\+\+|\{(?!\s*\}))"
)


@cache
def parser() -> Parser:
    """The parser of grammar/cat.lark."""
    return grammars.parser("cat")


def read(source: Source) -> tree.File:
    """Parse a .cat file; InputError at the first place that is not in the subset."""
    text = _without_comments(source)
    nodes = parser().parse(text, "start")
    if nodes is None:
        _syntax_error(source, text)
    file: tree.File = _Builder(source).build(nodes)
    return file


def _syntax_error(source: Source, text: str) -> NoReturn:
    from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

    try:
        grammars.lark_parser("cat").parse(text)
    except UnexpectedInput as unexpected:
        match unexpected:
            case UnexpectedToken(token=token) if token.type != "$END":
                span = source.span(cast(int, token.start_pos), cast(int, token.end_pos))
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
    raise AssertionError("what Lark reads, scopec's parser reads")


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

    def start(self, node: Node, *parts: Any) -> tree.File:
        headers = tuple(part for part in parts if isinstance(part, str))
        return tree.File(headers, tuple(part for part in parts if not isinstance(part, str)))

    def header(self, node: Node, token: Token) -> str:
        return str(token).strip('"')

    def let(self, node: Node, *bindings: tree.Binding) -> tree.Let:
        return tree.Let(self.at(node), bindings)

    def let_rec(self, node: Node, *parts: Any) -> tree.Let:
        *bindings, when = parts
        return tree.Let(self.at(node), tuple(bindings), recursive=True, when=when)

    def binding(self, node: Node, name: Token, *rest: Any) -> tree.Binding:
        *parameters, body = rest
        return tree.Binding(self.at(node), str(name), tuple(str(p) for p in parameters), body)

    def check(self, node: Node, check: Token, expr: Any, name: Any) -> tree.Check:
        return self._check(node, check, expr, name, flag=False, flip=False)

    def flag(self, node: Node, flag: Token, check: Token, expr: Any, name: Any) -> tree.Check:
        return self._check(node, check, expr, name, flag=True, flip=False)

    def undefined_unless(self, node: Node, check: Token, expr: Any, name: Any) -> tree.Check:
        """``undefined_unless c`` flags what does not satisfy c."""
        return self._check(node, check, expr, name, flag=True, flip=True)

    def _check(self, node: Node, check: Token, expr: Any, name: Any, *, flag: bool, flip: bool) -> tree.Check:
        negated = ("~" in str(check)) != flip
        title = str(name) if name is not None else None
        return tree.Check(self.at(node), flag, negated, str(check).replace("~", "").strip(), expr, title)

    def include(self, node: Node, file: Token) -> tree.Include:
        return tree.Include(self.at(node), str(file)[1:-1])

    def show(self, node: Node, *shown: Any) -> tree.Show:
        return tree.Show(self.at(node), shown)

    def shown(self, node: Node, expr: Any, name: Any) -> tree.Expr:
        return cast(tree.Expr, expr)

    def if_option(self, node: Node, condition: Token, *parts: Any) -> tree.If:
        """The grammar keeps both branches in one list; ``else`` stands between them."""
        branches: tuple[list[Any], list[Any]] = ([], [])
        current = 0
        for part in parts:
            if isinstance(part, Token):
                current = 1
            elif part is not None:
                branches[current].append(part)
        return tree.If(self.at(node), str(condition)[1:-1], tuple(branches[0]), tuple(branches[1]))

    def let_in(self, node: Node, *parts: Any) -> tree.LetIn:
        *bindings, body = parts
        return tree.LetIn(self.at(node), tuple(bindings), body)

    def binary(self, node: Node, left: Any, op: Token, right: Any) -> tree.Binary:
        return tree.Binary(self.at(node), str(op), left, right)

    def postfix(self, node: Node, operand: Any, op: Token) -> tree.Postfix:
        return tree.Postfix(self.at(node), str(op), operand)

    def application(self, node: Node, function: Token, *arguments: Any) -> tree.Application:
        return tree.Application(self.at(node), str(function), arguments)
