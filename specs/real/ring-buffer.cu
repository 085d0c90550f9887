// A ring of slots between a producer block and a consumer block: one index each, which only its owner writes and the other reads.
// Without the acquire of the tail the producer may fill a slot that is still being read.
#include <cuda/atomic>

constexpr auto TAIL = cuda::memory_order_acquire;
constexpr int SLOTS = 1;

using counter = cuda::atomic<unsigned, cuda::thread_scope_device>;
__device__ counter head{0}, tail{0};
__device__ int slot[SLOTS], sum;

__global__ void relay() {
    for (unsigned item = 0; item < 2; ++item) {
        if (blockIdx.x == 0) {
            while (item - tail.load(TAIL) == SLOTS);
            slot[item % SLOTS] = item + 1;
            head.store(item + 1, cuda::memory_order_release);
        } else {
            while (head.load(cuda::memory_order_acquire) == item);
            sum += slot[item % SLOTS];
            tail.store(item + 1, cuda::memory_order_release);
        }
    }
}

int main() {
    void* none[1];
    cudaLaunchCooperativeKernel((void*)relay, dim3(2), dim3(1), none, 0, 0);
    return cudaDeviceSynchronize();
}

//@ vary TAIL in {acquire, relaxed};
//@ expect race_free when TAIL == acquire;
//@ expect required sum == 3 when TAIL == acquire;
//@ expect terminates when TAIL == acquire;
//@ expect race on slot when TAIL == relaxed;
