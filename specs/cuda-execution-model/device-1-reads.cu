// The opposite of Execution.Model.Device.1: yielding does not count for a device thread, an atomic read of an object
// without automatic storage duration does (device.threads.4).
#include <cuda/atomic>
#include <cuda/std/atomic>

constexpr bool READS = true;

__device__ cuda::atomic<int, cuda::thread_scope_device> stop{0};

__global__ void ex1() {
    while (true) {
        __nanosleep(20);
        if (READS && stop.load(cuda::memory_order_relaxed) == 1) break;
    }
}

//@ launch ex1<<<1, 1>>>();
//@ vary READS in {true, false};
//@ expect may_hang;
//@ expect progresses when READS;
//@ expect may_stall when !READS;
