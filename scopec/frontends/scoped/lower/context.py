"""The state of lowering: one :class:`World` a program, one :class:`Frame` a thread whose code is being lowered."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import field
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error, suggestion
from scopec.base.records import dataclass
from scopec.frontends.c import frame as c
from scopec.frontends.scoped.lower import names
from scopec.frontends.scoped.lower.operands import (
    Atomic,
    Computed,
    Enumerator,
    Index,
    Operand,
    Register,
    Variable,
    describe,
)
from scopec.frontends.scoped.out_of_subset import out_of_subset
from scopec.program import ir
from scopec.program.types import INT
from scopec.program.values import Const, Reg, Value

if TYPE_CHECKING:
    from scopec.base.source import Source, Span
    from scopec.frontends.c.syntax import tree
    from scopec.program.types import IntType


@dataclass
class World:
    """The declarations of the whole program, filled while it is lowered; ``namespaces`` are other names for these."""

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


@dataclass
class Frame(c.Frame["World"]):
    """A thread's code in the scoped language that is being lowered.

    ``prefix`` makes the names of its own objects unique; ``host`` says whether it is host code, of whose objects alone
    lifetimes are modelled.  ``touches`` counts the accesses to memory so far, ``events`` what other threads may notice
    among them, ``changes`` the variables that expressions changed.
    """

    prefix: str
    host: bool
    touches: int = 0
    events: int = 0
    changes: int = 0
    variables: dict[str, IntType] = field(default_factory=dict)
    ambiguous: set[str] = field(default_factory=set)
    _used: set[str] = field(default_factory=set)

    leaves_out = True  # code that is not part of this variant
    way_out = None

    @abstractmethod
    def operand(self, expr: tree.Expr) -> Operand:
        """The denotation of an expression, its effects appended to the graph."""

    def alone(self, expr: tree.Expr) -> Value:
        """The value of an expression beside which others are used whose values it must not change."""
        before = self.changes
        value = self.value(expr)
        if self.changes > before:
            help_ = "compare and exchange in a statement or condition of its own"
            raise out_of_subset("a compare-exchange as part of this is", expr.span, help_)
        return value

    def constant(self, expr: tree.Expr, what: str) -> int:
        """The value of an expression that must be known when the program is compiled."""
        value = self.value(expr)
        if not isinstance(value, Const):
            raise error(Code.NOT_CONSTANT, f"{what} must be a constant", expr.span)
        return value.value

    def returned(self, span: Span) -> None:
        """Append the end of the function."""
        self.leave(0, span)
        self.builder.end(span)

    # ---- what expressions denote

    def value(self, expr: tree.Expr) -> Value:
        """Evaluate an expression to an integer (a variable is read)."""
        return self.read(self.operand(expr), expr.span)

    def read(self, operand: Operand, span: Span) -> Value:
        """The value of what was denoted: lvalue-to-rvalue conversion."""
        match operand:
            case Computed(value):
                return value
            case Register(name, type_):
                return Reg(name, type_)
            case Variable(place, _, volatile):
                return self.load(place, ir.VOLATILE if volatile else ir.PLAIN, span)
            case Atomic():
                raise out_of_subset("an atomic that is read without `load` is", span)
            case _:
                raise error(Code.TYPE_ERROR, f"a number is wanted here, not {describe(operand)}", span)

    def load(self, place: ir.Place, mode: ir.Mode, span: Span) -> Value:
        """Append a read."""
        result = self.temporary(self.world.objects[place.object].type)
        self.emit(ir.Load(result.name, place, mode), span)
        return result

    # ---- names

    def named(self, name: str, span: Span) -> Operand:
        """The denotation of a name: the file's own first, then what the libraries declare."""
        if (found := self.find(name)) is not None:
            return found
        full = self.world.library_name(name)
        enumerator = names.order_named(full) or names.scope_named(full)
        if enumerator is not None:
            return Enumerator(enumerator)
        if name in names.INDEX_NAMES:
            if self.host:
                raise error(Code.TYPE_ERROR, f"`{name}` has a meaning in kernels only", span)
            return Index(name)
        if name in names.CONSTANTS:
            return Computed(Const(names.CONSTANTS[name], INT))
        known = [n for scope in self.scopes for n in scope] + list(self.world.names)
        help_ = suggestion(name, known) or names.meant_name(name)
        raise error(Code.UNKNOWN_NAME, f"`{name}` is not declared", span, help_)

    def reads(self, name: tree.Name) -> bool:
        """Whether the value of a name is read from memory."""
        return name.argument is not None or isinstance(self.named(name.name, name.span), (Variable, Atomic))

    def find(self, name: str) -> Operand | None:
        """The meaning here of a name that the file declares."""
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), self.world.names.get(name))

    def bind(self, name: str, operand: Operand, span: Span) -> None:
        """Declare a local name; InputError if its block has it already."""
        if name in self.scopes[-1]:
            raise error(Code.DUPLICATE, f"`{name}` is declared already in this block", span)
        self.scopes[-1][name] = operand

    def lives(self, object_: str, span: Span) -> None:
        """Begin the lifetimes of what the innermost block declares."""
        if self.host and self.living:
            self.living[-1].append(object_)
            self.builder.emit(ir.Lifetime(object_, (object_,), begins=True), span)

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

    def emit(self, operation: ir.Operation, span: Span) -> None:
        """Append an operation to the graph, and count what it does."""
        super().emit(operation, span)
        if not isinstance(operation, (ir.Set, ir.Assert)):
            self.touches += 1
            self.events += not (isinstance(operation, ir.Load) and operation.mode == ir.PLAIN)

    def finish(self) -> ir.Body:
        """The finished graph."""
        return self.builder.finish(self.variables, frozenset(self.ambiguous))
