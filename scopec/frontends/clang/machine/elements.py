"""Addresses of elements: for an index that is not modelled, that of any element of the object.

An index computed from a floating-point number, ``image[(int)(y * scale) * width + x]``, may be any number; outside of
the object the access would be undefined.  What holds whichever element is taken holds for the one that is computed;
what is found need not exist, as two such indices may differ always.  So the program says that it has such accesses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.frontends.clang.llvm.numbers import Offset, arithmetic, number
from scopec.frontends.clang.machine.instructions import element_address
from scopec.frontends.clang.machine.memory import Address, Content, Memory, Private
from scopec.frontends.clang.machine.state import Again
from scopec.frontends.clang.machine.variables import publish
from scopec.program import ir, values
from scopec.program.types import BOOL
from scopec.program.values import Value

if TYPE_CHECKING:
    from scopec.frontends.clang.llvm import code as llvm
    from scopec.frontends.clang.machine.recording import Recording
    from scopec.frontends.clang.machine.state import State

#: The most elements of which one is taken.
_MOST = 65_536


def computed_address(machine: Recording, state: State, part: llvm.Element) -> Content:
    """The address that an instruction ``getelementptr`` computes."""
    return element_address(machine, state, part, _any_element)


def _any_element(machine: Recording, state: State, base: Address, apart: int) -> Offset | None:
    """The offset of any element of the object that an address is in, of those so many bytes apart, the address among
    them; None where it is in no object, at a computed place, or where there are too many.
    """
    region = base.region
    if isinstance(region, Private):
        publish(machine, state, base)
    if not isinstance(region, Memory) or base.offset.terms or apart <= 0:
        return None
    layout = machine.world.layouts[region]
    if layout.known is not None:
        machine.world.tables.add(region)
        raise Again
    if not all(count for leaf in layout.leaves for count, _ in leaf.extents):  # an array without an end
        return None
    ends = (leaf.offset + sum((n - 1) * far for n, far in leaf.extents) + leaf.type.size for leaf in layout.leaves)
    first = base.offset.constant % apart
    count = len(range(first, max(ends, default=0), apart))
    if not 0 < count <= _MOST:
        return None
    machine.world.any_index.append(machine.span(state))
    return Offset(first).plus(apart, _any_below(machine, state, count))


def _any_below(machine: Recording, state: State, count: int) -> Value:
    """Any number from zero on below a count."""
    result: Value = number(0, 64)
    for bit in range((count - 1).bit_length()):
        truth = machine.target(state, BOOL, bit)
        machine.emit(state, ir.Decide(truth.name, "unknown"))
        more = values.choose(truth, number(1 << bit, 64), number(0, 64))
        result = arithmetic("add", result, more)
    return arithmetic("srem", result, number(count, 64)) if count & (count - 1) else result
