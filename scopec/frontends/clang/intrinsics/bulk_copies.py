"""Intrinsics of asynchronous operations that complete at mbarriers, and of bulk copies.

Bulk copies are made in the async proxy (PTX ISA, "cp.async.bulk"), stores to other blocks in the generic one
("st.async").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import error
from scopec.frontends.clang.intrinsics.alignment import check_alignment
from scopec.frontends.clang.intrinsics.atomics import UPDATES, number_there
from scopec.frontends.clang.intrinsics.call import Call
from scopec.frontends.clang.intrinsics.calls import Handler, address_of, in_kernel
from scopec.frontends.clang.intrinsics.clusters import blocks_of, in_block, owner_of
from scopec.frontends.clang.intrinsics.mbarriers import RELAXED, fault_register, keep_rules, mbarrier, mbarrier_there
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.numbers import Offset, as_type
from scopec.frontends.clang.machine.access import load, stored
from scopec.frontends.clang.machine.memcpy import Run, copy_bytes, copy_together
from scopec.frontends.clang.machine.memory import Address, Memory
from scopec.frontends.clang.machine.undefined import beyond, meaningless
from scopec.frontends.ptx.table import REDUCTIONS
from scopec.program import ir, types
from scopec.program.values import Const

if TYPE_CHECKING:
    from collections.abc import Iterable

#: "srcMem and dstMem [...] must be 16-byte aligned", and the size "a multiple of 16".
_ALIGNMENT = 16
_COPY = "a bulk copy"
#: The mode in which a reduction updates an element, in shared and in global memory: each "has .relaxed.gpu semantics"
#: at least (PTX ISA, "cp.reduce.async.bulk").
_SHARED_SUM, _GLOBAL_SUM = (ir.Mode(ir.Order.RELAXED, scope) for scope in (ir.Scope.CLUSTER, ir.Scope.SYSTEM))


# ---------------------------------------------------------------- single elements


def _send(call: Call) -> bool:
    """``send(to, bytes, mbarrier)``: what follows is done to memory of another block, by an agent.

    "It is in the shared memory of another CTA": own memory has no meaning, nor have data and mbarrier in two blocks.
    """
    machine, state, size = call.machine, call.state, call.known(1)
    what = "an asynchronous store"
    region = check_alignment(call, address_of(call, 0), size, what)
    if machine.world.storage(region) is not ir.Storage.SHARED:
        raise beyond(machine, state, "shared memory")
    mbarrier(call, 2)
    data, bar = (owner_of(call, address_of(call, position)) for position in (0, 2))
    if data == machine.block:
        raise meaningless(machine, state, f"{what} is to another block")
    if data != bar:
        raise meaningless(machine, state, f"data and mbarrier of {what} are in one block")
    call.emit(ir.Agent(begins=True, groups=None))
    return call.done()


def _sent(call: Call) -> bool:
    """``sent(mbarrier, bytes)``: the bytes are pending no more, and the agent is done."""
    complete(call, [mbarrier(call)], call.known(1))
    return call.done()


def complete(call: Call, places: Iterable[ir.Place], size: int) -> None:
    """So many bytes are pending no more, and the agent is done."""
    fault = fault_register(call)
    for place in places:
        keep_rules(call, ir.BarrierExpect(place, Const(-size, types.LONG), RELAXED, fault))
    call.emit(ir.Agent(begins=False))


# ---------------------------------------------------------------- bulk copies


def _bulk_copy(call: Call) -> bool:
    """``bulk_copy(to, from, bytes, mbarrier)``: to shared memory; the bytes are pending no more when it is complete."""
    size = _checked(call, to_shared=True)
    place = at_mbarrier(call, 3)
    call.emit(ir.Agent(begins=True, proxy=ir.Proxy.ASYNC, groups=None))
    copy_together(call.machine, call.state, [Run(size, address_of(call, 1), (address_of(call, 0),))])
    complete(call, [place], size)
    return call.done()


def at_mbarrier(call: Call, position: int) -> ir.Place:
    """The mbarrier where a bulk operation completes: it is in the block where its result is."""
    place = mbarrier(call, position)
    if owner_of(call, address_of(call, position)) != owner_of(call, address_of(call, 0)):
        raise call.machine.refused(call.state, "a bulk copy that completes at another block's mbarrier is")
    return place


def _bulk_multicast(call: Call) -> bool:
    """``bulk_multicast(to, from, bytes, mbarrier, mask)``: the same to each block of the cluster that the mask names.

    "The source data is multicast to the same CTA-relative offset as dstMem in the shared memory of each destination
    CTA", and "the mbarrier signal [...] to the same CTA-relative offset as mbar" (PTX ISA, "cp.async.bulk").
    """
    size, named = _checked(call, to_shared=True), named_blocks(call, call.known(4) & 0xFFFF)
    mbarrier(call, 3)
    to, bars = ([in_block(call, address_of(call, n), block) for block in named] for n in (0, 3))
    places = [mbarrier_there(call, bar) for bar in bars]
    call.emit(ir.Agent(begins=True, proxy=ir.Proxy.ASYNC, groups=None))
    copy_together(call.machine, call.state, [Run(size, address_of(call, 1), tuple(to))])
    complete(call, places, size)
    return call.done()


def named_blocks(call: Call, mask: int) -> list[int]:
    """The blocks of the cluster that a mask names; InputError for none, or one that the cluster has not."""
    machine, state, blocks = call.machine, call.state, blocks_of(call)
    if not mask:
        message = "a multicast to no block of the cluster"
        raise error(Codes.BAD_ARGUMENTS, message, machine.span(state), "the mask has a bit for each block")
    if mask >> len(blocks):
        raise beyond(machine, state, "the cluster")
    return [block for rank, block in enumerate(blocks) if mask >> rank & 1]


def _bulk_store(call: Call) -> bool:
    """``bulk_store(to, from, bytes)``: from shared to global memory, in the thread's group of bulk copies."""
    size = _checked(call, to_shared=False)
    call.emit(ir.Agent(begins=True, proxy=ir.Proxy.ASYNC, groups=ir.CopyGroups.BULK))
    copy_together(call.machine, call.state, [Run(size, address_of(call, 1), (address_of(call, 0),))])
    call.emit(ir.Agent(begins=False))
    return call.done()


