"""Calls: of functions that have a body, of LLVM's own, and of the intrinsics that the shims are made of."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import error
from scopec.frontends.clang.intrinsics.call import ORDERS, Call
from scopec.frontends.clang.intrinsics.masks import know_lanes
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.bits import count_ones, leading_zeros, reverse, trailing_zeros
from scopec.frontends.clang.llvm.numbers import arithmetic, compare, number, resized
from scopec.frontends.clang.machine.instructions import either, pointer_of
from scopec.frontends.clang.machine.lifetimes import begin, end
from scopec.frontends.clang.machine.memcpy import copy_bytes, fill_bytes
from scopec.frontends.clang.machine.memory import Address, Content, Memory, Record, Unset
from scopec.frontends.clang.machine.opaque import Opaque, Origin, made_of
from scopec.frontends.clang.machine.state import Again
from scopec.program import ir, types, values
from scopec.program.constants import alternatives
from scopec.program.streams import LAUNCH_FAILURE, last_error_name
from scopec.program.values import Const, Value

if TYPE_CHECKING:
    from collections.abc import Callable


#: The meanings of the numbers of `__scopec_index`.
INDICES = (
    *(f"{name}.{axis}" for name in ("threadIdx", "blockIdx", "blockDim", "gridDim") for axis in "xyz"),
    "clusterRank", "clusterSize",
)  # fmt: skip


def enter(call: Call, function: llvm.Function) -> bool:
    """Go into a function; its result becomes that of the call."""
    machine, state, instruction = call.machine, call.state, call.instruction
    caller = state.frame
    machine.call(state, function, list(call.arguments), instruction.result, instruction.place)
    position = caller.at
    callee = state.frames.pop()
    machine.finish(state, instruction, None)
    assert caller.at == position + 1
    state.frames.append(callee)
    return True


# ---------------------------------------------------------------- LLVM's own


def of_llvm(call: Call, name: str) -> bool:
    """A call of one of LLVM's own functions."""
    machine, state = call.machine, call.state
    match name.split(".")[1:]:
        case ["memcpy" | "memmove", *_]:
            copy_bytes(machine, state, address_of(call, 0), address_of(call, 1), call.known(2))
            return call.done()
        case ["memset", *_]:
            fill_bytes(machine, state, address_of(call, 0), call.number(1), call.known(2))
            return call.done()
        case ["lifetime", which, *_]:
            if isinstance(variable := call.arguments[-1], Address):
                (begin if which == "start" else end)(machine, state, variable.region)
                for key in [key for key in state.cells if key[0] == variable.region]:
                    del state.cells[key]  # what a variable held before or after it lives is nothing
            return call.done()
        case ["scopec", "order"]:
            register = call.target(types.BOOL)
            call.emit(ir.Decide(register.name, "order"))
            return call.done(register)
        case ["x86", "sse2", "pause"] | [
            "dbg" | "assume" | "experimental" | "invariant" | "stacksave" | "stackrestore",
            *_,
        ]:
            return call.done(Unset())
        case [("sadd" | "ssub" | "smul" | "uadd" | "usub" | "umul") as operation, "with", "overflow", *_]:
            return call.done(Record(_with_overflow(operation[1:], call.number(0), call.number(1), operation[0] == "s")))
        case [("smin" | "smax" | "umin" | "umax") as operation, *_]:
            return call.done(arithmetic(operation, call.number(0), call.number(1)))
        case ["abs", *_]:
            value = call.number(0)
            negative = compare("slt", value, number(0, value.type.bits))
            return call.done(values.choose(negative, arithmetic("sub", number(0, value.type.bits), value), value))
        case [("ctpop" | "ctlz" | "cttz" | "bitreverse") as function, *_]:
            if function in ("ctlz", "cttz"):
                know_lanes(call, 0)
            return call.done(_OF_BITS[function](call.number(0)))
        case ["trap"]:
            return _trap(call)
        case ["expect", *_]:
            return call.done(call.arguments[0])
        case _ if isinstance(call.action.type, llvm.Float) and not _MORE_THAN_NUMBERS.match(name):
            fused = "" if "fmuladd" in name else name  # whether a sum of a product is, is the compiler's choice
            return call.done(made_of(llvm.size(call.action.type), *call.arguments, by=fused))
        case _:
            raise machine.refused(state, f"`{name}` is")


#: Operations on floating-point numbers that are about memory, or other threads, too.
_MORE_THAN_NUMBERS = re.compile(
    r"llvm\.nvvm\.(?!fma|add|mul|div|sqrt|rsqrt|rcp|ex2|lg2|sin|cos|f[mM]|ceil|floor|round|[fd]2)"
)
_OF_BITS = {"ctpop": count_ones, "ctlz": leading_zeros, "cttz": trailing_zeros, "bitreverse": reverse}


def _with_overflow(operation: str, left: Value, right: Value, is_signed: bool) -> tuple[Value, Value]:
    """The part of a result that fits, and whether that is not all of it."""
    bits, wider = left.type.bits, "sext" if is_signed else "zext"
    exact = arithmetic(operation, *(resized(wider, side, 2 * bits) for side in (left, right)))
    result = resized("trunc", exact, bits)
    return result, compare("ne", resized(wider, result, 2 * bits), exact)


def address_of(call: Call, position: int) -> Address:
    """An argument that is a pointer whose target is known."""
    return pointer_of(call.machine, call.state, call.action.arguments[position])


# ---------------------------------------------------------------- threads


def _fence(call: Call) -> bool:
    order = ORDERS[call.known(0)]
    if order is not ir.Order.RELAXED:
        call.emit(ir.Fence(order, ir.Scope(call.known(1))))
    return call.done()


