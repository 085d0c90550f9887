// cuda::barrier: within a block, between two blocks, in a cooperative grid, and with a count that is never reached.
#include <cuda/barrier>

constexpr int BLOCK = 0, BLOCKS = 1, COOPERATIVE = 2, TOO_MANY = 3;
constexpr int KIND = BLOCK;
constexpr int COUNT = KIND == TOO_MANY ? 3 : 2;

__device__ cuda::barrier<cuda::thread_scope_device> bar(COUNT);

__global__ void meet() { bar.arrive_and_wait(); }

int main() {
    if (KIND == BLOCK || KIND == TOO_MANY) meet<<<1, 2>>>();
    if (KIND == BLOCKS) meet<<<2, 1>>>();
    if (KIND == COOPERATIVE) cudaLaunchCooperativeKernel((void*)meet, dim3(2), dim3(1), nullptr, 0, 0);
    return cudaDeviceSynchronize();
}

//@ vary KIND in {0, 1, 2, 3};
//@ expect race_free;
//@ expect terminates when KIND == BLOCK || KIND == COOPERATIVE;
//@ expect may_hang when KIND == BLOCKS || KIND == TOO_MANY;
