"""Inline assembly: a call of the function that it is, and the intrinsics that nothing but PTX needs."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import InputError, error
from scopec.frontends.clang.asm_bits import BITS
from scopec.frontends.clang.asm_inline import Inline
from scopec.frontends.clang.asm_memory import MEMORY
from scopec.frontends.clang.asm_numbers import NUMBERS
from scopec.frontends.clang.asm_threads import THREADS
from scopec.frontends.clang.calls import Call, Handler, address_of
from scopec.frontends.clang.instructions import operand
from scopec.frontends.clang.memory import Memory, Private
from scopec.frontends.clang.numbers import number
from scopec.frontends.clang.undefined import beyond
from scopec.frontends.clang.warps import thread_of, threads_of
from scopec.frontends.clang.work import Launch
from scopec.frontends.ptx import table
from scopec.program import ir, types, values
from scopec.program.collective import WARP
from scopec.program.values import Const, Value

if TYPE_CHECKING:
    from scopec.frontends.clang import llvm
    from scopec.frontends.clang.machine import Machine
    from scopec.frontends.clang.state import State

INSTRUCTIONS = {**MEMORY, **THREADS, **NUMBERS, **BITS}


def assembly(machine: Machine, state: State, instruction: llvm.Instruction, action: llvm.Assembly) -> bool:
    """Go into inline assembly; its results become those of the instruction."""
    if not action.text.strip():  # a barrier for the compiler, or nothing
        machine.finish(state, instruction, None)
        return True
    if machine.side.host:
        raise machine.refused(state, "inline assembly of the host is")
    try:
        given = tuple(argument.type for argument in action.arguments)
        function = _function(action.text, action.constraints, action.type, given)
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
def _function(text: str, constraints: str, result: llvm.Type, arguments: tuple[llvm.Type, ...]) -> llvm.Function:
    return Inline(INSTRUCTIONS, text, constraints, result, arguments).function()


def _in_space(call: Call) -> bool:
    """That an address is in the state space that an access names."""
    region, shared = address_of(call, 0).region, bool(call.known(1))
    storage = ir.Storage.AUTOMATIC if isinstance(region, Private) else call.machine.world.storage(region)
    fits = (storage is ir.Storage.SHARED) if shared else storage not in (ir.Storage.SHARED, ir.Storage.AUTOMATIC)
    if isinstance(region, (Memory, Private)) and storage is not None and not fits:
        raise beyond(call.machine, call.state, "shared memory" if shared else "global memory")
    return call.done()


def _space(call: Call) -> bool:
    """Whether an address is in a state space: what no kernel gets as a parameter or has as a constant is global."""
    region, space = address_of(call, 0).region, table.SPACES[call.known(1)].partition("::")[0]
    storage = ir.Storage.AUTOMATIC if isinstance(region, Private) else call.machine.world.storage(region)
    if space not in ("shared", "global", "local") or storage is None:
        raise call.machine.refused(call.state, "a test for this state space, or of what is no variable, is")
    found = {ir.Storage.SHARED: "shared", ir.Storage.AUTOMATIC: "local"}.get(storage, "global")
    return call.done(number(found == space, 1))


def _launch(call: Call) -> Launch:
    """The launch that the thread is of."""
    launch = call.machine.world.launches[call.machine.thread]
    assert isinstance(launch, Launch)
    return launch


def _cluster_index(call: Call) -> bool:
    function, axis = list(table.CLUSTERS.values())[call.known(0)], "xyz"[call.known(1)]
    extent = getattr(_launch(call).cluster or ir.Dim(), axis)
    block, grid = (call.machine.builtins[f"{name}.{axis}"] for name in ("blockIdx", "gridDim"))
    return call.done(number(function(block, extent, grid), 32))


def _in_cluster(call: Call) -> bool:
    return call.done(number(_launch(call).cluster is not None, 1))


def _dynamic_shared(call: Call) -> bool:
    return call.done(number(_launch(call).shared, 32))


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
    name, count, waits = call.number(0), _count(call, 1), bool(call.known(2))
    if isinstance(name, Const) and not 0 <= name.value < table.BARRIERS:
        message = f"a block has the barriers 0 to {table.BARRIERS - 1}"
        raise error(Codes.BAD_ARGUMENTS, message, call.machine.span(call.state))
    everyone = name == number(0, 32) and count == number(threads_of(call), 32)
    call.emit(ir.SyncThreads() if waits and everyone else ir.NamedBarrier((name,), count, waits))
    return call.done()


def _cta_vote(call: Call) -> bool:
    if call.number(0) != number(0, 32) or _count(call, 1) != number(threads_of(call), 32):
        raise call.machine.refused(call.state, "`bar.red` of another barrier than 0, or of some threads, is")
    register = call.target(types.INT)
    function = ("count", "and", "or")[call.known(2)]
    vote = ir.Vote(register.name, function, values.convert(call.number(3), types.INT))  # type: ignore[arg-type]
    call.emit(ir.SyncThreads(vote))
    return call.done(register)


def _own_block(call: Call) -> bool:
    rank = call.number(0)
    if rank != number(call.machine.builtins.get("clusterRank", 0), 32):
        raise call.machine.refused(call.state, "an address in another block's shared memory is")
    return call.done()


def _end_thread(call: Call) -> bool:
    call.machine.builder.end(call.machine.span(call.state))
    return False


#: What each intrinsic does that is PTX's alone.
ASSEMBLY: dict[str, Handler] = {
    "in_space": _in_space,
    "space": _space,
    "lane": _lane,
    "cluster_index": _cluster_index,
    "in_cluster": _in_cluster,
    "dynamic_shared": _dynamic_shared,
    "cta_barrier": _cta_barrier,
    "cta_vote": _cta_vote,
    "own_block": _own_block,
    "end_thread": _end_thread,
}
