"""Reads and writes: private memory as it is, memory that threads share as operations of the program.

Private memory is a map from places to contents, known when the thread is executed: a read of it is no operation, and
makes none.  A content that is a value over registers is assigned to the register of its place, which a variable of the
source then has; constants, addresses and what is not modelled are kept as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import Diagnostic, error
from scopec.base.records import replace
from scopec.frontends.clang.evaluation_order.footprints import Touch
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.numbers import Offset, arithmetic, as_type, kept, number, resized
from scopec.frontends.clang.machine.addresses import as_number, lost, pointed, pointer_number
from scopec.frontends.clang.machine.lifetimes import check_there
from scopec.frontends.clang.machine.memory import (
    NULL,
    Address,
    Cell,
    Code,
    Content,
    Element,
    Held,
    Kind,
    Layout,
    Memory,
    Nowhere,
    Private,
    Record,
    Unset,
    covers_none,
    element,
    kind,
    object_name,
    part_of,
    read,
    write,
)
from scopec.frontends.clang.machine.opaque import Formula, Opaque, loaded, made_of
from scopec.frontends.clang.machine.partly_set import with_fields
from scopec.frontends.clang.machine.refusals import CutError
from scopec.frontends.clang.machine.state import Again, Done, State
from scopec.frontends.clang.machine.tracked import untracked
from scopec.frontends.clang.machine.undefined import beyond
from scopec.frontends.clang.machine.variables import give, points, publish
from scopec.program import faults, ir, values
from scopec.program.values import Const, Reg, Value, leaves

if TYPE_CHECKING:
    from scopec.frontends.clang.llvm.debug import Leaf
    from scopec.frontends.clang.machine.recording import Recording

_WHOLE = Private((), "%whole")
#: The bytes of the widest number that bytes of memory are taken for: a wider access is one of several.
_WIDEST = 8
_WANTED = {llvm.Float: Kind.FLOAT, llvm.Pointer: Kind.POINTER}
#: A value over fewer registers than this is kept as it is in the library's code: an assignment would be no shorter.
_FEW = 4
#: The types that handles of streams, events and graphs point to.
HANDLES = ("CUstream_st", "CUevent_st", "CUgraph_st", "CUgraphExec_st", "CUgraphNode_st")


def load(machine: Recording, state: State, address: Address, type_: llvm.Type, mode: ir.Mode) -> Content:
    """Read a value of a type."""
    match address.region:
        case Private() as region:
            check_there(machine, state, region)
            if address.offset.terms or (mode.volatile and state.frame.function.subprogram is not None):
                publish(machine, state, address)
            machine.touch(state, Touch(region, address.offset.constant, llvm.size(type_), writes=False))
            return _load_private(machine, state, region, address.offset.constant, type_)
        case Memory() as region:
            return _load_shared(machine, state, machine.world.layouts[region], address.offset, type_, mode)
        case Nowhere():
            raise follows_null(machine, state)
        case Code():
            raise machine.refused(state, "reading a function is")


def _load_private(machine: Recording, state: State, region: Private, at: int, type_: llvm.Type) -> Content:
    match type_:
        case llvm.Struct(fields):
            found = (_load_private(machine, state, region, at + o, f)
                     for o, f in zip(llvm.offsets(type_), fields, strict=True))  # fmt: skip
            return Record(tuple(found))
        case llvm.Array(count, inner):
            size = llvm.size(inner)
            return Record(tuple(_load_private(machine, state, region, at + n * size, inner) for n in range(count)))
        case _:
            _check_private(machine, state, region, at, type_)
            content = read(state.cells, region, at, llvm.size(type_))
            if content == Unset() and isinstance(type_, llvm.Int) and region in machine.allocated:
                content = machine.lacking(region, at, type_.bits)
            return _as(machine, state, content, type_)


def _check_private(machine: Recording, state: State, region: Private, at: int, type_: llvm.Type) -> None:
    """Raise where an access is beyond a local variable."""
    whole = machine.allocated.get(region)
    # A class of five bytes is passed as a number of 40 bits, which has its size in memory, not that of eight.
    size = -(-type_.bits // 8) if isinstance(type_, llvm.Int) else llvm.size(type_)
    if whole is not None and not 0 <= at <= llvm.size(whole) - size:
        raise beyond(machine, state, machine.named[region][0] if region in machine.named else "this object")


def follows_null(machine: Recording, state: State) -> Exception:
    """Say that a null pointer is followed; what to raise then."""
    machine.emit(state, faults.of_pointer(values.FALSE, machine.world.text_of(machine.span(state))))
    machine.builder.end(machine.span(state))
    return Done()


def _load_shared(
    machine: Recording, state: State, layout: Layout, offset: Offset, type_: llvm.Type, mode: ir.Mode
) -> Content:
    if layout.known is not None:
        return _load_known(machine, state, layout, offset, type_)
    if isinstance(type_, (llvm.Struct, llvm.Array)):
        return _load_parts(machine, state, layout, offset, type_, mode)
    found = element(layout, offset, llvm.size(type_))
    if found is None and mode is ir.PLAIN and (within := part_of(layout, offset, llvm.size(type_))) is not None:
        return _load_part(machine, state, layout, within, type_)
    if found is None:
        part, parts = parts_of(machine, state, layout, offset, type_, mode)
        return _joined(machine, state, _each(machine, state, layout, [(at, part) for at in parts], mode), type_)
    _check_kind(machine, layout, offset, found.leaf, type_)
    if _is_handle(machine, found.leaf):
        held = machine.world.handles.get((layout.name, offset))
        first = machine.world.objects[object_name(layout.name, found.leaf)].values[0]
        if offset.terms or (held is None and first != 0):
            raise machine.refused(state, "a stream, event or graph that is known at run time alone is")
        return NULL if held is None else held
    place = located(machine, state, layout, found.leaf, found.index)
    register = machine.target(state, found.leaf.type)
    machine.emit(state, ir.Load(register.name, place, mode))
    if (address := machine.world.tensor.address(layout.name, offset)) is not None:
        return _as(machine, state, _of_tensor_memory(machine, state, register, address), type_)
    if found.leaf.type.is_float:
        return loaded(llvm.size(type_), register)
    if found.leaf.pointer:
        return machine.world.held(place, register)
    return _as(machine, state, kept(register), type_)


def _of_tensor_memory(machine: Recording, state: State, register: Reg, address: int) -> Content:
    """The address that ``tcgen05.alloc`` writes: who finds something else there comes too early, or too late."""
    there = Const(address, register.type)
    text = "what is read is the address that tcgen05.alloc has written there"
    machine.emit(state, ir.Assert(values.binary("==", register, there), text, implicit=True))
    return as_type(there, register.type)


def _load_part(
    machine: Recording, state: State, layout: Layout, within: tuple[Element, int], type_: llvm.Type
) -> Content:
    """A part of a number that is accessed as a whole elsewhere: it races with what is done to the other parts in one
    step, and with nothing else, for nothing but that writes it."""
    whole, shift = within
    place = located(machine, state, layout, whole.leaf, whole.index)
    register = machine.target(state, whole.leaf.type)
    machine.emit(state, ir.Load(register.name, place, ir.PLAIN))
    bits = whole.leaf.type.bits
    part = resized("trunc", arithmetic("lshr", kept(register), number(shift, bits)), 8 * llvm.size(type_))
    return _as(machine, state, part, type_)


def parts_of(
    machine: Recording, state: State, layout: Layout, offset: Offset, type_: llvm.Type, mode: ir.Mode
) -> tuple[llvm.Type, list[Offset]]:
    """The elements that a wider access covers, of one size: as many accesses, for which there is no order."""
    size = llvm.size(type_)
    begins_untyped = layout.known is None and element(layout, offset, 1) is not None
    wanted, wide = _WANTED.get(type(type_)), min(size, _WIDEST)
    if begins_untyped and machine.world.untyped_bytes.found(layout.name, offset.constant, wide, wanted):
        raise Again
    for width in (8, 4, 2, 1):
        parts = [offset.moved(Offset(at)) for at in range(0, size, width)]
        found = [element(layout, part, width) for part in parts]
        if (
            width < size
            and mode is ir.PLAIN
            and layout.known is None
            and all(one and not one.leaf.pointer for one in found)
        ):
            return llvm.Int(8 * width), parts
    raise misfit(machine, state, layout, offset, size)


def misfit(machine: Recording, state: State, layout: Layout, offset: Offset, size: int) -> Exception:
    """The error for an access that is none of a number: beyond the object it is undefined, else not modelled."""
    world = machine.world
    if world.divide(layout, offset.constant, size) or world.untyped_bytes.found(layout.name, offset.constant, size):
        return Again()
    known = layout.leaves and layout.name not in machine.world.parts
    if known and not offset.terms and covers_none(layout, offset.constant, size):
        return beyond(machine, state, layout.name)
    message = f"an access of {size} bytes that is not one number of `{layout.name}` is outside the modelled subset"
    if layout.name in machine.world.joined:
        help_ = "elsewhere several of its numbers are accessed in one step: write them together"
        return error(Codes.OUTSIDE_SUBSET, message, machine.span(state), help_)
    help_ = "access its numbers one by one, or declare them as wide as the widest access to them"
    return CutError(Diagnostic(Codes.OUTSIDE_SUBSET, message, machine.span(state), help_), layout.name, size)


def _each(
    machine: Recording, state: State, layout: Layout, parts: Iterable[tuple[Offset, llvm.Type]], mode: ir.Mode
) -> list[Content]:
    """Load one after another; what was loaded stays as it is in a cell, for all of them have one register."""
    keys = []
    for n, (at, type_) in enumerate(parts):
        state.cells[_WHOLE, n] = Cell(0, _load_shared(machine, state, layout, at, type_, mode))
        keys.append((_WHOLE, n))
    return [state.cells.pop(key).content for key in keys]


def _joined(machine: Recording, state: State, contents: list[Content], type_: llvm.Type) -> Content:
    """The number that parts are, the lowest first."""
    cells: dict[tuple[Private, int], Cell] = {}
    width = llvm.size(type_) // len(contents)
    for n, content in enumerate(contents):
        cells[_WHOLE, n * width] = Cell(width, content)
    return _as(machine, state, read(cells, _WHOLE, 0, llvm.size(type_)), type_)


def _load_parts(
    machine: Recording, state: State, layout: Layout, offset: Offset, type_: llvm.Struct | llvm.Array, mode: ir.Mode
) -> Content:
    if isinstance(type_, llvm.Struct):
        parts = list(zip(llvm.offsets(type_), type_.fields, strict=True))
    else:
        parts = [(n * llvm.size(type_.element), type_.element) for n in range(type_.count)]
    return Record(tuple(_each(machine, state, layout, [(offset.moved(Offset(o)), t) for o, t in parts], mode)))


def _load_known(machine: Recording, state: State, layout: Layout, offset: Offset, type_: llvm.Type) -> Content:
    """A constant; what is not known of it, or whether there is one, is asked of an object in memory."""
    assert layout.known is not None
    table = Private((), layout.name)
    cells = {(table, at): Cell(llvm.size(type_of(content)), content) for at, content in layout.known.items()}
    content = read(cells, table, offset.constant, llvm.size(type_))
    if not offset.terms and content != Unset():
        return _as(machine, state, content, type_)
    machine.world.tables.add(Memory(layout.name))
    raise Again


def located(machine: Recording, state: State, layout: Layout, leaf: Leaf, index: Value) -> ir.Place:
    """The place of a number in memory, with a check that there is one."""
    name = object_name(layout.name, leaf)
    object_ = machine.world.objects[name]
    length = prod(object_.shape) if object_.left_out else len(object_.values)
    for check in faults.of_index(index, length, machine.world.text_of(machine.span(state)), name):
        machine.emit(state, check)
    return ir.Place(name, index)


def store(
    machine: Recording, state: State, address: Address, content: Content, type_: llvm.Type, mode: ir.Mode
) -> None:
    """Write a value of a type."""
    if isinstance(content, Record) and isinstance(type_, (llvm.Struct, llvm.Array)):
        if isinstance(type_, llvm.Struct):
            parts = list(zip(llvm.offsets(type_), type_.fields, strict=True))
        else:
            parts = [(n * llvm.size(type_.element), type_.element) for n in range(type_.count)]
        for (at, inner), part in zip(parts, content.parts, strict=True):
            store(machine, state, Address(address.region, address.offset.moved(Offset(at))), part, inner, mode)
        return
    match address.region:
        case Private() as region:
            check_there(machine, state, region)
            if address.offset.terms or (mode.volatile and state.frame.function.subprogram is not None):
                publish(machine, state, address)
            machine.touch(state, Touch(region, address.offset.constant, llvm.size(type_)))
            _store_private(machine, state, region, address.offset.constant, content, type_)
        case Memory() as region:
            _store_shared(machine, state, machine.world.layouts[region], address.offset, content, type_, mode)
        case Nowhere():
            raise follows_null(machine, state)
        case Code():
            raise machine.refused(state, "writing a function is")


def _store_private(
    machine: Recording, state: State, region: Private, at: int, content: Content, type_: llvm.Type
) -> None:
    size = llvm.size(type_)
    _check_private(machine, state, region, at, type_)
    if isinstance(content, Held):  # as numbers: the register that it was read into may be read into again
        register = machine._cell_register(region, at, content.value.type)
        if content.value != register:
            machine.assign(state, register, content.value, but=(region, at))
        content = Held(register, content.among)
    if isinstance(content, Opaque):
        content = _remembered(machine, state, region, at, content)
    if isinstance(content, Address):
        points(machine, region, at, content)
    if isinstance(content, Unset):
        content = with_fields(machine, region, at, content)
    if isinstance(content, (Address, Held, Opaque, Unset, Record)):
        write(state.cells, region, at, size, content)
        return
    if content.type.bits == 1:
        content = resized("zext", content, 8)
    library = machine.side.debug.is_library(state.frame.function.subprogram)
    if library and region not in machine.cells and len(list(leaves(content))) < _FEW:
        write(
            state.cells, region, at, size, _as(machine, state, content, llvm.Int(8 * size))
        )  # its arguments are not worth a register
        return
    named = machine.cells.get(region, {}).get(at)
    register = machine._cell_register(region, at, content.type)
    if not isinstance(content, Const) or named is not None:
        if not (isinstance(content, Reg) and content.name == register.name):
            machine.assign(state, register, as_type(content, register.type), but=(region, at))
        if not isinstance(content, Const):
            content = _as(machine, state, kept(register), llvm.Int(8 * size))
            assert not isinstance(content, (Address, Held, Opaque, Unset, Record))
    write(state.cells, region, at, size, content)
    _follow(machine, state, region, at, size)


def _remembered(machine: Recording, state: State, region: Private, at: int, content: Opaque) -> Opaque:
    """A content as a local variable keeps it: what it is computed of is in the register of the variable."""
    match content.formula:
        case Formula(text, (operand,)) if operand.type.is_float:
            register = machine._cell_register(region, at, operand.type)
            if operand != register:
                machine.assign(state, register, operand, but=(region, at))
            return replace(content, formula=Formula(text, (register,)))
        case Formula(of=()):
            return content
        case _:
            return replace(content, formula=None)


def _follow(machine: Recording, state: State, region: Private, at: int, size: int) -> None:
    """Give the variables of the source their values that lie in what was written, but are not just that."""
    for offset, variable in machine.cells.get(region, {}).items():
        own = variable.type.size
        if (offset, own) != (at, size) and offset < at + size and at < offset + own:
            give(machine, state, region, offset)


def _store_shared(
    machine: Recording, state: State, layout: Layout, offset: Offset, content: Content, type_: llvm.Type, mode: ir.Mode
) -> None:
    found = element(layout, offset, llvm.size(type_))
    if found is None:
        part, parts = parts_of(machine, state, layout, offset, type_, mode)
        whole = content if isinstance(content, Opaque) else as_number(machine, state, content)
        for n, at in enumerate(parts):
            cells = {(_WHOLE, 0): Cell(llvm.size(type_), whole)}
            piece = read(cells, _WHOLE, n * llvm.size(part), llvm.size(part))
            _store_shared(machine, state, layout, at, piece, part, mode)
        return
    _check_kind(machine, layout, offset, found.leaf, type_)
    if _is_handle(machine, found.leaf):
        held = machine.world.handles.setdefault((layout.name, untracked(offset)), untracked(content))
        if offset.terms or held != content:
            raise machine.refused(state, "a stream, event or graph that is known at run time alone is")
        return
    place = located(machine, state, layout, found.leaf, found.index)
    machine.world.tensor.keep(layout.name, offset.constant, None)
    machine.emit(state, ir.Store(place, stored(machine, state, content, place, found.leaf), mode))


def _check_kind(machine: Recording, layout: Layout, offset: Offset, leaf: Leaf, type_: llvm.Type) -> None:
    """See to it that a number of a union is of the kind that accesses to it have."""
    wanted = _WANTED.get(type(type_))
    if wanted is kind(leaf):
        return
    if machine.world.untyped_bytes.found(layout.name, offset.constant, leaf.type.size, wanted):
        raise Again
    if leaf.overlaps and wanted and machine.world.divide(layout, offset.constant, leaf.type.size, wanted):
        raise Again


def _is_handle(machine: Recording, leaf: Leaf) -> bool:
    """Whether something in memory is a stream, an event or of a graph: which one it is, is known and no access."""
    return leaf.pointer and machine.side.debug.fields(leaf.pointee).get("name") in HANDLES


def stored(machine: Recording, state: State, content: Content, place: ir.Place, leaf: Leaf) -> Value:
    """A content as it is kept in the program's memory at a place."""
    if leaf.type.is_float:
        return Const(0, leaf.type)
    if isinstance(content, Opaque):
        if content.lost:
            raise lost(machine, state)
        forget(machine, state, place, leaf)
    publish(machine, state, content)
    found = pointer_number if leaf.pointer else as_number
    return as_type(found(machine, state, content), leaf.type)


