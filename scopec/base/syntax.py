"""From the tree of a parser to a syntax tree."""

from __future__ import annotations

import re
from dataclasses import is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from lark import Token, Transformer_NonRecursive, Tree

from scopec.base.source import Span

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

    from lark.tree import Meta

    from scopec.base.source import Source


def classes(module: ModuleType) -> Mapping[str, Any]:
    """The classes of a syntax tree by the names that rules have: ``DoWhile`` as ``do_while``."""
    return {
        re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower(): class_
        for name, class_ in vars(module).items()
        if is_dataclass(class_)
    }


class Builder(Transformer_NonRecursive[Any, Any]):
    """Rules of a grammar as methods, whose names are the rules' names and aliases: they get the rule's place and parts.

    A rule without a method makes the class of its name in ``classes``, whose fields are the rule's span and its parts
    in their order.
    """

    classes: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, source: Source) -> None:
        super().__init__(visit_tokens=False)
        self.source = source

    def _call_userfunc(self, part: Tree[Any], new_children: list[Any] | None = None) -> Any:
        """What a rule makes of its place and its parts; lark's ``v_args`` wraps the method each time."""
        children = part.children if new_children is None else new_children
        method = getattr(self, part.data, None)
        if method is not None:
            return method(part.meta, *children)
        parts = (str(child) if isinstance(child, Token) else child for child in children)
        return self.classes[part.data](self.at(part.meta), *parts)

    def at(self, meta: Meta) -> Span:
        """The span of a rule."""
        return Span.of_meta(self.source.name, meta)

    def token(self, token: Token) -> Span:
        """The span of a token."""
        return Span.of_token(self.source.name, token)

    def listed(self, _: Meta, *parts: Any) -> tuple[Any, ...]:
        """The parts of a rule that is a list."""
        return parts
