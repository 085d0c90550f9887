// The note on device threads: "providing forward progress to programs that eventually only perform atomic writes or
// fences would degrade overall performance for little practical benefit".  Reads do count.
#include <cuda/atomic>

constexpr int KIND = 0;

__device__ cuda::atomic<int, cuda::thread_scope_device> a{0};

__global__ void loop() {
    while (true) {
        if (KIND == 0) a.store(1, cuda::memory_order_relaxed);
        if (KIND == 1) cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
        if (KIND == 2) a.load(cuda::memory_order_relaxed);
        if (KIND == 3) a.fetch_add(0, cuda::memory_order_relaxed);
    }
}

//@ launch loop<<<1, 1>>>();
//@ vary KIND in {0, 1, 2, 3};
//@ expect may_hang;
//@ expect may_stall when KIND <= 1;
//@ expect progresses when KIND >= 2;
