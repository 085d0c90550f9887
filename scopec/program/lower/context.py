"""The state of lowering: one :class:`World` a program, one :class:`Frame` a function that is being lowered."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scopec.diagnostics import Code, error, suggestion
from scopec.program import ir, values
from scopec.program.lower import names
from scopec.program.lower.builder import Builder
from scopec.program.lower.operands import Enumerator, Operand

if TYPE_CHECKING:
    from scopec.program.lower.names import Type
    from scopec.program.types import IntType
    from scopec.source import Source, Span
    from scopec.syntax import tree


@dataclass
class World:
    """What the whole program declares, filled while it is lowered."""

    source: Source
    overrides: dict[str, tree.Expr]
    globals: dict[str, Operand] = field(default_factory=dict)
    global_spans: dict[str, Span] = field(default_factory=dict)
    objects: dict[str, ir.Object] = field(default_factory=dict)
    streams: dict[str, ir.Stream] = field(default_factory=dict)
    events: dict[str, Span] = field(default_factory=dict)
    grids: dict[str, ir.Grid] = field(default_factory=dict)
    constants: dict[str, int | ir.Order | ir.Scope] = field(default_factory=dict)
    variant: dict[str, str] = field(default_factory=dict)
    warnings: list[tuple[Code, str, Span]] = field(default_factory=list)

    def declare(self, name: str, operand: Operand, span: Span) -> None:
        """Add a global name; InputError if the file has it already."""
        if name in self.globals:
            first = self.global_spans[name]
            raise error(Code.DUPLICATE, f"`{name}` is declared already, at line {first.line}", span)
        self.globals[name] = operand
        self.global_spans[name] = span

    def scope_of(self, expr: tree.Expr) -> ir.Scope:
        """The thread scope that a template argument names."""
        known: dict[str, object] = {n: o.value for n, o in self.globals.items() if isinstance(o, Enumerator)}
        return names.scope_argument(expr, known)

    def resolve(self, type_: tree.TypeName) -> Type:
        """The meaning of a written type."""
        return names.resolve(type_, self.scope_of)


@dataclass
class Loop:
    """Where ``break`` and ``continue`` go."""

    after: int
    again: int


@dataclass
class Frame:
    """A function body that is being lowered into a graph.

    ``prefix`` makes names of the function's own objects unique; ``host`` tells host code; ``device`` is the current
    device of host code.  Inlined calls share the builder and the registers but have scopes of their own.
    """

    world: World
    prefix: str
    host: bool
    device: int = 0
    builder: Builder = field(default_factory=Builder)
    scopes: list[dict[str, Operand]] = field(default_factory=lambda: [{}])
    loops: list[Loop] = field(default_factory=list)
    variables: dict[str, IntType] = field(default_factory=dict)
    ambiguous: set[str] = field(default_factory=set)
    inlining: tuple[str, ...] = ()
    return_label: int | None = None
    return_register: str | None = None
    return_type: Type | None = None
    in_memory: frozenset[str] = frozenset()
    _used: set[str] = field(default_factory=set)
    _temporaries: int = 0

    def lookup(self, name: str, span: Span) -> Operand:
        """What a name means here; InputError with a suggestion if nothing."""
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        if name in self.world.globals:
            return self.world.globals[name]
        known = [n for scope in self.scopes for n in scope] + list(self.world.globals)
        raise error(Code.UNKNOWN_NAME, f"`{name}` is not declared", span, suggestion(name, known))

    def bind(self, name: str, operand: Operand, span: Span) -> None:
        """Declare a local name; InputError if its block has it already."""
        if name in self.scopes[-1]:
            raise error(Code.DUPLICATE, f"`{name}` is declared already in this block", span)
        self.scopes[-1][name] = operand

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
        """Append an operation to the graph."""
        self.builder.emit(operation, span)

    def finish(self) -> ir.Body:
        """The finished graph."""
        return self.builder.finish(self.variables, frozenset(self.ambiguous))
