"""Operations without a meaning for some operands: each is an implicit assertion before the operation.

An LLVM division has the operands of the program's, so they are checked here.  A shift has not, as its amount was
widened before: clang is told to check that, and indices of arrays, and to go to a trap, which is recognised here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.numbers import as_type, kept, number, signed, unsigned
from scopec.frontends.clang.machine.opaque import Opaque
from scopec.frontends.clang.machine.state import Done
from scopec.program import faults, ir, values
from scopec.program.types import INT
from scopec.program.values import Binary, Const, Value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scopec.base.source import Span
    from scopec.frontends.clang.machine.recording import Recording
    from scopec.frontends.clang.machine.state import State

_DIVISIONS = {"sdiv": "/", "udiv": "/", "srem": "%", "urem": "%"}
_SHIFTS = ("shl", "lshr", "ashr")
#: The number that clang gives a trap behind an index.
_INDEX = llvm.Number(18)


def check_division(machine: Recording, state: State, opcode: str, left: Value, right: Value) -> None:
    """Assert that a division has a result; nothing of other instructions."""
    if opcode in _DIVISIONS:
        type_ = (signed if opcode[0] == "s" else unsigned)(left.type.bits)
        _check(machine, state, Binary(_DIVISIONS[opcode], as_type(left, type_), as_type(right, type_), type_))


def leads_to_trap(function: llvm.Function, label: str) -> bool:
    """Whether clang goes to a block where an operation has no result."""
    return llvm.is_trap(function.blocks[label][0].action)


def check_at_trap(machine: Recording, state: State, truth: Value, following: str, trap: str) -> None:
    """Assert what clang compares for an index or a shift; before a division it does too, which is checked by itself."""
    action = state.frame.function.blocks[trap][0].action
    if isinstance(action, llvm.Call) and action.arguments[0].operand == _INDEX:
        if truth != values.TRUE and not _is_not_modelled(state):
            span = machine.span(state)
            text = machine.world.text_of(span)
            _assert(machine, state, (faults.outside(truth, text, _length(state, following)),), span)
        return
    match state.frame.function.blocks[following][0].action:
        case llvm.Arithmetic(opcode, llvm.Int(bits)) if opcode in _SHIFTS:
            by = kept(truth.left) if isinstance(truth, Binary) else Const(0 if truth == values.TRUE else -1, INT)
            _check(machine, state, Binary("<<", number(0, bits), by, signed(bits)))
        case llvm.Arithmetic(opcode) if opcode in _DIVISIONS:
            pass
        case _ if truth != values.TRUE:
            no_result(machine, state)
        case _:
            pass


def _comparisons(state: State) -> list[llvm.Action]:
    """The instructions of a block that compute what its branch looks at."""
    code = state.frame.function.blocks[state.frame.label]
    decided_by = code[-1].action.condition if isinstance(code[-1].action, llvm.Branch) else None
    return [i.action for i in code if isinstance(decided_by, llvm.Local) and i.result == decided_by.name]


def _is_not_modelled(state: State) -> bool:
    """Whether an index that is compared with the length of its array is not modelled: it is taken to be one of it."""
    code = state.frame.function.blocks[state.frame.label]
    widened = {i.result: i.action.operand.operand for i in code if isinstance(i.action, llvm.Cast)}
    for action in _comparisons(state):
        index = action.left if isinstance(action, llvm.Compare) else None
        while isinstance(index, llvm.Local):
            if isinstance(state.frame.env.get(index.name), Opaque):
                return True
            index = widened.get(index.name)
    return False


def _length(state: State, following: str) -> int | None:
    """The length of an array whose index is compared with that, where it is told."""
    for action in (*_comparisons(state), *(i.action for i in state.frame.function.blocks[following])):
        match action:
            case llvm.Compare(_, "ult", _, _, llvm.Number(length)) | llvm.Element(llvm.Array(length)):
                return length
            case _:
                pass
    return None


def no_result(machine: Recording, state: State) -> None:
    """Say that there is no result, of an operation on constants, of which LLVM has no more than that.  Raises Done."""
    span = machine.span(state)
    _assert(machine, state, (faults.without_result(machine.world.text_of(span)),), span)


def beyond(machine: Recording, state: State, object_: str) -> Exception:
    """Say that an access is beyond an object; what to raise then."""
    span = machine.span(state)
    machine.emit(state, faults.beyond(machine.world.text_of(span), object_), span)
    machine.builder.end(span)
    return Done()


def meaningless(machine: Recording, state: State, wanted: str) -> Exception:
    """Say that something is undefined, for it is not as wanted; what to raise then."""
    span = machine.span(state)
    machine.emit(state, ir.Assert(values.FALSE, wanted, implicit=True), span)
    machine.builder.end(span)
    return Done()


def _check(machine: Recording, state: State, operation: Value) -> None:
    span = machine.span(state)
    _assert(machine, state, faults.of_arithmetic(operation, machine.world.text_of(span)), span)


def _assert(machine: Recording, state: State, checks: Iterable[ir.Assert], span: Span) -> None:
    for check in checks:
        machine.emit(state, check, span)
        if check.condition == values.FALSE:
            machine.builder.end(span)
            raise Done
