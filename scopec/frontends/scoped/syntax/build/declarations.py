"""Functions, types and declarations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lark import Token

from scopec.base.diagnostics import Code, error
from scopec.base.records import dataclass
from scopec.frontends.scoped.syntax import tree
from scopec.frontends.scoped.syntax.build.part import Part, counted

if TYPE_CHECKING:
    from lark.tree import Meta


@dataclass(frozen=True, slots=True)
class _Cluster:
    extents: tuple[tree.Expr, ...]


@dataclass(frozen=True, slots=True)
class _Size:
    value: Any


@dataclass(frozen=True, slots=True)
class _Designated:
    name: str
    value: Any


class Declarations(Part):
    """Functions, types and declarations."""

    def typedef(self, meta: Meta, type_: tree.TypeName, declarator: tree.Declarator) -> tree.Alias:
        defined = type_.defined
        if defined is not None and defined.name in ("", declarator.name):
            named = replace(type_, name=declarator.name, defined=replace(defined, name=declarator.name))
            return tree.Alias(self._span(meta), "", named)
        written = replace(type_, pointers=declarator.pointers, reference=declarator.reference)
        return tree.Alias(self._span(meta), declarator.name, written, declarator.sizes)

    # ---- functions

    def function(self, meta: Meta, type_: tree.TypeName, *rest: Any) -> tree.Function:
        *marks, name, parameters, body = rest
        written = self._marked(type_, marks)
        return tree.Function(self._span(meta), written, name.name, name.span, parameters, body)

    def prototype(self, meta: Meta, type_: tree.TypeName, *rest: Any) -> tree.Prototype:
        *marks, name, parameters = rest
        return tree.Prototype(self._span(meta), self._marked(type_, marks), name.name, parameters)

    def parameter(self, meta: Meta, type_: tree.TypeName, *rest: Any) -> tree.Parameter:
        sizes = [part for part in rest if isinstance(part, _Size)]
        *marks, name = rest[: len(rest) - len(sizes)]
        pointer = ["*"] if sizes else []  # an array parameter is a pointer
        return tree.Parameter(self._span(meta), self._marked(type_, marks + pointer), name.name if name else "")

    # ---- types

    def type(self, meta: Meta, *parts: Any) -> tree.TypeName:
        span = self._span(meta)
        tokens = [part for part in parts if isinstance(part, Token)]
        words = " ".join(t for t in tokens if t.type == "INT_WORD")
        named = [part for part in parts if isinstance(part, (tree.TypeName, tree.Class))]
        if len(named) + bool(words) > 1:
            raise error(Code.UNKNOWN_TYPE, "two types in one declaration", span, "write one type, such as int")
        one = named[0] if named else None
        return tree.TypeName(
            span,
            one.name if one else words,
            one.arguments if isinstance(one, tree.TypeName) else (),
            tuple(str(t) for t in tokens if t.type == "SPECIFIER"),
            defined=None if isinstance(one, tree.TypeName) else one,
            cluster=next((part.extents for part in parts if isinstance(part, _Cluster)), ()),
        )

    def type_id(self, meta: Meta, type_: tree.TypeName, *marks: Token) -> tree.TypeName:
        return self._marked(type_, marks)

    def cluster(self, meta: Meta, extents: tuple[tree.Expr, ...]) -> _Cluster:
        return _Cluster(extents)

    def structure(self, meta: Meta, name: Token | None, members: Any) -> tree.Class:
        return tree.Class(self._span(meta), str(name or ""), members)

    # ---- declarators and initialisers

    def declaration(self, meta: Meta, type_: tree.TypeName, *declarators: Any) -> tree.Declaration:
        return tree.Declaration(self._span(meta), self._marked(type_, ()), self.listed(meta, *declarators))

    def declarator(self, meta: Meta, *rest: Any) -> tree.Declarator:
        *parts, init = rest
        marks = [part for part in parts if isinstance(part, Token)]
        name = next(part for part in parts if isinstance(part, tree.Name))
        sizes = tuple(part.value for part in parts if isinstance(part, _Size))
        own = "volatile" in marks  # of the pointer itself
        return tree.Declarator(self._span(meta), name.name, *counted(marks), sizes, init, own)

    def size(self, meta: Meta, value: Any) -> _Size:
        return _Size(value)

    def init_equals(self, meta: Meta, value: Any) -> tree.Initialiser:
        if isinstance(value, tree.List):
            return tree.Initialiser(value.span, value.elements, list=True, names=value.names)
        return tree.Initialiser(self._span(meta), (value,), list=False)

    def init_parens(self, meta: Meta, *values: tree.Expr) -> tree.Initialiser:
        return tree.Initialiser(self._span(meta), values, list=False)

    def braces(self, meta: Meta, *elements: Any) -> tree.List:
        names = tuple(element.name for element in elements if isinstance(element, _Designated))
        if names and len(names) < len(elements):
            self._outside(meta, "lists in which only some elements are designated")
        return tree.List(self._span(meta), tuple(e.value for e in elements) if names else elements, names)

    def designated(self, meta: Meta, name: Token, value: Any) -> _Designated:
        return _Designated(str(name), value)
