// NVIDIA/cub#369: a barrier of a grid by hand, of more blocks than the GPU holds.  Those that are there wait for one that is only
// started when one of them ends.
#include <cuda/atomic>

constexpr bool COOPERATIVE = true;

__device__ unsigned arrived;

__global__ void phases() {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(arrived);
    count.fetch_add(1, cuda::memory_order_acq_rel);
    while (count.load(cuda::memory_order_acquire) < gridDim.x);
}

int main() {
    void* none[1];
    if (COOPERATIVE)
        cudaLaunchCooperativeKernel((void*)phases, dim3(3), dim3(1), none, 0, 0);
    else
        phases<<<3, 1>>>();
    return cudaDeviceSynchronize();
}

//@ vary COOPERATIVE in {true, false};
//@ expect race_free;
//@ expect terminates when COOPERATIVE;
//@ expect may_hang when !COOPERATIVE;
