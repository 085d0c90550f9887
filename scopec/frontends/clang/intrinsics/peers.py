"""Copies between devices that all work of both is ordered with.

``cudaMemcpyPeer`` "is asynchronous with respect to the host, but serialized with respect all pending and future
asynchronous work in to the current device, srcDevice, and dstDevice" (CUDA runtime API).  It is work of the current
device's legacy stream, which waits for events in all streams of these devices, and which all of them wait for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.frontends.clang.intrinsics import captures
from scopec.frontends.clang.intrinsics.copies import copied
from scopec.frontends.clang.intrinsics.host import used_device
from scopec.frontends.clang.intrinsics.launches import work_name
from scopec.program import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.frontends.clang.intrinsics.call import Call


def _peer_copy(call: Call) -> bool:
    """``peer_copy(to, from, bytes, kind, stream, waits, to_device, from_device)``, in the legacy stream."""
    captures.check_unsafe(call, "cudaMemcpyPeer")
    devices = frozenset({used_device(call), call.known(6), call.known(7)})
    own = ir.legacy_stream(used_device(call))
    name = work_name(call, "cudaMemcpy", own)
    others = [stream for stream in _streams(call, devices) if stream.name != own.name]
    for stream in others:
        event = f"{name} behind {stream.name}"
        call.emit(ir.EventRecord(event, stream.name))
        call.emit(ir.EventWait(event, own.name))
    copied(call)
    done = f"{name} done"
    call.emit(ir.EventRecord(done, own.name))
    for stream in others:
        call.emit(ir.EventWait(done, stream.name))
    for device in devices:
        call.machine.world.peer_copies.setdefault(device, {})[done] = None
    return call.done()


def _streams(call: Call, devices: frozenset[int]) -> Iterator[ir.Stream]:
    world = call.machine.world
    yield from (ir.legacy_stream(device) for device in sorted(devices))
    yield from (stream for stream in world.created.values() if stream.device in devices)
    yield from (stream for stream in world.streams.values() if stream.device in devices)


#: The intrinsics of copies between devices.
PEERS = {"peer_copy": _peer_copy}
