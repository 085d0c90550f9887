"""From the parser's tree to the syntax tree of scoped CUDA."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lark import Token

from scopec.base import syntax
from scopec.base.diagnostics import Code, error
from scopec.frontends.scoped.syntax import tree
from scopec.frontends.scoped.syntax.literals import integer

if TYPE_CHECKING:
    from lark.tree import Meta


class Builder(syntax.Builder):
    """The rules of grammar/cuda.lark that are no class of the syntax tree with their parts in their order."""

    classes = syntax.classes(tree)
    program = parameters = template_arguments = arguments = effects = syntax.Builder.listed
    directives = values = several = further = under = codes = syntax.Builder.listed

    # ---- functions, types and declarations

    def function(self, meta: Meta, type_: tree.TypeName, name: tree.Name, parameters: Any, body: Any) -> tree.Function:
        return tree.Function(self.at(meta), type_, name.name, name.span, parameters, body)

    def parameter(self, meta: Meta, type_: tree.TypeName, star: Token | None, name: Token) -> tree.Parameter:
        pointed = tree.TypeName(type_.span, type_.name, type_.arguments, type_.specifiers, pointers=1)
        return tree.Parameter(self.at(meta), pointed if star else type_, str(name))

    def type(self, meta: Meta, *parts: Any) -> tree.TypeName:
        span = self.at(meta)
        words = " ".join(p for p in parts if isinstance(p, Token) and p.type == "INT_WORD")
        named = [p for p in parts if isinstance(p, tree.TypeName)]
        if len(named) + bool(words) != 1:
            what = "two types in one declaration" if named else "a type is missing here"
            raise error(Code.UNKNOWN_TYPE, what, span, "write one type, such as int")
        specifiers = tuple(str(p) for p in parts if isinstance(p, Token) and p.type == "SPECIFIER")
        return tree.TypeName(span, words or named[0].name, () if words else named[0].arguments, specifiers)

    def declaration(self, meta: Meta, type_: tree.TypeName, *declarators: Any) -> tree.Declaration:
        return tree.Declaration(self.at(meta), type_, declarators)

    def declarator(self, meta: Meta, name: tree.Name, size: Any, init: Any) -> tree.Declarator:
        return tree.Declarator(self.at(meta), name.name, sizes=() if size is None else (size,), init=init)

    def initialiser(self, meta: Meta, *arguments: Any) -> tree.Initialiser:
        return tree.Initialiser(self.at(meta), tuple(a for a in arguments if not isinstance(a, Token)))

    # ---- statements

    def block(self, meta: Meta, *statements: Any) -> tree.Block:
        return tree.Block(self.at(meta), statements)

    def assign(self, meta: Meta, target: Any, op: Token, value: Any) -> tree.Assign:
        return tree.Assign(self.at(meta), op[:-1] or None, target, value)

    def prefix_step(self, meta: Meta, op: Token, target: Any) -> tree.Step:
        return tree.Step(self.at(meta), str(op), True, target)

    def postfix_step(self, meta: Meta, target: Any, op: Token) -> tree.Step:
        return tree.Step(self.at(meta), str(op), False, target)

    # ---- expressions

    def binary(self, meta: Meta, left: Any, op: Token, right: Any) -> tree.Binary:
        return tree.Binary(self.at(meta), str(op), left, right)

    def arrow(self, meta: Meta, object_: Any, name: Token) -> tree.Member:
        return tree.Member(self.at(meta), tree.Unary(object_.span, "*", object_), str(name))

    def of_launch(self, meta: Meta, token: Token) -> tree.ThreadLocal:
        kernel, number = token.split("#")
        return tree.ThreadLocal(self.at(meta), kernel, int(number))

    def int(self, meta: Meta, token: Token) -> tree.Int:
        return integer(self.at(meta), str(token))

    def char(self, meta: Meta, token: Token) -> tree.Int:
        return tree.Int(self.at(meta), ord(token[1]))

    def true(self, meta: Meta) -> tree.Bool:
        return tree.Bool(self.at(meta), True)

    def false(self, meta: Meta) -> tree.Bool:
        return tree.Bool(self.at(meta), False)

    def null(self, meta: Meta) -> tree.Int:
        return tree.Int(self.at(meta), 0)

    # ---- directives

    def expect(self, meta: Meta, kind: Token, *rest: Any) -> tree.Expect:
        *about, when, under = rest
        name = "target" if kind == "race" else "formula"
        said = {name: about[0]} if about else {}
        return tree.Expect(self.at(meta), str(kind), **said, when=when, under=under)
