// A barrier between the blocks of a grid, made of one counter, in an ordinary and in a cooperative launch.
#include <cuda/atomic>

constexpr bool COOPERATIVE = true;

__managed__ int before[2] = {0, 0}, after[2] = {0, 0};
__device__ cuda::atomic<int, cuda::thread_scope_device> arrived{0};

__global__ void both_sides() {
    before[blockIdx.x] = 1;
    arrived.fetch_add(1, cuda::memory_order_acq_rel);
    while (arrived.load(cuda::memory_order_acquire) != gridDim.x);
    after[blockIdx.x] = before[1 - blockIdx.x];
}

int main() {
    if (COOPERATIVE) {
        cudaLaunchCooperativeKernel((void*)both_sides, dim3(2), dim3(1), nullptr, 0, 0);
    } else {
        both_sides<<<2, 1>>>();
    }
    return cudaDeviceSynchronize();
}

//@ vary COOPERATIVE in {true, false};
//@ expect race_free;
//@ expect required after[0] == 1 && after[1] == 1;
//@ expect terminates when COOPERATIVE;
//@ expect may_hang when !COOPERATIVE;
