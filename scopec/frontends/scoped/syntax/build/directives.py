"""The directives in `//@` comments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lark import Token

from scopec.frontends.scoped.syntax import tree
from scopec.frontends.scoped.syntax.build.parts import Part

if TYPE_CHECKING:
    from lark.tree import Meta


class Directives(Part):
    """The directives in `//@` comments."""

    def directives(self, meta: Meta, *directives: Any) -> list[Any]:
        return list(directives)

    def expect(self, meta: Meta, outcome: tree.Expect, when: Any, under: Any) -> tree.Expect:
        return tree.Expect(self._span(meta), outcome.kind, outcome.formula, outcome.target, when, tuple(under or ()))

    def plain_outcome(self, meta: Meta, kind: Token) -> tree.Expect:
        return tree.Expect(self._span(meta), str(kind))

    def race_outcome(self, meta: Meta, target: tree.Expr | None) -> tree.Expect:
        return tree.Expect(self._span(meta), "race", target=target)

    def formula_outcome(self, meta: Meta, kind: Token, formula: Any) -> tree.Expect:
        return tree.Expect(self._span(meta), str(kind), formula=formula)

    def when(self, meta: Meta, condition: Any) -> Any:
        return condition

    def under(self, meta: Meta, *models: tree.Setting) -> list[tree.Setting]:
        return list(models)

    def model(self, meta: Meta, token: Token) -> tree.Setting:
        return tree.Setting(self._token_span(token), str(token))

    def name_ref(self, meta: Meta, token: Token) -> tree.Name:
        return tree.Name(self._token_span(token), str(token))

    def vary(self, meta: Meta, name: tree.Name, *values: Any) -> tree.Vary:
        return tree.Vary(self._span(meta), name, values)

    def launch_directive(self, meta: Meta, launch: tree.Launch) -> tree.LaunchDirective:
        return tree.LaunchDirective(self._span(meta), launch)

    def object_directive(self, meta: Meta, declaration: tree.Declaration) -> tree.ObjectDirective:
        return tree.ObjectDirective(self._span(meta), declaration)

    def storage_directive(self, meta: Meta, name: tree.Name, kind: Token, *settings: Any) -> tree.StorageDirective:
        return tree.StorageDirective(self._span(meta), name, str(kind), tuple(s for s in settings if s is not None))

    def setting(self, meta: Meta, name: Token, value: Token) -> tree.Setting:
        return tree.Setting(self._span(meta), str(name), str(value))

    def settings(self, meta: Meta, kind: Token, *settings: tree.Setting) -> tree.Settings:
        return tree.Settings(self._span(meta), str(kind), settings)
