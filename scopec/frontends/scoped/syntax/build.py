"""From the parser's tree to the syntax tree of scoped CUDA."""

from __future__ import annotations

import re
from dataclasses import is_dataclass
from typing import TYPE_CHECKING, Any

from lark import Token, Transformer_NonRecursive, Tree

from scopec.base.diagnostics import Code, error
from scopec.base.source import Span
from scopec.frontends.scoped.syntax import tree
from scopec.frontends.scoped.syntax.literals import integer

if TYPE_CHECKING:
    from lark.tree import Meta

    from scopec.base.source import Source

#: The classes of the syntax tree by the names that rules have: ``DoWhile`` as ``do_while``.
_CLASSES: dict[str, Any] = {
    re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower(): class_
    for name, class_ in vars(tree).items()
    if is_dataclass(class_)
}


class Builder(Transformer_NonRecursive[Any, Any]):
    """Rules of the grammar as methods: their names are the rules' names and aliases.

    A rule without a method makes the class of its name, whose fields are the rule's parts in their order.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(visit_tokens=False)
        self._file = source.name

    def _call_userfunc(self, part: Tree[Any], new_children: list[Any] | None = None) -> Any:
        """What a rule makes of its place and its parts; lark's ``v_args`` wraps the method each time."""
        children = part.children if new_children is None else new_children
        method = getattr(self, part.data, None)
        if method is not None:
            return method(part.meta, *children)
        return _CLASSES[part.data](self._span(part.meta), *(str(c) if isinstance(c, Token) else c for c in children))

    def _listed(self, _: Meta, *parts: Any) -> tuple[Any, ...]:
        return parts

    program = parameters = template_arguments = arguments = effects = _listed
    directives = values = several = further = under = _listed

    def _span(self, meta: Meta) -> Span:
        return Span.of_meta(self._file, meta)

    # ---- functions, types and declarations

    def function(self, meta: Meta, type_: tree.TypeName, name: tree.Name, parameters: Any, body: Any) -> tree.Function:
        return tree.Function(self._span(meta), type_, name.name, name.span, parameters, body)

    def parameter(self, meta: Meta, type_: tree.TypeName, star: Token | None, name: Token) -> tree.Parameter:
        pointed = tree.TypeName(type_.span, type_.name, type_.arguments, type_.specifiers, pointers=1)
        return tree.Parameter(self._span(meta), pointed if star else type_, str(name))

    def type(self, meta: Meta, *parts: Any) -> tree.TypeName:
        span = self._span(meta)
        words = " ".join(p for p in parts if isinstance(p, Token) and p.type == "INT_WORD")
        named = [p for p in parts if isinstance(p, tree.TypeName)]
        if len(named) + bool(words) != 1:
            what = "two types in one declaration" if named else "a type is missing here"
            raise error(Code.UNKNOWN_TYPE, what, span, "write one type, such as int")
        specifiers = tuple(str(p) for p in parts if isinstance(p, Token) and p.type == "SPECIFIER")
        return tree.TypeName(span, words or named[0].name, () if words else named[0].arguments, specifiers)

    def declaration(self, meta: Meta, type_: tree.TypeName, *declarators: Any) -> tree.Declaration:
        return tree.Declaration(self._span(meta), type_, declarators)

    def declarator(self, meta: Meta, name: tree.Name, size: Any, init: Any) -> tree.Declarator:
        return tree.Declarator(self._span(meta), name.name, sizes=() if size is None else (size,), init=init)

    def initialiser(self, meta: Meta, *arguments: Any) -> tree.Initialiser:
        return tree.Initialiser(self._span(meta), tuple(a for a in arguments if not isinstance(a, Token)))

    # ---- statements

    def block(self, meta: Meta, *statements: Any) -> tree.Block:
        return tree.Block(self._span(meta), statements)

    def assign(self, meta: Meta, target: Any, op: Token, value: Any) -> tree.Assign:
        return tree.Assign(self._span(meta), op[:-1] or None, target, value)

    def prefix_step(self, meta: Meta, op: Token, target: Any) -> tree.Step:
        return tree.Step(self._span(meta), str(op), True, target)

    def postfix_step(self, meta: Meta, target: Any, op: Token) -> tree.Step:
        return tree.Step(self._span(meta), str(op), False, target)

    # ---- expressions

    def binary(self, meta: Meta, left: Any, op: Token, right: Any) -> tree.Binary:
        return tree.Binary(self._span(meta), str(op), left, right)

    def arrow(self, meta: Meta, object_: Any, name: Token) -> tree.Member:
        return tree.Member(self._span(meta), tree.Unary(object_.span, "*", object_), str(name))

    def of_launch(self, meta: Meta, token: Token) -> tree.ThreadLocal:
        kernel, number = token.split("#")
        return tree.ThreadLocal(self._span(meta), kernel, int(number))

    def int(self, meta: Meta, token: Token) -> tree.Int:
        return integer(self._span(meta), str(token))

    def char(self, meta: Meta, token: Token) -> tree.Int:
        return tree.Int(self._span(meta), ord(token[1]))

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
