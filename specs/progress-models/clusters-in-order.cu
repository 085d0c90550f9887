// Two clusters of two blocks on a device with three places: a cluster is resident as a whole, so one of them at a time.
// The second waits for the first; with AHEAD it is the other way round.
#include <cuda/atomic>

constexpr bool AHEAD = false;

__device__ cuda::atomic<int, cuda::thread_scope_device> ended{0}, met[2];

__global__ __cluster_dims__(2) void clusters() {
    int mine = blockIdx.x / 2;
    met[mine].fetch_add(1, cuda::memory_order_relaxed);
    while (met[mine].load(cuda::memory_order_relaxed) != 2);
    if (mine == (AHEAD ? 1 : 0)) {
        ended.fetch_add(1, cuda::memory_order_relaxed);
    } else {
        while (ended.load(cuda::memory_order_relaxed) != 2);
    }
}

//@ vary AHEAD in {false, true};
//@ given resident_blocks = 3;
//@ launch clusters<<<4, 1>>>();
//@ expect race_free;
//@ expect may_hang under cuda;
//@ expect terminates when !AHEAD under cuda-in-order;
//@ expect may_hang when AHEAD under cuda-in-order;
