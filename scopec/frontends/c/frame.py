"""The code of a thread in C or C++ while it is lowered: what a reader says of it, its blocks and its loops."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import contextmanager
from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar

from scopec.base.records import dataclass
from scopec.base.source import Span
from scopec.frontends.code import Code, W
from scopec.program import ir, values
from scopec.program.types import BOOL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.frontends.c.syntax import tree
    from scopec.program.values import Value


@dataclass(frozen=True, slots=True)
class Loop:
    """The targets of ``break`` and ``continue``, and the number of blocks around the loop."""

    after: int
    again: int
    depth: int


@dataclass
class Frame(Code[W], ABC):
    """Code in blocks and loops.

    ``scopes`` are what the names of the blocks around the current place denote, ``living`` the objects in memory that
    each of them declares, where their lifetimes are modelled; ``nesting`` counts the branches and loops around it;
    ``label`` is that of the statement; ``assigned`` are the names that the code assigns to.
    """

    scopes: list[dict[str, Any]] = field(default_factory=lambda: [{}], kw_only=True)
    living: list[list[str]] = field(default_factory=list, kw_only=True)
    loops: list[Loop] = field(default_factory=list, kw_only=True)
    nesting: int = field(default=0, kw_only=True)
    label: str | None = field(default=None, kw_only=True)
    assigned: frozenset[str] = field(default=frozenset(), kw_only=True)

    #: Whether code that a constant condition leaves out is not looked at; what to do with a ``break`` outside a loop.
    leaves_out: ClassVar[bool]
    way_out: ClassVar[str | None]

    # ---- what a reader says

    @abstractmethod
    def value(self, expr: tree.Expr) -> Value:
        """The value of an expression, whose effects are appended to the graph."""

    @abstractmethod
    def discard(self, expr: tree.Expr) -> None:
        """Evaluate an expression for its effects."""

    @abstractmethod
    def declare(self, declaration: tree.Declaration) -> None:
        """Declare names in the innermost block."""

    @abstractmethod
    def reads(self, name: tree.Name) -> bool:
        """Whether the value of a name is read from memory."""

    @abstractmethod
    def returned(self, span: Span) -> None:
        """Append the end of the function."""

    # ---- what follows

    def condition(self, expr: tree.Expr) -> Value:
        """The value of an expression converted to bool."""
        return values.convert(self.value(expr), BOOL)

    @contextmanager
    def block(self, span: Span) -> Iterator[None]:
        """A scope, at the end of whose text what it declares is no more."""
        self.scopes.append({})
        self.living.append([])
        yield
        end = Span(span.file, span.end_line, max(1, span.end_column - 1), span.end_line, span.end_column)
        self.leave(len(self.living) - 1, end)
        self.living.pop()
        self.scopes.pop()

    def leave(self, depth: int, span: Span) -> None:
        """Control leaves all blocks but so many: what they declare is no more."""
        for object_ in (name for names in reversed(self.living[depth:]) for name in reversed(names)):
            self.builder.emit(ir.Lifetime(object_, (object_,), begins=False), span)

    @contextmanager
    def nested(self) -> Iterator[None]:
        """Code that may be executed never, or more than once."""
        self.nesting += 1
        yield
        self.nesting -= 1
