// NVIDIA/cudf#16051: threads of several blocks update one counter with atomic operations of block scope.
#include <cuda/atomic>

constexpr cuda::thread_scope SCOPE = cuda::thread_scope_device;

__device__ int nulls;

__global__ void count() {
    cuda::atomic_ref<int, SCOPE>(nulls).fetch_add(1, cuda::memory_order_relaxed);
}

int main() {
    count<<<2, 1>>>();
    return cudaDeviceSynchronize();
}

//@ vary SCOPE in {device, block};
//@ options races = ignore;
//@ expect race_free when SCOPE == device;
//@ expect required nulls == 2 when SCOPE == device under cuda, ptx;
//@ expect race on nulls when SCOPE == block;
//@ expect allowed nulls == 1 when SCOPE == block under ptx;
