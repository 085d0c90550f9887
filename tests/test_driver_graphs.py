"""Graphs of the driver API, nodes that are changed or disabled, and captures that are looked at; over both headers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Asks, check_text, verdicts
from tests.real_headers import answers, needs_headers

TEXT = """
#include <cuda.h>
extern "C" __global__ void fill(int* d) {{ d[threadIdx.x] = 1; }}
extern "C" __global__ void take(const int* d, int* out) {{ out[threadIdx.x] = d[1 - threadIdx.x]; }}
static int seen; static void look(void* d) {{ seen = *(int*)d; }}
int main() {{
    CUdevice device; CUcontext context; CUmodule module; CUfunction f, t;
    cuInit(0); cuDeviceGet(&device, 0); cuCtxCreate(&context, nullptr, 0, device); cuModuleLoad(&module, "kernels.cubin");
    cuModuleGetFunction(&f, module, "fill"); cuModuleGetFunction(&t, module, "take");
    CUdeviceptr d, out; cuMemAlloc(&d, 8); cuMemAlloc(&out, 8); int* pinned; cuMemAllocHost((void**)&pinned, 8);
    CUstream a, b; cuStreamCreate(&a, CU_STREAM_NON_BLOCKING); cuStreamCreate(&b, CU_STREAM_NON_BLOCKING);
    CUevent e, done; cuEventCreate(&e, CU_EVENT_DISABLE_TIMING); cuEventCreate(&done, CU_EVENT_DISABLE_TIMING);
    void *first[] = {{&d}}, *second[] = {{&d, &out}}, *third[] = {{&out}}; CUgraph g, h; CUgraphExec x; CUgraphNode n, m, k;
    CUDA_KERNEL_NODE_PARAMS p = {{}}; p.func = f; p.kernelParams = first;
    p.gridDimX = p.gridDimY = p.gridDimZ = 1; p.blockDimX = 2; p.blockDimY = p.blockDimZ = 1;
    CUDA_MEMSET_NODE_PARAMS zero = {{}}; zero.dst = d; zero.elementSize = 4; zero.width = 2; zero.height = 1;
    CUDA_MEMCPY3D back = {{}}; back.srcMemoryType = CU_MEMORYTYPE_DEVICE; back.srcDevice = d; back.WidthInBytes = 8;
    back.dstMemoryType = CU_MEMORYTYPE_HOST; back.dstHost = pinned; back.Height = back.Depth = 1;
    CUDA_HOST_NODE_PARAMS looks = {{look, pinned}}; cuGraphCreate(&g, 0);
    {calls}
}}
//@ expect race_free;
"""
FILL, TAKE = (
    "cuGraphAddKernelNode(&n, g, nullptr, 0, &p); p.func = t; p.kernelParams = second;",
    "cuGraphAddKernelNode(&m, g, {}, &p);",
)
LAUNCH = "cuGraphInstantiate(&x, g, 0); cuGraphLaunch(x, a); cuCtxSynchronize();"
BEGIN, END = "cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_GLOBAL);", f"cuStreamEndCapture(a, &g); {LAUNCH}"
RUN, READ = (
    "cuLaunchKernel(f, 1, 1, 1, 2, 1, 1, 0, a, first, 0);",
    "cuLaunchKernel(t, 1, 1, 1, 2, 1, 1, 0, {}, second, 0);",
)
INFO = "CUstreamCaptureStatus is; const CUgraphNode* after; size_t all; cuStreamGetCaptureInfo({}, &is, 0, &h, &after, 0, &all);"
INTO = "cuStreamBeginCaptureToGraph(a, g, {}, CU_STREAM_CAPTURE_MODE_GLOBAL);"
OFF = "cuGraphInstantiate(&x, g, 0); cuGraphNodeSetEnabled(x, n, {}); cuGraphLaunch(x, a); cuGraphLaunch(x, a);"


ANY = (
    "CUgraphNodeParams of = {}; of.type = CU_GRAPH_NODE_TYPE_KERNEL; of.kernel.func = f; of.kernel.kernelParams = first;"
    "of.kernel.gridDimX = of.kernel.gridDimY = of.kernel.gridDimZ = of.kernel.blockDimY = of.kernel.blockDimZ = 1;"
    "of.kernel.blockDimX = 2; cuGraphAddNode(&n, g, nullptr, nullptr, 0, &of);"
)
SECOND = "of.kernel.func = t; of.kernel.kernelParams = second; cuGraphAddNode(&m, g, {}, &of);"
BACK = (
    "CUgraphNodeParams copy = {{}}; copy.type = CU_GRAPH_NODE_TYPE_MEMCPY; copy.memcpy.copyParams = back;"
    "cuGraphAddNode(&m, g, {}, &copy);"
)


def text(*calls: str) -> str:
    return TEXT.format(calls=" ".join(calls))


CASES = [
    # cuGraphAddNode makes what the function for its type of node makes.
    (ANY + SECOND.format("&n, nullptr, 1") + LAUNCH, "holds"),
    (ANY + SECOND.format("nullptr, nullptr, 0") + LAUNCH, "violated"),
    (ANY + BACK.format("&n, nullptr, 1") + LAUNCH, "holds"),
    (ANY + BACK.format("nullptr, nullptr, 0") + LAUNCH, "violated"),
    # "cuGraphAddKernelNode: […] numDependencies dependencies specified via dependencies"
    (FILL + TAKE.format("&n, 1") + LAUNCH, "holds"),
    (FILL + TAKE.format("nullptr, 0") + LAUNCH, "violated"),
    (FILL + TAKE.format("nullptr, 0") + "cuGraphAddDependencies(g, &n, &m, nullptr, 1);" + LAUNCH, "holds"),
    (FILL + "cuGraphAddEmptyNode(&k, g, &n, 1);" + TAKE.format("&k, 1") + LAUNCH, "holds"),
    ("cuGraphAddMemsetNode(&k, g, nullptr, 0, &zero, context); cuGraphAddKernelNode(&n, g, &k, 1, &p);" + LAUNCH, "holds"),
    ("cuGraphAddMemsetNode(&k, g, nullptr, 0, &zero, context); cuGraphAddKernelNode(&n, g, 0, 0, &p);" + LAUNCH, "violated"),
    (FILL + "cuGraphAddMemcpyNode(&k, g, &n, 1, &back, context); cuGraphAddHostNode(&m, g, &k, 1, &looks);" + LAUNCH, "holds"),
    (FILL + "cuGraphAddMemcpyNode(&k, g, &n, 1, &back, context); cuGraphAddHostNode(&m, g, &n, 1, &looks);" + LAUNCH, "violated"),
    (FILL + "cuGraphAddMemcpyNode(&k, g, 0, 0, &back, context);" + LAUNCH, "violated"),
    # A child graph is the nodes that it has, between what comes before and behind.
    (FILL + "cuGraphCreate(&h, 0); cuGraphAddChildGraphNode(&m, h, 0, 0, g); cuGraphAddKernelNode(&k, h, &m, 1, &p); g = h;"
     + LAUNCH, "holds"),
    (FILL + "cuGraphCreate(&h, 0); cuGraphAddChildGraphNode(&m, h, 0, 0, g); cuGraphAddKernelNode(&k, h, 0, 0, &p); g = h;"
     + LAUNCH, "violated"),
    # Events outside of the graph.
    (FILL + "cuGraphAddEventRecordNode(&k, g, &n, 1, e); cuGraphInstantiate(&x, g, 0); cuGraphLaunch(x, a);"
     "cuStreamWaitEvent(b, e, 0);" + READ.format("b"), "holds"),
    (FILL + "cuGraphAddEventRecordNode(&k, g, 0, 0, e); cuGraphInstantiate(&x, g, 0); cuGraphLaunch(x, a);"
     "cuStreamWaitEvent(b, e, 0);" + READ.format("b"), "violated"),
    ("cuEventRecord(e, b);" + RUN + "cuEventRecord(done, a); cuGraphAddEventWaitNode(&k, g, 0, 0, done); p.func = t;"
     "p.kernelParams = second; cuGraphAddKernelNode(&m, g, &k, 1, &p); cuGraphInstantiate(&x, g, 0); cuGraphLaunch(x, b);", "holds"),
    ("cuEventRecord(e, b);" + RUN + "cuEventRecord(done, a); cuGraphAddEventWaitNode(&k, g, 0, 0, e); p.func = t;"
     "p.kernelParams = second; cuGraphAddKernelNode(&m, g, &k, 1, &p); cuGraphInstantiate(&x, g, 0); cuGraphLaunch(x, b);", "violated"),
    # Captures.
    (BEGIN + RUN + READ.format("a") + END, "holds"),
    (BEGIN + "cuEventRecord(e, a); cuStreamWaitEvent(b, e, 0);" + RUN + READ.format("b")
     + "cuEventRecord(done, b); cuStreamWaitEvent(a, done, 0);" + END, "violated"),
    # "The next node to be captured in the stream will depend on this set of nodes"
    (BEGIN + RUN + INFO.format("a") + "p.func = t; p.kernelParams = second; cuGraphAddKernelNode(&k, h, after, all, &p);"
     "cuStreamUpdateCaptureDependencies(a, &k, 0, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES);" + RUN + END, "holds"),
    (BEGIN + RUN + INFO.format("a") + "p.func = t; p.kernelParams = second; cuGraphAddKernelNode(&k, h, after, all, &p);" + RUN
     + END, "violated"),
    (BEGIN + RUN + INFO.format("a") + "p.func = t; p.kernelParams = second; cuGraphAddKernelNode(&k, h, nullptr, 0, &p);"
     "cuStreamUpdateCaptureDependencies(a, &k, 0, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES);" + END, "violated"),
    # "Begin graph capture on hStream, placing new nodes into an existing graph"
    (FILL + INTO.format("&n, 0, 1") + READ.format("a") + END, "holds"),
    (FILL + INTO.format("nullptr, 0, 0") + READ.format("a") + END, "violated"),
    # What a node does, in later launches, and in what is made of its graph later.
    (FILL + "cuGraphInstantiate(&x, g, 0); p.func = f; p.kernelParams = third; cuGraphExecKernelNodeSetParams(x, n, &p);"
     "cuGraphLaunch(x, a);" + RUN.replace(", a,", ", b,"), "holds"),
    (FILL + "cuGraphInstantiate(&x, g, 0); p.func = f; p.kernelParams = third; cuGraphKernelNodeSetParams(n, &p);"
     "cuGraphLaunch(x, a);" + RUN.replace(", a,", ", b,"), "violated"),
    (FILL + "p.func = f; p.kernelParams = third; cuGraphKernelNodeSetParams(n, &p); cuGraphInstantiate(&x, g, 0);"
     "cuGraphLaunch(x, a);" + RUN.replace(", a,", ", b,"), "holds"),
    (FILL + "cuGraphAddMemcpyNode(&k, g, 0, 0, &back, context); cuGraphInstantiate(&x, g, 0); back.srcDevice = out;"
     "cuGraphExecMemcpyNodeSetParams(x, k, &back, context); cuGraphLaunch(x, a);", "holds"),
    # "Disabled nodes are functionally equivalent to empty nodes until they are reenabled."
    (FILL + OFF.format(0) + RUN.replace(", a,", ", b,"), "holds"),
    (FILL + OFF.format(1) + RUN.replace(", a,", ", b,"), "violated"),
    (FILL + OFF.format(0) + "cuGraphNodeSetEnabled(x, n, 1); cuGraphLaunch(x, a);" + RUN.replace(", a,", ", b,"), "violated"),
    # What comes after a disabled node comes after those that it comes after.
    (FILL + "p.func = f; p.kernelParams = third; cuGraphAddKernelNode(&m, g, &n, 1, &p); p.func = t; p.kernelParams = second;"
     "cuGraphAddKernelNode(&k, g, &m, 1, &p); cuGraphInstantiate(&x, g, 0); cuGraphNodeSetEnabled(x, m, 0);"
     "cuGraphLaunch(x, a);", "holds"),
]  # fmt: skip


@pytest.mark.parametrize(("calls", "expected"), CASES)
@pytest.mark.sampled(10)
def test_order(ask: Asks, calls: str, expected: str) -> None:
    assert verdicts([ask(text(calls))])["race_free"] == [expected]


@needs_headers
@pytest.mark.sampled(1)
@pytest.mark.parametrize(("calls", "expected"), [CASES[n] for n in (0, 1, 4, 5, 11, 21, 22, 27, 30)])
def test_over_real_headers(tmp_path: Path, calls: str, expected: str) -> None:
    assert answers(text(calls), "real", tmp_path) == {"race_free": expected}


@pytest.mark.parametrize(
    ("calls", "message"),
    [
        ("cuGraphCreate(&h, 0); cuGraphAddKernelNode(&n, h, 0, 0, &p);" + TAKE.format("&n, 1"), "a node of another graph"),
        (FILL + "cuGraphCreate(&h, 0); cuGraphAddKernelNode(&m, h, 0, 0, &p); cuGraphInstantiate(&x, g, 0);"
         "cuGraphExecKernelNodeSetParams(x, m, &p);", "a node of another graph"),
        (FILL + TAKE.format("&n, 1") + "cuGraphInstantiate(&x, g, 0); CUgraphEdgeData edge = {}; edge.from_port = 1;"
         "cuGraphAddDependencies(g, &n, &m, &edge, 1);", "an edge that is programmatic"),
        ("cuGraphAddHostNode(&k, g, 0, 0, &looks); cuGraphInstantiate(&x, g, 0); cuGraphNodeSetEnabled(x, k, 0);",
         "only nodes of kernels, copies and fills can be disabled"),
        ("cuGraphAddHostNode(&k, g, 0, 0, &looks); cuGraphInstantiate(&x, g, 0); cuGraphExecKernelNodeSetParams(x, k, &p);",
         "a node of one type cannot be made one of another"),
        ("cuStreamUpdateCaptureDependencies(a, 0, 0, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES);", "stream a is not captured"),
        (BEGIN + INFO.format("a") + "cuStreamBeginCaptureToGraph(b, h, 0, 0, 0, CU_STREAM_CAPTURE_MODE_GLOBAL);",
         "a stream is captured into this graph already"),
        ("back.Depth = 2; back.Height = 1; back.WidthInBytes = 4; cuGraphAddMemcpyNode(&k, g, 0, 0, &back, context);"
         "cuGraphInstantiate(&x, g, 0); cuGraphExecMemcpyNodeSetParams(x, k, &back, context);", "a copy of several rows"),
        ("cuGraphRemoveDependencies(g, &n, &m, 0, 1);", "does not model `cuGraphRemoveDependencies`"),
        ("CUexternalSemaphore s;", "does not model `CUexternalSemaphore`"),
    ],
)  # fmt: skip
@pytest.mark.sampled(9)
def test_what_is_refused(tmp_path: Path, calls: str, message: str) -> None:
    outcome = check_text(tmp_path, text(calls), engine="embedded")
    assert outcome.exit_code == 2
    assert message in " ".join(d.message for d in outcome.diagnostics)


def test_an_update_that_fails_says_so(ask: Asks) -> None:
    calls = (
        "cuGraphAddHostNode(&k, g, 0, 0, &looks); cuGraphInstantiate(&x, g, 0); cuGraphCreate(&h, 0);"
        "cuGraphAddKernelNode(&n, h, 0, 0, &p); CUgraphExecUpdateResultInfo told; int code = cuGraphExecUpdate(x, h, &told);"
        "int result = told.result, node = told.errorNode == n;"
    )
    said = {"code": 910, "result": 3, "node": 1}
    asked = "".join(f"//@ expect required main.{name} == {value};\n" for name, value in said.items())
    found = verdicts([ask(text(calls) + asked)])
    assert all(found[f"required main.{name} == {value}"] == ["holds"] for name, value in said.items()), found
