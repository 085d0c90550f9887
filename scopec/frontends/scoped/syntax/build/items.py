"""Files, namespaces, templates and functions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from lark import Token

from scopec.base.diagnostics import Code, error
from scopec.frontends.scoped.syntax import tree
from scopec.frontends.scoped.syntax.build.parts import Part, flat
from scopec.frontends.scoped.syntax.literals import unescape

if TYPE_CHECKING:
    from lark.tree import Meta


class Items(Part):
    """Files, namespaces, templates and functions."""

    def program(self, meta: Meta, *items: Any) -> list[Any]:
        return flat(items)

    def namespace(self, meta: Meta, name: Token | None, *items: Any) -> tree.Namespace:
        return tree.Namespace(self._span(meta), str(name or ""), tuple(flat(items)))

    def namespace_alias(self, meta: Meta, alias: Token, name: Token) -> tree.NamespaceAlias:
        return tree.NamespaceAlias(self._span(meta), str(alias), str(name).removeprefix("::"))

    def linkage(self, meta: Meta, _linkage: Token, *items: Any) -> list[Any]:
        return flat(items)

    def using_namespace(self, meta: Meta, name: Token) -> tree.UsingNamespace:
        return tree.UsingNamespace(self._span(meta), str(name).removeprefix("::"))

    def using_name(self, meta: Meta, name: Token) -> tree.UsingName:
        return tree.UsingName(self._span(meta), str(name).removeprefix("::"))

    def alias(self, meta: Meta, name: Token, type_: tree.TypeName) -> tree.Alias:
        return tree.Alias(self._span(meta), str(name), type_)

    def typedef(self, meta: Meta, type_: tree.TypeName, declarator: tree.Declarator) -> tree.Alias | list[Any]:
        defined = type_.defined
        if isinstance(defined, (tree.Class, tree.Enum)) and defined.name in ("", declarator.name):
            named = replace(type_, name=declarator.name, defined=replace(defined, name=declarator.name))
            return tree.Alias(self._span(meta), "", named)
        written = replace(
            type_, pointers=type_.pointers + declarator.pointers, reference=type_.reference or declarator.reference
        )
        return tree.Alias(self._span(meta), declarator.name, written, declarator.sizes)

    def static_assert(self, meta: Meta, condition: Any, message: Token | None) -> tree.StaticAssert:
        said = unescape(str(message)[1:-1]) if message is not None else ""
        return tree.StaticAssert(self._span(meta), condition, said)

    def template_item(self, meta: Meta, *children: Any) -> Any:
        *parameters, declared = children
        given = tuple(p for p in parameters if p is not None)
        match declared:
            case tree.Function():
                return replace(declared, template=given)
            case tree.Declaration(type=tree.TypeName(defined=tree.Class() as defined), declarators=()):
                type_ = replace(declared.type, defined=replace(defined, template=given))
                return tree.Template(self._span(meta), given, replace(declared, type=type_))
            case tree.Alias():
                return tree.Template(self._span(meta), given, declared)
            case tree.Prototype() | None:
                return None
            case tree.Declaration(declarators=()):
                return None  # a class template that is defined elsewhere
            case _:
                message = "this kind of template is outside the modelled subset"
                raise error(Code.OUTSIDE_SUBSET, message, self._span(meta), "use class, function and alias templates")

    template_member = template_item

    def type_parameter(self, meta: Meta, *children: Any) -> tree.TemplateParameter:
        _key, *rest, default = children
        if any(getattr(r, "type", "") == "ELLIPSIS" for r in rest):
            self._outside(meta, "parameter packs")
        return tree.TemplateParameter(self._span(meta), str(rest[0]) if rest else "", None, default)

    def value_parameter(self, meta: Meta, *children: Any) -> tree.TemplateParameter:
        type_, *marks, name, default = children
        return tree.TemplateParameter(self._span(meta), name.name if name else "", self._marked(type_, marks), default)

    def function(self, meta: Meta, *children: Any) -> tree.Function:
        type_, *rest, body = children
        marks, name, parameters, tails = self._signature(rest)
        type_ = self._with_result(self._named(type_), marks, tails)
        return tree.Function(self._span(meta), type_, name.name, name.span, parameters, body)

    def prototype(self, meta: Meta, *children: Any) -> tree.Prototype:
        type_, *rest = children
        marks, name, parameters, tails = self._signature(rest)
        type_ = self._with_result(self._named(type_), marks, tails)
        return tree.Prototype(self._span(meta), type_, name.name, parameters)

    @staticmethod
    def _signature(rest: list[Any]) -> tuple[list[str], tree.Name, tuple[tree.Parameter, ...], list[Any]]:
        at = next(i for i, child in enumerate(rest) if isinstance(child, tree.Name))
        return rest[:at], rest[at], tuple(rest[at + 1] or ()), rest[at + 2 :]

    def _with_result(self, type_: tree.TypeName, marks: list[str], tails: list[Any]) -> tree.TypeName:
        """The result's type: the one in front, or the one after ``->``."""
        trailing = next((t for t in tails if isinstance(t, tree.TypeName)), None)
        if trailing is not None:
            return replace(trailing, specifiers=type_.specifiers + trailing.specifiers)
        return self._marked(type_, marks)

    def tail(self, meta: Meta, *words: Token) -> None:
        return None

    def trailing(self, meta: Meta, type_: tree.TypeName) -> tree.TypeName:
        return type_

    def parameters(self, meta: Meta, *parameters: tree.Parameter) -> list[tree.Parameter]:
        return list(parameters)

    def parameter(self, meta: Meta, *children: Any) -> tree.Parameter:
        type_, *rest, default = children
        at = next(i for i, child in enumerate(rest) if child is None or isinstance(child, tree.Name))
        marks, name, sizes = rest[:at], rest[at], rest[at + 1 :]
        written = self._marked(self._named(type_), marks)
        if sizes:  # an array parameter is a pointer
            written = replace(written, pointers=written.pointers + 1)
        return tree.Parameter(self._span(meta), written, name.name if name else "", default)

    def variadic_parameter(self, meta: Meta, dots: Token) -> NoReturn:
        self._outside(meta, "functions with any number of arguments")

    def declared_name(self, meta: Meta, token: Token) -> tree.Name:
        return tree.Name(self._token_span(token), str(token))