def _bulk_add(call: Call) -> bool:
    """``bulk_add<T>(to, from, bytes, mbarrier)``, and its kin: to shared memory."""
    size = _checked(call, to_shared=True, from_shared=True)
    place = at_mbarrier(call, 3)
    call.emit(ir.Agent(begins=True, proxy=ir.Proxy.ASYNC, groups=None))
    _reduce(call, size, call.name.removeprefix("bulk_"), _SHARED_SUM)
    complete(call, [place], size)
    return call.done()


def _bulk_store_add(call: Call) -> bool:
    """``bulk_store_add<T>(to, from, bytes)``, and its kin: to global memory, in the thread's group of bulk copies."""
    size = _checked(call, to_shared=False)
    call.emit(ir.Agent(begins=True, proxy=ir.Proxy.ASYNC, groups=ir.CopyGroups.BULK))
    _reduce(call, size, call.name.removeprefix("bulk_store_"), _GLOBAL_SUM)
    call.emit(ir.Agent(begins=False))
    return call.done()


def _reduce(call: Call, size: int, operation: str, mode: ir.Mode) -> None:
    """Read elements weakly, and update those at the destination with them, each in one step."""
    machine, state = call.machine, call.state
    to, from_ = address_of(call, 0), address_of(call, 1)
    width = 8 if call.template[:1] in ("l", "m", "x", "y") else 4
    for at in range(0, size, width):
        here, there = (Address(one.region, one.offset.moved(Offset(at))) for one in (from_, to))
        place, leaf = number_there(call, there, width)
        if leaf.type.is_float:
            raise machine.refused(state, "a reduction of floating-point numbers by a bulk copy is")
        content = load(machine, state, here, llvm.Int(8 * width), ir.PLAIN)
        operand = stored(machine, state, content, place, leaf)
        register = machine.register(state.frame.calls, ("found", state.position(), state.frame.at), leaf.type)
        machine._keep(state, register)
        new = as_type(UPDATES[operation](call, register, operand, leaf), leaf.type)
        call.emit(ir.Rmw(register.name, place, new, mode, reduction=True))


def _copy_for(call: Call) -> bool:
    """``copy_for(to, from, size, mbarrier, first, step, count)``: ``cuda::memcpy_async`` of some elements of a size.

    The phase in which it is issued is over only when it is complete.  So a byte is pending until then, which no copy
    that counts bytes takes away, for those count multiples of 16; the counts are then as they were.
    """
    place, size, fault = mbarrier(call, 3), call.known(2), fault_register(call)
    to, from_ = address_of(call, 0), address_of(call, 1)
    mode, elements = ir.Mode(ir.Order.RELAXED, ir.Scope.BLOCK), range(call.known(4), call.known(6), call.known(5))
    if not elements:
        return call.done()
    keep_rules(call, ir.BarrierExpect(place, Const(1, types.LONG), mode, fault))
    call.emit(ir.Agent(begins=True, proxy=ir.Proxy.EITHER, groups=None))
    for n in elements:
        there, here = (Address(one.region, one.offset.moved(Offset(n * size))) for one in (to, from_))
        copy_bytes(call.machine, call.state, there, here, size)
    keep_rules(call, ir.BarrierExpect(place, Const(-1, types.LONG), mode, fault))
    call.emit(ir.Agent(begins=False))
    return call.done()


def _checked(call: Call, *, to_shared: bool, from_shared: bool = False) -> int:
    """The number of bytes that are copied; InputError for places and sizes that a bulk copy cannot have, or that are
    refused.
    """
    size, span = call.known(2), call.machine.span(call.state)
    if size <= 0 or size % _ALIGNMENT:
        message = f"a bulk copy of {size} bytes: the size is a multiple of {_ALIGNMENT}"
        raise error(Codes.BAD_ARGUMENTS, message, span, f"copy a multiple of {_ALIGNMENT} bytes")
    to, from_ = (is_shared(call, check_alignment(call, address_of(call, n), _ALIGNMENT, _COPY)) for n in (0, 1))
    if to != to_shared or not (from_ or (to_shared and not from_shared)):
        message = "a bulk copy is one to shared memory, or from there to global memory"
        raise error(Codes.BAD_ARGUMENTS, message, span, "swap the addresses, or use another copy")
    if from_ and owner_of(call, address_of(call, 1)) != call.machine.block:
        raise beyond(call.machine, call.state, "the block's shared memory")
    return size


def is_shared(call: Call, region: Memory) -> bool:
    """Whether memory is shared memory of a block."""
    return call.machine.world.storage(region) is ir.Storage.SHARED


#: The effect of each intrinsic of bulk copies.
BULK_COPIES: dict[str, Handler] = {
    "send": in_kernel(_send),
    "sent": in_kernel(_sent),
    "bulk_copy": in_kernel(_bulk_copy),
    "bulk_multicast": in_kernel(_bulk_multicast),
    "bulk_store": in_kernel(_bulk_store),
    **{f"bulk_{operation}": in_kernel(_bulk_add) for operation in REDUCTIONS},
    **{f"bulk_store_{operation}": in_kernel(_bulk_store_add) for operation in REDUCTIONS},
    "copy_for": in_kernel(_copy_for),
}
