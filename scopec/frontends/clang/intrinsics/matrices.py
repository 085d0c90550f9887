"""Intrinsics of asynchronous matrix instructions (PTX ISA, "wgmma"): which bytes of shared memory they read.

A warpgroup multiplies: four warps of which the first has a number that is a multiple of 4.  Each warp reads both
matrices through the asynchronous proxy, in an agent that its first lane issues; which warp reads which rows no document
says, so each reads all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import error
from scopec.base.records import dataclass
from scopec.frontends.clang.intrinsics.alignment import check_alignment
from scopec.frontends.clang.intrinsics.bulk_copies import is_shared
from scopec.frontends.clang.intrinsics.calls import Handler, in_kernel
from scopec.frontends.clang.intrinsics.clusters import owner_of
from scopec.frontends.clang.intrinsics.masks import lane_of, thread_of, threads_of
from scopec.frontends.clang.llvm.numbers import Offset, number
from scopec.frontends.clang.machine.access import load
from scopec.frontends.clang.machine.memcpy import check_whole, leaf_type, want_few
from scopec.frontends.clang.machine.memory import Address, Cell, Memory, Private, covered
from scopec.frontends.clang.machine.undefined import beyond, meaningless
from scopec.program import ir
from scopec.program.values import Const
from scopec.program.warp import WARP

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.frontends.clang.intrinsics.call import Call

_WARPGROUP = 4 * WARP
_WHAT = "a matrix of wgmma"
#: "matrix-descriptor-encode(x) = (x & 0x3FFFF) >> 4": three such fields, of 14 bits, an offset of the pattern, which is
#: 0 where this is aligned, and the layout: the bytes of a row that are exchanged.
_FIELD, _UNIT, _MOST_ADDRESS = (1 << 14) - 1, 16, 1 << 18
_ROWS_APART, _PARTS_APART = 32, 16
_KNOWN = _FIELD | _FIELD << _PARTS_APART | _FIELD << _ROWS_APART
#: A matrix is stored in groups of 8 rows (columns, of B), and has 32 bytes of each; without swizzles 16 are together.
_GROUP, _BYTES, _PART = 8, 32, 16


@dataclass(frozen=True)
class Form:
    """A kind of descriptors: the bits that are always set, where the layout begins, and the bytes of its rows."""

    fixed: int
    layout: int
    swizzles: Mapping[int, int]
    what: str


_WGMMA = Form(fixed=0, layout=62, swizzles=dict(enumerate((0, 128, 64, 32))), what=_WHAT)
#: The mark that a thread has come past a fence of the registers.
_FENCED = Private((), "%wgmma.fence"), 0


def _fence(call: Call) -> bool:
    """``matrix_fence()``: registers are in order from here on."""
    call.state.cells[_FENCED] = Cell(1, number(1, 8))
    return call.done()


def _multiply(call: Call) -> bool:
    """``matrix_multiply(a, rows, b, columns)``, of descriptors; 0 rows are in registers."""
    machine, state, first = call.machine, call.state, thread_of(call) // _WARPGROUP * _WARPGROUP
    if threads_of(call) < first + _WARPGROUP:
        raise meaningless(machine, state, "the block has all 128 threads of the warpgroup of a wgmma")
    if _FENCED not in state.cells:
        raise meaningless(machine, state, "a wgmma.fence comes before the first wgmma.mma_async")
    runs = [run for at in (0, 2) if call.known(at + 1) for run in runs_of(call, at, call.known(at + 1), _WGMMA)]
    if lane_of(call) == 0:
        call.emit(ir.Agent(begins=True, proxy=ir.Proxy.ASYNC, groups=ir.CopyGroups.MATRIX))
        read_matrices(call, runs)
        call.emit(ir.Agent(begins=False))
    return call.done()


def runs_of(
    call: Call, position: int, rows: int, form: Form, count: int = _BYTES // _PART
) -> list[tuple[Memory, int, int]]:
    """The bytes that a descriptor and a number of rows may stand for, as ranges of objects; a row has ``count`` parts.

    With a swizzle these are whole rows of its pattern: it exchanges parts of a row with each other.
    """
    machine, state = call.machine, call.state
    value = call.number(position)
    if not isinstance(value, Const):
        raise machine.unknown(state, "a matrix descriptor", value)
    bits = value.value & ((1 << 64) - 1)
    bits ^= form.fixed
    swizzle = bits >> form.layout
    if bits & ~_KNOWN & (1 << form.layout) - 1 or swizzle not in form.swizzles:
        raise machine.refused(state, "a matrix descriptor with a base offset, or with bits that have no meaning, is")
    start, parts, apart = ((bits >> at & _FIELD) * _UNIT for at in (0, _PARTS_APART, _ROWS_APART))
    width = form.swizzles[swizzle]
    if width and start % width + count * _PART > width:
        raise machine.refused(state, "a matrix whose rows go beyond those of the swizzle is")
    begin = start - start % width if width else start
    together = min(rows, _GROUP)
    size, steps = (_GROUP * width, (0,)) if width else (together * _PART, (0, parts)[:count])
    address = _address(call, begin, _GROUP * width or _UNIT, form.what)
    assert isinstance(address.region, Memory)
    at = address.offset.constant
    places = [at + group * apart + step for group in range(max(1, rows // _GROUP)) for step in steps]
    return [(address.region, place, place + size) for place in places]


def _address(call: Call, begin: int, alignment: int, what: str) -> Address:
    """The place in the block's shared memory that a descriptor says."""
    machine, state = call.machine, call.state
    if any(there.stop > _MOST_ADDRESS for there in machine.world.placed.values()):
        message = "objects whose addresses are computed with, and a matrix descriptor: together of more than 192 KiB"
        raise error(Codes.TOO_LARGE, message, machine.span(state), "use fewer blocks, or smaller objects")
    address = machine.world.at_address(begin)
    if not isinstance(address.region, Memory):
        raise beyond(machine, state, "shared memory")
    if not is_shared(call, check_alignment(call, address, alignment, what)):
        raise beyond(machine, state, "shared memory")
    if owner_of(call, address) != machine.block:
        raise beyond(machine, state, "the block's shared memory")
    return address


