// A table is made once, by the first block that needs it: others look at a flag first, and take the lock only where it is not
// set.  The look has to be an acquire, else the table may not be there for one that saw the flag.
#include <cuda/atomic>

constexpr auto FIRST_LOOK = cuda::memory_order_acquire;

__device__ cuda::atomic<int, cuda::thread_scope_device> ready{0}, lock{0};
__device__ int table, out[2];

__device__ void ensure() {
    if (ready.load(FIRST_LOOK)) return;
    while (lock.exchange(1, cuda::memory_order_acquire));
    if (!ready.load(cuda::memory_order_relaxed)) {
        table = 7;
        ready.store(1, cuda::memory_order_release);
    }
    lock.store(0, cuda::memory_order_release);
}

__global__ void use() {
    ensure();
    out[blockIdx.x] = table;
}

int main() {
    use<<<2, 1>>>();
    return cudaDeviceSynchronize();
}

//@ vary FIRST_LOOK in {acquire, relaxed};
//@ expect race_free when FIRST_LOOK == acquire;
//@ expect required out[0] == 7 && out[1] == 7 when FIRST_LOOK == acquire;
//@ expect terminates when FIRST_LOOK == acquire;
//@ expect race on table when FIRST_LOOK == relaxed;
