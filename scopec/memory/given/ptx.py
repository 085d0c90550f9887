"""C++ under a model of PTX: atomic operations and fences as the instructions that they are compiled to.

The mapping is that of "PTX Writer's Guide to Interoperability", "Atomics Application Binary Interface", proven in "A
Formal Analysis of the NVIDIA PTX Memory Consistency Model" (ASPLOS 2019).  An operation is an instruction of its own
order and scope, but for what is here.  Compilers may strengthen orders, as libcu++ does those of fences.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.program import ir, values
from scopec.program.builder import expanded
from scopec.program.ir import Order
from scopec.program.values import Reg

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scopec.program.program import Program
    from scopec.program.types import IntType

#: The order of the operation after the ``fence.sc`` of a seq_cst one.
AFTER_FENCE: dict[type[ir.Operation], Order] = {
    ir.Load: Order.ACQUIRE,  # fence.sc.<scope>; ld.acquire.<scope>;
    ir.Store: Order.RELAXED,  # fence.sc.<scope>; st.relaxed.<scope>;
    ir.Rmw: Order.ACQUIRE,  # fence.sc.<scope>; atom.acquire.<scope>.<rmw op>;
    ir.Await: Order.ACQUIRE,
}


def compiled(program: Program) -> Program:
    """The program with the instructions of PTX that its operations are."""

    def change(body: ir.Body) -> ir.Body:
        return expanded(body, lambda operation, _: instructions(operation, program.objects))

    return program.with_bodies(change)


def instructions(operation: ir.Operation, objects: Mapping[str, ir.Object]) -> Iterator[ir.Operation]:
    """The instructions of an operation: at least one."""
    match operation:
        case ir.CompareExchange():
            yield from _compare_exchange(operation, objects[operation.place.object].type)
        case ir.Load(mode=mode) | ir.Store(mode=mode) | ir.Rmw(mode=mode) | ir.Await(mode=mode) if (
            mode.order is Order.SEQ_CST
        ):
            yield ir.Fence(Order.SEQ_CST, mode.scope)
            yield replace(operation, mode=replace(mode, order=AFTER_FENCE[type(operation)]))
        case _:
            yield operation


def _compare_exchange(operation: ir.CompareExchange, type_: IntType) -> Iterator[ir.Operation]:
    """``atom.cas``: one order, that of success and failure together; it always writes, and has but one reason to fail.

    PTX ISA, "atom": "cas(r,s,t) = (r == s)? t : r".
    """
    mode = operation.mode
    assert mode.order is not None
    found = Reg(f"{operation.target} found", type_)
    equal = values.binary("==", found, operation.expected)
    new = values.choose(equal, operation.desired, found)
    both = replace(mode, order=stronger(mode.order, operation.failure))
    yield from instructions(ir.Rmw(found.name, operation.place, new, both), {})
    yield ir.Set(operation.succeeded, equal)
    yield ir.Set(operation.target, found)


def stronger(one: Order, other: Order) -> Order:
    """The order that has what both have (libc++'s ``__stronger_order``)."""
    if {one, other} == {Order.ACQUIRE, Order.RELEASE}:
        return Order.ACQ_REL
    return max(one, other, key=list(Order).index)
