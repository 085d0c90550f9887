// spcl/dace#2522: each block of a persistent kernel sets the queue's head back at its start.  One that comes late rewinds the queue
// under a block that has pushed already.  A barrier of the grid between the reset and the pushes keeps them apart.
#include <cooperative_groups.h>
#include <cuda/atomic>

namespace cg = cooperative_groups;
constexpr bool BARRIER = true;

__device__ cuda::atomic<int, cuda::thread_scope_device> head{0};

__global__ void persistent() {
    head.store(0, cuda::memory_order_relaxed);
    if (BARRIER) cg::this_grid().sync();
    head.fetch_add(1, cuda::memory_order_relaxed);
}

int main() {
    void* none[1];
    cudaLaunchCooperativeKernel((void*)persistent, dim3(2), dim3(1), none, 0, 0);
    return cudaDeviceSynchronize();
}

//@ vary BARRIER in {true, false};
//@ expect race_free;
//@ expect required head == 2 when BARRIER;
//@ expect forbidden head == 1 when BARRIER;
//@ expect allowed head == 1 when !BARRIER;
