// NVIDIA/cccl#1027: is the acquire of the ticket in a ticket lock needed?  No: the look at who is served acquires; but that one is.
#include <cuda/atomic>

constexpr auto TICKET = cuda::memory_order_relaxed;
constexpr auto LOOK = cuda::memory_order_acquire;

__device__ cuda::atomic<int, cuda::thread_scope_device> in{0}, out{0};
__device__ int counter;

__global__ void enter() {
    int mine = in.fetch_add(1, TICKET);
    while (out.load(LOOK) != mine);
    ++counter;
    out.fetch_add(1, cuda::memory_order_release);
}

int main() {
    enter<<<2, 1>>>();
    return cudaDeviceSynchronize();
}

//@ vary TICKET in {acquire, relaxed};
//@ vary LOOK in {acquire, relaxed};
//@ expect race_free when LOOK == acquire;
//@ expect required counter == 2 when LOOK == acquire under cuda, ptx;
//@ expect terminates when LOOK == acquire;
//@ expect race on counter when LOOK == relaxed;
