"""Statements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scopec.frontends.scoped.syntax import tree
from scopec.frontends.scoped.syntax.build.parts import Part, parts

if TYPE_CHECKING:
    from lark.tree import Meta


class Statements(Part):
    """Statements."""

    def block(self, meta: Meta, *statements: Any) -> tree.Block:
        return tree.Block(self._span(meta), statements)

    def if_(self, meta: Meta, condition: Any, then: Any, otherwise: Any = None) -> tree.If:
        return tree.If(self._span(meta), condition, then, otherwise)

    def if_head(self, meta: Meta, *children: Any) -> Any:
        return children[-1]

    def condition_declaration(self, meta: Meta, type_: tree.TypeName, declarator: tree.Declarator) -> tree.Declaration:
        return self.declaration_of(meta, type_, (declarator,))

    def while_(self, meta: Meta, condition: Any, body: Any) -> tree.While:
        return tree.While(self._span(meta), condition, body)

    def do_while(self, meta: Meta, body: Any, condition: Any) -> tree.DoWhile:
        return tree.DoWhile(self._span(meta), body, condition)

    def for_(self, meta: Meta, head: Any, body: Any) -> tree.For:
        init, condition, steps = head
        return tree.For(self._span(meta), init, condition, steps, body)

    def for_head(self, meta: Meta, init: Any, condition: Any, steps: Any) -> tuple[Any, Any, Any]:
        return init, condition, parts(steps)

    def for_init(self, meta: Meta, init: Any) -> Any:
        return init if isinstance(init, tree.Declaration) else parts(init)

    def range_for(self, meta: Meta, head: Any, body: Any) -> tree.RangeFor:
        type_, name, range_ = head
        return tree.RangeFor(self._span(meta), type_, name, range_, body)

    def range_head(self, meta: Meta, *children: Any) -> tuple[Any, ...]:
        type_, *marks, name, range_ = children
        return self._marked(self._named(type_), marks), name.name, range_

    def switch(self, meta: Meta, value: Any, body: tree.Block) -> tree.Switch:
        return tree.Switch(self._span(meta), value, body)

    def case(self, meta: Meta, value: Any) -> tree.Case:
        return tree.Case(self._span(meta), value)

    def default(self, meta: Meta) -> tree.Case:
        return tree.Case(self._span(meta), None)

    def nested_block(self, meta: Meta, block: tree.Block) -> tree.Block:
        return block

    def declaration_statement(self, meta: Meta, declaration: Any) -> Any:
        return declaration

    def expression_statement(self, meta: Meta, expr: Any) -> tree.ExprStatement:
        return tree.ExprStatement(self._span(meta), expr)

    def return_(self, meta: Meta, value: Any) -> tree.Return:
        return tree.Return(self._span(meta), value)

    def break_(self, meta: Meta) -> tree.Break:
        return tree.Break(self._span(meta))

    def continue_(self, meta: Meta) -> tree.Continue:
        return tree.Continue(self._span(meta))

    def empty_statement(self, meta: Meta) -> tree.Block:
        return tree.Block(self._span(meta), ())
