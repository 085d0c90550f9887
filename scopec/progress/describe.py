"""Steps in words."""

from __future__ import annotations

import re
from collections.abc import Mapping

from scopec.program import ir
from scopec.program.effects import registers
from scopec.program.program import Program
from scopec.program.show import mode_in_words, show_place, shown_barrier, shown_call, words
from scopec.program.values import Const
from scopec.progress.slicing import accessed
from scopec.progress.steps import OWN_KINDS, Again, Asleep, Pending, Return, Tick, Undefined, Visible, Wait


def describe(operation: Visible, program: Program, found: int | None = None) -> str:
    """A step in words: ``loads f (acquire, device)``; with what it finds there, if that is known."""
    said = _said(operation, program, found)
    place = accessed(operation) if not isinstance(operation, OWN_KINDS) else None
    if place is None or (name := element(place, program)) == show_place(place):
        return said
    return re.sub(rf"(?<= ){re.escape(show_place(place))}(?=[ ,]|$)", lambda _: name, said, count=1)


def element(place: ir.Place, program: Program) -> str:
    """The name of an element: of an array the first one has its index too."""
    first = isinstance(place.index, Const) and place.index.value == 0
    return f"{place.object}[0]" if first and program.objects[place.object].array else show_place(place)


def _said(operation: Visible, program: Program, found: int | None) -> str:
    match operation:
        case ir.Load(_, place, mode) if found is not None:
            return f"{'loads' if mode.atomic else 'reads'} {show_place(place)} = {found}{mode_in_words(mode)}"
        case ir.CompareExchange() if found is not None:
            return f"{words(operation)[1]}, finds {found}"
        case Tick():
            return "goes round the loop"
        case Return(function, None):
            return f"{call_in_words(function, program)} returns"
        case Return(function, ready):
            return f"{function} returns {'cudaSuccess' if ready else 'cudaErrorNotReady'}"
        case Pending(of):
            return f"{shown_call(of)} returns"
        case Wait(at):
            return f"leaves {shown_barrier(at)}"
        case Asleep(on, _):
            return f"sleeps on {show_place(on.place)}"
        case Undefined(text):
            return text
        case Again(Wait() | Asleep() | ir.Await() | ir.BarrierWait() | ir.JoinThread()):
            return "waits on"
        case Again():
            return "goes round again"
        case ir.LaunchGrid(grid) if program.grids[grid].work is not ir.Work.KERNEL:
            return f"calls {grid}"
        case ir.Store(place, _, mode) if program.objects[place.object].use not in (ir.Use.DATA, ir.Use.PASSED):
            return f"initialises {show_place(place)}{mode_in_words(mode)}"
        case ir.Rmw(_, place, _, mode) if (use := program.objects[place.object].use) in _UPDATES:
            return f"{_UPDATES[use]} {show_place(place)}{mode_in_words(mode)}"
        case ir.Store(place, value, mode) if any(name.startswith("%") for name in registers(value)):
            return f"{'stores' if mode.atomic else 'writes'} {show_place(place)}{mode_in_words(mode)}"
        case _:
            return words(operation)[1]


#: The words for a member that updates an object.
_UPDATES = {
    ir.Use.BARRIER: "arrives at",
    ir.Use.LATCH: "counts down",
    ir.Use.SEMAPHORE: "releases",
    ir.Use.STOP: "requests",
}


def call_in_words(function: str, program: Program) -> str:
    """A call by what it calls: a function, or the grid that it launches."""
    grid = program.grids.get(function)
    return function if grid is None or grid.work is not ir.Work.KERNEL else f"the launch of {function}"


def state_in_words(barrier: Mapping[str, object]) -> str:
    """The state of a barrier: its phase, and the arrivals that are still to come; of an mbarrier, the bytes too."""
    if "bytes" in barrier and barrier["expected"] == 0:
        return "no mbarrier"
    bytes_ = f", {barrier['bytes']} bytes" if barrier.get("bytes") else ""
    late = f", the end of phase {int(str(barrier['phase'])) - 1} may be in flight" if barrier.get("late") else ""
    return f"phase {barrier['phase']}, {barrier['pending']} of {barrier['expected']} arrivals to come{bytes_}{late}"
