"""Words about races between work of streams of every kind: nodes of graphs, pool memory, values, host functions."""

from __future__ import annotations

import pytest

from scopec.explain.reasons import explanation
from tests.conftest import Asks

TEXT = """#include <cuda.h>
#include <cuda_runtime.h>
__global__ void make(int* buf) {{ *buf = 2; }}
__global__ void use(const int* buf, int* out) {{ *out = *buf; }}
void look(void* buf) {{ int seen = *(int*)buf; }}
int pageable[1];
int main() {{
    int *buf, *out, *host, *pool; unsigned* flag;
    cudaMallocManaged(&buf, 4); cudaMalloc(&out, 4); cudaMallocHost(&host, 4); cudaMalloc(&flag, 4);
    cudaStream_t s, t; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEvent_t e, f; cudaEventCreate(&e); cudaEventCreate(&f); cudaGraph_t g; cudaGraphExec_t x, y;
    cudaMemset(flag, 0, 4); cudaDeviceSynchronize();
{calls}
    cudaDeviceSynchronize();
}}
//@ allow SCP044;
//@ allow SCP051;
//@ expect race_free;
"""
BEGIN, END = "cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);", "cudaStreamEndCapture(s, &g);"
READY, LAUNCH = "cudaGraphInstantiate(&x, g, 0);", "cudaGraphLaunch(x, s);"
MAKE, USE, COPY = (
    "make<<<1, 1, 0, s>>>(buf);",
    "use<<<1, 1, 0, t>>>(buf, out);",
    "cudaMemcpyAsync(buf, host, 4, cudaMemcpyDefault, s);",
)
FORK, JOIN = (
    "cudaEventRecord(e, s); cudaStreamWaitEvent(t, e, 0);",
    "cudaEventRecord(f, t); cudaStreamWaitEvent(s, f, 0);",
)
NODES = (
    "cudaGraphCreate(&g, 0); cudaGraphNode_t fills, looks; cudaMemsetParams fill = {}; fill.dst = buf; fill.elementSize = 4;"
    " fill.width = fill.height = 1; cudaHostNodeParams host_node = {look, buf};",
    "cudaGraphAddMemsetNode(&fills, g, nullptr, 0, &fill);",
    "cudaGraphAddHostNode(&looks, g, nullptr, 0, &host_node);",
)
WRITE = "cuStreamWriteValue32(s, (CUdeviceptr)flag, 1, CU_STREAM_WRITE_VALUE_{});"
WAIT = "cuStreamWaitValue32(t, (CUdeviceptr)flag, 1, CU_STREAM_WAIT_VALUE_EQ);"


def said(ask: Asks, *calls: str) -> str:
    """The words for the race of a program; its calls stand in lines from 13 on."""
    (report,) = ask(TEXT.format(calls="\n".join(f"    {call}" for call in calls))).reports
    check = next(check for check in report.checks if check.expectation.kind == "race_free")
    assert check.verdict == "violated"
    return " ".join(explanation(check).sentences)


