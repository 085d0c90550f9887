"""Modules, libraries and launches with attributes of the driver API, and what is refused by name; over both headers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Asks, check_text, verdicts
from tests.real_headers import answers, needs_headers

TEXT = """
#include <cuda.h>
__device__ int counter; __managed__ int shared_by_all; namespace apart {{ __device__ int inside; }}
extern "C" __global__ void first() {{ counter = 1; shared_by_all = 1; apart::inside = 1; }}
extern "C" __global__ void second() {{ counter += 1; }}
extern "C" __global__ void third() {{ cudaGridDependencySynchronize(); counter += 1; }}
extern "C" __global__ void __cluster_dims__(2) joined() {{ counter += 1; }}
int main() {{
    CUdevice device; CUcontext context; CUmodule module; CUfunction f, g, j; CUdeviceptr at; size_t bytes; CUlibrary library;
    CUkernel kernel; cuInit(0); cuDeviceGet(&device, 0); cuDevicePrimaryCtxRetain(&context, device); cuCtxSetCurrent(context);
    cuModuleLoad(&module, "kernels.cubin"); cuModuleGetFunction(&f, module, "first"); cuModuleGetFunction(&g, module, "second");
    cuModuleGetFunction(&j, module, "joined"); CUfunction w; cuModuleGetFunction(&w, module, "third");
    CUstream s, t; cuStreamCreate(&s, CU_STREAM_NON_BLOCKING); cuStreamCreate(&t, CU_STREAM_NON_BLOCKING);
    CUevent e; cuEventCreate(&e, CU_EVENT_DISABLE_TIMING); CUlaunchAttribute one = {{}}; CUlaunchConfig how = {{}};
    how.gridDimX = how.gridDimY = how.gridDimZ = how.blockDimX = how.blockDimY = how.blockDimZ = 1; how.hStream = s;
    how.attrs = &one; how.numAttrs = 1;
    cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, nullptr, nullptr);
    {calls}
}}
//@ expect race_free;
"""
GET = 'cuModuleGetGlobal(&at, &bytes, module, "{}");'
FILL = "cuMemsetD32Async(at, 0, bytes / 4, {});"
LIBRARY = 'cuLibraryLoadFromFile(&library, "kernels.cubin", 0, 0, 0, 0, 0, 0);'
EX = "cuLaunchKernelEx(&how, g, nullptr, nullptr);"
EARLY = "one.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION; one.value.programmaticStreamSerializationAllowed = {};"


TRIGGERED = "one.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT; one.value.programmaticEvent.event = e;"
LAUNCHED = "one.id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT; one.value.launchCompletionEvent.event = e;"
BEHIND = EX + "cuStreamWaitEvent(t, e, 0); cuLaunchKernel({}, 1, 1, 1, 1, 1, 1, 0, t, 0, 0);"


def text(calls: str) -> str:
    return TEXT.format(calls=calls)


CASES = [
    # "the base pointer and size of the global of name name located in module hmod"
    (GET.format("counter") + FILL.format("s"), "holds"),
    (GET.format("counter") + FILL.format("t"), "violated"),
    (GET.format("_ZN5apart6insideE") + FILL.format("t"), "violated"),
    (GET.format("shared_by_all") + FILL.format("t"), "violated"),
    ("cuModuleGetGlobal(&at, nullptr, module, \"counter\"); cuMemsetD32Async(at, 0, 1, t);", "violated"),
    (LIBRARY + 'cuLibraryGetManaged(&at, &bytes, library, "shared_by_all");' + FILL.format("t"), "violated"),
    (LIBRARY + 'cuLibraryGetKernel(&kernel, library, "second"); cuKernelGetFunction(&g, kernel);'
     "cuLaunchKernel(g, 1, 1, 1, 1, 1, 1, 0, t, 0, 0);", "violated"),
    (LIBRARY + 'cuLibraryGetKernel(&kernel, library, "second");'
     "cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, s, 0, 0);", "holds"),
    # A launch with attributes is one in its stream, which may start early if it asks for that.
    ("one.id = CU_LAUNCH_ATTRIBUTE_PRIORITY;" + EX, "holds"),
    ("how.hStream = t;" + EX, "violated"),
    (EARLY.format(1) + EX, "violated"),
    (EARLY.format(0) + EX, "holds"),
    # An event that a launch records comes before the end of its kernel, which a kernel behind it can wait for.
    (TRIGGERED + BEHIND.format("g"), "violated"),
    (TRIGGERED + BEHIND.format("w"), "holds"),
    (LAUNCHED + BEHIND.format("w"), "violated"),
    ("one.id = CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT; one.value.sharedMemCarveout = 50;" + EX, "holds"),
]  # fmt: skip


@pytest.mark.parametrize(("calls", "expected"), CASES)
@pytest.mark.sampled(2)
def test_order(ask: Asks, calls: str, expected: str) -> None:
    assert verdicts([ask(text(calls))])["race_free"] == [expected]


@needs_headers
@pytest.mark.parametrize(("calls", "expected"), [CASES[n] for n in (1, 5, 10, 11, 12, 13, 14)])
@pytest.mark.sampled(1)
def test_over_real_headers(tmp_path: Path, calls: str, expected: str) -> None:
    assert answers(text(calls), "real", tmp_path) == {"race_free": expected}


def test_the_size_of_a_variable(ask: Asks) -> None:
    program = text(GET.format("counter") + "int seen = bytes;") + "//@ expect required main.seen == 4;\n"
    assert verdicts([ask(program)])["required main.seen == 4"] == ["holds"]


REFUSED = [
    ("one.id = CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP;" + EX, "cudaLaunchAttributeMemSyncDomainMap"),
    ("one.id = CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION;" + EX, "cudaLaunchAttributePreferredClusterDimension"),
    ("cuFuncSetAttribute(g, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 2);", "CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH"),
    (GET.format("nothing"), "`nothing` is no variable of the device"),
    (LIBRARY + 'cuLibraryGetManaged(&at, &bytes, library, "counter");', "`counter` is not managed"),
    ("cuMemAddressReserve(&at, 1 << 21, 0, 0, 0);", "`cuMemAddressReserve`"),
    ("CUmemGenericAllocationHandle memory; cuMemCreate(&memory, 1 << 21, nullptr, 0);", "`cuMemCreate`"),
    ("CUipcMemHandle handle; cuIpcGetMemHandle(&handle, at);", "`cuIpcGetMemHandle`"),
    ("CUexternalSemaphore other; cuImportExternalSemaphore(&other, nullptr);", "`cuImportExternalSemaphore`"),
    ("CUmemoryPool pool; int file; cuMemPoolExportToShareableHandle(&file, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);",
     "`cuMemPoolExportToShareableHandle`"),
]  # fmt: skip
#: The types that scopec's own headers do not declare are named instead.
_TYPES = {
    "`cuMemCreate`": "`CUmemGenericAllocationHandle`", "`cuIpcGetMemHandle`": "`CUipcMemHandle`",
    "`cuImportExternalSemaphore`": "`CUexternalSemaphore`", "`cuMemPoolExportToShareableHandle`": "`CUmemoryPool`",
}  # fmt: skip


@pytest.mark.parametrize(("calls", "said"), REFUSED)
@pytest.mark.sampled(9)
def test_what_is_refused(tmp_path: Path, calls: str, said: str) -> None:
    outcome = check_text(tmp_path, text(calls), engine="embedded")
    assert outcome.exit_code == 2
    assert any(
        _TYPES.get(said, said) in d.message and d.span.line > 1 and (d.help or d.code.way_out)
        for d in outcome.diagnostics
    )


@needs_headers
@pytest.mark.parametrize(("calls", "said"), [REFUSED[n] for n in (2, 5, 6, 7, 8, 9)])
@pytest.mark.sampled(1)
def test_what_is_refused_over_real_headers(tmp_path: Path, calls: str, said: str) -> None:
    assert said in answers(text(calls), "real", tmp_path)["error"]
