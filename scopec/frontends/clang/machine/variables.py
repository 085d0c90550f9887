"""Local variables: as they are declared, and as others get to see them."""

from __future__ import annotations

from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.numbers import as_type
from scopec.frontends.clang.machine.instructions import operand, value_of
from scopec.frontends.clang.machine.lifetimes import begin
from scopec.frontends.clang.machine.memory import (
    Address,
    Content,
    Held,
    Layout,
    Memory,
    Private,
    Record,
    Region,
    Unset,
    leaves_of,
    read,
)
from scopec.frontends.clang.machine.names import unused
from scopec.frontends.clang.machine.opaque import Opaque
from scopec.frontends.clang.machine.recording import Recording
from scopec.frontends.clang.machine.state import Again, State
from scopec.program import ir
from scopec.program.values import Const, Reg


def local(machine: Recording, state: State, name: str, type_: llvm.Type, count: llvm.Typed | None) -> Region:
    """Memory for a local variable."""
    if count is not None:
        known = value_of(machine, state, count)
        if not isinstance(known, Const):
            raise machine.refused(state, "an array whose size is known at run time alone is")
        type_ = llvm.Array(known.value, type_)
    found = home(machine, Private(state.frame.calls, name), type_)
    if name not in machine.side.flow(state.frame.function).scoped:
        begin(machine, state, found)
    return found


def home(machine: Recording, region: Private, type_: llvm.Type) -> Region:
    """The region of a thread's variable: in its private memory, or in the program's if others get to know of it."""
    machine.allocated[region] = type_
    shared = machine.world.shared_locals.get((machine.thread, region))
    if shared is None:
        return region
    layout, span = shared
    storage = ir.Storage.SYSTEM if machine.side.host else ir.Storage.AUTOMATIC
    return machine.world.declare(layout, storage, span, {}, zero=False)


def declared(machine: Recording, state: State, address: llvm.Operand, variable: str) -> None:
    """A local variable of the source: the cells of the outermost call are registers with its names."""
    content = operand(machine, state, llvm.Typed(llvm.Pointer(), address))
    if not isinstance(content, Address):
        return
    region = content.region
    about = machine.side.debug.variable(variable)
    machine.named[region] = about.name, about.type, machine.world.span(about.place)
    if not isinstance(region, Private):
        return
    numbers = [
        leaf for leaf in machine.side.debug.leaves(about.type)
        if not (leaf.pointer or leaf.type.is_float or leaf.extents or leaf.class_ or leaf.overlaps or leaf.bits)
    ]  # fmt: skip
    for leaf in machine.side.debug.leaves(about.type):  # a parameter points there before it is declared
        held = read(state.cells, region, leaf.offset, leaf.type.size) if leaf.pointer and not leaf.extents else None
        if isinstance(held, Address):
            points(machine, region, leaf.offset, held)
    machine.types[region] = {leaf.offset: leaf.type for leaf in numbers}
    # The variables of a thread are those of the outermost function that the user wrote.
    library = [machine.side.debug.is_library(frame.function.subprogram) for frame in state.frames]
    if about.artificial or library.pop() or not all(library):
        return
    for leaf in numbers:
        name = about.name + leaf.path
        if machine.owners.setdefault(name, region) != region:
            machine.ambiguous.add(name)
        elif leaf.offset not in machine.cells.setdefault(region, {}):
            machine.cells[region][leaf.offset] = Reg(name, leaf.type)
            machine.variables[name] = leaf.type
            give(machine, state, region, leaf.offset)  # a parameter has its value before it is declared


def points(machine: Recording, region: Private, at: int, to: Address) -> None:
    """A variable points to memory: what it points to says of which numbers that is."""
    untyped = machine.world.untyped_bytes
    if (
        region not in machine.named
        or to.offset.terms
        or not (isinstance(to.region, Memory) and untyped.is_one(to.region))
    ):
        return
    debug = machine.side.debug
    for leaf in debug.leaves(machine.named[region][1]):
        if leaf.pointer and leaf.offset == at and not leaf.extents and leaf.pointee:
            untyped.points(to.region.name, to.offset.constant, debug.leaves(leaf.pointee))


def publish(machine: Recording, state: State, content: Content) -> None:
    """Another thread may get to know an address: what is there is in memory that threads share."""
    if not isinstance(content, Address) or not isinstance(content.region, Private):
        return
    region, shared = content.region, machine.world.shared_locals
    if (machine.thread, region) in shared or region not in machine.allocated:
        raise machine.refused(state, "an object without a name that other threads use is", "give it a name")
    if region in machine.named:
        name, type_, span = machine.named[region]
        leaves = machine.side.debug.leaves(type_) or leaves_of(machine.allocated[region])
    else:
        name, leaves, span = "temporary", leaves_of(machine.allocated[region]), machine.span(state)
    taken = {layout.name for (_, other), (layout, _) in shared.items() if other != region}
    layout = Layout(unused(f"{machine.thread}.{name}", taken), leaves)
    shared[machine.thread, region] = layout, span
    raise Again


def give(machine: Recording, state: State, region: Private, at: int) -> None:
    """Give a variable of the source the value that is in its place."""
    variable = machine.cells[region][at]
    content = read(state.cells, region, at, variable.type.size)
    if not isinstance(content, (Address, Held, Opaque, Unset, Record)):
        machine.assign(state, variable, as_type(content, variable.type), but=(region, at))
