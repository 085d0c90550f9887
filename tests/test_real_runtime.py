"""CUDA's runtime API read over NVIDIA's headers: the verdicts of scopec's own, and refusals by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.real_headers import answers, needs_headers

PEER = """
#include <cuda/atomic>
__device__ int data, out; __device__ cuda::atomic<int, cuda::thread_scope_system> flag;
__global__ void writes() {{ data = 1; flag.store(1, cuda::memory_order_{}); }}
__global__ void reads() {{ if (flag.load(cuda::memory_order_acquire)) out = data; }}
int main() {{
    int peer = 0, most = 0, threads = 0; cudaDeviceProp properties; cudaFuncAttributes of_kernel;
    cudaDeviceCanAccessPeer(&peer, 0, 1);
    cudaDeviceEnablePeerAccess(1, 0);
    cudaGetDeviceProperties(&properties, 0);
    cudaDeviceGetAttribute(&most, cudaDevAttrMultiProcessorCount, 0);
    cudaFuncSetAttribute(writes, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 16);
    cudaFuncGetAttributes(&of_kernel, writes);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&threads, writes, 32, 0);
    cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    if (properties.warpSize == 32) writes<<<1, 1>>>();
    reads<<<1, 1, 0, s>>>();
    cudaDeviceSynchronize();
}}
//@ expect race_free; expect terminates;
"""
GRAPH = """
__device__ int x;
__global__ void a() {{ x = 1; }}
__global__ void b() {{ x = 2; }}
int main() {{
    cudaGraph_t g; cudaGraphExec_t e; cudaGraphNode_t n[2]; cudaStream_t s;
    cudaGraphCreate(&g, 0); cudaStreamCreate(&s);
    cudaKernelNodeParams p = {{}};
    p.func = (void*)a; p.gridDim = dim3(1); p.blockDim = dim3(1);
    cudaGraphAddKernelNode(&n[0], g, nullptr, 0, &p);
    p.func = (void*)b;
    cudaGraphAddKernelNode(&n[1], g, n, {}, &p);
    cudaGraphInstantiate(&e, g, 0);
    cudaGraphLaunch(e, s);
    cudaStreamSynchronize(s);
}}
//@ expect race_free; expect terminates;
"""
ATTRIBUTES = """
__device__ int x;
__global__ void k(int v) {{ x = v; }}
int main() {{
    cudaLaunchAttribute attribute; cudaLaunchConfig_t config = {{}};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2; attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = dim3({}); config.blockDim = dim3(1); config.attrs = &attribute; config.numAttrs = 1;
    cudaLaunchKernelEx(&config, k, 1);
    cudaDeviceSynchronize();
}}
//@ expect terminates;
"""


@needs_headers
@pytest.mark.parametrize(
    "text",
    [
        PEER.format("release"), PEER.format("relaxed"), GRAPH.format(1), GRAPH.format(0), ATTRIBUTES.format(2),
    ],
)  # fmt: skip
@pytest.mark.sampled(1)
def test_the_runtime_api_is_the_same(text: str, tmp_path: Path) -> None:
    own = answers(text, "shims", tmp_path)
    assert "error" not in own
    assert answers(text, "real", tmp_path) == own


@needs_headers
@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("std::condition_variable c; c.notify_one();", "c.notify_one"),
        ("std::condition_variable c; c.notify_all();", "c.notify_all"),
    ],
)
@pytest.mark.sampled(1)
def test_what_is_not_modelled_is_named(statement: str, said: str, tmp_path: Path) -> None:
    text = "#include <thread>\n#include <mutex>\n#include <condition_variable>\nint main() {{ {} }}\n//@ expect terminates;\n"
    assert answers(text.format(statement), "real", tmp_path) == {"error": f"scopec does not model `{said}`"}
