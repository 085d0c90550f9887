"""Namespaces and classes as places where names are looked up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.base.records import dataclass

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.scoped.lower.operands import Operand


@dataclass(eq=False)
class Space:
    """A namespace, a class, or the parameters of a template: names with what they mean.

    ``inner`` are the named spaces in it, ``used`` those that ``using namespace`` brings in.  The names of ``library``
    namespaces are not listed: what scopec models of them is in the tables of the modules that lower them.
    """

    name: str
    parent: Space | None = None
    names: dict[str, Operand] = field(default_factory=dict)
    spans: dict[str, Span] = field(default_factory=dict)
    inner: dict[str, Space] = field(default_factory=dict)
    used: list[Space] = field(default_factory=list)
    library: bool = False

    def declare(self, name: str, operand: Operand, span: Span) -> None:
        """Add a name; InputError if it is here already."""
        if name in self.names:
            first = self.spans[name]
            raise error(Code.DUPLICATE, f"`{name}` is declared already, at line {first.line}", span)
        self.names[name] = operand
        self.spans[name] = span

    def qualified(self, name: str) -> str:
        """A name with the namespaces that it is declared in."""
        whole = f"{self.name}::{name}" if self.name else name
        return whole if self.parent is None else self.parent.qualified(whole)

    def find(self, name: str) -> Operand | None:
        """What a name, qualified or not, means here or in a space around this one."""
        *path, short = name.split("::")
        for space in self.outward():
            inner = space.descend(path)
            if inner is not None and (found := inner.own(short)) is not None:
                return found
        return None

    def outward(self) -> Iterator[Space]:
        """This space and those around it."""
        space: Space | None = self
        while space is not None:
            yield space
            space = space.parent

    def descend(self, path: list[str]) -> Space | None:
        """The space that a path leads to from here."""
        space: Space | None = self
        for part in path:
            if space is None:
                return None
            space = space.inner.get(part) or next((u.inner[part] for u in space.used if part in u.inner), None)
        return space

    def own(self, name: str, seen: frozenset[int] = frozenset()) -> Operand | None:
        """What a name means in this space alone, and in those that it uses."""
        if name in self.names:
            return self.names[name]
        seen |= {id(self)}
        others = (u for u in self.used if id(u) not in seen)
        return next((found for u in others if (found := u.own(name, seen)) is not None), None)

    def library_name(self, name: str) -> str:
        """The full name of what a name may mean in a library: namespace aliases resolved (``cg::this_grid``)."""
        *path, short = name.split("::")
        for space in self.outward():
            inner = space.descend(path) if path else None
            if inner is not None and inner.library:
                return inner.qualified(short)
        return name

    def known(self) -> list[str]:
        """Every name that can be used here without qualification."""
        return [name for space in self.outward() for name in space.names]


def global_space() -> Space:
    """The global namespace, with those of the libraries in it."""
    top = Space("")
    for name in ("std", "cuda", "cooperative_groups"):
        top.inner[name] = Space(name, top, library=True)
    top.inner["cuda"].inner["std"] = Space("std", top.inner["cuda"], library=True)
    return top
