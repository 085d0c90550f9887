"""Steps that count for [intro.progress.1], as the execution model modifies it."""

from __future__ import annotations

from scopec.program import ir
from scopec.program.effects import effects, place_of
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
        case Tick(trivial):
            return host and trivial
        case Undefined() | Again():
            return False
        case Pending() | Wait() | Asleep() | Return():
            return True
        case _:
            place, done = place_of(operation), effects(operation)
            if not host and place is not None and program.objects[place.object].storage is ir.Storage.AUTOMATIC:
                return False
            if isinstance(operation, ir.Access | ir.BarrierOperation):
                return operation.mode.volatile or (operation.mode.atomic and (host or done.reads))
            return done.counts == "always" or (host and done.counts == "on the host")
