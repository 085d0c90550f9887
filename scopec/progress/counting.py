"""Which steps count for [intro.progress.1], as the execution model modifies it."""

from __future__ import annotations

from scopec.program import ir
from scopec.program.program import Program
from scopec.progress.steps import Again, Asleep, Pending, Return, Tick, Undefined, Visible, Wait


def counts(operation: Visible, program: Program, host: bool) -> bool:
    """Whether an operation is one that [intro.progress.1], as modified, assumes a thread will eventually perform.

    Host threads: "terminate", "invoke this_thread::yield", "make a call to a library I/O function", "perform an access
    through a volatile glvalue", "perform a synchronization operation or an atomic operation", "continue execution of a
    trivial infinite loop".  Device threads: "terminate", "make a call to a library I/O function", "perform an access
    through a volatile glvalue except if the designated object has automatic storage duration", "perform a
    synchronization operation or an atomic read operation except if the designated object has automatic storage
    duration"; by the note there, atomic writes and fences are not meant.
    """
    match operation:
        case ir.Load(_, place, mode):
            return _access_counts(program.objects[place.object], mode, host, reads=True)
        case ir.Store(place, _, mode):
            return _access_counts(program.objects[place.object], mode, host, reads=False)
        case ir.Rmw(_, place, _, mode):
            return _access_counts(program.objects[place.object], mode, host, reads=True)
        case ir.CompareExchange(place=place, mode=mode) | ir.Await(place=place, mode=mode):
            return _access_counts(program.objects[place.object], mode, host, reads=True)
        case ir.BarrierInit(place, _):
            return _access_counts(program.objects[place.object], ir.PLAIN, host, reads=False)
        case ir.BarrierArrive(place=place, mode=mode) | ir.BarrierWait(place=place, mode=mode):
            return _access_counts(program.objects[place.object], mode, host, reads=True)
        case ir.BarrierPhase(place=place, mode=mode):
            return _access_counts(program.objects[place.object], mode, host, reads=True)
        case ir.Notify(place, _):
            return host or program.objects[place.object].storage is not ir.Storage.AUTOMATIC
        case ir.Fence():
            return host
        case ir.Yield(sleeps):  # "invoke the function std::this_thread::yield": to sleep is not among them
            return host and not sleeps
        case Tick(trivial):
            return host and trivial
        case ir.Set() | ir.Assert() | ir.Decide() | ir.Operand() | ir.Called() | Undefined() | Again():
            return False
        case (
            ir.SyncThreads()
            | ir.GroupSync()
            | ir.NamedBarrier()
            | Pending()
            | Wait()
            | Asleep()
            | ir.InputOutput()
            | ir.EndProcess()
            | ir.Trap()
            | ir.CreateThread()
            | ir.JoinThread()
            | ir.LaunchGrid()
            | ir.ApiCall()
            | ir.DeviceSynchronize()
            | ir.StreamQuery()
            | ir.StreamSynchronize()
            | ir.EventRecord()
            | ir.EventWait()
            | ir.EventSynchronize()
            | ir.WorkSynchronize()
            | ir.EventQuery()
            | Return()
        ):
            return True


def _access_counts(object_: ir.Object, mode: ir.Mode, host: bool, *, reads: bool) -> bool:
    if host:
        return mode.atomic or mode.volatile
    if object_.storage is ir.Storage.AUTOMATIC:
        return False
    return mode.volatile or (mode.atomic and reads)
