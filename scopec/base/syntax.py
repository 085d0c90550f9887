"""From the tree of a parser to a syntax tree."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

from scopec.base.lalr import Node, Token
from scopec.base.source import Span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

    from scopec.base.source import Source


def classes(module: ModuleType) -> Mapping[str, Any]:
    """The classes of a syntax tree by the names that rules have: ``DoWhile`` as ``do_while``."""
    return {
        re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower(): class_
        for name, class_ in vars(module).items()
        if hasattr(class_, "__match_args__")  # is_dataclass would have the fields of each looked at
    }


class Builder:
    """Rules of a grammar as methods, whose names are the rules' names and aliases: they get the rule's place and parts.

    A rule without a method makes the class of its name in ``classes``, whose fields are the rule's span and its parts
    in their order.
    """

    classes: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, source: Source) -> None:
        self.source = source

    def build(self, nodes: Sequence[Node]) -> Any:
        """The value of the last rule of a text; each rule comes after its parts."""
        for node in nodes:
            parts = [part.value if type(part) is Node else part for part in node.parts]
            method = getattr(self, node.rule, None)
            if method is not None:
                node.value = method(node, *parts)
            else:
                texts = [str(part) if type(part) is Token else part for part in parts]
                node.value = self.classes[node.rule](self.at(node), *texts)
        return nodes[-1].value

    def at(self, node: Node) -> Span:
        """The span of a rule: one without words has the start of the file."""
        if node.start_pos < 0:
            return Span(self.source.name, 1, 1, 1, 1)
        return self.source.span(node.start_pos, node.end_pos)

    def token(self, token: Token) -> Span:
        """The span of a token."""
        return self.source.span(token.start_pos, token.end_pos)

    def listed(self, _: Node, *parts: Any) -> tuple[Any, ...]:
        """The parts of a rule that is a list."""
        return parts
