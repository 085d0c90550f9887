"""What the parts of the builder share: places in the file, and what is outside the subset."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from lark import Token, Transformer_NonRecursive, Tree

from scopec.base.diagnostics import Code, error
from scopec.base.source import Span
from scopec.frontends.scoped.syntax import tree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lark.tree import Meta

    from scopec.base.source import Source


def flat(items: Iterable[Any]) -> list[Any]:
    """The items that are something, those of linkage blocks in place."""
    out: list[Any] = []
    for item in items:
        if isinstance(item, list):
            out += item
        elif item is not None:
            out.append(item)
    return out


def parts(expr: tree.Expr | None) -> tuple[tree.Expr, ...]:
    """The operands of comma operators."""
    if isinstance(expr, tree.Comma):
        return (*parts(expr.left), expr.right)
    return () if expr is None else (expr,)


class Part(Transformer_NonRecursive[Any, Any]):
    """Rules of the grammar as methods: their names are the rules' names and aliases."""

    def __init__(self, source: Source) -> None:
        super().__init__(visit_tokens=False)
        self._file = source.name

    def _call_userfunc(self, part: Tree[Any], new_children: list[Any] | None = None) -> Any:
        """What a rule's method makes of its place and its parts; lark's ``v_args`` wraps the method each time."""
        children = part.children if new_children is None else new_children
        method = getattr(self, part.data, None)
        return Tree(part.data, children, part.meta) if method is None else method(part.meta, *children)

    def _span(self, meta: Meta) -> Span:
        span = Span.of_meta(self._file, meta)
        # The tokens of a macro's use may come in another order than they stand in the file.
        return span if (span.line, span.column) <= (span.end_line, span.end_column) else span.reversed()

    def _token_span(self, token: Token) -> Span:
        return Span.of_token(self._file, token)

    def nothing(self, meta: Meta, *_: Any) -> None:
        return None

    def _outside(self, meta: Meta, what: str) -> NoReturn:
        raise error(Code.OUTSIDE_SUBSET, f"{what} are outside the modelled subset", self._span(meta))

    def declaration_of(self, meta: Meta, type_: tree.TypeName, declarators: tuple[Any, ...]) -> tree.Declaration:
        return tree.Declaration(self._span(meta), self._named(type_), tuple(d for d in declarators if d is not None))

    def declarator_of(self, meta: Meta, children: tuple[Any, ...]) -> tree.Declarator:
        marks = [c for c in children if isinstance(c, str)]
        name = next(c for c in children if isinstance(c, tree.Name))
        sizes = tuple(size for c in children if isinstance(c, tuple) for size in c)
        init = children[-1] if isinstance(children[-1], tree.Initialiser) else None
        own = "volatile" in marks  # of the pointer itself
        return tree.Declarator(self._span(meta), name.name, marks.count("*"), "&" in marks, sizes, init, own)

    def _named(self, type_: tree.TypeName) -> tree.TypeName:
        if not type_.name and type_.defined is None and type_.of is None:
            raise error(Code.UNKNOWN_TYPE, "a type is missing here", type_.span, "write one type, such as int")
        return type_

    def _marked(self, type_: tree.TypeName, marks: list[str]) -> tree.TypeName:
        if not marks:
            return type_
        return replace(type_, pointers=type_.pointers + marks.count("*"), reference=type_.reference or "&" in marks)
