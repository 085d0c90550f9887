"""From the parser's tree to the syntax tree of scoped CUDA."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scopec.base import syntax
from scopec.base.diagnostics import Code, error
from scopec.base.lalr import Token
from scopec.frontends.c.syntax import tree
from scopec.frontends.c.syntax.literals import integer

if TYPE_CHECKING:
    from scopec.base.lalr import Node


class Builder(syntax.Builder):
    """The rules of grammar/cuda.lark that are no class of the syntax tree with their parts in their order."""

    classes = syntax.classes(tree)
    program = parameters = template_arguments = arguments = effects = syntax.Builder.listed
    directives = values = several = further = under = codes = syntax.Builder.listed

    # ---- functions, types and declarations

    def function(self, node: Node, type_: tree.TypeName, name: tree.Name, parameters: Any, body: Any) -> tree.Function:
        return tree.Function(self.at(node), type_, name.name, name.span, parameters, body)

    def parameter(self, node: Node, type_: tree.TypeName, star: Token | None, name: Token) -> tree.Parameter:
        pointed = tree.TypeName(type_.span, type_.name, type_.arguments, type_.specifiers, pointers=1)
        return tree.Parameter(self.at(node), pointed if star else type_, str(name))

    def type(self, node: Node, *parts: Any) -> tree.TypeName:
        span = self.at(node)
        words = " ".join(p for p in parts if isinstance(p, Token) and p.type == "INT_WORD")
        named = [p for p in parts if isinstance(p, tree.TypeName)]
        if len(named) + bool(words) != 1:
            what = "two types in one declaration" if named else "a type is missing here"
            raise error(Code.UNKNOWN_TYPE, what, span, "write one type, such as int")
        specifiers = tuple(str(p) for p in parts if isinstance(p, Token) and p.type == "SPECIFIER")
        return tree.TypeName(span, words or named[0].name, () if words else named[0].arguments, specifiers)

    def declaration(self, node: Node, type_: tree.TypeName, *declarators: Any) -> tree.Declaration:
        return tree.Declaration(self.at(node), type_, declarators)

    def declarator(self, node: Node, name: tree.Name, size: Any, init: Any) -> tree.Declarator:
        return tree.Declarator(self.at(node), name.name, sizes=() if size is None else (size,), init=init)

    def initialiser(self, node: Node, *arguments: Any) -> tree.Initialiser:
        return tree.Initialiser(self.at(node), tuple(a for a in arguments if not isinstance(a, Token)))

    # ---- statements

    def block(self, node: Node, *statements: Any) -> tree.Block:
        return tree.Block(self.at(node), statements)

    def assign(self, node: Node, target: Any, op: Token, value: Any) -> tree.Assign:
        return tree.Assign(self.at(node), op[:-1] or None, target, value)

    def prefix_step(self, node: Node, op: Token, target: Any) -> tree.Step:
        return tree.Step(self.at(node), str(op), True, target)

    def postfix_step(self, node: Node, target: Any, op: Token) -> tree.Step:
        return tree.Step(self.at(node), str(op), False, target)

    # ---- expressions

    def binary(self, node: Node, left: Any, op: Token, right: Any) -> tree.Binary:
        return tree.Binary(self.at(node), str(op), left, right)

    def arrow(self, node: Node, object_: Any, name: Token) -> tree.Member:
        return tree.Member(self.at(node), tree.Unary(object_.span, "*", object_), str(name))

    def of_launch(self, node: Node, token: Token) -> tree.ThreadLocal:
        kernel, number = token.split("#")
        return tree.ThreadLocal(self.at(node), kernel, int(number))

    def int(self, node: Node, token: Token) -> tree.Int:
        return integer(self.at(node), str(token))

    def char(self, node: Node, token: Token) -> tree.Int:
        return tree.Int(self.at(node), ord(token[1]))

    def true(self, node: Node) -> tree.Bool:
        return tree.Bool(self.at(node), True)

    def false(self, node: Node) -> tree.Bool:
        return tree.Bool(self.at(node), False)

    def null(self, node: Node) -> tree.Int:
        return tree.Int(self.at(node), 0)

    # ---- directives

    def expect(self, node: Node, kind: Token, *rest: Any) -> tree.Expect:
        *about, when, under = rest
        name = "target" if kind == "race" else "formula"
        said = {name: about[0]} if about else {}
        return tree.Expect(self.at(node), str(kind), **said, when=when, under=under)
