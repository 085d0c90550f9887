"""Streams: which there are, their order, the values that they wait for, and what an aborted grid leaves behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.program import ir
from scopec.program.effects import effects, place_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from scopec.program.program import Program

#: cudaErrorLaunchFailure: "An exception occurred on the device while executing a kernel."
LAUNCH_FAILURE = 719


def last_error_name(device: int) -> str:
    """The object in which an aborted grid of a device tells so to the calls that come after."""
    return f"last error@{device}" if device else "last error"


def with_legacy_streams(streams: Collection[ir.Stream], grids: Collection[ir.Grid]) -> tuple[ir.Stream, ...]:
    """The streams of a program: the legacy one of each device that has work or a stream, then those it created.

    `cudaSetDevice(n)` implies that device n exists.
    """
    devices = {0} | {grid.device for grid in grids} | {stream.device for stream in streams}
    return (*(ir.legacy_stream(device) for device in sorted(devices)), *streams)


def waits_for(later: ir.Stream, earlier: ir.Stream) -> bool:
    """Whether work issued to ``later`` starts only after work issued before to ``earlier``.

    "Completion of a task enqueued in a CUDA stream synchronizes with the start of the following task in the same
    stream" (PTX ISA, 8.9.4); the legacy default stream "first waits on all blocking streams, the action is queued in
    the legacy stream, and then all blocking streams wait on the legacy stream" (CUDA driver API, "Stream
    synchronization behavior"); non-blocking streams wait for no other.  It is work, or the record of an event, that
    waits so: see :func:`acts`.
    """
    if later.name == earlier.name:
        return True
    if later.device != earlier.device:
        return False
    return "legacy" in (later.kind, earlier.kind) and "non-blocking" not in (later.kind, earlier.kind)


def acts(stream: ir.Stream, recorded: ir.Stream) -> bool:
    """Whether a wait in a stream for an event that another recorded is an action by which streams wait for others.

    It is in the legacy stream, "when an action is taken in the legacy stream such as a kernel launch or
    cudaStreamWaitEvent()" (CUDA driver API, "Stream synchronization behavior").  One for an event that nobody has
    recorded waits for nothing: "Before the first call to cuEventRecord(), an event represents an empty set of work"
    (CUDA driver API, cuEventRecord; of older versions "acts as if the record has already completed, and so is a
    functional no-op", cuStreamWaitEvent); and so does one for an event of the stream's own.  In a blocking stream only
    what comes behind it waits for the legacy stream: on an H200, neither such a wait nor cudaStreamSynchronize does by
    itself.
    """
    return stream.kind == "legacy" and recorded.name != stream.name


# ---------------------------------------------------------------- grids that overlap


@dataclass(frozen=True, slots=True)
class Queued:
    """Work that a host issues, as its stream orders it: whether it is a kernel, and a dependent one.

    ``awaits`` are the grids for whose launches' events its stream waits directly before it.
    """

    stream: ir.Stream
    kernel: bool
    dependent: bool
    awaits: tuple[ir.Awaited, ...] = ()


def queued(program: Program) -> dict[str, Queued]:
    """The work of a program, in the order in which it is issued."""
    return {
        name: Queued(g.stream, g.work is ir.Work.KERNEL, g.dependent, g.awaits) for name, g in program.grids.items()
    }


def prerequisite(work: Mapping[str, Queued], grid: str) -> str | None:
    """The grid whose end a dependent one does not wait for, to start: the kernel that its stream has before it.

    None for a grid that waits for all that its stream has before it: one that is not dependent, or whose stream has
    other work before it.  ``work`` is in the order in which it is issued.
    """
    own = work[grid]
    before = None
    for name, other in work.items():
        if name == grid:
            break
        if other.stream.name == own.stream.name:
            before = name
    return before if own.dependent and before is not None and work[before].kernel else None


def prerequisites(work: Mapping[str, Queued], grid: str) -> tuple[ir.Awaited, ...]:
    """The grids whose ends a kernel does not wait for, to start, each with what of it the kernel waits for.

    They are those of which a ``griddepcontrol.wait`` in the kernel waits for the end, except for what nothing of the
    other has to come before: "A launch completion event is nominally similar to a programmatic event with
    triggerAtBlockStart set except that it is not visible to cudaGridDependencySynchronize()" (CUDA runtime API,
    cudaLaunchAttributeLaunchCompletionEvent).
    """
    before = prerequisite(work, grid)
    own = () if before is None else (ir.Awaited(before, ir.Fires.TRIGGERED),)
    return (*own, *work[grid].awaits)


def overlapping(work: Mapping[str, Queued]) -> frozenset[tuple[str, str]]:
    """The pairs of grids of which the first need not be complete when the second starts, which its stream has later.

    A dependent grid may be complete before its prerequisite is, so that work behind both comes after the second of
    them alone.  That is a reading: no document says for whom the stream waits then.
    """
    found: set[tuple[str, str]] = set()
    issued: list[str] = []
    for name, own in work.items():
        earlier = [other for other in issued if waits_for(own.stream, work[other].stream)]
        found |= {(first, name) for first, second in found if second in earlier}
        if (before := prerequisite(work, name)) is not None:
            found.add((before, name))
        issued.append(name)
    return frozenset(found)


# ---------------------------------------------------------------- values


def awaited_values(program: Program) -> dict[str, str]:
    """The work that is a wait of a stream for a value, with the object that the value is in."""
    return {
        name: operation.place.object
        for name, grid in program.grids.items()
        if grid.work is ir.Work.COPY
        for operation in _operations(grid)
        if isinstance(operation, ir.Await)
    }


def ordered_by_values(program: Program) -> Iterator[tuple[ir.Grid, ir.Grid]]:
    """Waits of a stream for a value, each with work of another stream that may write it and that no event orders.

    "CUDA tasks that are (even indirectly) ordered by this API should also have that order expressed with CUDA-visible
    dependencies such as events" (CUDA driver API, "Stream Memory Operations").
    """
    calls = [n.operation for t in program.threads for n in t.body.nodes.values() if isinstance(n, ir.Do)]
    recorded = {(call.event, call.stream) for call in calls if isinstance(call, ir.EventRecord)}
    told = {
        (a, call.stream) for call in calls if isinstance(call, ir.EventWait) for e, a in recorded if e == call.event
    }
    for name, object_ in awaited_values(program).items():
        own = program.grids[name]
        for other in program.grids.values():
            writes = any(_writes(operation, object_) for operation in _operations(other))
            if writes and other.stream.name != own.stream.name and (other.stream.name, own.stream.name) not in told:
                yield own, other


def _writes(operation: ir.Operation, object_: str) -> bool:
    """Whether an operation may write an object, and no other one, as an atomic operation: what else writes it races."""
    place = place_of(operation)
    atomic = getattr(operation, "mode", ir.PLAIN) != ir.PLAIN
    return place is not None and place.object == object_ and atomic and effects(operation).writes


def _operations(grid: ir.Grid) -> Iterator[ir.Operation]:
    return (node.operation for node in grid.body.nodes.values() if isinstance(node, ir.Do))
