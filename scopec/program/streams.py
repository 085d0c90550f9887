"""The order of streams."""

from __future__ import annotations

from scopec.program import ir


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
