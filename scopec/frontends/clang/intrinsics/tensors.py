"""Intrinsics of copies of tensors (PTX ISA, "cp.async.bulk.tensor"): boxes that are wholly inside, element by element.

What a map describes is known where it is a ``__grid_constant__`` parameter that the host has encoded: ``tensor_map`` of
``scopec/shims/scopec/driver_tensors.h``.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import error
from scopec.base.records import dataclass
from scopec.frontends.clang.intrinsics.alignment import check_alignment, check_declaration, is_multiple
from scopec.frontends.clang.intrinsics.bulk_copies import at_mbarrier, complete, is_shared, named_blocks
from scopec.frontends.clang.intrinsics.calls import Handler, address_of, in_kernel
from scopec.frontends.clang.intrinsics.clusters import in_block, owner_of
from scopec.frontends.clang.intrinsics.mbarriers import mbarrier_there
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.numbers import Offset, compare, number, resized
from scopec.frontends.clang.machine.access import load
from scopec.frontends.clang.machine.memcpy import Run, copy_together
from scopec.frontends.clang.machine.memory import Address, Memory, Private
from scopec.frontends.clang.machine.undefined import beyond
from scopec.program import ir, values
from scopec.program.values import Const, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scopec.frontends.clang.intrinsics.call import Call

_COPY = "a copy of a tensor"
#: "tensorMap [...] boxes in shared memory: 128-byte aligned"; addresses and strides in global memory: 16 bytes.
_SHARED_ALIGNMENT, _ALIGNMENT = 128, 16
#: A swizzle moves parts of so many bytes, by the number of a line of so many bytes (PTX ISA, "Swizzling Modes").
_PART, _LINE = 16, 128
#: Where the numbers of a map begin: extents and strides, of 8 bytes each; the box, its rank, the bytes of an element,
#: whether it is laid out in a way that is not modelled, and the bytes of a row of its swizzle, of 4 bytes.
_EXTENTS, _STRIDES, _BOX, _RANK = 8, 48, 80, 100
#: "boxDim [...] must be less than or equal to 256" (CUDA driver API, "cuTensorMapEncodeTiled").
_MOST_ELEMENTS = 256


@dataclass(frozen=True, slots=True)
class _Tensor:
    """A tensor in global memory, the first dimension the innermost, and the box of it that is copied."""

    base: Address
    extents: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    swizzle: int

    @property
    def size(self) -> int:
        """The bytes of a box."""
        return prod(self.box) * self.strides[0]

    @property
    def row(self) -> int:
        """The bytes of a row of a box."""
        return self.box[0] * self.strides[0]

    def rows(self, first: Sequence[Value]) -> Iterator[tuple[int, Address]]:
        """The rows of the box at some coordinates: offsets in shared memory, and addresses in global memory."""
        begin = self.base.offset
        for at, stride in zip(first, self.strides, strict=True):
            begin = begin.plus(stride, at)
        for n, row in enumerate(product(*(range(size) for size in reversed(self.box[1:])))):
            along = sum(at * stride for at, stride in zip(reversed(row), self.strides[1:], strict=True))
            yield n * self.row, Address(self.base.region, begin.moved(Offset(along)))


def _tensor(call: Call, position: int, rank: int) -> _Tensor:
    """The tensor that an argument's map describes; InputError where that is not known, or not modelled."""
    machine, state, map_ = call.machine, call.state, address_of(call, position)
    if not isinstance(map_.region, Private) or map_.offset.terms:
        help_ = "pass it by value, `const __grid_constant__ CUtensorMap map`"
        raise machine.refused(state, "a tensor map that is no parameter is", help_)

    def known(at: int, size: int = 4) -> int:
        there = Address(map_.region, map_.offset.moved(Offset(at)))
        content = load(machine, state, there, llvm.Int(8 * size), ir.PLAIN)
        if not isinstance(content, Const):
            raise machine.refused(state, "a tensor map that is not known is", "encode it with constants")
        return content.value

    base = load(machine, state, map_, llvm.Pointer(), ir.PLAIN)
    own, width, special, swizzle = (known(_RANK + 4 * n) for n in range(4))
    if not isinstance(base, Address):
        raise machine.refused(state, "a tensor map that is not known is", "encode it with cuTensorMapEncodeTiled")
    if special:
        raise machine.refused(state, "a tensor map with an interleave, strides of elements or another swizzle is")
    extents = tuple(known(_EXTENTS + 8 * n, 8) for n in range(own))
    box = tuple(known(_BOX + 4 * n) for n in range(own))
    strides = (width, *(known(_STRIDES + 8 * n, 8) for n in range(own - 1)))
    wrong = own != rank or box[0] * width % _ALIGNMENT or any(n % _ALIGNMENT for n in strides[1:])
    if wrong or not all(1 <= n <= _MOST_ELEMENTS for n in box):
        boxes = " x ".join(map(str, box))
        message = f"a tensor map of {own} dimensions, with boxes of {boxes} elements, is none for this copy"
        help_ = f"the instruction names the dimensions; rows of a box and strides are multiples of {_ALIGNMENT} bytes"
        raise error(Codes.BAD_ARGUMENTS, message, machine.span(state), help_)
    if swizzle and box[0] * width > swizzle:
        message = f"rows of a box of {box[0] * width} bytes are more than the {swizzle} of the swizzle"
        raise error(Codes.BAD_ARGUMENTS, message, machine.span(state), "copy boxes of fewer columns")
    if swizzle and box[0] * width < swizzle:
        raise machine.refused(state, f"a box with rows that are shorter than its swizzle of {swizzle} bytes is")
    return _Tensor(base, extents, strides, box, swizzle)


