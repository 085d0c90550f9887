// A cluster's barrier joins its blocks, which are owed progress together; threads that have exited do not hold it
// up, one that waits for what is written after the barrier does.
#include <cooperative_groups.h>
#include <cuda/atomic>
namespace cg = cooperative_groups;

constexpr int ARRIVES = 0, RETURNS = 1, WAITS = 2;
constexpr int FIRST = ARRIVES;

__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};

__global__ void __cluster_dims__(2, 1, 1) cluster() {
    if (blockIdx.x == 0 && FIRST == RETURNS) {
        flag.fetch_add(1, cuda::memory_order_relaxed);
        return;
    }
    if (blockIdx.x == 0 && FIRST == WAITS) {
        while (flag.load(cuda::memory_order_relaxed) != 1);
    }
    cg::this_cluster().sync();
    if (blockIdx.x == 1) flag.store(1, cuda::memory_order_relaxed);
}

//@ launch cluster<<<2, 1>>>();
//@ vary FIRST in {0, 1, 2};
//@ expect race_free;
//@ expect terminates when FIRST != WAITS;
//@ expect may_hang when FIRST == WAITS;
