// The opposite of Execution.Model.Device.0, and the document's note on blocks: a thread is owed progress once some
// thread of its thread-block cluster has made progress; "threads in other thread-block clusters are not".
#include <cuda/atomic>

constexpr int BLOCKS = 1;

__device__ int a = 0;

__global__ void ex0(cuda::atomic_ref<int, cuda::thread_scope_device> atom) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        while (atom.load(cuda::memory_order_relaxed) == 0);
    } else {
        atom.store(1, cuda::memory_order_relaxed);
    }
}

//@ language scoped;
//@ launch ex0<<<BLOCKS, 2 / BLOCKS>>>(a);
//@ vary BLOCKS in {1, 2};
//@ expect race_free;
//@ expect terminates when BLOCKS == 1;
//@ expect may_hang when BLOCKS == 2;
//@ expect progresses;
