"""The CUDA runtime API, as far as it is modelled: a table of its functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.scoped.lower import allocation, copies, launches, streams, threads
from scopec.frontends.scoped.lower.operands import Operand
from scopec.program import ir

if TYPE_CHECKING:
    from scopec.frontends.scoped.lower.context import Frame
    from scopec.frontends.scoped.syntax import tree

Handler = Callable[["Frame", "tree.Call"], Operand]


def _launch(*, cooperative: bool) -> Handler:
    def handler(frame: Frame, call: tree.Call) -> Operand:
        return launches.launch_kernel(frame, call, cooperative=cooperative)

    return handler


#: Name: (fewest arguments, most arguments, what it does).
FUNCTIONS: dict[str, tuple[int, int, Handler]] = {
    "cudaDeviceSynchronize": (0, 0, streams.device_synchronize),
    "cudaSetDevice": (1, 1, streams.set_device),
    "cudaDeviceEnablePeerAccess": (1, 2, streams.enable_peer_access),
    "cudaDeviceDisablePeerAccess": (1, 1, streams.enable_peer_access),
    "cudaStreamCreate": (1, 1, streams.stream_create),
    "cudaStreamCreateWithFlags": (2, 2, streams.stream_create),
    "cudaStreamCreateWithPriority": (3, 3, streams.stream_create),
    "cudaStreamQuery": (1, 1, streams.stream_query),
    "cudaStreamSynchronize": (1, 1, streams.stream_synchronize),
    "cudaStreamWaitEvent": (2, 3, streams.stream_wait),
    "cudaEventCreate": (1, 1, streams.event_create),
    "cudaEventCreateWithFlags": (2, 2, streams.event_create),
    "cudaEventRecord": (1, 2, streams.event_record),
    "cudaEventSynchronize": (1, 1, streams.event_synchronize),
    "cudaEventQuery": (1, 1, streams.event_query),
    "cudaMalloc": (2, 2, allocation.allocate("cudaMalloc", ir.Storage.DEVICE)),
    "cudaMallocManaged": (2, 3, allocation.allocate("cudaMallocManaged", ir.Storage.MANAGED)),
    "cudaMallocHost": (2, 2, allocation.allocate("cudaMallocHost", ir.Storage.MAPPED)),
    "cudaHostAlloc": (3, 3, allocation.allocate("cudaHostAlloc", ir.Storage.MAPPED)),
    "cudaFree": (1, 1, allocation.free("cudaFree")),
    "cudaFreeHost": (1, 1, allocation.free("cudaFreeHost")),
    "free": (1, 1, allocation.free("free")),
    "cudaHostRegister": (2, 3, allocation.host_register),
    "cudaHostUnregister": (1, 1, allocation.host_unregister),
    "cudaHostGetDevicePointer": (3, 3, allocation.device_pointer),
    "cudaGetSymbolAddress": (2, 2, allocation.symbol_address),
    "cudaMemcpy": (4, 4, copies.copy(synchronous=True)),
    "cudaMemcpyAsync": (4, 5, copies.copy(synchronous=False)),
    "cudaMemset": (3, 3, copies.fill(synchronous=True)),
    "cudaMemsetAsync": (3, 4, copies.fill(synchronous=False)),
    "cudaLaunchKernel": (3, 6, _launch(cooperative=False)),
    "cudaLaunchCooperativeKernel": (3, 6, _launch(cooperative=True)),
    "cudaLaunchHostFunc": (3, 3, threads.launch_host_function),
    "cudaLaunchKernelEx": (2, 64, launches.launch_kernel_ex),
}


def lower_api(frame: Frame, call: tree.Call, name: str) -> Operand:
    """Lower a call of the CUDA runtime API."""
    least, most, handler = FUNCTIONS[name]
    if not frame.host:
        raise error(Code.TYPE_ERROR, f"`{name}` is a function of the host", call.span)
    if not least <= len(call.arguments) <= most:
        wanted = str(least) if least == most else f"{least} to {most}"
        message = f"`{name}` takes {wanted} arguments, {len(call.arguments)} given"
        raise error(Code.BAD_ARGUMENTS, message, call.span)
    return handler(frame, call)
