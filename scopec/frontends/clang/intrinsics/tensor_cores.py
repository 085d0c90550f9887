"""Intrinsics of tensor memory and of what is multiplied into it (PTX ISA, "TensorCore 5th Generation Instructions").

Nothing is known of what is there; what is known is which columns and lanes an instruction accesses.  What a warp does
together its first lane issues.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.frontends.clang.intrinsics.alignment import check_alignment
from scopec.frontends.clang.intrinsics.atomics import number_there
from scopec.frontends.clang.intrinsics.bulk_copies import is_shared
from scopec.frontends.clang.intrinsics.calls import Handler, address_of, in_kernel, simply
from scopec.frontends.clang.intrinsics.clusters import owner_of
from scopec.frontends.clang.intrinsics.masks import lane_of, thread_of
from scopec.frontends.clang.intrinsics.matrices import Form, read_matrices, runs_of
from scopec.frontends.clang.intrinsics.mbarriers import fault_register, keep_rules, mbarrier
from scopec.frontends.clang.llvm.numbers import as_type, number
from scopec.frontends.clang.machine.memory import Cell, Private
from scopec.frontends.clang.machine.tensor_memory import COLUMNS, EVERY_LANE, LANES, Allocation, Area, part_name
from scopec.frontends.clang.machine.undefined import beyond, meaningless
from scopec.program import ir, types, values
from scopec.program.values import Const
from scopec.program.warp import WARP

if TYPE_CHECKING:
    from scopec.frontends.clang.intrinsics.call import Call

_LEAST = 32
_COLUMN, _LANE = 0xFFFF, 16
#: The lanes that a warp may access: "warp 0 of the warpgroup: lanes 0-31", and so on (PTX ISA, "Access restrictions").
_OF_A_WARP = WARP // LANES
_ALLOCATED = "the tensor memory that is allocated"
#: "46-48: fixed constant value of 0b001", "61-63: swizzling mode" (PTX ISA, "tcgen05", "Shared memory descriptor").
_DESCRIPTOR = Form(fixed=1 << 46, layout=61, swizzles={0: 0, 1: 128, 2: 128, 4: 64, 6: 32}, what="a matrix of tcgen05")
#: The fields of an instruction descriptor: whether A and B are transposed, their columns and rows.
_TRANSPOSED, _N, _M = 3 << 15, 17, 24
_ROWS = (64, 128)
_MOST_COLUMNS = 256
#: The columns that 32 bytes of a row of A take in tensor memory.
_OF_A = 8


def _undefined(call: Call, wanted: str) -> Exception:
    """Say that something is not as wanted; what to raise then."""
    call.machine.world.tensor.leave(call.machine.thread)
    return meaningless(call.machine, call.state, wanted)


# ---------------------------------------------------------------- allocation


def _allocate(call: Call) -> bool:
    """``tensor_allocate(to, columns)``: it writes an address to shared memory."""
    machine, state, memory = call.machine, call.state, call.machine.world.tensor
    columns = call.known(1)
    if columns not in (32, 64, 128, 256, 512):
        raise _undefined(call, "the columns that tcgen05.alloc allocates are a power of 2, 32 to 512")
    address = address_of(call, 0)
    region = check_alignment(call, address, 4, "tcgen05.alloc")
    if not is_shared(call, region) or owner_of(call, address) != machine.block:
        raise beyond(machine, state, "the block's shared memory")
    if address.offset.terms:
        raise machine.refused(state, "a tcgen05.alloc to a place that is known at run time alone is")
    place = (*state.frame.calls, state.frame.site(), thread_of(call) // WARP)
    mark = Private(place, "%tcgen05.alloc"), 0
    if mark in state.cells:
        raise machine.refused(state, "a tcgen05.alloc that is executed more than once is", "allocate before the loop")
    state.cells[mark] = Cell(1, number(1, 8))
    if _RELINQUISHED in state.cells:
        raise _undefined(call, "no tcgen05.alloc comes behind a tcgen05.relinquish_alloc_permit")
    found = memory.allocate(machine.thread, place, columns)
    if found is None or found.end - found.begin != columns:
        message = f"the allocations of a block that have more than {COLUMNS} columns together are"
        raise machine.refused(state, message, "deallocate and allocate once, or allocate less")
    if lane_of(call) == 0:
        there, leaf = number_there(call, address, 4)
        call.emit(ir.Store(there, as_type(number(found.begin, 32), leaf.type), ir.PLAIN))
        memory.keep(region.name, address.offset.constant, found.begin)
        if memory.known and (machine.thread, found) not in memory.freed:
            text = "tensor memory is deallocated by tcgen05.dealloc before its block ends"
            call.emit(ir.Assert(values.FALSE, text, implicit=True))
    return call.done()


def _deallocate(call: Call) -> bool:
    """``tensor_deallocate(address, columns)``: nothing is done to these columns afterwards."""
    columns = call.known(1)
    area = _area(call, 0, columns)
    if area is None:
        return call.done()
    found = _allocation(call, area)
    if found != Allocation(area.begin, area.end):
        raise _undefined(call, "tcgen05.dealloc is given what one tcgen05.alloc has allocated")
    mark = Private((found.begin,), "%tcgen05.dealloc"), 0
    if mark in call.state.cells:
        raise _undefined(call, "tcgen05.dealloc is given what has not been deallocated")
    call.state.cells[mark] = Cell(1, number(1, 8))
    call.machine.world.tensor.free(call.machine.thread, found)
    if lane_of(call) == 0:
        _write(call, area)
    return call.done()


def _relinquish(call: Call) -> bool:
    call.state.cells[_RELINQUISHED] = Cell(1, number(1, 8))
    return call.done()


#: The mark that a thread has given up the right to allocate.
_RELINQUISHED = Private((), "%tcgen05.relinquish_alloc_permit"), 0


# ---------------------------------------------------------------- addresses


def _area(call: Call, position: int, columns: int, lanes: int = EVERY_LANE, offset: int = 0) -> Area | None:
    """The columns at an address; None while it is not known yet.

    Raises InputError for an address that no allocation is seen to have given, and Done where it is beyond them all.
    """
    machine, state = call.machine, call.state
    value = call.number(position)
    if not isinstance(value, Const):
        if not machine.world.tensor.known:
            machine.world.grew = True
            return None
        what = "an address of tensor memory that is not seen to be what one tcgen05.alloc has written is"
        help_ = "read it from the number in shared memory to which nothing else is written"
        raise machine.refused(state, what, help_)
    begin = (value.value & _COLUMN) + offset
    area = Area(begin, begin + columns, lanes)
    if machine.world.tensor.allocated(machine.thread, area) is None:
        if not machine.world.tensor.known:
            machine.world.grew = True
            return None
        machine.world.tensor.leave(machine.thread)
        raise beyond(machine, state, _ALLOCATED)
    return area


def _allocation(call: Call, area: Area) -> Allocation:
    found = call.machine.world.tensor.allocated(call.machine.thread, area)
    assert found is not None
    return found


def _places(call: Call, area: Area) -> list[ir.Place]:
    """The parts of tensor memory that an access has."""
    machine = call.machine
    if not machine.world.tensor.access(machine.thread, area):
        machine.world.grew = True
        return []
    found = []
    for part in machine.world.tensor.parts(machine.thread, area):
        name = part_name(machine.thread, part)
        machine.world.objects.setdefault(
            name, ir.Object(name, machine.span(call.state), types.INT, ir.Storage.SHARED, (0,), use=ir.Use.TENSOR)
        )
        found.append(ir.Place(name, Const(0, types.INT)))
    return found


def _write(call: Call, area: Area) -> None:
    for place in _places(call, area):
        call.emit(ir.Store(place, Const(0, types.INT), ir.PLAIN))


def _read(call: Call, area: Area) -> None:
    for place in _places(call, area):
        register = call.machine.register(call.state.frame.calls, ("tensor", call.state.frame.site()), types.INT)
        call.emit(ir.Load(register.name, place, ir.PLAIN))


# ---------------------------------------------------------------- loads and stores of a warp


def _move(*, writes: bool) -> Handler:
    """``tensor_read(address, columns, lanes, offset)``, or ``tensor_write``: of a warp, all of its lanes or 16.

    With an offset the other 16 have as many columns, so many further on.
    """

    def handler(call: Call) -> bool:
        columns, lanes, offset = call.known(1), call.known(2), call.known(3)
        first = thread_of(call) // WARP % 4 * _OF_A_WARP
        areas: list[Area | None]
        if offset:
            areas = [_area(call, 0, columns, 1 << first), _area(call, 0, columns, 2 << first, offset)]
        else:
            mine = _in_warp(call, first, lanes)
            areas = [_area(call, 0, columns, mine)]
        if lane_of(call) == 0:
            name, groups = ("st", ir.CopyGroups.TENSOR_STORE) if writes else ("ld", ir.CopyGroups.TENSOR_LOAD)
            call.emit(ir.Agent(begins=True, groups=groups, pipe=name))
            for area in areas:
                if area is not None:
                    (_write if writes else _read)(call, area)
            call.emit(ir.Agent(begins=False))
        return call.done()

    return handler


def _in_warp(call: Call, first: int, lanes: int) -> int:
    """The lanes of a warp's access: those of the warp, all or half of them; 0 stands for the first of the warp."""
    value = call.number(0)
    given = value.value >> _LANE & 0xFFFF if isinstance(value, Const) else 0
    begin = given // LANES or first
    if given % LANES or begin < first or begin + lanes // LANES > first + _OF_A_WARP:
        text = "a warp accesses the 32 lanes of tensor memory that are its own: from 32 times its number, modulo 4, on"
        raise _undefined(call, text)
    return ((1 << lanes // LANES) - 1) << begin


# ---------------------------------------------------------------- what a thread issues


def _multiply(call: Call) -> bool:
    """``tensor_multiply(d, a, in_memory, b, descriptor, kind)``: into ``d``; A is in tensor memory, or a descriptor."""
    machine, state, shape = call.machine, call.state, call.number(4)
    if not isinstance(shape, Const):
        raise machine.unknown(state, "an instruction descriptor", shape)
    if shape.value & _TRANSPOSED:
        what = "a matrix that is transposed (bits 15 and 16 of the instruction descriptor) is"
        raise machine.refused(state, what, "lay A out by rows, and B by columns (K-major)")
    columns, rows = (shape.value >> _N & 63) * 8, (shape.value >> _M & 31) * 16
    if rows not in _ROWS or not 8 <= columns <= _MOST_COLUMNS:
        raise _undefined(call, f"tcgen05.mma has 64 or 128 rows, and 8 to {_MOST_COLUMNS} columns")
    result = _area(call, 0, columns)
    first = _area(call, 1, _OF_A) if call.known(2) else None
    runs = [] if call.known(2) else runs_of(call, 1, rows, _DESCRIPTOR)
    runs += runs_of(call, 3, columns, _DESCRIPTOR)
    if result is not None:
        pipe = f"mma {result.begin} {rows}x{columns} {call.known(5)}"
        _issue(call, pipe)
        read_matrices(call, runs)
        if first is not None:
            _read(call, first)
        _write(call, result)
        call.emit(ir.Agent(begins=False))
    return call.done()


def _copy(call: Call) -> bool:
    """``tensor_copy(address, descriptor, rows, parts, columns)``: from shared memory; a part is 16 bytes of a row."""
    rows, parts, columns = (call.known(n) for n in (2, 3, 4))
    to = _area(call, 0, columns)
    runs = runs_of(call, 1, rows, _DESCRIPTOR, parts)
    if to is not None:
        _issue(call, "cp 4x256b" if rows == _FEW_ROWS else "cp")
        read_matrices(call, runs)
        _write(call, to)
        call.emit(ir.Agent(begins=False))
    return call.done()


_FEW_ROWS = 4


def _shift(call: Call) -> bool:
    """``tensor_shift(address)``: of rows of 32 bytes."""
    area = _area(call, 0, _OF_A)
    if area is not None:
        _issue(call, "shift")
        _read(call, area)
        _write(call, area)
        call.emit(ir.Agent(begins=False))
    return call.done()


def _issue(call: Call, pipe: str) -> None:
    agent = ir.Agent(begins=True, proxy=ir.Proxy.ASYNC, groups=ir.CopyGroups.TENSOR, pipe=pipe)
    call.emit(agent)


def _commit(call: Call) -> bool:
    """``tensor_commit(mbarrier)``: an agent arrives when all that the thread has issued is complete."""
    if owner_of(call, address_of(call, 0)) != call.machine.block:
        raise call.machine.refused(call.state, "a tcgen05.commit to another block's mbarrier is")
    register, fault = call.target(types.LONG), fault_register(call)
    place, one, mode = mbarrier(call), Const(1, types.LONG), ir.Mode(ir.Order.RELAXED, ir.Scope.CLUSTER)
    call.emit(ir.Agent(begins=True, groups=None, follows=ir.CopyGroups.TENSOR))
    keep_rules(call, ir.BarrierArrive(register.name, place, one, mode, fault=fault, later=True))
    call.emit(ir.Agent(begins=False))
    return call.done()


#: The effect of each intrinsic of tensor memory.
TENSOR_CORES: dict[str, Handler] = {
    "tensor_allocate": in_kernel(_allocate),
    "tensor_deallocate": in_kernel(_deallocate),
    "tensor_relinquish": in_kernel(_relinquish),
    "tensor_read": in_kernel(_move(writes=False)),
    "tensor_write": in_kernel(_move(writes=True)),
    "tensor_multiply": in_kernel(_multiply),
    "tensor_copy": in_kernel(_copy),
    "tensor_shift": in_kernel(_shift),
    "tensor_commit": in_kernel(_commit),
    "tensor_fence": in_kernel(simply(lambda call: ir.TensorFence(bool(call.known(0))))),
}
