// The opposite of Execution.Model.Device.3: the atomic object does not have automatic storage duration, so its reads
// count (device.threads.4).
#include <cuda/atomic>

__device__ cuda::atomic<bool, cuda::thread_scope_thread> True{true};

__global__ void ex3() {
    while (True.load());
}

//@ launch ex3<<<1, 1>>>();
//@ expect may_hang;
//@ expect progresses;
