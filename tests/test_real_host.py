"""Host code over NVIDIA's headers and libc++: its threads, what they wait for, and what it allocates, as over scopec's own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from scopec.base.diagnostics import EngineError
from scopec.frontends.clang import host_overlays
from scopec.frontends.clang.command import found
from tests.real_headers import answers, needs_headers

THREADS = """#include <functional>
#include <mutex>
#include <thread>
const int BROKEN = 0;
//@ vary BROKEN in {0, 1};
std::mutex guard;
int sum;
void add(int& by, const int* most) {
    if (by > *most) return;
    if (BROKEN == 0) guard.lock();
    sum += by;
    if (BROKEN == 0) guard.unlock();
}
int main() {
    int one = 1, two = 2, *most = new int(2);
    std::thread a(add, std::ref(one), most), b;
    b = std::thread(add, std::ref(two), most);
    a.join();
    b.join();
    delete most;
    std::lock_guard<std::mutex> held(guard);
    sum += 1;
}
//@ expect race_free when BROKEN == 0; expect race when BROKEN == 1; expect required sum == 4 when BROKEN == 0;
//@ expect terminates;
"""
LEAKS = """#include <chrono>
#include <thread>
int data;
int main() {{
    int* one = new int(1);
    std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::thread other([one] {{ data = *one; }});
    {}
    delete one;
    {}
}}
//@ expect race_free; expect terminates;
"""
WAITS = """#include <latch>
#include <semaphore>
#include <thread>
int data, out;
std::latch done({});
std::binary_semaphore open_(0);
int main() {{
    std::thread writer([] {{ data = 1; done.count_down(); }});
    std::thread reader([] {{ done.wait(); int got = data; out = got; {} }});
    open_.acquire();
    if (out == 1) data = 2;
    writer.join();
    reader.join();
}}
//@ expect race_free; expect terminates; expect required reader.got == 1;
"""
TENSOR = """#include <cuda.h>
#include <cuda/ptx>
__device__ alignas(16) int in[2][4];
__device__ int out[2];
__global__ void k(const __grid_constant__ CUtensorMap map) {{
    __shared__ alignas(128) int tile[2][4];
    tile[threadIdx.x][0] = 1;
    {}
    __syncthreads();
    if (threadIdx.x != 0) return;
    const int at[] = {{0, 0}};
    cuda::ptx::cp_async_bulk_tensor(cuda::ptx::space_global, cuda::ptx::space_shared, &map, at, tile);
    cuda::ptx::cp_async_bulk_commit_group();
    cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<0>{{}});
}}
int main() {{
    void* tensor;
    cudaGetSymbolAddress(&tensor, in);
    CUtensorMap map;
    cuuint64_t extents[] = {{4, 2}}, strides[] = {{16}};
    cuuint32_t box[] = {{4, 2}}, steps[] = {{1, 1}};
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, tensor, extents, strides, box, steps,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    k<<<1, 2>>>(map);
    cudaDeviceSynchronize();
}}
//@ expect race_free;
"""
ALLOCATED = """
__global__ void k(int* p, int* q) { *p = 1; *q = 2; }
int main() {
    int *p, *q, got = 0;
    cudaMalloc(&p, sizeof *p);
    cudaMalloc((void**)&q, sizeof *q);
    k<<<1, 1>>>(p, q);
    cudaMemcpy(&got, q, sizeof got, cudaMemcpyDeviceToHost);
}
//@ expect race_free; expect terminates; expect required main.got == 2;
"""
TRIES = """#include <atomic>
#include <mutex>
#include <thread>
std::mutex guard;
std::atomic<int> alive;
int data, missed, several;
struct Counted {
    Counted() { alive++; }
    Counted(const Counted&) { alive++; }
    ~Counted() { alive--; }
};
void attempt(Counted) {
    if (guard.try_lock()) { data += 1; guard.unlock(); } else missed = 1;
}
int main() {
    std::thread other(attempt, Counted());
    other.join();
    if (std::thread::hardware_concurrency() > 1) several = 1;
    std::thread more([] { if (guard.try_lock()) { data += 1; guard.unlock(); } else missed = 2; });
    guard.lock();
    data += 1;
    guard.unlock();
    more.join();
}
//@ expect race_free; expect terminates; expect allowed missed == 2;
//@ expect required data == 3 || missed != 0; expect required alive == 0;
//@ expect allowed several == 1; expect allowed several == 0;
"""
#: Who only sleeps is not assumed to do anything at last; who yields is.
SLEEPS = """#include <chrono>
#include <thread>
const int HOW = 0;
//@ vary HOW in {0, 1, 2, 3, 4};
int main() {
    while (true) {
        if (HOW == 0) std::this_thread::yield();
        if (HOW == 1) std::this_thread::sleep_for(std::chrono::nanoseconds(1));
        if (HOW == 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (HOW == 3) std::this_thread::sleep_until(std::chrono::system_clock::now() + std::chrono::seconds(1));
        if (HOW == 4) std::this_thread::sleep_until(std::chrono::steady_clock::now() + std::chrono::seconds(1));
    }
}
//@ expect progresses when HOW == 0; expect may_stall when HOW != 0;
"""
CLOCKS = """#include <chrono>
int late, early, went;
int main() {
    auto begin = std::chrono::steady_clock::now();
    auto end = std::chrono::high_resolution_clock::now();
    auto day = std::chrono::system_clock::now(), night = std::chrono::system_clock::now();
    std::chrono::duration<double> took = end - begin;
    if ((end - begin).count() > 5) late = 1; else early = 1;
    if (std::chrono::duration_cast<std::chrono::milliseconds>(night - day).count() > 5) went = 1;
    if (took.count() > 1.5) went = 2;
}
//@ expect race_free; expect terminates; expect required late + early == 1;
//@ expect allowed late == 1; expect allowed early == 1; expect allowed went == 0; expect allowed went == 2;
"""
WIDE = """#include <cuda/atomic>
__managed__ __int128 flag;
__managed__ int data;
__global__ void k() {
    data = 1;
    cuda::atomic_ref<__int128, cuda::thread_scope_system>(flag).store(1, cuda::memory_order_release);
}
int main() {
    int seen = 1;
    k<<<1, 1>>>();
    if (cuda::atomic_ref<__int128, cuda::thread_scope_system>(flag).load(cuda::memory_order_ORDER) == 1) seen = data;
}
//@ expect race_free;
"""


@needs_headers
@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "text",
    [
        THREADS,
        LEAKS.format("other.join();", ""),
        LEAKS.format("", "other.join();"),
        LEAKS.format("other.join();", "").replace("other.join();", "other.detach();"),
        LEAKS.format("", ""),
        WAITS.format(1, "open_.release();"),
        WAITS.format(2, "open_.release();"),
        WAITS.format(1, ""),
        TENSOR.format("cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);"),
        TENSOR.format(""),
        ALLOCATED,
        TRIES,
        SLEEPS,
        CLOCKS,
        WIDE.replace("ORDER", "acquire"),
        WIDE.replace("ORDER", "relaxed"),
    ],
)
def test_hosts_do_the_same_over_both_headers(text: str, tmp_path: Path) -> None:
    text = "//@ options races = report;\n" + text
    own = answers(text, "shims", tmp_path)
    assert "error" not in own
    assert answers(text, "real", tmp_path) == own


@pytest.mark.parametrize("name", sorted(host_overlays._OVERLAYS))
def test_a_header_of_libcxx_that_is_not_as_it_is_known_is_refused(name: str, tmp_path: Path) -> None:
    """Each part that is replaced has to be there, once."""
    library = found().resources / "libcxx" / "include"
    for other in host_overlays._OVERLAYS:
        (tmp_path / other).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(library / other, tmp_path / other)
    host_overlays.overlaid_host(tmp_path)
    text = (tmp_path / name).read_text()
    for change in host_overlays._OVERLAYS[name][1]:
        at = next(change.begin.finditer(text))
        for wrong in (text[: at.start()] + text[at.end() :], text + "\n" + text[at.start() : at.end() + 60]):
            (tmp_path / name).write_text(wrong)
            with pytest.raises(EngineError, match="is not as scopec knows it"):
                host_overlays.overlaid_host(tmp_path)
