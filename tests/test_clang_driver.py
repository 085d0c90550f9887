"""The CUDA driver API: its calls do what those of the runtime API do, with the same streams, events and memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Asks, check_text, verdicts

TEXT = """
#include <cuda.h>
#include <cuda_runtime.h>
extern "C" __global__ void fill({type}* d) {{ d[threadIdx.x] = 1; }}
extern "C" __global__ void take(const {type}* d, {type}* out) {{ out[threadIdx.x] = d[1 - threadIdx.x]; }}
int main() {{
    CUdevice device; CUcontext context; CUmodule module; CUfunction f, t;
    cuInit(0); cuDeviceGet(&device, 0); cuCtxCreate(&context, 0, device);
    cuModuleLoad(&module, "kernels.cubin");
    cuModuleGetFunction(&f, module, "fill"); cuModuleGetFunction(&t, module, "take");
    CUdeviceptr d, out; cuMemAlloc(&d, 2 * sizeof({type})); cuMemAlloc(&out, 2 * sizeof({type}));
    CUstream a, b; cuStreamCreate(&a, CU_STREAM_NON_BLOCKING); cuStreamCreate(&b, CU_STREAM_NON_BLOCKING);
    CUevent e; cuEventCreate(&e, CU_EVENT_DISABLE_TIMING);
    void *first[] = {{&d}}, *second[] = {{&d, &out}};
    {calls}
}}
//@ expect race_free;
"""
FILL, TAKE = (
    "cuLaunchKernel(f, 1, 1, 1, 2, 1, 1, 0, a, first, 0);",
    "cuLaunchKernel(t, 1, 1, 1, 2, 1, 1, 0, b, second, 0);",
)
EVENT = "cuEventRecord(e, a); cuStreamWaitEvent(b, e, 0);"


def text(*calls: str, type_: str = "int") -> str:
    return TEXT.format(calls=" ".join(calls), type=type_)


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ((FILL, EVENT, TAKE), "holds"),
        ((FILL, TAKE), "violated"),
        ((FILL, "cuStreamSynchronize(a);", TAKE), "holds"),
        ((FILL, "cuStreamSynchronize(b);", TAKE), "violated"),
        ((FILL, "cuEventRecord(e, a); cuEventSynchronize(e);", TAKE), "holds"),
        ((FILL, "cuCtxSynchronize();", TAKE), "holds"),
        (("cuMemsetD32Async(d, 0, 2, a);", TAKE), "violated"),
        (("cuMemsetD32Async(d, 0, 2, b);", TAKE), "holds"),
        (("cuMemsetD32(d, 0, 2);", TAKE), "violated"),  # it does not wait, and is in the legacy stream
        (("cuMemcpyDtoDAsync(d, out, 8, a);", FILL), "holds"),
        (("cuMemcpyDtoDAsync(d, out, 8, b);", FILL), "violated"),
        ((FILL, "cuMemFree(d);"), "violated"),
        ((FILL, "cuStreamSynchronize(a); cuMemFree(d);"), "holds"),
        ((FILL, "cuMemFreeAsync(d, a);"), "holds"),
        ((FILL, "cuMemFreeAsync(d, b);"), "violated"),
        ((FILL.replace("a,", "(cudaStream_t)a,"), "cudaStreamSynchronize(a); cudaFree((void*)d);"), "holds"),
    ],
)
@pytest.mark.sampled(2)
def test_order(ask: Asks, calls: tuple[str, ...], expected: str) -> None:
    assert verdicts([ask(text(*calls))])["race_free"] == [expected]


@pytest.mark.parametrize("type_", ["char", "short", "long", "float", "double", "int2"])
@pytest.mark.sampled(2)
def test_memory_has_the_elements_of_a_kernel(ask: Asks, type_: str) -> None:
    """The call that allocates says no type: each thread has an element of its own."""
    calls = text(FILL, EVENT, TAKE, type_=type_)
    if type_ == "int2":
        calls = calls.replace("= 1;", "= make_int2(1, 1);")
    assert verdicts([ask(calls)])["race_free"] == ["holds"]


@pytest.mark.parametrize(
    ("calls", "message"),
    [
        ('cuModuleGetFunction(&f, module, "no");', "`no` is no kernel"),
        ("cuMemMap(d, 8, 0, 0, 0);", "does not model `cuMemMap`"),
        ("cuMemsetD32(d, 1, 2);", "elements of unlike bytes"),
        ("void* extra[] = {0}; cuLaunchKernel(f, 1, 1, 1, 2, 1, 1, 0, a, 0, extra);", "the extra arguments"),
    ],
)
@pytest.mark.sampled(2)
def test_what_is_refused(tmp_path: Path, calls: str, message: str) -> None:
    outcome = check_text(tmp_path, text(calls), engine="embedded")
    assert message in " ".join(d.message for d in outcome.diagnostics)


@pytest.mark.parametrize(("call", "device"), [("cuCtxCreate(&next, 0, 1);", 1), ("cuDevicePrimaryCtxRetain(&next, 1);", 0),
                                              ("cuDevicePrimaryCtxRetain(&next, 1); cuCtxSetCurrent(next);", 1)])  # fmt: skip
def test_which_device_is_current(ask: Asks, call: str, device: int) -> None:
    """The device of a context that is created, or made current."""
    program = text(f"CUcontext next; {call} CUdevice now; cuCtxGetDevice(&now); int seen = now;")
    found = verdicts([ask(f"{program}//@ expect required main.seen == {device};\n")])
    assert found[f"required main.seen == {device}"] == ["holds"]
