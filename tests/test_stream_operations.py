"""Work of a stream that accesses nothing: prefetches, memory that is attached, graphs that are uploaded."""

from __future__ import annotations

import pytest

import scopec

PROGRAM = """\
#include <cuda.h>
__managed__ int x;
__global__ void write() {{ x = 1; }}
__global__ void read(int* out) {{ *out = x; }}
int main() {{
    cudaStream_t one, other, free;
    cudaStreamCreate(&one); cudaStreamCreate(&other); cudaStreamCreateWithFlags(&free, cudaStreamNonBlocking);
    cudaGraph_t graph; cudaGraphCreate(&graph, 0);
    cudaGraphExec_t made; cudaGraphInstantiate(&made, graph, 0);
    int* out; cudaMalloc(&out, 4);
    write<<<1, 1, 0, one>>>();
    {between}
    read<<<1, 1, 0, {reader}>>>(out);
    cudaDeviceSynchronize();
}}
"""
CALLS = {
    "cudaMemPrefetchAsync(&x, 4, 0, STREAM);": "prefetch",
    "cudaMemPrefetchAsync(&x, 4, cudaMemLocation{cudaMemLocationTypeHost, 0}, 0, STREAM);": "prefetch of CUDA 13",
    "cudaStreamAttachMemAsync(STREAM, &x);": "attach",
    "cudaGraphUpload(made, STREAM);": "upload",
    "cuMemPrefetchAsync((CUdeviceptr)&x, 4, 0, STREAM);": "driver's prefetch",
    "cuStreamAttachMemAsync(STREAM, (CUdeviceptr)&x, 0, 4);": "driver's attach",
}


def verdicts(between: str, reader: str = "other") -> tuple[str, str]:
    """What becomes of ``race_free`` and ``terminates``."""
    race_free, terminates = scopec.check(text=PROGRAM.format(between=between, reader=reader), engine="embedded")
    return race_free.answer, terminates.answer


@pytest.mark.parametrize("call", CALLS, ids=CALLS.values())
@pytest.mark.sampled(1)
def test_it_comes_in_the_order_of_its_stream(call: str) -> None:
    """In the legacy stream it waits for blocking streams, and they for it; in the reader's own it orders nothing."""
    assert verdicts(call.replace("STREAM", "nullptr")) == ("holds", "holds")
    assert verdicts(call.replace("STREAM", "other"))[0] == "violated"
    assert verdicts(call.replace("STREAM", "nullptr"), "free")[0] == "violated"


def test_a_wait_for_the_stream_waits_for_it() -> None:
    waited = "cudaMemPrefetchAsync(&x, 4, 0, nullptr); cudaStreamSynchronize(nullptr);"
    assert verdicts(waited, "free") == ("holds", "holds")
    assert verdicts(waited.replace("&x, 4, 0, nullptr", "&x, 4, 0, free"), "free")[0] == "violated"


@pytest.mark.parametrize("call", ["cudaMemPrefetchAsync(&x, 4, 0, one);", "cudaStreamAttachMemAsync(one, &x);"])
@pytest.mark.sampled(1)
def test_no_node_of_a_graph_is_made_of_it(call: str) -> None:
    capture = f"cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal); {call} cudaStreamEndCapture(one, &graph);"
    found = scopec.check(text=PROGRAM.format(between=capture, reader="other"), engine="embedded")
    said = [diagnostic.message for outcome in found.outcomes for diagnostic in outcome.diagnostics]
    assert len(said) == 1
    assert "in a capture, which makes no node of it, is outside the modelled subset" in said[0]
