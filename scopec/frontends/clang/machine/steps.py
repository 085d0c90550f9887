"""The effects of instructions that do not decide where a thread goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.machine.access import load, store
from scopec.frontends.clang.machine.elements import computed_address
from scopec.frontends.clang.machine.instructions import (
    compared,
    computed,
    converted,
    empty,
    inserted,
    operand,
    part_of,
    place_of,
    selected,
)
from scopec.frontends.clang.machine.memory import Address, Content, Record
from scopec.frontends.clang.machine.variables import declared, local
from scopec.program import ir

if TYPE_CHECKING:
    from scopec.frontends.clang.machine.recording import Recording
    from scopec.frontends.clang.machine.state import State


def compute(machine: Recording, state: State, instruction: llvm.Instruction) -> Content | None:
    """The result of an instruction that does not decide where the thread goes on; None if it has none."""
    match instruction.action:
        case llvm.Alloca(type_, count):
            return Address(local(machine, state, instruction.result or "", type_, count))
        case llvm.Declare(address, variable):
            declared(machine, state, address, variable)
            return None
        case llvm.Load(type_, pointer, volatile):
            return load(
                machine, state, place_of(machine, state, pointer, type_), type_, ir.VOLATILE if volatile else ir.PLAIN
            )
        case llvm.Store(value, pointer, volatile):
            content = operand(machine, state, value)
            mode = ir.VOLATILE if volatile else ir.PLAIN
            store(machine, state, place_of(machine, state, pointer, value.type), content, value.type, mode)
            return None
        case llvm.Element() as part:
            return computed_address(machine, state, part)
        case llvm.Arithmetic(opcode, type_, left, right):
            return computed(machine, state, opcode, type_, left, right)
        case llvm.Compare(opcode, predicate, type_, left, right):
            return compared(machine, state, opcode, predicate, type_, left, right)
        case llvm.Cast(opcode, given, type_):
            return converted(machine, state, opcode, operand(machine, state, given), type_)
        case llvm.Select(condition, then, otherwise):
            return selected(machine, state, condition, then, otherwise)
        case llvm.Extract(aggregate, indices):
            content = operand(machine, state, aggregate)
            for index in indices:
                content = part_of(machine, state, content, index)
            return content
        case llvm.Insert(aggregate, value, indices):
            content = operand(machine, state, aggregate)
            whole = content if isinstance(content, Record) else empty(aggregate.type)
            return inserted(machine, state, whole, list(indices), operand(machine, state, value))
        case llvm.Other(opcode, message, help_):
            message = message or f"the instruction `{opcode}` is outside the modelled subset"
            raise error(Code.OUTSIDE_SUBSET, message, machine.span(state), help_)
        case _:
            raise AssertionError(instruction)
