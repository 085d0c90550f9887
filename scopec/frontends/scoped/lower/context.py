"""The state of lowering: one :class:`World` a program, one :class:`Frame` a thread's code that is being lowered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import field
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error, suggestion
from scopec.base.records import dataclass
from scopec.frontends.scoped.lower.lookup import Globals
from scopec.program import faults, ir, values
from scopec.program.builder import Builder

if TYPE_CHECKING:
    from scopec.base.source import Source, Span
    from scopec.frontends.scoped.lower.cpp_types import Type
    from scopec.frontends.scoped.lower.operands import Operand, Variable
    from scopec.frontends.scoped.syntax import tree
    from scopec.program.types import IntType
    from scopec.program.values import Value


@dataclass(frozen=True, slots=True)
class Region:
    """Objects of one type that stand side by side, numbered from ``base``: what runtime pointers may point to."""

    object: str
    type: Type
    base: int
    count: int
    volatile: bool = False


@dataclass
class World:
    """What the whole program declares, filled while it is lowered.

    ``regions`` are, by the name of a type, the objects whose address is a value at run time.  They are found while the
    program is lowered, and a pointer that is followed before an address is taken must know it too: the program is
    lowered again until they stay the same.  ``registered`` are the objects that some call registers;
    ``errors`` the objects that hold the error of a device, where some kernel may be aborted (``aborts``, which is found
    the same way).
    """

    source: Source
    overrides: dict[str, tree.Expr]
    regions: dict[str, list[Region]] = field(default_factory=dict)
    globals: Globals = field(default_factory=Globals)
    objects: dict[str, ir.Object] = field(default_factory=dict)
    streams: dict[str, ir.Stream] = field(default_factory=dict)
    events: dict[str, Span] = field(default_factory=dict)
    grids: dict[str, ir.Grid] = field(default_factory=dict)
    others: list[ir.Thread] = field(default_factory=list)
    constants: dict[str, int | ir.Order | ir.Scope] = field(default_factory=dict)
    variant: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    registered: set[str] = field(default_factory=set)
    errors: dict[int, Variable] = field(default_factory=dict)
    aborts: bool = False
    found_abort: bool = False
    shared: dict[tuple[str, str], Operand] = field(default_factory=dict)

    def unique_object(self, name: str) -> str:
        """A name for a new object that no other object's name, or part of it, is equal to."""
        while any(known == name or known.startswith((f"{name}.", f"{name}[")) for known in self.objects):
            name += "'"
        return name


@dataclass
class Loop:
    """Where ``break`` and ``continue`` go, and how many scopes were open outside; ``again`` is None for a switch."""

    after: int
    again: int | None
    depth: int


@dataclass
class Block:
    """A block's names, and what happens at its end, last first."""

    names: dict[str, Operand] = field(default_factory=dict)
    cleanups: list[Callable[[Frame], None]] = field(default_factory=list)


@dataclass
class Call:
    """The function whose body is being lowered.

    ``depth`` is the number of scopes that are not its own; ``after`` the label behind a call that is expanded in place
    (None in a thread's own function); ``returned`` what it returns.
    """

    name: str
    type: Type
    depth: int = 0
    after: int | None = None
    returned: Operand | None = None
    body: tree.Block | None = None
    assigned: frozenset[str] = frozenset()
    in_memory: frozenset[str] = frozenset()
    reassigned: frozenset[str] = frozenset()


@dataclass
class Frame:
    """A thread's code that is being lowered into a graph.

    ``prefix`` makes the names of its own objects unique; ``host`` says whether it is host code; ``device`` is the
    current device of host code; ``nesting`` counts the branches and loops around the current place; ``constant`` is
    true where only constant expressions may be evaluated (initial values in device memory); ``registered`` are the
    objects whose memory is registered at this place, as far as the thread and those that created it know.  Functions
    that are expanded in place share the builder and the registers but have scopes of their own.
    """

    world: World
    prefix: str
    host: bool
    call: Call
    device: int = 0
    builder: Builder = field(default_factory=Builder)
    scopes: list[Block] = field(default_factory=lambda: [Block()])
    loops: list[Loop] = field(default_factory=list)
    calls: tuple[str, ...] = ()
    nesting: int = 0
    constant: bool = False
    registered: set[str] = field(default_factory=set)
    variables: dict[str, IntType] = field(default_factory=dict)
    ambiguous: set[str] = field(default_factory=set)
    _used: set[str] = field(default_factory=set)
    _temporaries: int = 0

    # ---- names

    def find(self, name: str) -> Operand | None:
        """What a name that the file declares means here."""
        for block in reversed(self.scopes[self.call.depth :]):
            if name in block.names:
                return block.names[name]
        return self.world.globals.names.get(name)

    def unknown(self, name: str, span: Span) -> Exception:
        """The error for a name that means nothing here."""
        known = [n for block in self.scopes for n in block.names] + list(self.world.globals.names)
        return error(Code.UNKNOWN_NAME, f"`{name}` is not declared", span, suggestion(name, known))

    def bind(self, name: str, operand: Operand, span: Span) -> None:
        """Declare a local name; InputError if its block has it already."""
        if name in self.scopes[-1].names:
            raise error(Code.DUPLICATE, f"`{name}` is declared already in this block", span)
        self.scopes[-1].names[name] = operand

    def declare(self, name: str, operand: Operand, span: Span) -> None:
        """Declare a name where the code stands: in a block, or outside functions."""
        if self.call.body is not None:
            self.bind(name, operand, span)
        else:
            self.world.globals.declare(name, operand, span)

    # ---- scopes

    @contextmanager
    def block(self) -> Iterator[Block]:
        """A scope; what is to happen at its end is appended when it ends."""
        opened = Block()
        self.scopes.append(opened)
        yield opened
        self.clean(opened)
        self.scopes.pop()

    def clean(self, block: Block) -> None:
        """Append what happens at the end of a scope (also where it is left early)."""
        for cleanup in reversed(list(block.cleanups)):
            cleanup(self)

    def leave(self, depth: int) -> None:
        """Append what happens when control leaves all scopes beyond ``depth``."""
        inner = self.scopes[depth:]
        for block in reversed(inner):
            self.clean(block)

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

    def computed(self, value: Value, span: Span) -> Value:
        """The result of an operation, after what must hold for it to have one."""
        for check in faults.of_arithmetic(value, self.world.source.text_of(span)):
            self.builder.emit(check, span)
        return value

    def finish(self) -> ir.Body:
        """The finished graph."""
        return self.builder.finish(self.variables, frozenset(self.ambiguous))


def outside(message: str, span: Span, help: str | None = None) -> Exception:
    """The error for something outside the modelled subset."""
    return error(Code.OUTSIDE_SUBSET, f"{message} outside the modelled subset", span, help)
