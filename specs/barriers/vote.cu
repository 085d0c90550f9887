// Each lane polls a flag of its own, and the warp goes on when none is missing: all data is there then.  It is not where one
// flag is enough.
#include <cuda/atomic>

constexpr bool ALL = true;

__device__ cuda::atomic<int, cuda::thread_scope_device> flags[2];
__device__ int data[2];

__device__ bool missing() { return flags[threadIdx.x].load(cuda::memory_order_acquire) == 0; }

__global__ void follow() {
    if (blockIdx.x == 0) {
        while (ALL ? __any_sync(~0u, missing()) : __all_sync(~0u, missing()));
        int r = data[threadIdx.x];
    } else {
        data[threadIdx.x] = 42;
        flags[threadIdx.x].store(1, cuda::memory_order_release);
    }
}

int main() {
    void* none[1];
    cudaLaunchCooperativeKernel((void*)follow, dim3(2), dim3(2), none, 0, 0);
    cudaDeviceSynchronize();
}

//@ options races = ignore;
//@ vary ALL in {true, false};
//@ expect race_free when ALL;
//@ expect required follow[0][0].r == 42 && follow[0][1].r == 42 when ALL;
//@ expect race on data when !ALL;
//@ expect allowed follow[0][0].r == 0 && follow[0][1].r == 42 when !ALL;
//@ expect terminates;
