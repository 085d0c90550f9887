// HRF0 paper, sections 3.2 and 5: a release at global scope read by an acquire at group scope.
// HRF0 wants identical scopes; CUDA wants each scope to include the other thread, which holds inside one group.
#include <cuda/atomic>

constexpr int GROUPS = 1;

__device__ int X = 0, A = 0;

__global__ void mixed() {
    int r = 2;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        X = 1;
        cuda::atomic_ref<int, cuda::thread_scope_device>(A).store(1, cuda::memory_order_release);
    } else {
        if (cuda::atomic_ref<int, cuda::thread_scope_block>(A).load(cuda::memory_order_acquire) == 1) r = X;
    }
}

//@ launch mixed<<<GROUPS, 2 / GROUPS>>>();
//@ vary GROUPS in {1, 2};
//@ expect race_free when GROUPS == 1;
//@ expect race on A when GROUPS == 2;
//@ expect race on A under hrf0, hrf-direct, hrf-indirect;
//@ expect race_free under sc-drf;
//@ expect forbidden mixed[0][1].r == 0 when GROUPS == 1 under hrf0-hw;
//@ expect allowed mixed[1][0].r == 0 when GROUPS == 2 under hrf0-hw;
