// The opposite of Execution.Model.API.1: one thread of the block never arrives at the barrier.
#include <cuda/atomic>

constexpr bool ARRIVES = true;

__device__ cuda::atomic<int, cuda::thread_scope_block> never{0};

__global__ void hello_world() {
    if (!ARRIVES && threadIdx.x == 1) {
        while (never.load(cuda::memory_order_relaxed) == 0);
    }
    __syncthreads();
}

int main() {
    hello_world<<<1, 2>>>();
    return (int)cudaDeviceSynchronize();
}

//@ vary ARRIVES in {true, false};
//@ expect race_free;
//@ expect terminates when ARRIVES;
//@ expect may_hang when !ARRIVES;
//@ expect progresses;