def _parts(call: Call, tensor: _Tensor, first: int, box: Address) -> list[tuple[int, Address, int]]:
    """The rows of the box at the coordinates that are arguments from the first one on, or the parts that are moved.

    Each with its offset from where the ``box`` is in shared memory, its address in global memory, and its bytes.
    What is outside the tensor is filled with zeros, or not stored; whether its bytes count no document says.
    """
    machine, state = call.machine, call.state
    at = [resized("sext", call.number(first + n), 64) for n in range(len(tensor.box))]
    for coordinate, size, extent in zip(at, tensor.box, tensor.extents, strict=True):
        inside = compare("ule", coordinate, number(extent - size, 64)) if size <= extent else values.FALSE
        if inside == values.FALSE:
            help_ = "copy boxes that are wholly inside"
            raise machine.refused(state, "a box that is partly outside its tensor is", help_)
        if inside != values.TRUE:
            call.emit(ir.Assert(inside, "the box is inside its tensor, which is all that is modelled", implicit=True))
    rows = [(here, there, tensor.row) for here, there in tensor.rows(at)]
    return rows if not tensor.swizzle else list(_swizzled(call, tensor.swizzle, rows, box))


def _swizzled(
    call: Call, width: int, rows: Sequence[tuple[int, Address, int]], box: Address
) -> Iterator[tuple[int, Address, int]]:
    """The parts of rows where a swizzle puts them, by their addresses: in the order of memory."""
    pattern, ways = 8 * width, width // _PART
    assert isinstance(box.region, Memory)
    check_declaration(call, box.region, pattern, f"{_COPY} with a swizzle of {width} bytes")
    if not is_multiple(box.offset, pattern):
        what = f"a box with a swizzle at a place that may be anywhere among {pattern} bytes is"
        raise call.machine.refused(call.state, what)
    begin = box.offset.constant
    found = []
    for here, there, size in rows:
        for along in range(0, size, _PART):
            at = begin + here + along
            found.append(((at ^ at // _LINE % ways * _PART) - begin, _moved(there, along), _PART))
    yield from sorted(found, key=lambda part: part[0])


def _moved(address: Address, by: int) -> Address:
    return Address(address.region, address.offset.moved(Offset(by)))


def _load(call: Call) -> bool:
    """``tensor_load(to, map, mbarrier, mask, rank, c0, ..., c4)``: a box to shared memory; a mask of 0 is none."""
    tensor = _tensor(call, 1, call.known(4))
    to = _shared(call, 0)
    parts = _parts(call, tensor, 5, to)
    mask = call.known(3) & 0xFFFF
    place = at_mbarrier(call, 2)
    targets, places = [to], [place]
    if mask:
        named = named_blocks(call, mask)
        targets = [in_block(call, to, block) for block in named]
        places = [mbarrier_there(call, in_block(call, address_of(call, 2), block)) for block in named]
    call.emit(ir.Agent(begins=True, proxy=ir.Proxy.ASYNC, groups=None))
    runs = [Run(size, there, tuple(_moved(target, here) for target in targets)) for here, there, size in parts]
    copy_together(call.machine, call.state, runs)
    complete(call, places, tensor.size)
    return call.done()


def _store(call: Call) -> bool:
    """``tensor_store(map, from, rank, c0, ..., c4)``: a box to global memory, in the thread's group of bulk copies."""
    tensor = _tensor(call, 0, call.known(2))
    from_ = _shared(call, 1)
    parts = _parts(call, tensor, 3, from_)
    if owner_of(call, from_) != call.machine.block:
        raise beyond(call.machine, call.state, "the block's shared memory")
    call.emit(ir.Agent(begins=True, proxy=ir.Proxy.ASYNC, groups=ir.CopyGroups.BULK))
    copy_together(call.machine, call.state, [Run(size, _moved(from_, here), (there,)) for here, there, size in parts])
    call.emit(ir.Agent(begins=False))
    return call.done()


def _shared(call: Call, position: int) -> Address:
    """The address of a box in shared memory."""
    address = address_of(call, position)
    if not is_shared(call, check_alignment(call, address, _SHARED_ALIGNMENT, _COPY)):
        raise beyond(call.machine, call.state, "shared memory")
    return address


#: The effect of each intrinsic of tensors.
TENSORS: dict[str, Handler] = {"tensor_load": in_kernel(_load), "tensor_store": in_kernel(_store)}
