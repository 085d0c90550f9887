"""The names that a file declares outside its functions."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.base.records import dataclass

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.scoped.lower.operands import Operand

_LIBRARIES = ("std", "cuda", "cuda::std", "cooperative_groups")


@dataclass(eq=False)
class Globals:
    """Names with what they mean, and other names for the namespaces of the libraries.

    What scopec models of these is in the tables of the modules that lower it.
    """

    names: dict[str, Operand] = field(default_factory=dict)
    spans: dict[str, Span] = field(default_factory=dict)
    namespaces: dict[str, str] = field(default_factory=dict)

    def declare(self, name: str, operand: Operand, span: Span) -> None:
        """Add a name; InputError if it is here already."""
        if name in self.names:
            first = self.spans[name]
            raise error(Code.DUPLICATE, f"`{name}` is declared already, at line {first.line}", span)
        self.names[name] = operand
        self.spans[name] = span

    def alias(self, name: str, target: str, span: Span) -> None:
        """Give a namespace another name; InputError if there is none."""
        if self.library_name(target) not in _LIBRARIES:
            raise error(Code.UNKNOWN_NAME, f"there is no namespace `{target}`", span)
        self.namespaces[name] = self.library_name(target)

    def library_name(self, name: str) -> str:
        """The full name of what a name may mean in a library: namespace aliases resolved (``cg::this_grid``)."""
        first, colons, rest = name.partition("::")
        return self.namespaces.get(first, first) + colons + rest