def forget(machine: Recording, state: State, place: ir.Place, leaf: Leaf) -> None:
    """Take the numbers of an object for values that are not modelled, as one of them is."""
    if machine.world.forget(place.object, leaf):
        raise Again
    what = "a value that is not modelled, such as one made of a floating-point number, in an integer is"
    raise machine.refused(state, what)


def _as(machine: Recording, state: State, content: Content, type_: llvm.Type) -> Content:
    """A content as a value of a type of the same size."""
    match type_, content:
        case llvm.Float(size), _:
            return content if isinstance(content, Opaque) and content.bytes == size else made_of(size, content)
        case llvm.Int(bits), (Address() | Held() | Opaque() | Unset() | Record()):
            return content if bits >= 8 or not isinstance(content, Opaque) else made_of(1, content)
        case llvm.Pointer(), (Address() | Held() | Opaque() | Unset() | Record()):
            return content
        case llvm.Pointer(), value:
            return pointed(machine, state, value)  # type: ignore[arg-type]
        case llvm.Int(bits), value:
            return resized("zext" if bits > value.type.bits else "trunc", value, bits)  # type: ignore[union-attr, arg-type]
        case _:
            return content


def type_of(content: Content) -> llvm.Type:
    """The type of a content of a constant table."""
    match content:
        case Opaque(width):
            return llvm.Float(width)
        case Const():
            return llvm.Int(8 * content.type.size)
        case _:
            return llvm.Pointer()