def _index(call: Call) -> bool:
    name = INDICES[call.known(0)]
    if name not in call.machine.builtins:
        raise call.machine.refused(call.state, f"`{name}` on the host is")
    return call.done(number(call.machine.builtins[name], 32))


def _read_only(call: Call) -> bool:
    call.machine.world.read_only.setdefault(call.machine.thread, set()).add(call.machine.span(call.state))
    return call.done()


def _decide(call: Call) -> bool:
    register = call.target(types.BOOL)
    call.emit(ir.Decide(register.name))
    return call.done(register)


def _assert(call: Call) -> bool:
    text = text_at(call, call.arguments[1])
    call.emit(ir.Assert(call.number(0), text))
    return call.done()


def text_at(call: Call, content: Content) -> str:
    """The text that a pointer to constant characters points to."""
    if not isinstance(content, Address) or not isinstance(content.region, Memory):
        return "?"
    layout, found = call.machine.world.layouts[content.region], bytearray()
    at = content.offset.constant
    while layout.known is not None and isinstance(byte := layout.known.get(at), Const) and byte.value:
        found.append(byte.value & 255)
        at += 1
    return found.decode("utf-8", "replace")


def last_error(call: Call, device: int) -> ir.Place:
    """The location in which an aborted grid leaves an error for the API calls that come after."""
    return call.machine.world.passed(last_error_name(device), types.INT, call.machine.span(call.state))


def _trap(call: Call) -> bool:
    machine = call.machine
    if not machine.world.aborts:
        machine.world.aborts.add("trap")
        raise Again
    mode = ir.Mode(ir.Order.RELEASE, ir.Scope.SYSTEM)
    call.emit(ir.Store(last_error(call, machine.device), Const(LAUNCH_FAILURE, types.INT), mode))
    call.emit(ir.Trap())
    call.machine.builder.end(call.machine.span(call.state))
    return False


def _exit(call: Call) -> bool:
    if not call.machine.side.host:
        help_ = "use `__trap()`: it aborts the grid"
        raise error(Codes.TYPE_ERROR, "a kernel cannot end the process", call.machine.span(call.state), help_)
    call.emit(ir.EndProcess())
    call.machine.builder.end(call.machine.span(call.state))
    return False


def _unmodelled(call: Call) -> bool:
    message = f"scopec does not model {text_at(call, call.arguments[0])}"
    raise error(Codes.UNMODELLED_CALL, message, call.machine.span(call.state))


def _unknown(call: Call) -> bool:
    size = max(1, llvm.size(call.action.type))
    function = call.state.frame.function.name if call.arguments else ""
    return _found(call, replace(made_of(size, *call.arguments, by=function), origin=Origin.OTHER))


def _clock(call: Call) -> bool:
    return _not_modelled(call, Origin.CLOCK)


def _not_modelled(call: Call, origin: Origin) -> bool:
    return _found(call, Opaque(max(1, llvm.size(call.action.type)), origin=origin))


def _found(call: Call, value: Opaque) -> bool:
    is_truth = call.action.type == llvm.Int(1)
    return call.done(either(call.machine, call.state, value) if is_truth else value)


def _copies_nothing(call: Call) -> bool:
    """Whether a size is 0, of a copy of all bytes or of none."""
    size, all_ = call.number(0), call.known(1)
    found = alternatives(size)
    if found is None or not found <= {0, all_}:
        raise call.machine.refused(
            call.state, f"a copy of a part, or of a size that is not seen to be 0 or {all_} (a predicate is), is"
        )
    return call.done(compare("eq", size, number(0, size.type.bits)))


def _groups(call: Call, position: int) -> ir.CopyGroups:
    """The groups of ``cp.async`` (0), those of bulk copies (1), or those of ``wgmma`` (2)."""
    return tuple(ir.CopyGroups)[call.known(position)]


def simply(operation: Callable[[Call], ir.Operation]) -> Handler:
    """A call that is one operation."""

    def handler(call: Call) -> bool:
        call.emit(operation(call))
        return call.done()

    return handler


def in_kernel(handler: Handler) -> Handler:
    """A handler of what only kernels may call."""

    def checked(call: Call) -> bool:
        if call.machine.side.host:
            span = call.machine.span(call.state)
            name = call.machine.world.text_of(span).partition("(")[0]
            raise error(Codes.TYPE_ERROR, f"`{name}` can be called in kernels only", span)
        return handler(call)

    return checked


Handler: TypeAlias = "Callable[[Call], bool]"

#: The effect of each intrinsic that threads of both sides call.
INTRINSICS: dict[str, Handler] = {
    "fence": _fence,
    "index": _index,
    "read_only": in_kernel(_read_only),
    "decide": _decide,
    "in_kernel": in_kernel(Call.done),
    "assert": _assert,
    "trap": in_kernel(_trap),
    "exit": _exit,
    "unmodelled": _unmodelled,
    "texture": _unmodelled,
    "unique": _unmodelled,
    "unknown": _unknown,
    "clock": _clock,
    "agent": simply(lambda call: ir.Agent(bool(call.known(0)))),
    "copies_nothing": _copies_nothing,
    "commit_copies": simply(lambda call: ir.CommitCopies(_groups(call, 0))),
    "await_copies": simply(lambda call: ir.AwaitCopies(call.number(0), _groups(call, 1), bool(call.known(2)))),
    "yield": simply(lambda call: ir.Yield(bool(call.known(0)))),
    "io": simply(lambda _: ir.InputOutput()),
}
