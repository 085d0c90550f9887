"""Representative programs of which something is not as expected, each kind at least once; golden texts are of these."""

from __future__ import annotations

VIOLATIONS: dict[str, str] = {
    "race-scope": """\
#include <cuda/atomic>
__device__ int x = 0, f = 0;
__global__ void mp() {
    cuda::atomic_ref<int, cuda::thread_scope_block> flag(f);
    if (blockIdx.x == 0) {
        x = 42;
        flag.store(1, cuda::memory_order_release);
    } else if (flag.load(cuda::memory_order_acquire) == 1) {
        int r = x;
    }
}
//@ launch mp<<<2, 1>>>();
//@ expect race_free;
""",
    "race-plain": """\
__device__ int n = 0;
__global__ void count() { n = n + 1; }
//@ launch count<<<1, 2>>>();
//@ expect race_free;
//@ expect required n == 2;
""",
    "race-relaxed": """\
__device__ cuda::atomic<int, cuda::thread_scope_device> ready{0};
__device__ int data = 0;
__global__ void handover(int* out) {
    if (blockIdx.x == 0) {
        data = 42;
        ready.store(1, cuda::memory_order_relaxed);
    } else if (ready.load(cuda::memory_order_acquire) == 1) {
        *out = data;
    }
}
//@ object __device__ int out = 0;
//@ launch handover<<<2, 1>>>(&out);
//@ expect race_free;
""",
    "race-system": """\
__managed__ cuda::atomic<int, cuda::thread_scope_system> flag{0};
__global__ void k() { flag.store(1); }
int main() { k<<<1, 1>>>(); flag.load(); cudaDeviceSynchronize(); }
//@ given concurrentManagedAccess = 0;
//@ expect race_free;
""",
    "stuck": """\
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0}, go{0};
__global__ void sleeper() {
    if (blockIdx.x == 0) {
        x.store(1, cuda::memory_order_release);
        if (y.load(cuda::memory_order_acquire) == 0) {
            while (go.load(cuda::memory_order_acquire) == 0) { }
        }
    } else {
        y.store(1, cuda::memory_order_release);
        if (x.load(cuda::memory_order_acquire) == 1) go.store(1, cuda::memory_order_release);
    }
}
int main() {
    cudaLaunchCooperativeKernel((void *)sleeper, 2, 1, nullptr);
    cudaDeviceSynchronize();
}
//@ expect terminates;
""",
    "outcome": """\
__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};
__global__ void sb() {
    int r;
    if (blockIdx.x == 0) { x.store(1, cuda::memory_order_release); r = y.load(cuda::memory_order_acquire); }
    else                 { y.store(1, cuda::memory_order_release); r = x.load(cuda::memory_order_acquire); }
    assert(r >= 0);
}
//@ launch sb<<<2, 1>>>();
//@ expect forbidden sb[0][0].r == 0 && sb[1][0].r == 0;
//@ expect allowed sb[0][0].r == 7;
//@ expect required sb[0][0].r == 1 || sb[1][0].r == 1;
""",
    "assertion": """\
__device__ cuda::atomic<int, cuda::thread_scope_device> f{0};
__global__ void k() {
    if (threadIdx.x == 0) f.store(1, cuda::memory_order_relaxed);
    else assert(f.load(cuda::memory_order_relaxed) == 1);
}
//@ launch k<<<1, 2>>>();
""",
    "hang": """\
__device__ cuda::atomic<int, cuda::thread_scope_device> ready{0};
__global__ void k() {
    if (blockIdx.x == 0) while (ready.load(cuda::memory_order_acquire) == 0);
    else ready.store(1, cuda::memory_order_release);
}
//@ launch k<<<2, 1>>>();
//@ expect terminates;
""",
    "hang-host": """\
__managed__ cuda::atomic<int, cuda::thread_scope_system> flag{0};
__global__ void producer() { flag.store(1); }
int main() {
    producer<<<1, 1>>>();
    while (flag.load() == 0);
    return cudaDeviceSynchronize();
}
//@ expect terminates;
""",
    "deadlock": """\
__device__ cuda::atomic<int, cuda::thread_scope_block> a{0};
__global__ void k() {
    if (threadIdx.x == 0) { a.store(1); __syncthreads(); }
    while (a.load() == 0) __nanosleep(1);
    if (threadIdx.x == 1) { while (a.load() != 2); __syncthreads(); }
}
//@ launch k<<<1, 2>>>();
//@ expect terminates;
""",
    "silent": """\
__global__ void k() {
    while (true) __nanosleep(100);
}
//@ launch k<<<1, 1>>>();
//@ expect terminates;
//@ expect progresses;
""",
    "never-hangs": """\
__global__ void k() { __syncthreads(); }
//@ launch k<<<1, 2>>>();
//@ expect may_hang;
//@ expect may_stall;
//@ expect race;
""",
    "hardware": """\
__device__ int x = 0, f = 0;
__global__ void mp() {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(f);
    if (blockIdx.x == 0) {
        x = 1;
        flag.store(1, cuda::memory_order_relaxed);
    } else if (flag.load(cuda::memory_order_acquire) == 1) {
        int r = x;
    }
}
//@ launch mp<<<2, 1>>>();
//@ options races = ignore;
//@ expect forbidden mp[1][0].r == 0 under hrf0-hw;
""",
    "never-undefined": """\
__device__ int x = 0;
__global__ void k() { x = 1; }
//@ launch k<<<1, 1>>>();
//@ expect undefined;
""",
    "undecided": """\
__device__ cuda::atomic<int, cuda::thread_scope_device> turn{0};
__device__ int n = 0;
__global__ void k() {
    while (turn.fetch_add(1, cuda::memory_order_acq_rel) != 5);
    n++;
}
//@ launch k<<<2, 1>>>();
//@ expect race_free;
""",
}
