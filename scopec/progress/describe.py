"""Steps in words."""

from __future__ import annotations

from scopec.memory.collective import shown_barrier, shown_call
from scopec.program import ir
from scopec.program.barrier_state import barrier_state
from scopec.program.show import show_place
from scopec.program.values import show
from scopec.progress.steps import Again, Asleep, Pending, Return, Tick, Undefined, Visible, Wait

#: What a member that updates a synchronisation object does to it.
_UPDATES = {ir.Use.BARRIER: "arrives at", ir.Use.LATCH: "counts down", ir.Use.SEMAPHORE: "releases"}


def describe(operation: Visible, program: ir.Program) -> str:
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
        case Again(Wait() | Asleep() | ir.Await() | ir.JoinThread()):
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
        case ir.Rmw(_, place, _, mode) if program.objects[place.object].use is not ir.Use.DATA:
            return f"{_UPDATES[program.objects[place.object].use]} {show_place(place)}{_how(mode)}"
        case ir.Store(place, value, mode):
            return f"{'stores' if mode.atomic else 'writes'} {show_place(place)} = {show(value)}{_how(mode)}"
        case ir.Rmw(_, place, _, mode):
            return f"updates {show_place(place)}{_how(mode)}"
        case ir.CompareExchange(place=place, mode=mode):
            return f"compares and exchanges {show_place(place)}{_how(mode)}"
        case ir.Fence(order, scope):
            return f"fence ({order.value}, {scope.name.lower()})"
        case ir.Await(place=place):
            return f"waits on {show_place(place)}"
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


def _how(mode: ir.Mode) -> str:
    if mode.order is not None:
        return f" ({mode.order.value}, {mode.scope.name.lower()})"
    return " (volatile)" if mode.volatile else ""


def call_in_words(function: str, program: ir.Program) -> str:
    """A call by what it calls: a function, or the grid that it launches."""
    grid = program.grids.get(function)
    return function if grid is None or grid.work is not ir.Work.KERNEL else f"the launch of {function}"


def state_in_words(use: ir.Use, value: int) -> str:
    """The value of an object; the state of a barrier is its phase and the arrivals that are still to come."""
    if use is not ir.Use.BARRIER:
        return str(value)
    phase, expected, pending = barrier_state(value)
    return f"phase {phase}, {pending} of {expected} arrivals to come"


def barrier_in_words(at: ir.SyncThreads | ir.GroupSync | ir.NamedBarrier) -> str:
    """A barrier: ``__syncthreads``, ``barrier 1``."""
    if isinstance(at, ir.NamedBarrier):
        return f"barrier {', '.join(show(part) for part in at.name)}"
    return shown_barrier(at)
