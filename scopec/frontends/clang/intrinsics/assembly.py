"""Inline assembly: a call of the function that it is, and the intrinsics that nothing but PTX needs."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from scopec.base.diagnostics import InputError, error
from scopec.frontends.clang.intrinsics.call import Call
from scopec.frontends.clang.intrinsics.calls import Handler
from scopec.frontends.clang.intrinsics.masks import thread_of
from scopec.frontends.clang.llvm.numbers import number
from scopec.frontends.clang.machine.instructions import operand
from scopec.frontends.clang.ptx.bits import BITS
from scopec.frontends.clang.ptx.carry import CARRY
from scopec.frontends.clang.ptx.copies import COPIES
from scopec.frontends.clang.ptx.inline import Inline, with_immediates
from scopec.frontends.clang.ptx.matrices import MATRICES
from scopec.frontends.clang.ptx.mbarriers import MBARRIERS
from scopec.frontends.clang.ptx.memory import MEMORY
from scopec.frontends.clang.ptx.numbers import NUMBERS
from scopec.frontends.clang.ptx.sends import SENDS
from scopec.frontends.clang.ptx.tensor_cores import TENSOR_CORES
from scopec.frontends.clang.ptx.threads import THREADS
from scopec.frontends.ptx import table
from scopec.program import ir

if TYPE_CHECKING:
    from scopec.frontends.clang.llvm import code as llvm
    from scopec.frontends.clang.machine.machine import Machine
    from scopec.frontends.clang.machine.state import State

INSTRUCTIONS = {**MEMORY, **COPIES, **SENDS, **MBARRIERS, **MATRICES, **TENSOR_CORES, **THREADS, **NUMBERS, **BITS,
                **CARRY}  # fmt: skip


def assembly(machine: Machine, state: State, instruction: llvm.Instruction, action: llvm.Assembly) -> bool:
    """Go into inline assembly; its results become those of the instruction."""
    if not action.text.strip():  # a barrier for the compiler, or nothing
        machine.finish(state, instruction, None)
        return True
    if machine.side.host:
        raise machine.refused(state, "inline assembly of the host is")
    try:
        function = function_of(action)
    except InputError as found:
        (wrong, *_) = found.diagnostics
        where = f" (line {wrong.span.line} of the assembly)" if "\n" in action.text.strip() else ""
        raise error(wrong.code, wrong.message + where, machine.span(state), wrong.help) from None
    arguments = [operand(machine, state, argument) for argument in action.arguments]
    caller = state.frame
    machine.call(state, function, arguments, instruction.result, instruction.place)
    callee = state.frames.pop()
    machine.finish(state, instruction, None)
    assert caller is state.frame
    state.frames.append(callee)
    return True


def function_of(action: llvm.Assembly) -> llvm.Function:
    """The function that inline assembly is; InputError, at a place in a text of the name ``asm``, for what is not
    modelled.
    """
    given = tuple(argument.type for argument in action.arguments)
    text = with_immediates(action.text, action.constraints, [argument.operand for argument in action.arguments])
    return _function(text, action.constraints, action.type, given, volatile=action.volatile)


@lru_cache(maxsize=1024)  # of a function that is inlined, or of a template
def _function(
    text: str, constraints: str, result: llvm.Type, arguments: tuple[llvm.Type, ...], *, volatile: bool
) -> llvm.Function:
    return Inline(INSTRUCTIONS, text, constraints, result, arguments, volatile=volatile).function()


def _lane(call: Call) -> bool:
    return call.done(number(list(table.LANES.values())[call.known(0)](thread_of(call)), 32))


def _end_thread(call: Call) -> bool:
    call.machine.leave_cluster(call.state)
    call.machine.builder.end(call.machine.span(call.state))
    return False


def _side_effect(call: Call) -> bool:
    call.emit(ir.SideEffect())
    return call.done()


#: The effect of each intrinsic that is PTX's alone.
ASSEMBLY: dict[str, Handler] = {
    "lane": _lane,
    "side_effect": _side_effect,
    "end_thread": _end_thread,
}
