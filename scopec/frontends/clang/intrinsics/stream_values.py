"""Values that a stream waits for, or writes: work like a copy (CUDA driver API, "Stream Memory Operations").

Which of them is an access of which kind is a reading where the document says nothing (docs/memory-models.md, "Values in
streams"): a wait is an acquire, a write a relaxed store, both at system scope.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import error
from scopec.frontends.clang.intrinsics import copies
from scopec.frontends.clang.intrinsics.host import stream_of
from scopec.frontends.clang.intrinsics.launches import work_name
from scopec.frontends.clang.llvm.numbers import as_type, signed
from scopec.frontends.clang.machine.refusals import refused
from scopec.program import ir, values
from scopec.program.builder import Builder
from scopec.program.transfers import Role, Waits
from scopec.program.values import Const, Reg, Value

if TYPE_CHECKING:
    from scopec.frontends.clang.intrinsics.call import Call
    from scopec.frontends.clang.llvm.debug import Leaf
    from scopec.frontends.clang.machine.world import World
    from scopec.program.types import IntType

_GEQ, _EQ, _AND, _NOR, _FLUSH = 0, 1, 2, 3, 1 << 30
_NO_BARRIER = 1
_ACQUIRE, _RELAXED = (ir.Mode(order, ir.Scope.SYSTEM) for order in (ir.Order.ACQUIRE, ir.Order.RELAXED))


def wait(call: Call) -> bool:
    """``wait_value(stream, address, bytes, value, flags)``."""
    stream, flags = stream_of(call, call.arguments[0]), call.known(4)
    place, leaf = _number(call)
    found = Reg("%1", leaf.type)
    builder, span = Builder(), call.machine.span(call.state)
    condition = _condition(call, found, flags & ~_FLUSH)
    builder.emit(ir.Await(found.name, place, condition, _ACQUIRE), span)
    if not flags & _FLUSH:
        call.machine.world.unflushed.append(span)
    return _issued(call, "cuStreamWaitValue", builder, stream)


def write(call: Call) -> bool:
    """``write_value(stream, address, bytes, value, flags)``.

    "Unless the CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER flag is passed, the write is preceded by a system-wide memory
    fence, equivalent to a __threadfence_system() but scoped to the stream rather than a CUDA thread."
    """
    stream, flags = stream_of(call, call.arguments[0]), call.known(4)
    place, leaf = _number(call)
    builder, span = Builder(), call.machine.span(call.state)
    if flags & ~_NO_BARRIER:
        raise error(Codes.BAD_ARGUMENTS, f"{flags} is not a CUstreamWriteValue_flags", span)
    if not flags:
        builder.emit(ir.Fence(ir.Order.SEQ_CST, ir.Scope.SYSTEM), span)
    builder.emit(ir.Store(place, as_type(call.number(3), leaf.type), _RELAXED), span)
    return _issued(call, "cuStreamWriteValue", builder, stream)


def _issued(call: Call, function: str, builder: Builder, stream: ir.Stream) -> bool:
    kind = f"{function}{8 * call.known(2)}"
    copies.issue(call, work_name(call, kind, stream), kind, builder, stream, Waits.NOTHING)
    return call.done()


def _condition(call: Call, found: Value, compared: int) -> Value:
    """Until when a stream waits."""
    own = signed(found.type.bits)
    there, value, nothing = as_type(found, own), as_type(call.number(3), own), Const(0, own)
    match compared:
        case 0:  # "(int32_t)(*addr - value) >= 0, a cyclic greater-or-equal"
            return _at_least(there, value, own)
        case 1:  # "*addr == value"
            return values.binary("==", there, value)
        case 2:  # "(*addr & value) != 0"
            return values.binary("!=", values.binary("&", there, value), nothing)
        case 3:  # "~(*addr | value) != 0"
            return values.binary("!=", values.binary("|", there, value), Const(-1, own))
        case _:
            message = f"{compared} is not a CUstreamWaitValue_flags"
            raise error(Codes.BAD_ARGUMENTS, message, call.machine.span(call.state))


def _at_least(there: Value, value: Value, own: IntType) -> Value:
    """Whether a number is one of the half of all that begins with a value and goes round at the end of the numbers.

    Where the value is known this is said without a difference, which TLC could not compute.
    """
    if not isinstance(value, Const):
        return values.binary(">=", values.binary("-", there, value), Const(0, own))
    last = Const(own.wrap(value.value + (1 << own.bits - 1) - 1), own)
    begun, left = values.binary(">=", there, value), values.binary("<=", there, last)
    return values.binary("&&" if value.value <= last.value else "||", begun, left)


def _number(call: Call) -> tuple[ir.Place, Leaf]:
    """The number in memory that is waited for or written.

    "Note that all memory pointers passed as parameters to these operations are device pointers"; "None of the
    operations accepts pointers to managed memory buffers".
    """
    size = call.known(2)
    (numbers,) = copies.numbers_at(call, (1,), size)
    if len(numbers) != 1 or numbers[0][1].pointer or numbers[0][1].type.is_float:
        raise call.machine.refused(call.state, f"a stream's value that is not one integer of {size} bytes is")
    storage = call.machine.world.objects[numbers[0][0].object].storage
    span = call.machine.span(call.state)
    if storage is ir.Storage.MANAGED:
        message = "the value is in managed memory, which the call does not take"
        raise error(Codes.BAD_ARGUMENTS, message, span, "allocate it with cudaMalloc or cudaMallocHost")
    if copies.role_of(call, numbers, on_host=True) is Role.PAGEABLE:
        message = "the value is in host memory that no device pointer points to"
        raise error(Codes.BAD_ARGUMENTS, message, span, "allocate it with cudaMallocHost, or register it")
    return numbers[0]


def check_flushes(world: World) -> None:
    """InputError for a wait without the flag where another device may write what is read behind it.

    "This flag would be required if two remote writes arrive in a defined order, the wait is satisfied by the second
    write, and downstream work needs to observe the first write."
    """
    devices = {work.stream.device for work in world.launches.values()}
    for span in world.unflushed:
        if len(devices) > 1:
            help_ = "pass CU_STREAM_WAIT_VALUE_FLUSH too"
            raise refused("a wait for a value beside another device's writes, which it does not flush, is", span, help_)


#: The intrinsics of values in streams.
STREAM_VALUES = {"wait_value": wait, "write_value": write}
