// The document's notes on units, with its rule on cooperative grids: thread 0 of block 0 waits for block 1.  "Once a
// device thread makes progress: if it is part of a Cooperative Grid, all device threads in its grid shall eventually
// make progress.  Otherwise, all device threads in its thread-block cluster shall".
#include <cuda/atomic>

constexpr int SEPARATE = 0, OTHER_CLUSTER = 1, ONE_CLUSTER = 2, COOPERATIVE = 3;
constexpr int UNIT = ONE_CLUSTER;

__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};

__device__ void wait_for_last() {
    if (blockIdx.x == 0) {
        while (flag.load(cuda::memory_order_relaxed) == 0);
    } else if (blockIdx.x == gridDim.x - 1) {
        flag.store(1, cuda::memory_order_relaxed);
    }
}

__global__ void separate() { wait_for_last(); }
__global__ void __cluster_dims__(2, 1, 1) clusters() { wait_for_last(); }

int main() {
    if (UNIT == SEPARATE) separate<<<2, 1>>>();
    if (UNIT == OTHER_CLUSTER) clusters<<<4, 1>>>();
    if (UNIT == ONE_CLUSTER) clusters<<<2, 1>>>();
    if (UNIT == COOPERATIVE) cudaLaunchCooperativeKernel((void*)separate, dim3(2), dim3(1), nullptr, 0, 0);
    return cudaDeviceSynchronize();
}

//@ vary UNIT in {0, 1, 2, 3};
//@ expect race_free;
//@ expect terminates when UNIT == ONE_CLUSTER || UNIT == COOPERATIVE;
//@ expect may_hang when UNIT == SEPARATE || UNIT == OTHER_CLUSTER;
//@ expect progresses;
