"""Memory that host code allocates and frees, at once or in the order of a stream."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.clang.intrinsics import captures
from scopec.frontends.clang.intrinsics.call import Call
from scopec.frontends.clang.intrinsics.calls import address_of, text_at
from scopec.frontends.clang.intrinsics.copies import issue
from scopec.frontends.clang.intrinsics.host import described, stream_of, subject, used_device
from scopec.frontends.clang.intrinsics.launches import work_name
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.debug import Debug, Leaf
from scopec.frontends.clang.llvm.numbers import number
from scopec.frontends.clang.machine.access import HANDLES
from scopec.frontends.clang.machine.lifetimes import life_of
from scopec.frontends.clang.machine.memory import Address, Layout, Memory, Nowhere, Private, object_name
from scopec.frontends.clang.machine.state import Done
from scopec.frontends.clang.machine.variables import home
from scopec.program import faults, ir, types
from scopec.program.builder import Builder
from scopec.program.transfers import Waits

if TYPE_CHECKING:
    from collections.abc import Callable


#: Elements of an allocation: each has a place of its own.
_MOST_ELEMENTS = 1 << 24
_STORAGES = (ir.Storage.DEVICE, ir.Storage.MANAGED, ir.Storage.MAPPED, ir.Storage.SYSTEM)
#: Memory of these belongs to the thread that allocates it: which threads they are is known, and no access.
_THREADS = ("thread", "jthread")
_DEVICE, _HOST, _MALLOC = ("cudaFree", "cudaFreeAsync"), ("cudaFreeHost",), ("free",)
#: The functions of the driver API that free what those of the runtime API free.
_SAME = {"cuMemFree": "cudaFree", "cuMemFreeAsync": "cudaFreeAsync", "cuMemFreeHost": "cudaFreeHost"}
#: The function that frees the memory of each that allocates some (CUDA runtime API, "Memory Management",
#: "Stream Ordered Memory Allocator"; C11 7.22.3.3; [new.delete]).
_FREES = {
    "cudaMalloc": _DEVICE, "cudaMallocPitch": _DEVICE, "cudaMalloc3D": _DEVICE, "cudaMallocManaged": _DEVICE,
    "cudaMallocAsync": _DEVICE, "cudaMallocFromPoolAsync": _DEVICE, "cudaMallocHost": _HOST, "cudaHostAlloc": _HOST,
    "cuMemAlloc": _DEVICE, "cuMemAllocManaged": _DEVICE, "cuMemAllocAsync": _DEVICE, "cuMemAllocHost": _HOST,
    "cuMemHostAlloc": _HOST,
    "malloc": _MALLOC, "calloc": _MALLOC, "new": ("delete",), "new[]": ("delete[]",), "std::vector": ("std::vector",),
}  # fmt: skip
#: The functions that give the memory as a number, which has no type of what is there.
_UNTYPED = ("cuMemAlloc", "cuMemAllocManaged", "cuMemAllocAsync")


def _allocate(call: Call) -> bool:
    """``allocate(bytes, storage, by, stream)``."""
    machine, world = call.machine, call.machine.world
    size, storage, by = call.known(0), _STORAGES[call.known(1)], text_at(call, call.arguments[2])
    name, type_ = subject(call) or ("allocation", _made(call))
    debug = machine.side.debug
    if not type_ and (assigned := _assigned(call)) and _is_own(debug, assigned):
        type_ = assigned
    each = debug.bytes(type_) if type_ else 0
    unique, again = name, 1
    key = (machine.thread, call.state.again())
    if storage is ir.Storage.SYSTEM and type_ and _is_own(debug, type_):
        return call.done(Address(home(machine, Private(key, "heap"), llvm.Array(size, llvm.Int(8)))))
    while Memory(unique) in world.layouts and world.allocated.get(unique) != key:
        again += 1
        unique = f"{name}#{again}"
    world.allocated[unique] = key
    leaves = debug.leaves(type_) if each else (Leaf("", 0, types.INT),)
    if by in _UNTYPED:
        world.untyped.add(unique)
        leaves, each = world.elements.get(unique, ((Leaf("", 0, types.INT),), 0))
    if debug.has_virtual_base(type_):
        raise machine.refused(call.state, "an object with a virtual base that is allocated is", "use a variable")
    count = max(1, size // (each or 4))
    if count > 1 or size != (each or 4):
        distance = each or 4
        leaves = tuple(
            replace(leaf, path=f"[]{leaf.path}", extents=((count, distance), *leaf.extents)) for leaf in leaves
        )
    few = not world.is_mentioned(unique) and world.sparse.allocated(unique, leaves)
    if count > _MOST_ELEMENTS and not (few and world.sparse.last(unique, leaves) < _MOST_ELEMENTS):
        message = f"an allocation of {count:,} elements"
        raise error(Code.TOO_LARGE, message, machine.span(call.state), f"allocate at most {_MOST_ELEMENTS:,}")
    span = machine.span(call.state)
    region = world.declare(Layout(unique, leaves), storage, span, {}, zero=False)
    world.freed_by[region] = _FREES[by]
    if storage is ir.Storage.DEVICE:  # the only instance is in the memory of the device that was current
        for leaf in world.layouts[region].leaves:
            made = world.objects[object_name(unique, leaf)]
            world.objects[made.name] = replace(made, device=used_device(call))
    if storage is not ir.Storage.SYSTEM:
        if call.arguments[3] == number(-1, 32):
            captures.check_unsafe(call, by)
        call.emit(ir.ApiCall(by))
    _live(call, region, by, begins=True)
    return call.done(Address(region))


def _handles(call: Call) -> bool:
    """``handles(count)``: memory of this thread alone, for handles that the library gives it."""
    machine = call.machine
    key, bytes_ = (machine.thread, call.state.again()), 8 * max(1, call.known(0))
    return call.done(Address(home(machine, Private(key, "heap"), llvm.Array(bytes_, llvm.Int(8)))))


def _is_own(debug: Debug, type_: str) -> bool:
    """Whether objects of a type are the allocating thread's alone: threads, handles of streams, events and graphs."""
    if debug.fields(type_).get("name") in _THREADS:
        return True
    return all(leaf.pointer and debug.fields(leaf.pointee).get("name") in HANDLES for leaf in debug.leaves(type_))


