// A barrier with sense reversal, made of atomic operations, over two rounds: with relaxed operations a thread may count
// itself in before it sees the counter taken back.
#include <cuda/atomic>

constexpr cuda::memory_order ARRIVE = cuda::memory_order_acq_rel;
constexpr cuda::memory_order RELEASE = cuda::memory_order_release;
constexpr cuda::memory_order ACQUIRE = cuda::memory_order_acquire;

__device__ cuda::atomic<int, cuda::thread_scope_device> count{0}, sense{0};

__global__ void rounds() {
    for (int round = 0; round < 2; round++) {
        int mine = 1 - round;
        if (count.fetch_add(1, ARRIVE) == 1) {
            count.store(0, cuda::memory_order_relaxed);
            sense.store(mine, RELEASE);
        } else {
            while (sense.load(ACQUIRE) != mine) { }
        }
    }
}

int main() {
    cudaLaunchCooperativeKernel((void *)rounds, 2, 1, nullptr);
    cudaDeviceSynchronize();
}

//@ vary RELEASE in {release, relaxed};
//@ expect race_free;
//@ expect terminates when RELEASE == release;
//@ expect may_hang when RELEASE == relaxed;
