"""Streams: which there are, their order, and what they leave behind where a grid is aborted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.program import ir

if TYPE_CHECKING:
    from collections.abc import Collection

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
    synchronization behavior"); non-blocking streams wait for no other.
    """
    if later.name == earlier.name:
        return True
    if later.device != earlier.device:
        return False
    return "legacy" in (later.kind, earlier.kind) and "non-blocking" not in (later.kind, earlier.kind)


def queues(stream: ir.Stream, other: ir.Stream) -> bool:
    """Whether work that is issued to ``other`` queues a task in ``stream`` that completes after it.

    "Completion of the last task queued to a stream, if any, synchronizes with return from cudaStreamSynchronize" (PTX
    ISA, 8.9.4); an action in the legacy default stream queues a wait for it in each blocking stream, but not the other
    way round (CUDA driver API, "Stream synchronization behavior").
    """
    return stream.name == other.name or (
        (stream.kind, other.kind) == ("blocking", "legacy") and stream.device == other.device
    )
