"""Declarations and initialisers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lark import Token

from scopec.base.records import dataclass
from scopec.frontends.scoped.syntax import tree
from scopec.frontends.scoped.syntax.build.parts import Part

if TYPE_CHECKING:
    from lark.tree import Meta


@dataclass(frozen=True, slots=True)
class _Designated:
    name: str
    value: Any


class Declarations(Part):
    """Declarations and initialisers."""

    def declaration(self, meta: Meta, type_: tree.TypeName, *declarators: Any) -> tree.Declaration:
        return self.declaration_of(meta, type_, declarators)

    def declarator(self, meta: Meta, *children: Any) -> tree.Declarator:
        return self.declarator_of(meta, children)

    def size(self, meta: Meta, size: tree.Expr | None) -> tuple[tree.Expr | None]:
        return (size,)

    def init_equals(self, meta: Meta, value: Any) -> tree.Initialiser:
        if isinstance(value, tree.List):
            return tree.Initialiser(value.span, value.elements, list=True, names=value.names)
        return tree.Initialiser(self._span(meta), (value,), list=False)

    def init_parens(self, meta: Meta, *values: tree.Expr) -> tree.Initialiser:
        return tree.Initialiser(self._span(meta), values, list=False)

    def braces(self, meta: Meta, *elements: Any) -> tree.List:
        designated = [isinstance(e, _Designated) for e in elements]
        if any(designated) and not all(designated):
            self._outside(meta, "lists in which only some elements are designated")
        if any(designated):
            return tree.List(self._span(meta), tuple(e.value for e in elements), tuple(e.name for e in elements))
        return tree.List(self._span(meta), elements, ())

    def designated(self, meta: Meta, name: Token, value: Any) -> _Designated:
        return _Designated(str(name), value)
