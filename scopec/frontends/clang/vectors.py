"""Vector accesses of PTX: as many accesses as there are elements, which nothing orders.

PTX ISA, "Vector Data-types": "modelled as a set of equivalent memory operations with a scalar data-type, executed in an
unspecified order on the elements in the vector".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.frontends.clang import llvm
from scopec.frontends.clang.access import load, parts_of, publish, store
from scopec.frontends.clang.calls import ORDERS, Call, Handler, address_of
from scopec.frontends.clang.memory import Address, Cell, Memory, Private, Record, element
from scopec.frontends.clang.numbers import Offset
from scopec.program import ir

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_WHOLE = Private((), "%vector")


def _mode(call: Call) -> ir.Mode:
    """The mode of an access: an order and a scope, or -1 and whether it is volatile."""
    if call.known(1) >= 0:
        return call.mode(ORDERS[call.known(1)], 2)
    return ir.VOLATILE if call.known(2) else ir.PLAIN


def _each(call: Call, types: Sequence[llvm.Type], mode: ir.Mode) -> Iterator[tuple[int, Address]]:
    """The elements, each when it is to be accessed."""
    machine, state, address = call.machine, call.state, address_of(call, 0)
    if isinstance(address.region, Private) and mode.atomic:
        publish(machine, state, address)
    places = [Address(address.region, address.offset.moved(Offset(n * llvm.size(t)))) for n, t in enumerate(types)]
    layout = machine.world.layouts[address.region] if isinstance(address.region, Memory) else None
    shared = layout is not None and layout.known is None
    for place, type_ in zip(places, types, strict=True):  # what is no element is found out before any is accessed
        if layout is not None and shared and element(layout, place.offset, llvm.size(type_)) is None:
            parts_of(machine, state, layout, place.offset, type_, mode)
    machine.evaluations += shared
    for n, place in enumerate(places):
        machine.operand = n
        if shared:
            machine.emit(state, ir.Operand(machine.evaluations, n))
        yield n, place
    machine.operand = 0
    if shared:
        machine.emit(state, ir.Operand(machine.evaluations, None))


def _load(call: Call) -> bool:
    machine, state, type_ = call.machine, call.state, call.action.type
    assert isinstance(type_, llvm.Struct)
    mode = _mode(call)
    for n, place in _each(call, type_.fields, mode):
        state.cells[_WHOLE, n] = Cell(0, load(machine, state, place, type_.fields[n], mode))
    return call.done(Record(tuple(state.cells.pop((_WHOLE, n)).content for n in range(len(type_.fields)))))


def _store(call: Call) -> bool:
    machine, state, types = call.machine, call.state, [argument.type for argument in call.action.arguments[3:]]
    mode = _mode(call)
    for n, place in _each(call, types, mode):
        store(machine, state, place, call.arguments[3 + n], types[n], mode)
    return call.done()


#: What the intrinsics of vectors do.
VECTORS: dict[str, Handler] = {"vector_load": _load, "vector_store": _store}
