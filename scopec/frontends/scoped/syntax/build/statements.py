"""Statements, expressions and directives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scopec.base.diagnostics import Code, error
from scopec.frontends.scoped.syntax import tree
from scopec.frontends.scoped.syntax.build.part import Part
from scopec.frontends.scoped.syntax.literals import integer, unescape

if TYPE_CHECKING:
    from lark import Token
    from lark.tree import Meta


class Statements(Part):
    """Statements, expressions and directives."""

    def block(self, meta: Meta, *statements: Any) -> tree.Block:
        return tree.Block(self._span(meta), statements)

    def for_(self, meta: Meta, init: Any, condition: Any, steps: Any, body: Any) -> tree.For:
        first = init if isinstance(init, tree.Declaration) else _operands(init)
        return tree.For(self._span(meta), first, condition, _operands(steps), body)

    # ---- expressions

    def assign(self, meta: Meta, target: Any, op: Token, value: Any) -> tree.Assign:
        return tree.Assign(self._span(meta), op[:-1] or None, target, value)

    def binary(self, meta: Meta, left: Any, op: Token, right: Any) -> tree.Binary:
        return tree.Binary(self._span(meta), str(op), left, right)

    def prefix_step(self, meta: Meta, op: Token, target: Any) -> tree.Step:
        return tree.Step(self._span(meta), str(op), True, target)

    def postfix_step(self, meta: Meta, target: Any, op: Token) -> tree.Step:
        return tree.Step(self._span(meta), str(op), False, target)

    def arrow(self, meta: Meta, object_: Any, name: Token) -> tree.Member:
        return tree.Member(self._span(meta), tree.Unary(object_.span, "*", object_), str(name))

    def construct(self, meta: Meta, type_: tree.TypeName, given: Any) -> tree.Construct:
        if isinstance(given, tree.List):
            return tree.Construct(self._span(meta), type_, given.elements, True, given.names)
        return tree.Construct(self._span(meta), type_, given)

    def of_launch(self, meta: Meta, token: Token) -> tree.ThreadLocal:
        kernel, number = token.split("#")
        return tree.ThreadLocal(self._span(meta), kernel, int(number))

    # ---- literals

    def int(self, meta: Meta, token: Token) -> tree.Int:
        return integer(self._span(meta), str(token))

    def string(self, meta: Meta, *tokens: Token) -> tree.Str:
        return tree.Str(self._span(meta), "".join(unescape(token[1:-1]) for token in tokens))

    def char(self, meta: Meta, token: Token) -> tree.Int:
        text = unescape(token[1:-1])
        if len(text) != 1 or ord(text) > 127:
            raise error(Code.BAD_LITERAL, f"{token} is not one ASCII character", self._span(meta))
        return tree.Int(self._span(meta), ord(text))

    def true(self, meta: Meta) -> tree.Bool:
        return tree.Bool(self._span(meta), True)

    def false(self, meta: Meta) -> tree.Bool:
        return tree.Bool(self._span(meta), False)

    def null(self, meta: Meta) -> tree.Int:
        return tree.Int(self._span(meta), 0)

    # ---- directives

    def expect(self, meta: Meta, kind: Token, *rest: Any) -> tree.Expect:
        *about, when, under = rest
        name = "target" if kind == "race" else "formula"
        said = {name: about[0]} if about else {}
        return tree.Expect(self._span(meta), str(kind), **said, when=when, under=under)


def _operands(expr: tree.Expr | None) -> tuple[tree.Expr, ...]:
    """The operands of comma operators."""
    if isinstance(expr, tree.Comma):
        return (*_operands(expr.left), expr.right)
    return () if expr is None else (expr,)
