"""Lifetimes of memory: local variables that threads share, and those of calls that have returned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.frontends.clang.machine.memory import Cell, Memory, Private, Unset, object_name
from scopec.frontends.clang.machine.state import Done
from scopec.program import faults, ir, values

if TYPE_CHECKING:
    from scopec.frontends.clang.machine.memory import Region
    from scopec.frontends.clang.machine.recording import Recording
    from scopec.frontends.clang.machine.state import State

_THERE = "%there: "


def life_of(machine: Recording, region: Memory, how: str = "", *, begins: bool) -> ir.Lifetime:
    """The operation that begins the lifetime of memory, or ends it."""
    names = dict.fromkeys(object_name(region.name, leaf) for leaf in machine.world.layouts[region].leaves)
    return ir.Lifetime(region.name, tuple(names), begins, how)


def begin(machine: Recording, state: State, variable: Region) -> None:
    """A local variable of the innermost call is there from here on, unless it is already."""
    if isinstance(variable, Memory) and (mark := _there(state, variable)) not in state.cells:
        state.cells[mark] = Cell(0, Unset())
        operation = life_of(machine, variable, begins=True)
        machine.emit(state, operation, machine.world.objects[operation.objects[0]].span)


def end(machine: Recording, state: State, variable: Region) -> None:
    """A local variable of the innermost call is there no more."""
    if isinstance(variable, Memory) and state.cells.pop(_there(state, variable), None) is not None:
        machine.emit(state, life_of(machine, variable, begins=False))


def end_all(machine: Recording, state: State) -> None:
    """The local variables of the innermost call are there no more."""
    for region, _ in list(state.cells):
        if region.calls == state.frame.calls and region.name.startswith(_THERE):
            end(machine, state, Memory(region.name.removeprefix(_THERE)))


def _there(state: State, variable: Memory) -> tuple[Private, int]:
    """The mark in a thread's memory that a variable that threads share is there."""
    return Private(state.frame.calls, _THERE + variable.name), 0


def check_there(machine: Recording, state: State, region: Private) -> None:
    """Raise where a local variable is accessed when the call that declares it has returned."""
    if region not in machine.allocated or region.name == "heap":
        return
    if all(frame.calls != region.calls for frame in state.frames):
        name = machine.named[region][0] if region in machine.named else "a temporary object"
        machine.emit(state, faults.of_lifetime(values.FALSE, name))
        machine.builder.end(machine.span(state))
        raise Done
