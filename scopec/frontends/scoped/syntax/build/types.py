"""Types and what stands beside them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lark import Token

from scopec.base.diagnostics import Code, error
from scopec.base.records import dataclass
from scopec.frontends.scoped.syntax import tree
from scopec.frontends.scoped.syntax.build.parts import Part

if TYPE_CHECKING:
    from lark.tree import Meta


@dataclass(frozen=True, slots=True)
class Align:
    """An alignment, a constant expression or a type."""

    value: Any


@dataclass(frozen=True, slots=True)
class _Cluster:
    extents: tuple[tree.Expr, ...]


def _keyword(token: Token) -> str:
    return "" if token.type == "LINKAGE" else str(token)


class Types(Part):
    """Types and what stands beside them."""

    def type(self, meta: Meta, *specifiers: Any) -> tree.TypeName:
        words = [s for s in specifiers if isinstance(s, Token) and s.type == "INT_WORD"]
        named = [s for s in specifiers if isinstance(s, tree.TypeName)]
        keywords = tuple(_keyword(s) for s in specifiers if isinstance(s, Token) and s.type != "INT_WORD")
        span = self._span(meta)
        if len(named) + bool(words) > 1:
            raise error(Code.UNKNOWN_TYPE, "two types in one declaration", span, "write one type, such as int")
        base = named[0] if named else tree.TypeName(span, " ".join(words))
        align = next((s.value for s in specifiers if isinstance(s, Align)), None)
        cluster = next((s.extents for s in specifiers if isinstance(s, _Cluster)), ())
        specifiers_ = tuple(k for k in keywords if k) + base.specifiers
        return replace(base, span=span, specifiers=specifiers_, align=align, cluster=cluster)

    def type_id(self, meta: Meta, type_: tree.TypeName, *marks: str) -> tree.TypeName:
        return self._marked(self._named(type_), list(marks))

    def keyword_specifier(self, meta: Meta, token: Token) -> Token:
        if str(token) in ("virtual", "friend"):
            self._outside(meta, "virtual functions" if token == "virtual" else "friends")
        return token

    def int_word(self, meta: Meta, token: Token) -> Token:
        return token

    def ignored_specifier(self, meta: Meta, arguments: list[tree.Expr]) -> None:
        return None

    def cluster_specifier(self, meta: Meta, extents: list[tree.Expr]) -> _Cluster:
        return _Cluster(tuple(extents))

    def attribute(self, meta: Meta, value: Any) -> Align:
        return Align(value)

    def specifier(self, meta: Meta, inner: Any) -> Any:
        return inner

    def defined_type(self, meta: Meta, defined: Any) -> tree.TypeName:
        return tree.TypeName(self._span(meta), defined.name, defined=defined)

    def decltype(self, meta: Meta, operand: Any) -> tree.TypeName:
        return tree.TypeName(self._span(meta), "decltype", of=operand)

    def named_type(self, meta: Meta, *children: Any) -> tree.TypeName:
        first, *rest = children
        if isinstance(first, tree.TypeName):
            member = str(rest[0]).removeprefix("::") if rest else None
            return replace(first, span=self._span(meta), member=member)
        return tree.TypeName(self._span(meta), str(first).removeprefix("::"))

    def template_type(self, meta: Meta, name: Token, *arguments: Any) -> tree.TypeName:
        given = tuple(a for a in arguments if a is not None)
        return tree.TypeName(self._span(meta), str(name).removeprefix("::"), given)

    def type_argument(self, meta: Meta, type_: tree.TypeName) -> tree.TypeName:
        return type_

    def pointer(self, meta: Meta) -> str:
        return "*"

    def reference(self, meta: Meta) -> str:
        return "&"

    def const_pointer(self, meta: Meta) -> str:
        return "const"

    def volatile_pointer(self, meta: Meta) -> str:
        return "volatile"

    def restrict_pointer(self, meta: Meta) -> str:
        return "__restrict__"
