"""Classes and enumerations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from lark import Token

from scopec.base.diagnostics import Code, error
from scopec.base.records import dataclass
from scopec.base.source import Span
from scopec.frontends.scoped.syntax import tree
from scopec.frontends.scoped.syntax.build.parts import Part, flat
from scopec.frontends.scoped.syntax.build.types import Align

if TYPE_CHECKING:
    from lark.tree import Meta


@dataclass(frozen=True, slots=True)
class _Bases:
    span: Span


class Classes(Part):
    """Classes and enumerations."""

    def class_definition(self, meta: Meta, key: Token, *children: Any) -> tree.Class:
        align = next((c for c in children if isinstance(c, Align)), None)
        name = next((str(c) for c in children if isinstance(c, Token) and c.type == "NAME"), "")
        bases = next((c for c in children if isinstance(c, _Bases)), None)
        if bases is not None:
            raise error(Code.OUTSIDE_SUBSET, "inheritance is outside the modelled subset", bases.span, "use a member")
        if str(key) == "union":
            self._outside(meta, "unions")
        given = [c for c in children if c is not None and not isinstance(c, (Token, Align, list))]
        members = flat([*given, *(m for c in children if isinstance(c, list) for m in c)])
        return tree.Class(self._span(meta), str(key), name, tuple(members), align.value if align else None)

    def bases(self, meta: Meta, *names: Any) -> _Bases:
        return _Bases(self._span(meta))

    def base(self, meta: Meta, *names: Any) -> None:
        return None

    def member_declaration(self, meta: Meta, type_: tree.TypeName, *declarators: Any) -> tree.Declaration:
        return self.declaration_of(meta, type_, declarators)

    def member_declarator(self, meta: Meta, *children: Any) -> tree.Declarator:
        return self.declarator_of(meta, children)

    def bit_field(self, meta: Meta, *children: Any) -> NoReturn:
        self._outside(meta, "bit-fields")

    def member_init(self, meta: Meta, value: Any) -> Any:
        return value

    def constructor(self, meta: Meta, type_: tree.TypeName, *children: Any) -> tree.Function:
        parameters, *rest, body = children
        initialisers = next((c for c in rest if isinstance(c, list)), [])
        written = tree.TypeName(type_.span, "", specifiers=type_.specifiers)
        return tree.Function(
            self._span(meta), written, type_.name, type_.span, tuple(parameters or ()), body, None, tuple(initialisers)
        )

    def special_constructor(self, meta: Meta, type_: tree.TypeName, *children: Any) -> tree.Prototype:
        parameters, *rest = children
        if not any(isinstance(r, Token) and r.type == "SPECIAL" for r in rest):
            self._outside(meta, "constructors that are defined outside their class")
        return tree.Prototype(self._span(meta), type_, type_.name, tuple(parameters or ()))

    def member_inits(self, meta: Meta, *inits: Any) -> list[Any]:
        return list(inits)

    def one_member_init(self, meta: Meta, name: Token, value: Any) -> tuple[tree.Name, tree.Initialiser]:
        if isinstance(value, tree.List):
            init = tree.Initialiser(self._span(meta), value.elements, list=True, names=value.names)
        else:
            init = tree.Initialiser(self._span(meta), tuple(value or ()), list=False)
        return tree.Name(self._token_span(name), str(name)), init

    def destructor(self, meta: Meta, type_: tree.TypeName | None, *children: Any) -> tree.Function:
        name = next(c for c in children if isinstance(c, Token) and c.type == "TYPE_NAME")
        span = self._token_span(name)
        written = type_ if type_ is not None else tree.TypeName(span, "")
        return tree.Function(self._span(meta), written, f"~{name}", span, (), children[-1])

    def special_destructor(self, meta: Meta, *children: Any) -> None:
        return None

    def enumeration(self, meta: Meta, *children: Any) -> tree.Enum:
        tokens = [c for c in children if isinstance(c, Token)]
        underlying = next((c for c in children if isinstance(c, tree.TypeName)), None)
        enumerators = tuple(c for c in children if isinstance(c, tuple))
        name = next((str(t) for t in tokens if t.type == "NAME"), "")
        scoped = any(t.type == "CLASS_KEY" for t in tokens)
        return tree.Enum(self._span(meta), name, scoped, underlying, enumerators)

    def enumerator(self, meta: Meta, name: Token, value: Any) -> tuple[tree.Name, Any]:
        return tree.Name(self._token_span(name), str(name)), value