def read_matrices(call: Call, runs: list[tuple[Memory, int, int]]) -> None:
    """Read the bytes of matrices, each once; of many numbers that are alike, some."""
    world, joined = call.machine.world, _joined(runs)
    for region in dict.fromkeys(region for region, _, _ in joined):
        own = [range(begin, end) for one, begin, end in joined if one == region]
        layout = world.layouts[region]
        for one in own:
            check_whole(call.machine, call.state, layout, Offset(one.start), len(one))
        want_few(call.machine, layout, own)
        for number_, begin, end in world.sparse.together([(len(one), one.start) for one in own], [layout]):
            _read(call, region, own[number_].start + begin, own[number_].start + end)


def _joined(runs: list[tuple[Memory, int, int]]) -> list[tuple[Memory, int, int]]:
    """The same bytes, each once."""
    found: list[tuple[Memory, int, int]] = []
    for region, begin, end in sorted(runs, key=lambda run: (run[0].name, run[1])):
        if found and found[-1][0] == region and begin <= found[-1][2]:
            found[-1] = region, found[-1][1], max(end, found[-1][2])
        else:
            found.append((region, begin, end))
    return found


def _read(call: Call, region: Memory, begin: int, end: int) -> None:
    """Read each number in a range; nobody gets what it is."""
    layout = call.machine.world.layouts[region]
    for at, leaf in list(covered(layout, begin, end - begin)):
        load(call.machine, call.state, Address(region, Offset(begin + at)), leaf_type(leaf), ir.PLAIN)


#: The effect of each intrinsic of matrix instructions.
MATRICES: dict[str, Handler] = {"matrix_fence": in_kernel(_fence), "matrix_multiply": in_kernel(_multiply)}
