"""A call that is being executed: its arguments, and what it does to the thread."""

from __future__ import annotations

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import error
from scopec.base.records import dataclass
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.machine.addresses import as_number
from scopec.frontends.clang.machine.machine import Machine
from scopec.frontends.clang.machine.memory import Content
from scopec.frontends.clang.machine.state import State
from scopec.program import ir, types
from scopec.program.values import Const, Reg, Value

#: An addition to the scope of an access that is volatile in PTX.
VOLATILE_BIT = 8
#: The numbers of std::memory_order.
ORDERS = (ir.Order.RELAXED, ir.Order.ACQUIRE, ir.Order.ACQUIRE, ir.Order.RELEASE, ir.Order.ACQ_REL, ir.Order.SEQ_CST)


@dataclass(frozen=True)
class Call:
    """A call that is being executed: the arguments, and the letter of its template argument in the mangled name."""

    machine: Machine
    state: State
    instruction: llvm.Instruction
    action: llvm.Call
    arguments: tuple[Content, ...]
    name: str
    template: str

    def number(self, position: int) -> Value:
        """An argument that is a number."""
        return as_number(self.machine, self.state, self.arguments[position])

    def known(self, position: int) -> int:
        """An argument that is a constant."""
        value = self.number(position)
        if not isinstance(value, Const):
            raise error(Codes.NOT_CONSTANT, f"a constant is wanted for `{self.name}`", self.machine.span(self.state))
        return value.value

    def emit(self, operation: ir.Operation) -> None:
        """Append an operation to the thread's graph."""
        self.machine.emit(self.state, operation)

    def done(self, content: Content | None = None) -> bool:
        """The call is over, with a result."""
        self.machine.finish(self.state, self.instruction, content)
        return True

    def mode(self, order: ir.Order, scope: int) -> ir.Mode:
        """The mode of an atomic access, with the argument that says its scope."""
        volatile, scope = divmod(self.known(scope), VOLATILE_BIT)
        return ir.Mode(order, ir.Scope(scope), bool(volatile))

    def order(self, position: int, allowed: tuple[ir.Order, ...] = tuple(ir.Order), what: str = "this") -> ir.Order:
        """The order that an argument is; InputError if the operation cannot have it."""
        found = ORDERS[self.known(position)]
        if found not in allowed:
            orders = ", ".join(order.value for order in allowed)
            message = f"{what} cannot have the order {found.value}"
            raise error(Codes.BAD_ARGUMENTS, message, self.machine.span(self.state), f"use one of {orders}")
        return found

    def target(self, type_: types.IntType) -> Reg:
        """A register for what the call finds."""
        return self.machine.target(self.state, type_)
