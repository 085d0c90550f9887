"""Vector accesses of PTX: as many accesses as there are elements, which nothing orders."""

from __future__ import annotations

from scopec.frontends.clang.intrinsics.call import Call
from scopec.frontends.clang.intrinsics.calls import Handler, address_of
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.numbers import Offset
from scopec.frontends.clang.machine.access import parts_of
from scopec.frontends.clang.machine.memory import Address, Memory, element
from scopec.program import ir


def _element(call: Call) -> bool:
    """The next of so many elements is to be accessed; none is left where its number is how many there are.

    The last argument says whether they are those of a load or store, which may be given to be one access.
    """
    machine, state, address = call.machine, call.state, address_of(call, 0)
    size, count, n, one = (call.known(position) for position in (1, 2, 3, 4))
    layout = machine.world.layouts[address.region] if isinstance(address.region, Memory) else None
    if layout is None or layout.known is not None:
        return call.done()
    for other in range(count if n == 0 else 0):  # what is no element is found out before any is accessed
        place = Address(address.region, address.offset.moved(Offset(other * size)))
        if element(layout, place.offset, size) is None:
            parts_of(machine, state, layout, place.offset, llvm.Int(8 * size), ir.PLAIN)
    machine.evaluations += n == 0
    call.emit(ir.Operand(machine.evaluations, n if n < count else None, vector=bool(one)))
    return call.done()


#: The effect of the intrinsic of vectors.
VECTORS: dict[str, Handler] = {"element": _element}
