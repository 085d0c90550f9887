"""Calls: of functions that have a body, of LLVM's own, and of the intrinsics that the shims are made of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import error
from scopec.frontends.clang.intrinsics.allocations import ALLOCATIONS
from scopec.frontends.clang.intrinsics.assembly import ASSEMBLY, assembly
from scopec.frontends.clang.intrinsics.atomics import ATOMICS
from scopec.frontends.clang.intrinsics.block_barriers import BARRIERS
from scopec.frontends.clang.intrinsics.bulk_copies import BULK_COPIES
from scopec.frontends.clang.intrinsics.call import Call
from scopec.frontends.clang.intrinsics.calls import INTRINSICS, enter, of_llvm
from scopec.frontends.clang.intrinsics.clusters import CLUSTERS
from scopec.frontends.clang.intrinsics.copies import COPIES
from scopec.frontends.clang.intrinsics.graphs import GRAPHS
from scopec.frontends.clang.intrinsics.guards import guard_acquire, guard_release
from scopec.frontends.clang.intrinsics.host import HOST, at_exit
from scopec.frontends.clang.intrinsics.launches import LAUNCHES, configure, launch_kernel, take_configuration
from scopec.frontends.clang.intrinsics.matrices import MATRICES
from scopec.frontends.clang.intrinsics.mbarriers import MBARRIERS
from scopec.frontends.clang.intrinsics.peers import PEERS
from scopec.frontends.clang.intrinsics.stream_values import STREAM_VALUES
from scopec.frontends.clang.intrinsics.tensor_cores import TENSOR_CORES
from scopec.frontends.clang.intrinsics.tensors import TENSORS
from scopec.frontends.clang.intrinsics.vectors import VECTORS
from scopec.frontends.clang.intrinsics.warps import WARPS
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.machine.access import follows_null
from scopec.frontends.clang.machine.instructions import operand, tell_apart
from scopec.frontends.clang.machine.memory import Address, Code, Content, Held, Nowhere
from scopec.frontends.clang.machine.opaque import made_of
from scopec.frontends.clang.machine.state import State

if TYPE_CHECKING:
    from scopec.frontends.clang.machine.machine import Machine

#: What the names of its functions begin with.
_OF_LIBDEVICE = "__nv_"
_OF_THE_ABI = {
    "__cxa_atexit": at_exit, "__cxa_guard_acquire": guard_acquire, "__cxa_guard_release": guard_release,
}  # fmt: skip
#: The tables of intrinsics; each has names of its own.
TABLES = (
    ATOMICS, VECTORS, INTRINSICS, HOST, ALLOCATIONS, LAUNCHES, COPIES, WARPS, CLUSTERS, ASSEMBLY, BARRIERS, MBARRIERS,
    BULK_COPIES, TENSORS, MATRICES, TENSOR_CORES, GRAPHS, STREAM_VALUES, PEERS,
)  # fmt: skip
_INTRINSICS = {name: handler for table in TABLES for name, handler in table.items()}


def called(machine: Machine, state: State, instruction: llvm.Instruction) -> bool:
    """Execute a call; False where the state goes no further here."""
    action = instruction.action
    if isinstance(action, llvm.Assembly):
        return assembly(machine, state, instruction, action)
    assert isinstance(action, llvm.Call)
    callee = llvm.Typed(llvm.Pointer(), action.function)
    target = operand(machine, state, callee)
    if isinstance(target, Held):
        raise tell_apart(machine, state, callee, target, Code)
    if isinstance(target, Address) and isinstance(target.region, Nowhere):
        raise follows_null(machine, state)
    if not isinstance(target, Address) or not isinstance(target.region, Code):
        raise machine.refused(state, "a call through a pointer that is not known is")
    name = target.region.name
    arguments = tuple(operand(machine, state, argument) for argument in action.arguments)
    plain, template = intrinsic(name)
    call = Call(machine, state, instruction, action, arguments, plain, template)
    if plain in _INTRINSICS:
        return _INTRINSICS[plain](call)
    if name.startswith("llvm."):
        return of_llvm(call, name)
    if name == "__cudaPushCallConfiguration":
        return configure(call)
    if name in _OF_THE_ABI:
        return _OF_THE_ABI[name](call)
    if name == "__cudaPopCallConfiguration":
        return take_configuration(call)
    if name == "cudaLaunchKernel":
        return launch_kernel(call)
    function = machine.side.function(name)
    if function is None:
        if name.startswith(_OF_LIBDEVICE) and (found := _of_numbers(call, name)) is not None:
            return call.done(found)
        if name == "__cxa_allocate_exception":
            raise machine.refused(state, "an exception is")
        span = machine.span(state)
        written = _of_library(call) or machine.world.text_of(span).partition("(")[0] or plain
        raise error(Codes.UNMODELLED_CALL, f"scopec does not model `{written}`", span)
    return enter(call, function)


def _of_library(call: Call) -> str:
    """The function of the library that the program calls, where it is that one's code that makes a call."""
    debug, name = call.machine.side.debug, ""
    for frame in reversed(call.state.frames):
        subprogram = frame.function.subprogram
        if not debug.is_library(subprogram):
            break
        name = debug.qualified(subprogram).partition("<")[0] if subprogram else name
    return name


def _of_numbers(call: Call, name: str) -> Content | None:
    """The result of a function of NVIDIA's library of bit code, which depends on its arguments alone, and is unknown as
    floating-point numbers are; None where there is no such number, or a pointer."""
    types = [call.action.type, *(argument.type for argument in call.action.arguments)]
    numbers = all(isinstance(type_, (llvm.Float, llvm.Int)) for type_ in types)
    if not numbers or not any(isinstance(type_, llvm.Float) for type_ in types):
        return None
    return made_of(llvm.size(call.action.type), *call.arguments, by=name)


def intrinsic(name: str) -> tuple[str, str]:
    """The plain name of an intrinsic, and what follows it in the mangled name."""
    found = re.match(r"_Z(\d+)(__scopec_\w+)", name)
    if found is None:
        return name, ""
    length = int(found[1])
    return found[2][:length].removeprefix("__scopec_"), found[2][length:].removeprefix("I")
