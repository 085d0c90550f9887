"""Intrinsics of mbarriers (PTX ISA, "mbarrier"): each is one operation, and the rules that it has to keep."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import error
from scopec.frontends.clang.intrinsics.atomics import number_there
from scopec.frontends.clang.intrinsics.call import ORDERS, Call
from scopec.frontends.clang.intrinsics.calls import Handler, address_of, in_kernel, simply
from scopec.frontends.clang.intrinsics.clusters import launch_of
from scopec.frontends.clang.intrinsics.states import has_counts, pending_count, phase_of, state_of
from scopec.frontends.clang.llvm.numbers import arithmetic, as_type, compare, number, resized
from scopec.frontends.clang.machine.instructions import value_of
from scopec.frontends.clang.machine.memory import Address, Memory, Private
from scopec.program import ir, types, values
from scopec.program.ir import BarrierFault
from scopec.program.mbarriers import MOST_ARRIVALS, MOST_BYTES, RULES, token_of
from scopec.program.reasoning import bounds
from scopec.program.values import Const, Reg, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: "The mbarrier object is an opaque 64-bit object", which has "8-byte" alignment (PTX ISA, "Size and alignment").
_BYTES = 8
RELAXED = ir.Mode(ir.Order.RELAXED, ir.Scope.CLUSTER)


def mbarrier(call: Call, position: int = 0) -> ir.Place:
    """The mbarrier that an argument points to; InputError where none can be."""
    return mbarrier_there(call, address_of(call, position))


def mbarrier_there(call: Call, address: Address) -> ir.Place:
    """The mbarrier that is at an address; InputError where none can be."""
    machine, region = call.machine, address.region
    outside = isinstance(region, Memory) and machine.world.storage(region) is not ir.Storage.SHARED
    if outside or isinstance(region, Private):
        message = "an mbarrier is in shared memory"
        raise error(Codes.BAD_ARGUMENTS, message, machine.span(call.state), "declare it `__shared__`")
    place, leaf = number_there(call, address, _BYTES)
    if leaf.pointer or leaf.type.is_float:
        what = f"an mbarrier that is no integer, as `{place.object}`, is"
        raise machine.refused(call.state, what, "declare it as uint64_t")
    if leaf.offset % _BYTES or any(distance % _BYTES for _, distance in leaf.extents):
        message = f"`{place.object}` is not aligned to {_BYTES} bytes, as an mbarrier is"
        raise error(Codes.BAD_ARGUMENTS, message, machine.span(call.state), "remove `packed`")
    return place


def fault_register(call: Call) -> str:
    """A register for the rule that an operation breaks."""
    return _own(call, "fault", types.INT).name


def _own(call: Call, what: str, type_: types.IntType) -> Reg:
    """A register for something else that a call finds."""
    frame = call.state.frame
    register = call.machine.register(frame.calls, (what, call.state.position(), frame.at), type_)
    call.machine._keep(call.state, register)
    return register


def keep_rules(call: Call, operation: ir.BarrierOperation) -> None:
    """Append an operation, and that it has broken no rule: what follows is undefined else."""
    call.emit(operation)
    fault = Reg(operation.fault, types.INT)
    for rule in _rules(operation):
        kept = values.binary("!=", fault, Const(rule, types.INT))
        call.emit(ir.Assert(kept, RULES[rule], implicit=True))


def _rules(operation: ir.BarrierOperation) -> Iterator[BarrierFault]:
    """The rules that an operation may break."""
    match operation:
        case ir.BarrierInit(_, None):
            yield BarrierFault.NOT_INITIALISED
        case ir.BarrierInit(_, count):
            yield BarrierFault.INITIALISED
            if not _is_count(count):
                yield BarrierFault.COUNT
        case ir.BarrierArrive(update=count, drop=drop):
            yield BarrierFault.NOT_INITIALISED
            if drop or not _is_count(count):
                yield BarrierFault.COUNT
            yield BarrierFault.TOO_MANY
            if operation.partial:
                yield BarrierFault.COMPLETES
            yield BarrierFault.OVERRUN
        case ir.BarrierExpect(arrivals=arrivals):
            yield BarrierFault.NOT_INITIALISED
            if arrivals:
                yield BarrierFault.COUNT
            yield BarrierFault.LATE_BYTES
        case ir.BarrierWait() | ir.BarrierTest():
            yield BarrierFault.NOT_INITIALISED
            if token_of(operation) is not None:
                yield BarrierFault.STALE


def _is_count(count: Value | None) -> bool:
    return isinstance(count, Const) and 1 <= count.value <= MOST_ARRIVALS


def fresh(call: Call, position: int) -> Value:
    """An argument that is a number, as it is when the registers of the call have been made: it may be in one."""
    return value_of(call.machine, call.state, call.action.arguments[position])


def unsigned_long(value: Value) -> Value:
    """A number of arrivals or bytes."""
    return as_type(resized("zext", value, 64), types.LONG)


def _bytes(call: Call, position: int) -> Value:
    """ "The valid range of tx-count [...] is 0 to 2^20 - 1" (PTX ISA, "mbarrier.expect_tx")."""
    given = unsigned_long(fresh(call, position))
    if bounds(given)[1] > MOST_BYTES:
        few = values.binary("<=", given, Const(MOST_BYTES, types.LONG))
        call.emit(ir.Assert(few, f"at most {MOST_BYTES} bytes are expected, or complete", implicit=True))
    return given


def _mode(call: Call, order: int, scope: int) -> ir.Mode:
    return ir.Mode(ORDERS[call.known(order)], ir.Scope(call.known(scope)))


def _init(call: Call) -> bool:
    fault = fault_register(call)
    keep_rules(call, ir.BarrierInit(mbarrier(call), unsigned_long(fresh(call, 1)), fault))
    return call.done()


def _inval(call: Call) -> bool:
    fault = fault_register(call)
    keep_rules(call, ir.BarrierInit(mbarrier(call), None, fault))
    return call.done()


def _arrive(*, expects: bool) -> Handler:
    """An arrival, which gives a state: ``arrive(mbarrier, count[, bytes], order, scope, drop, partial)``."""

    def handler(call: Call) -> bool:
        register, fault = call.target(types.LONG), fault_register(call)
        expect = _bytes(call, 2) if expects else None
        mode, drop = _mode(call, 2 + expects, 3 + expects), bool(call.known(4 + expects))
        count, partial = unsigned_long(fresh(call, 1)), not expects and bool(call.known(5))
        pending = _own(call, "pending", types.LONG) if has_counts(call) else None
        arrival = ir.BarrierArrive(register.name, mbarrier(call), count, mode, drop, expect, fault, partial=partial)
        keep_rules(call, arrival if pending is None else replace(arrival, pending=pending.name))
        return call.done(state_of(call, register, pending))

    return handler


def _expect(*, less: bool) -> Handler:
    """``expect_tx``, or ``complete_tx``."""

    def handler(call: Call) -> bool:
        fault, bytes_ = fault_register(call), _bytes(call, 1)
        if less:
            bytes_ = arithmetic("sub", number(0, 64), bytes_)
        mode = ir.Mode(ir.Order.RELAXED, ir.Scope(call.known(2)))
        keep_rules(call, ir.BarrierExpect(mbarrier(call), bytes_, mode, fault))
        return call.done()

    return handler


def _test(condition: Callable[[Call, Reg], Value]) -> Handler:
    def handler(call: Call) -> bool:
        register, fault = call.target(types.BOOL), fault_register(call)
        over = condition(call, Reg(register.name, types.LONG))
        keep_rules(call, ir.BarrierTest(register.name, mbarrier(call), over, _mode(call, 2, 3), fault))
        return call.done(register)

    return handler


def _later(call: Call, phase: Reg) -> Value:
    return values.binary("!=", phase, phase_of(call, 1))


def _other_parity(call: Call, phase: Reg) -> Value:
    """ "phaseParity indicates the parity [...] valid values 0 and 1" (PTX ISA, "mbarrier.test_wait")."""
    parity = fresh(call, 1)
    low, high = bounds(parity)
    if not 0 <= low <= high <= 1:
        valid = compare("ule", parity, number(1, parity.type.bits))
        call.emit(ir.Assert(valid, "the parity is 0 or 1", implicit=True))
    return values.binary("!=", values.binary("%", phase, Const(2, types.LONG)), unsigned_long(parity))


def _follow_copies(call: Call) -> bool:
    """``follow_copies(mbarrier, counted)``: an agent arrives when the earlier copies of its thread are complete.

    Its arrival is ``counted`` when the mbarrier is made (``.noinc``), or the phase waits for one more.
    """
    register, fault = call.target(types.LONG), fault_register(call)
    place, one, mode = mbarrier(call), Const(1, types.LONG), ir.Mode(ir.Order.RELAXED, ir.Scope.BLOCK)
    if not call.known(1):
        keep_rules(call, ir.BarrierExpect(place, one, mode, fault, arrivals=True))
    call.emit(ir.Agent(begins=True, groups=None, follows=ir.CopyGroups.PLAIN))
    keep_rules(call, ir.BarrierArrive(register.name, place, one, mode, fault=fault, later=True))
    call.emit(ir.Agent(begins=False))
    return call.done()


def _fence_init(call: Call) -> bool:
    """``fence.mbarrier_init``: for the other blocks of a cluster; in one block a barrier orders the initialisation."""
    if launch_of(call).cluster is not None:
        call.emit(ir.InitFence())
    return call.done()


#: The memory that a proxy fence is about, by its number: all, global, shared.
_SPACES = (None, ir.Storage.DEVICE, ir.Storage.SHARED)

#: The effect of each intrinsic of mbarriers.
MBARRIERS: dict[str, Handler] = {
    "mbarrier_init": in_kernel(_init),
    "mbarrier_inval": in_kernel(_inval),
    "mbarrier_arrive": in_kernel(_arrive(expects=False)),
    "mbarrier_arrive_expect": in_kernel(_arrive(expects=True)),
    "mbarrier_expect": in_kernel(_expect(less=False)),
    "mbarrier_complete": in_kernel(_expect(less=True)),
    "mbarrier_test": in_kernel(_test(_later)),
    "mbarrier_test_parity": in_kernel(_test(_other_parity)),
    "mbarrier_pending_count": in_kernel(pending_count),
    "mbarrier_follow_copies": in_kernel(_follow_copies),
    "mbarrier_fence_init": in_kernel(_fence_init),
    "fence_async": in_kernel(simply(lambda call: ir.ProxyFence(ir.Proxy.ASYNC, _SPACES[call.known(0)]))),
}
