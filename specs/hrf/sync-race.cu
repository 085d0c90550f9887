// HRF0 paper, section 3.5, "Synchronization Races": two pairs of threads synchronize on one
// location with different scopes.  The accesses of one pair are not atomic at a scope that includes the other pair, and under the HRF models their scopes differ.
#include <cuda/atomic>

constexpr cuda::thread_scope PAIR_1 = cuda::thread_scope_block;

__device__ int A = 0;

__global__ void pairs() {
    if (blockIdx.x == 0) {
        cuda::atomic_ref<int, PAIR_1> a(A);
        if (threadIdx.x == 0) a.store(1, cuda::memory_order_release);
        if (threadIdx.x == 1) a.load(cuda::memory_order_acquire);
    } else {
        cuda::atomic_ref<int, cuda::thread_scope_device> a(A);
        if (threadIdx.x == 0) a.store(2, cuda::memory_order_release);
        if (threadIdx.x == 1) a.load(cuda::memory_order_acquire);
    }
}

//@ launch pairs<<<2, 2>>>();
//@ vary PAIR_1 in {block, device};
//@ expect race on A when PAIR_1 == block;
//@ expect race_free when PAIR_1 == device;
//@ expect race on A when PAIR_1 == block under hrf0, hrf-indirect;
//@ expect race_free when PAIR_1 == device under hrf0, hrf-indirect;
//@ expect race_free under sc-drf;
