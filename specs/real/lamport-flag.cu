// Data that is its own flag: a receiver polls the buffer until every element differs from a sentinel, and puts the sentinel back
// for the next round.  Each element is one relaxed access, so nothing has to be ordered; a plain reset races with the sender.
#include <cuda/atomic>

constexpr bool PLAIN_RESET = false;
constexpr int NONE = -1;

__device__ int line[2] = {NONE, NONE};
__device__ int sum;

__device__ auto at(int index) { return cuda::atomic_ref<int, cuda::thread_scope_system>(line[index]); }

__global__ void exchange() {
    if (blockIdx.x == 0) {
        at(0).store(3, cuda::memory_order_relaxed);
        at(1).store(4, cuda::memory_order_relaxed);
    } else {
        int got[2];
        do {
            got[0] = at(0).load(cuda::memory_order_relaxed);
            got[1] = at(1).load(cuda::memory_order_relaxed);
        } while (got[0] == NONE || got[1] == NONE);
        if (PLAIN_RESET) line[0] = line[1] = NONE;
        sum = got[0] + got[1];
    }
}

int main() {
    exchange<<<2, 1>>>();
    return cudaDeviceSynchronize();
}

//@ vary PLAIN_RESET in {false, true};
//@ expect race_free when !PLAIN_RESET;
//@ expect required sum == 7 when !PLAIN_RESET;
//@ expect race on line when PLAIN_RESET;
