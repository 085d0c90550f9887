"""What the parts of the builder share: how a rule becomes a part of the syntax tree."""

from __future__ import annotations

import re
from dataclasses import is_dataclass, replace
from typing import TYPE_CHECKING, Any, NoReturn

from lark import Token, Transformer_NonRecursive, Tree

from scopec.base.diagnostics import Code, error
from scopec.base.source import Span
from scopec.frontends.scoped.syntax import tree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lark.tree import Meta

    from scopec.base.source import Source

#: The classes of the syntax tree by the names that rules have: ``DoWhile`` as ``do_while``.
_CLASSES: dict[str, Any] = {
    re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower(): class_
    for name, class_ in vars(tree).items()
    if is_dataclass(class_)
}


class Part(Transformer_NonRecursive[Any, Any]):
    """Rules of the grammar as methods: their names are the rules' names and aliases.

    A rule without a method makes the class of its name, whose fields are the rule's parts in their order.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(visit_tokens=False)
        self._file = source.name

    def _call_userfunc(self, part: Tree[Any], new_children: list[Any] | None = None) -> Any:
        """What a rule makes of its place and its parts; lark's ``v_args`` wraps the method each time."""
        children = part.children if new_children is None else new_children
        method = getattr(self, part.data, None)
        if method is not None:
            return method(part.meta, *children)
        return _CLASSES[part.data](self._span(part.meta), *(_text(c) if isinstance(c, Token) else c for c in children))

    def listed(self, meta: Meta, *parts: Any) -> tuple[Any, ...]:
        return tuple(part for part in parts if part is not None)

    program = members = parameters = template_arguments = expressions = listed
    directives = values = several = further = under = listed

    def nothing(self, meta: Meta, *_: Any) -> None:
        return None

    def _span(self, meta: Meta) -> Span:
        return Span.of_meta(self._file, meta)

    def _outside(self, meta: Meta, what: str) -> NoReturn:
        raise error(Code.OUTSIDE_SUBSET, f"{what} are outside the modelled subset", self._span(meta))

    def _marked(self, type_: tree.TypeName, marks: Iterable[str]) -> tree.TypeName:
        """The type with marks of pointers and references; InputError if it is only specifiers."""
        if not type_.name and type_.defined is None:
            raise error(Code.UNKNOWN_TYPE, "a type is missing here", type_.span, "write one type, such as int")
        stars, reference = counted(marks)
        return replace(type_, pointers=stars, reference=reference) if stars or reference else type_


def _text(token: Token) -> str:
    """A token's text; a name's without the ``::`` in front."""
    return str(token).removeprefix("::")


def counted(marks: Iterable[str]) -> tuple[int, bool]:
    """How many of the marks of a declarator are of pointers, and whether one is of a reference."""
    written = [str(mark) for mark in marks]
    return written.count("*"), "&" in written or "&&" in written
