"""The mbarriers of a program: the objects in shared memory that operations on mbarriers are on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.program import ir, types
from scopec.program.effects import place_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.program.program import Program


def with_mbarriers(program: Program) -> Program:
    """The program with its mbarriers told from data; InputError where one is accessed as data.

    "Performing any non-mbarrier operations on an mbarrier object results in undefined behavior" (PTX ISA, "mbarrier").
    """
    found = {
        operation.place.object
        for body in _bodies(program) for node in body.nodes.values() if isinstance(node, ir.Do)
        if isinstance(operation := node.operation, ir.BarrierOperation) and operation.fault
    }  # fmt: skip
    for body in _bodies(program):
        for node in body.nodes.values():
            if isinstance(node, ir.Do) and isinstance(node.operation, ir.Access):
                place = place_of(node.operation)
                if place is not None and place.object in found:
                    message = f"`{place.object}` is an mbarrier, and accessed as a number here"
                    raise error(Code.OUTSIDE_SUBSET, message, node.span, "use the operations of mbarriers alone")
    made = {name: _mbarrier(program.objects[name]) for name in found}
    return replace(program, objects={**program.objects, **made}) if made else program


def _mbarrier(object_: ir.Object) -> ir.Object:
    """An object as an mbarrier, which is not initialised where nothing says what it holds."""
    initial = tuple(0 if value is None else value for value in object_.values)
    return replace(object_, type=types.LONG, use=ir.Use.MBARRIER, values=initial)


def _bodies(program: Program) -> Iterator[ir.Body]:
    yield from (thread.body for thread in (program.host, *program.others))
    yield from (grid.body for grid in program.grids.values())
