// A cluster by a launch attribute: message passing between two blocks, which a cluster owes both their steps.
#include <cuda/atomic>

constexpr int BLOCKS = 2;

__managed__ int data = 0, out = 0;
__device__ cuda::atomic<int, cuda::thread_scope_device> ready{0};

__global__ void pass() {
    if (blockIdx.x == 0) {
        while (ready.load(cuda::memory_order_acquire) == 0);
        out = data;
    } else if (blockIdx.x == gridDim.x - 1) {
        data = 42;
        ready.store(1, cuda::memory_order_release);
    }
}

int main() {
    cudaLaunchConfig_t config = {0};
    config.gridDim = BLOCKS;
    config.blockDim = 1;
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = 2;
    attribute[0].val.clusterDim.y = 1;
    attribute[0].val.clusterDim.z = 1;
    config.attrs = attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, pass);
    return cudaDeviceSynchronize();
}

//@ vary BLOCKS in {2, 4};
//@ expect race_free;
//@ expect required out == 42;
//@ expect terminates when BLOCKS == 2;
//@ expect may_hang when BLOCKS == 4;
