// NVIDIA/cudf#9317: an insert into a hash map claims the slot by its key and writes the value after that.  Another thread that
// finds the key there takes the value for the one that it still lacks.  It has to wait for the value, with an acquire.
#include <cuda/atomic>

constexpr bool WAITS = true;
constexpr int EMPTY = -1;

struct Slot {
    cuda::atomic<int, cuda::thread_scope_device> key{EMPTY}, value{EMPTY};
};
__device__ Slot slot;

__global__ void insert() {
    int found = EMPTY, mine = 10 + blockIdx.x;
    if (slot.key.compare_exchange_strong(found, 7, cuda::memory_order_relaxed)) {
        slot.value.store(mine, cuda::memory_order_release);
    } else {
        do
            mine = slot.value.load(cuda::memory_order_acquire);
        while (WAITS && mine == EMPTY);
    }
    int result = mine;
}

int main() {
    insert<<<2, 1>>>();
    return cudaDeviceSynchronize();
}

//@ vary WAITS in {true, false};
//@ expect race_free;
//@ expect required insert[0][0].result == slot.value && insert[1][0].result == slot.value when WAITS;
//@ expect allowed insert[0][0].result == -1 when !WAITS;
//@ expect forbidden insert[0][0].result == -1 when WAITS;
//@ expect terminates;
