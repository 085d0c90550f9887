// The leader of a warp polls, and tells the others what it has read.  That orders nothing for them: with a __syncwarp they may
// read what the flag announces, without one only the leader may.
#include <cooperative_groups.h>
#include <cuda/atomic>

namespace cg = cooperative_groups;
constexpr bool SYNCHRONISED = true;

__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};
__device__ int data[2];

__global__ void follow() {
    if (blockIdx.x == 0) {
        auto warp = cg::tiled_partition<2>(cg::this_thread_block());
        int found = 0;
        if (warp.thread_rank() == 0)
            while ((found = flag.load(cuda::memory_order_acquire)) == 0);
        if (SYNCHRONISED) warp.sync();
        found = warp.shfl(found, 0);
        int r = data[threadIdx.x];
    } else if (threadIdx.x == 0) {
        data[0] = data[1] = 42;
        flag.store(7, cuda::memory_order_release);
    }
}

int main() {
    void* none[1];
    cudaLaunchCooperativeKernel((void*)follow, dim3(2), dim3(2), none, 0, 0);
    cudaDeviceSynchronize();
}

//@ options races = ignore;
//@ vary SYNCHRONISED in {true, false};
//@ expect required follow[0][0].found == 7 && follow[0][1].found == 7 && follow[0][0].r == 42;
//@ expect race_free when SYNCHRONISED;
//@ expect required follow[0][1].r == 42 when SYNCHRONISED;
//@ expect race on data when !SYNCHRONISED;
//@ expect allowed follow[0][1].r == 0 when !SYNCHRONISED;
//@ expect terminates;
