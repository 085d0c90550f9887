"""Inline assembly: a call of the function that it is, and the intrinsics that nothing but PTX needs."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import InputError, error
from scopec.frontends.clang.asm_bits import BITS
from scopec.frontends.clang.asm_carry import CARRY
from scopec.frontends.clang.asm_inline import Inline, with_immediates
from scopec.frontends.clang.asm_memory import MEMORY
from scopec.frontends.clang.asm_numbers import NUMBERS
from scopec.frontends.clang.asm_threads import THREADS
from scopec.frontends.clang.calls import Call, Handler
from scopec.frontends.clang.instructions import operand
from scopec.frontends.clang.masks import thread_of, threads_of
from scopec.frontends.clang.numbers import number
from scopec.frontends.ptx import table
from scopec.program import ir, types, values
from scopec.program.collective import WARP
from scopec.program.values import Const, Value

if TYPE_CHECKING:
    from scopec.frontends.clang import llvm
    from scopec.frontends.clang.machine import Machine
    from scopec.frontends.clang.state import State

INSTRUCTIONS = {**MEMORY, **THREADS, **NUMBERS, **BITS, **CARRY}


def assembly(machine: Machine, state: State, instruction: llvm.Instruction, action: llvm.Assembly) -> bool:
    """Go into inline assembly; its results become those of the instruction."""
    if not action.text.strip():  # a barrier for the compiler, or nothing
        machine.finish(state, instruction, None)
        return True
    if machine.side.host:
        raise machine.refused(state, "inline assembly of the host is")
    try:
        given = tuple(argument.type for argument in action.arguments)
        text = with_immediates(action.text, action.constraints, [argument.operand for argument in action.arguments])
        function = _function(text, action.constraints, action.type, given, volatile=action.volatile)
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


@lru_cache(maxsize=1024)  # of a function that is inlined, or of a template
def _function(
    text: str, constraints: str, result: llvm.Type, arguments: tuple[llvm.Type, ...], *, volatile: bool
) -> llvm.Function:
    return Inline(INSTRUCTIONS, text, constraints, result, arguments, volatile=volatile).function()


def _lane(call: Call) -> bool:
    return call.done(number(list(table.LANES.values())[call.known(0)](thread_of(call)), 32))


def _count(call: Call, position: int) -> Value:
    """For how many threads a barrier is: all of the block where no count (-1) is written.

    "Barriers are executed on a per-warp basis as if all the threads in the warp are active [...] the arrival count for
    the barrier is incremented by the warp size" (PTX ISA, "bar"): a block's last warp may have fewer threads than that.
    """
    threads, count = threads_of(call), call.number(position)
    if not isinstance(count, Const) or (count.value % WARP and count.value != -1):
        return count  # threads stand for warps
    if count.value in (-1, -(-threads // WARP) * WARP):
        return number(threads, 32)
    if threads % WARP and threads > WARP:
        what = f"a barrier for {count.value} threads in a block whose last warp is not full is"
        raise call.machine.refused(call.state, what)
    return count


def _cta_barrier(call: Call) -> bool:
    """``bar.sync`` and ``bar.arrive``; ``bar.sync 0`` is ``__syncthreads()``."""
    name, count, everyone = _barrier(call)
    waits = bool(call.known(2))
    call.emit(ir.SyncThreads() if waits and everyone else ir.NamedBarrier((name,), count, waits))
    return call.done()


def _barrier(call: Call) -> tuple[Value, Value, bool]:
    """Which barrier is meant, for how many threads, and whether that is the one of ``__syncthreads()``."""
    name, count = call.number(0), _count(call, 1)
    if isinstance(name, Const) and not 0 <= name.value < table.BARRIERS:
        message = f"a block has the barriers 0 to {table.BARRIERS - 1}"
        raise error(Codes.BAD_ARGUMENTS, message, call.machine.span(call.state), "write one of these")
    return name, count, name == number(0, 32) and count == number(threads_of(call), 32)


def _cta_vote(call: Call) -> bool:
    """``bar.red``; that of the barrier 0 is ``__syncthreads_count()``, ``_and`` or ``_or``."""
    name, count, everyone = _barrier(call)
    register = call.target(types.INT)
    function = ("count", "and", "or")[call.known(2)]
    vote = ir.Vote(register.name, function, values.convert(call.number(3), types.INT))  # type: ignore[arg-type]
    call.emit(ir.SyncThreads(vote) if everyone else ir.NamedBarrier((name,), count, waits=True, vote=vote))
    return call.done(register)


def _end_thread(call: Call) -> bool:
    call.machine.leave_cluster(call.state)
    call.machine.builder.end(call.machine.span(call.state))
    return False


def _side_effect(call: Call) -> bool:
    call.emit(ir.SideEffect())
    return call.done()


#: What each intrinsic does that is PTX's alone.
ASSEMBLY: dict[str, Handler] = {
    "lane": _lane,
    "side_effect": _side_effect,
    "cta_barrier": _cta_barrier,
    "cta_vote": _cta_vote,
    "end_thread": _end_thread,
}
