"""Denotations of expressions of the C dialects, and the state in which a thread is lowered."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

from scopec.base.diagnostics import Code, error, suggestion
from scopec.base.records import dataclass
from scopec.frontends.c import frame as c
from scopec.frontends.litmus.lower.frame import Frame
from scopec.frontends.litmus.lower.world import POINTER, World, integer_type
from scopec.program import types

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.c.syntax.tree import Call, Name, TypeName
    from scopec.program import ir
    from scopec.program.types import IntType
    from scopec.program.values import Value


@dataclass(frozen=True, slots=True)
class Local:
    """A local variable, which is a register; ``element`` is what it points to if it is a pointer."""

    name: str
    type: IntType
    element: IntType | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """An element of a location."""

    place: ir.Place
    type: IntType
    text: str


@dataclass(frozen=True, slots=True)
class Followed:
    """The location behind a pointer whose value the execution decides."""

    address: Value
    type: IntType
    text: str


@dataclass(frozen=True, slots=True)
class Pointer:
    """A pointer to an element of a location that is known."""

    object: str
    index: Value
    element: IntType


@dataclass(frozen=True, slots=True)
class LocalPointer:
    """The address of a local variable: ``&r0``."""

    local: Local


@dataclass(frozen=True, slots=True)
class AnyPointer:
    """A pointer whose value the execution decides."""

    address: Value
    element: IntType
    text: str


@dataclass(frozen=True, slots=True)
class Number:
    """An integer."""

    value: Value


Variable: TypeAlias = Local | Cell | Followed
PointerOperand: TypeAlias = Pointer | LocalPointer | AnyPointer
Operand: TypeAlias = Variable | PointerOperand | Number


@dataclass
class Touched:
    """The effects of an operand on registers, its own and those of the functions that it calls.

    ``pending`` are the side effects after its last sequence point: registers and objects that it has assigned to.
    """

    read: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    in_calls: set[str] = field(default_factory=set)
    pending: list[Variable] = field(default_factory=list)

    def add(self, part: Touched) -> None:
        """Add what a part of the operand does."""
        self.read |= part.read
        self.written |= part.written
        self.in_calls |= part.in_calls
        self.pending += part.pending

    def conflicts(self, other: Touched) -> set[str]:
        """The registers that one changes and the other reads or changes."""
        mine, its = self.written | self.in_calls, other.written | other.in_calls
        return (mine & (other.read | its)) | (its & (self.read | mine))


@dataclass
class CFrame(Frame, c.Frame[World]):
    """A thread of a C dialect: its names, and the address spaces that the program uses."""

    names: dict[str, Variable | PointerOperand] = field(default_factory=dict)
    spaces: frozenset[str] = frozenset()
    returns: int | None = None
    #: What the operand that is being lowered does; how many evaluations of operands in no order there were; whether
    #: the place is inside one.
    touched: Touched = field(default_factory=Touched)
    evaluations: int = 0
    apart: bool = False

    #: The type in which indices are computed.
    index_type: IntType = types.INT

    leaves_out = False
    way_out = "remove it"

    @abstractmethod
    def call(self, expr: Call) -> Operand:
        """Lower a call, whose arguments are expressions again."""

    def reads(self, name: Name) -> bool:
        """Whether the value of a name is read from memory."""
        return isinstance(self.names.get(name.name), (Cell, Followed))

    def returned(self, _: Span) -> None:
        """Go to the end of the function."""
        if self.returns is None:
            self.returns = self.builder.label()
        self.builder.jump(self.returns)

    def bind(self, name: str, operand: Variable | PointerOperand, span: Span) -> None:
        """Declare a name; InputError where an open block has it already."""
        if any(name in scope for scope in self.scopes):
            message = f"`{name}` is declared already in this thread"
            raise error(Code.DUPLICATE, message, span, "rename one of them: a thread's locals are one set of registers")
        self.scopes[-1][name] = self.names[name] = operand

    def add(self, name: str, local: Local, span: Span) -> Local:
        """Declare a register; one that another block declared with the same type is the same."""
        before = self.names.get(name)
        if isinstance(before, Local) and before.type != local.type:
            message = f"`{name}` is declared with two types in this thread"
            raise error(Code.DUPLICATE, message, span, "rename one of them: a thread's locals are one set of registers")
        self.bind(name, local, span)
        self.register(name, local.type)
        return local

    def lookup(self, name: str, span: Span) -> Variable | PointerOperand:
        """The meaning of a name; InputError with a suggestion if it has none.

        A register of the initial state needs no declaration.
        """
        if name in self.names:
            return self.names[name]
        given = self.world.registers.get((self.name, name))
        if given is not None:
            element = types.INT if (self.name, name) in self.world.pointer_registers else None
            self.names[name] = Local(name, given.type, element)
            self.register(name, given.type)
            return self.names[name]
        if name in self.world.objects:
            help_ = f"add the parameter `int* {name}`"
            raise error(Code.UNKNOWN_NAME, f"`{name}` is not a parameter of {self.name}", span, help_)
        known = suggestion(name, self.names) or "declare it"
        raise error(Code.UNKNOWN_NAME, f"`{name}` is not declared", span, known)


def pointed_type(type_: TypeName) -> IntType:
    """The type of what a pointer parameter points to."""
    return POINTER if type_.pointers > 1 else integer_type(type_)