@pytest.mark.parametrize(
    ("calls", "words"),
    [
        # Two nodes of one launch.
        ((BEGIN, FORK, MAKE, USE, JOIN, END, READY, LAUNCH),
         "in the launch of the graph `x` at line 20 the kernel use captured at line 16 in stream t may read `buf` before the kernel "
         "make captured at line 15 in stream s has written it: no event in the capture, so no edge of the graph leads from the one "
         "to the other"),
        ((*NODES, READY, LAUNCH),
         "in the launch of the graph `x` at line 17 the function look of node `looks` at line 15 may read `buf` before the fill of "
         "node `fills` at line 14 has written it: no edge of the graph leads from the one to the other"),
        # A node and the host: of the launches it is the first.
        ((BEGIN, COPY, END, READY, LAUNCH, "*host = 2;", LAUNCH),
         "main may overwrite `host` at line 18 before the copy captured at line 14 in stream s, in the first launch of the graph `x` "
         "at line 17 in stream s, has read it: no call before that waits for it"),
        # A node and work outside of the graph.
        ((BEGIN, COPY, END, READY, LAUNCH, "cudaStreamSynchronize(s);", LAUNCH, USE),
         "the kernel use at line 20 in stream t may read `buf` before the copy captured at line 14 in stream s, in the second launch "
         "of the graph `x` at line 19 in stream s, has written it: no event, no synchronisation"),
        ((BEGIN, COPY, END, READY, "cudaEventRecord(e, s);", LAUNCH, "cudaStreamWaitEvent(t, e, 0);", USE),
         "has written it: event e is recorded at line 17, before that work is given to its stream"),
        # Launches of two graphs that were made of one.
        ((BEGIN, MAKE, END, READY, "cudaGraphInstantiate(&y, g, 0);", LAUNCH, "cudaGraphLaunch(y, t);"),
         "the kernel make captured at line 14 in stream s, in the launch of the graph `y` at line 19 in stream t, may write `buf` "
         "before the kernel make captured at line 14 in stream s, in the launch of the graph `x` at line 18 in stream s, has written "
         "it: no event, no synchronisation"),
        # What a launch reads at once, whatever its stream has before it.
        ((BEGIN, "cudaMemcpyAsync(out, pageable, 4, cudaMemcpyHostToDevice, s);", END, READY,
          "cudaLaunchHostFunc(s, [](void* at) { *(int*)at = 1; }, pageable);", LAUNCH),
         "the launch of the graph `x` at line 18, for its copy of line 14, may read `pageable[0]` before the function"),
        # Pool memory.
        (("cudaMallocAsync(&pool, 4, s);", "cudaFreeAsync(pool, t);"),
         "the cudaMallocAsync of pool at program.cu:13 in stream s may come after the use of pool at program.cu:14 in stream t: no event, "
         "no synchronisation"),
        (("cudaMallocAsync(&pool, 4, s);", FORK, "make<<<1, 1, 0, s>>>(pool);", "cudaFreeAsync(pool, t);"),
         "the cudaFreeAsync of pool at program.cu:16 in stream t may come before the use of pool at program.cu:3 by the kernel make at line "
         "15 in stream s: event e is recorded at line 14, before that work is given to its stream"),
        ((BEGIN, "cudaMallocAsync(&pool, 4, s);", FORK, "make<<<1, 1, 0, t>>>(pool);", "cudaFreeAsync(pool, s);", JOIN, END, READY, LAUNCH),
         "in the launch of the graph `x` at line 21 the cudaFreeAsync of pool at program.cu:17 in stream s may come before the use of "
         "pool at program.cu:3 by the kernel make captured at line 16 in stream t: no event in the capture"),
        # A host function.
        ((MAKE, "cudaLaunchHostFunc(t, look, buf);"),
         "the function look at line 14 in stream t may read `buf` before the kernel make at line 13 in stream s has written it"),
        # A value without a memory barrier before it.
        ((MAKE, WRITE.format("NO_MEMORY_BARRIER"), WAIT, USE),
         "stream t waits at line 15 for the value that stream s writes at line 14, but no memory barrier is before that write: it has "
         "CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER"),
    ],
)  # fmt: skip
def test_which_work_is_named(ask: Asks, calls: tuple[str, ...], words: str) -> None:
    assert words in said(ask, *calls)


def test_the_barrier_of_a_value_is_what_is_tried(ask: Asks) -> None:
    calls = (MAKE, WRITE.format("NO_MEMORY_BARRIER"), WAIT, USE)
    (report,) = ask(TEXT.format(calls="\n".join(calls)), advise=True).reports
    (check,) = report.checks
    assert check.advice is not None
    assert check.advice.startswith(
        "the memory barrier of the value that is written at line 14 (CU_STREAM_WRITE_VALUE_DEFAULT)"
    )
    assert [change.text for change in check.fix] == ["CU_STREAM_WRITE_VALUE_DEFAULT"]


def test_with_the_barrier_it_holds(ask: Asks) -> None:
    (report,) = ask(TEXT.format(calls="\n".join((MAKE, WRITE.format("DEFAULT"), WAIT, USE)))).reports
    assert [check.verdict for check in report.checks] == ["holds"]
