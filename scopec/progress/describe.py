"""Steps in words."""

from __future__ import annotations

from collections.abc import Mapping

from scopec.program import ir
from scopec.program.collective import shown_barrier, shown_call
from scopec.program.program import Program
from scopec.program.show import show_place
from scopec.program.values import show
from scopec.progress.steps import Again, Asleep, Pending, Return, Tick, Undefined, Visible, Wait


def describe(operation: Visible, program: Program) -> str:
    """What a step does, for people: ``loads f (acquire, device)``."""
    match operation:
        case Tick():
            return "goes round the loop"
        case Return(function, None):
            return f"{call_in_words(function, program)} returns"
        case Return(function, ready):
            return f"{function} returns {'cudaSuccess' if ready else 'cudaErrorNotReady'}"
        case Pending(of):
            return f"{shown_call(of)} returns"
        case Wait(at):
            return f"leaves {barrier_in_words(at)}"
        case Asleep(on, _):
            return f"sleeps on {show_place(on.place)}"
        case Undefined(text):
            return text
        case Again(Wait() | Asleep() | ir.Await() | ir.BarrierWait() | ir.JoinThread()):
            return "waits on"
        case Again():
            return "goes round again"
        case ir.DeviceSynchronize():
            return "cudaDeviceSynchronize returns"
        case ir.LaunchGrid(grid):
            return f"{'launches' if program.grids[grid].work is ir.Work.KERNEL else 'calls'} {grid}"
        case ir.ApiCall(function):
            return f"{function} returns"
        case ir.StreamQuery(_, stream):
            return f"calls cudaStreamQuery for {stream}"
        case ir.Load(_, place, mode):
            return f"{'loads' if mode.atomic else 'reads'} {show_place(place)}{_how(mode)}"
        case ir.Store(place, _, mode) if program.objects[place.object].use not in (ir.Use.DATA, ir.Use.PASSED):
            return f"initialises {show_place(place)}{_how(mode)}"
        case ir.Store(place, value, mode):
            return f"{'stores' if mode.atomic else 'writes'} {show_place(place)} = {show(value)}{_how(mode)}"
        case ir.Rmw(_, place, _, mode):
            return f"{_updates(program.objects[place.object].use)} {show_place(place)}{_how(mode)}"
        case ir.CompareExchange(place=place, mode=mode):
            return f"compares and exchanges {show_place(place)}{_how(mode)}"
        case ir.Fence(order, scope):
            return f"fence ({order.value}, {scope.name.lower()})"
        case ir.Await(place=place):
            return f"waits on {show_place(place)}"
        case ir.BarrierInit(place):
            return f"initialises {show_place(place)}"
        case ir.BarrierArrive(_, place, _, mode):
            return f"arrives at {show_place(place)}{_how(mode)}"
        case ir.BarrierWait(_, place):
            return f"waits on {show_place(place)}"
        case ir.BarrierPhase(_, place, mode):
            return f"loads {show_place(place)}{_how(mode)}"
        case ir.Notify(place, _):
            return f"notifies {show_place(place)}"
        case ir.SyncThreads() | ir.GroupSync() | ir.NamedBarrier():
            return f"arrives at {barrier_in_words(operation)}"
        case (
            ir.CreateThread()
            | ir.JoinThread()
            | ir.StreamSynchronize()
            | ir.EventRecord()
            | ir.EventWait()
            | ir.EventSynchronize()
            | ir.EventQuery()
        ):
            return f"calls {shown_call(operation)}"
        case ir.EndProcess():
            return "ends the process"
        case ir.Trap():
            return "aborts the grid"
        case ir.WorkSynchronize(grid):
            return f"waits for {grid}"
        case ir.Yield(sleeps):
            return "sleeps" if sleeps else "yields"
        case ir.InputOutput():
            return "prints"
        case ir.Decide(order=True):
            return "chooses which operand to evaluate"
        case ir.Set() | ir.Assert() | ir.Decide() | ir.Operand() | ir.Called():
            return "computes"


def _updates(use: ir.Use) -> str:
    """What a member that updates an object does to it."""
    match use:
        case ir.Use.BARRIER:
            return "arrives at"
        case ir.Use.LATCH:
            return "counts down"
        case ir.Use.SEMAPHORE:
            return "releases"
        case ir.Use.STOP:
            return "requests"
        case ir.Use.DATA | ir.Use.PASSED:
            return "updates"


def _how(mode: ir.Mode) -> str:
    if mode.order is not None:
        return f" ({mode.order.value}, {mode.scope.name.lower()})"
    return " (volatile)" if mode.volatile else ""


def call_in_words(function: str, program: Program) -> str:
    """A call by what it calls: a function, or the grid that it launches."""
    grid = program.grids.get(function)
    return function if grid is None or grid.work is not ir.Work.KERNEL else f"the launch of {function}"


def state_in_words(barrier: Mapping[str, object]) -> str:
    """The state of a barrier: its phase, and the arrivals that are still to come."""
    return f"phase {barrier['phase']}, {barrier['pending']} of {barrier['expected']} arrivals to come"


def barrier_in_words(at: ir.SyncThreads | ir.GroupSync | ir.NamedBarrier) -> str:
    """A barrier: ``__syncthreads``, ``barrier 1``."""
    if isinstance(at, ir.NamedBarrier):
        return f"barrier {', '.join(show(part) for part in at.name)}"
    return shown_barrier(at)
