// A lock with a queue (Anderson): who comes draws a place, and waits at a flag of its own, which the one before it opens.
#include <cuda/atomic>

constexpr auto HAND_OVER = cuda::memory_order_release;

using number = cuda::atomic<int, cuda::thread_scope_device>;
__device__ number last{0}, open[3] = {1, 0, 0};
__device__ int counter;

class Lock {
    int place;

  public:
    __device__ Lock() : place(last.fetch_add(1, cuda::memory_order_relaxed)) {
        while (open[place].load(cuda::memory_order_acquire) == 0);
    }
    __device__ ~Lock() { open[place + 1].store(1, HAND_OVER); }
};

__global__ void add() {
    Lock lock;
    ++counter;
}

int main() {
    add<<<2, 1>>>();
    return cudaDeviceSynchronize();
}

//@ vary HAND_OVER in {release, relaxed};
//@ expect race_free when HAND_OVER == release;
//@ expect required counter == 2 when HAND_OVER == release;
//@ expect terminates when HAND_OVER == release;
//@ expect race on counter when HAND_OVER == relaxed;
