"""Calls that may order threads: of the runtime, of threads of the host, and of what ends a program."""

from __future__ import annotations

from typing import TypeAlias

from scopec.base.records import dataclass
from scopec.program.ir.launch_events import Fires


@dataclass(frozen=True, slots=True)
class EndProcess:
    """``exit``, ``abort``, or the return of ``main`` where threads are left: no host thread takes a step any more.

    "A return statement in main has the effect of leaving the main function [...] and calling std::exit"
    ([basic.start.main]/5); "Control is returned to the host environment" ([support.start.term]/9), and "objects with
    automatic storage duration are not destroyed".
    """


@dataclass(frozen=True, slots=True)
class Trap:
    """``__trap()``: "The execution of the kernel is aborted" (CUDA C++ programming guide, "Trap function").

    It "leaves the process in an inconsistent state and any further CUDA work will return the same error" (CUDA runtime
    API, cudaErrorLaunchFailure): no work of the device goes on, or begins.
    """


@dataclass(frozen=True, slots=True)
class LaunchGrid:
    """The host launches a grid."""

    grid: str


@dataclass(frozen=True, slots=True)
class CreateThread:
    """A host thread creates another one (``std::thread``), which is in :attr:`Program.others`."""

    thread: str


@dataclass(frozen=True, slots=True)
class JoinThread:
    """A host thread waits for the end of another one."""

    thread: str


@dataclass(frozen=True, slots=True)
class ApiCall:
    """A CUDA API call that orders nothing, such as ``cudaStreamCreate``.

    ``cudaHostRegister`` maps the memory of ``objects`` for devices, from there on; ``cudaHostUnregister`` ends that.
    """

    function: str
    objects: tuple[str, ...] = ()
    maps: bool = False


@dataclass(frozen=True, slots=True)
class DeviceSynchronize:
    """``cudaDeviceSynchronize()`` for the device that is current."""

    device: int = 0


@dataclass(frozen=True, slots=True)
class StreamQuery:
    """``target = cudaStreamQuery(stream)``: cudaSuccess, or cudaErrorNotReady while the stream has work."""

    target: str
    stream: str


@dataclass(frozen=True, slots=True)
class StreamSynchronize:
    """``cudaStreamSynchronize(stream)``: waits for the work that the stream has at the time."""

    stream: str


@dataclass(frozen=True, slots=True)
class EventRecord:
    """``cudaEventRecord(event, stream)``: the event stands for the work that the stream has at the time."""

    event: str
    stream: str


@dataclass(frozen=True, slots=True)
class EventWait:
    """``cudaStreamWaitEvent(stream, event)``: what is issued to the stream from now on comes after the event.

    A wait for an event that has not been recorded waits for nothing.
    """

    event: str
    stream: str


@dataclass(frozen=True, slots=True)
class EventSynchronize:
    """``cudaEventSynchronize(event)``: waits for the work that the event stands for."""

    event: str


@dataclass(frozen=True, slots=True)
class WorkSynchronize:
    """The return of a call that waits for the work that it has issued, and for nothing else, as some copies do."""

    grid: str


@dataclass(frozen=True, slots=True)
class AwaitGrid:
    """``griddepcontrol.wait`` in a dependent grid: a thread waits for the grid that its own depends on.

    It waits "until all prerequisite grids in flight have completed and all the memory operations from the prerequisite
    grids are performed and made visible to the current grid" (PTX ISA, "griddepcontrol").
    """

    grid: str


@dataclass(frozen=True, slots=True)
class TriggerDependents:
    """``griddepcontrol.launch_dependents``: for its block, a thread lets the grids start that depend on its own.

    They "can be scheduled as soon as all other CTAs in the grid issue the same instruction or have completed" (PTX ISA,
    "griddepcontrol").
    """


@dataclass(frozen=True, slots=True)
class EventQuery:
    """``target = cudaEventQuery(event)``: cudaSuccess, or cudaErrorNotReady while the event has work."""

    target: str
    event: str


@dataclass(frozen=True, slots=True)
class LaunchSynchronize:
    """``cudaEventSynchronize(event)`` of an event that the launch of a grid recorded."""

    event: str
    grid: str
    fires: Fires


@dataclass(frozen=True, slots=True)
class LaunchQuery:
    """``target = cudaEventQuery(event)`` of an event that the launch of a grid recorded.

    It may be answered ``late``, as if the event stood for the end of the grid: "dependents (including the CPU thread
    calling cudaEventSynchronize()) are not guaranteed to observe the release precisely when it is released" (CUDA
    runtime API, cudaLaunchAttributeProgrammaticEvent).
    """

    target: str
    event: str
    grid: str
    fires: Fires
    late: bool = False


#: The calls that may order threads.
Call: TypeAlias = (
    EndProcess
    | Trap
    | CreateThread
    | JoinThread
    | LaunchGrid
    | ApiCall
    | DeviceSynchronize
    | StreamQuery
    | StreamSynchronize
    | EventRecord
    | EventWait
    | EventSynchronize
    | WorkSynchronize
    | AwaitGrid
    | TriggerDependents
    | EventQuery
    | LaunchSynchronize
    | LaunchQuery
)