def _made(call: Call) -> str:
    """The metadata of the type that a `new` makes objects of; empty if none is known."""
    for frame in call.state.frames[-2::-1]:
        known = frame.function.blocks[frame.label][frame.at - 1].allocates
        if known is not None or frame.function.subprogram is not None:
            return known or ""
    return ""


def _assigned(call: Call) -> str:
    """The metadata of the elements of the variable that a caller of `malloc` assigns the memory to; empty if none is
    known.
    """
    frame = next((one for one in call.state.frames[::-1] if one.function.subprogram is not None), None)
    if frame is None:
        return ""
    code = frame.function.blocks[frame.label]
    made = code[frame.at - 1].result
    for later in code[frame.at :]:
        action = later.action
        if isinstance(action, llvm.Store) and action.value.operand == llvm.Local(made or ""):
            pointer = action.pointer.operand
            there = frame.env.get(pointer.name) if isinstance(pointer, llvm.Local) else None
            known = described(call.machine, there) if isinstance(there, Address) else None
            return known[1] if known else ""
    return ""


def _free(call: Call) -> bool:
    """``deallocate(memory, by, stream)``: "If devPtr is 0, no operation is performed", so ``free`` too."""
    by = text_at(call, call.arguments[1])
    address = address_of(call, 0)
    if address == Address(Nowhere()) or (isinstance(address.region, Private) and address.region.name == "heap"):
        return call.done()
    region, whole = address.region, not (address.offset.constant or address.offset.terms)
    frees = call.machine.world.freed_by.get(region) if isinstance(region, Memory) else None
    if frees is None:
        raise _not_allocated(call, "what nothing has allocated")
    if not whole:
        raise _not_allocated(call, "what is not the beginning of an allocation")
    if _SAME.get(by, by) not in frees:
        raise _not_allocated(call, f"what is to be freed with `{'` or `'.join(frees)}`")
    assert isinstance(region, Memory)
    _live(call, region, by, begins=False)
    return call.done()


def _not_allocated(call: Call, what: str) -> Exception:
    """Say that a call frees what it must not; what to raise then."""
    machine, state = call.machine, call.state
    span = machine.span(state)
    machine.emit(state, faults.not_allocated(machine.world.text_of(span), what), span)
    machine.builder.end(span)
    return Done()


def _live(call: Call, region: Memory, by: str, *, begins: bool) -> None:
    """Say that memory is there from here on, or no more: from where the stream is, if one is given."""
    operation = life_of(call.machine, region, by, begins=begins)
    given = call.arguments[3 if begins else 2]
    if given == number(-1, 32):
        call.emit(operation)
        return
    builder = Builder()
    builder.emit(operation, call.machine.span(call.state))
    stream = stream_of(call, given)
    issue(call, work_name(call, by, stream), by, builder, stream, Waits.NOTHING)


#: The effect of each intrinsic that allocates or frees.
ALLOCATIONS: dict[str, Callable[[Call], bool]] = {"allocate": _allocate, "deallocate": _free, "handles": _handles}
