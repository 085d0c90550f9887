"""The state of lowering: one :class:`World` a program, one :class:`Frame` a thread whose code is being lowered."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error, suggestion
from scopec.base.records import dataclass
from scopec.base.source import Span
from scopec.frontends.scoped.lower.names import meant_name
from scopec.program import faults, ir, values
from scopec.program.builder import Builder

if TYPE_CHECKING:
    from scopec.base.source import Source
    from scopec.frontends.scoped.lower.operands import Operand
    from scopec.frontends.scoped.syntax import tree
    from scopec.program.types import IntType
    from scopec.program.values import Value


@dataclass
class World:
    """What the whole program declares, filled while it is lowered; ``namespaces`` are other names for these."""

    source: Source
    overrides: dict[str, tree.Expr]
    names: dict[str, Operand] = field(default_factory=dict)
    spans: dict[str, Span] = field(default_factory=dict)
    namespaces: dict[str, str] = field(default_factory=dict)
    objects: dict[str, ir.Object] = field(default_factory=dict)
    streams: dict[str, ir.Stream] = field(default_factory=dict)
    grids: dict[str, ir.Grid] = field(default_factory=dict)
    constants: dict[str, int | ir.Order | ir.Scope] = field(default_factory=dict)
    variant: dict[str, str] = field(default_factory=dict)

    def declare(self, name: str, operand: Operand, span: Span) -> None:
        """Declare a name outside functions; InputError if it is here already."""
        if name in self.names:
            first = self.spans[name].line
            raise error(Code.DUPLICATE, f"`{name}` is declared already, at line {first}", span)
        self.names[name] = operand
        self.spans[name] = span

    def library_name(self, name: str) -> str:
        """The full name of what a name may mean in a library: namespace aliases resolved (``cg::this_grid``)."""
        first, colons, rest = name.partition("::")
        return self.namespaces.get(first, first) + colons + rest

    def unique_object(self, name: str) -> str:
        """A name for a new object that no other object has."""
        while name in self.objects:
            name += "'"
        return name


@dataclass(frozen=True, slots=True)
class Loop:
    """Where ``break`` and ``continue`` go, and in how many blocks the loop is."""

    after: int
    again: int
    depth: int


@dataclass
class Frame:
    """A thread's code that is being lowered into a graph.

    ``prefix`` makes the names of its own objects unique; ``host`` says whether it is host code; ``assigned`` are the
    names that it assigns to; ``nesting`` counts the branches and loops around the current place; ``living`` are the
    objects in memory that each block around it declares, those of the host alone.  ``touches`` counts
    the accesses to memory so far, ``events`` what other threads may notice among them, ``changes`` the variables that
    expressions changed.
    """

    world: World
    prefix: str
    host: bool
    assigned: frozenset[str] = frozenset()
    builder: Builder = field(default_factory=Builder)
    scopes: list[dict[str, Operand]] = field(default_factory=lambda: [{}])
    living: list[list[str]] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    nesting: int = 0
    touches: int = 0
    events: int = 0
    changes: int = 0
    variables: dict[str, IntType] = field(default_factory=dict)
    ambiguous: set[str] = field(default_factory=set)
    _used: set[str] = field(default_factory=set)
    _temporaries: int = 0

    # ---- names

    def find(self, name: str) -> Operand | None:
        """What a name that the file declares means here."""
        return next((names[name] for names in reversed(self.scopes) if name in names), self.world.names.get(name))

    def unknown(self, name: str, span: Span) -> Exception:
        """The error for a name that means nothing here."""
        known = [n for names in self.scopes for n in names] + list(self.world.names)
        return error(Code.UNKNOWN_NAME, f"`{name}` is not declared", span, suggestion(name, known) or meant_name(name))

    def bind(self, name: str, operand: Operand, span: Span) -> None:
        """Declare a local name; InputError if its block has it already."""
        if name in self.scopes[-1]:
            raise error(Code.DUPLICATE, f"`{name}` is declared already in this block", span)
        self.scopes[-1][name] = operand

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

    def lives(self, object_: str, span: Span) -> None:
        """What the innermost block declares is there from here on."""
        if self.host and self.living:
            self.living[-1].append(object_)
            self.builder.emit(ir.Lifetime(object_, (object_,), begins=True), span)

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

    # ---- registers and operations

    def register(self, name: str, type_: IntType) -> str:
        """A new register for a source variable; one that is declared again gets a numbered register."""
        if name in self.variables:
            self.ambiguous.add(name)
        unique = self.fresh(name)
        self.variables[unique] = type_
        return unique

    def fresh(self, stem: str) -> str:
        """A register name that is not in use, ``stem`` itself if possible."""
        name, number = stem, 2
        while name in self._used:
            name, number = f"{stem}_{number}", number + 1
        self._used.add(name)
        return name

    def temporary(self, type_: IntType) -> values.Reg:
        """A register for an intermediate value; its name cannot be a source variable's."""
        self._temporaries += 1
        return values.Reg(f"%{self._temporaries}", type_)

    def emit(self, operation: ir.Operation, span: Span) -> None:
        """Append an operation to the graph, and before it that it accesses an element that there is."""
        for check in faults.of_access(operation, self.world.objects, self.world.source.text_of(span)):
            self.builder.emit(check, span)
        self.builder.emit(operation, span)
        if not isinstance(operation, (ir.Set, ir.Assert)):
            self.touches += 1
            self.events += not (isinstance(operation, ir.Load) and operation.mode == ir.PLAIN)

    def computed(self, value: Value, span: Span) -> Value:
        """The result of an operation, after what must hold for it to have one."""
        for check in faults.of_arithmetic(value, self.world.source.text_of(span)):
            self.builder.emit(check, span)
        return value

    def finish(self) -> ir.Body:
        """The finished graph."""
        return self.builder.finish(self.variables, frozenset(self.ambiguous))
