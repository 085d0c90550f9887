// HRF0 paper, figure 2: t1 and t2 of block A synchronize by __syncthreads, t2 and t3 of block B by
// a system-scope fence and an atomic store.  The paper finds the answer open in the text of 2013; the memory-model
// documents answer: happens-before is transitive, so with an acquire in t3 its read of X is ordered after t1's write.
// The figure itself has no acquire in t3, and races.  HRF0 and HRF-direct do not compose the two scopes, HRF-indirect does.
#include <cuda/atomic>

constexpr cuda::memory_order T3 = cuda::memory_order_acquire;

__device__ int X = 0;
__device__ int Y = 0;

__global__ void figure_2() {
    cuda::atomic_ref<int, cuda::thread_scope_system> y(Y);
    int r = 2;
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) X = 1;
        __syncthreads();
        if (threadIdx.x == 1) {
            r = X;
            __threadfence_system();
            y.store(2, cuda::memory_order_relaxed);
        }
    } else if (threadIdx.x == 0) {
        if (y.load(T3) == 2) r = X;
    }
}

//@ launch figure_2<<<2, 2>>>();
//@ options races = ignore;
//@ vary T3 in {acquire, relaxed};
//@ expect required figure_2[0][1].r == 1;
//@ expect forbidden figure_2[1][0].r == 0 when T3 == acquire;
//@ expect race_free when T3 == acquire;
//@ expect allowed figure_2[1][0].r == 0 when T3 == relaxed;
//@ expect race on X when T3 == relaxed;
//@ expect race on X under hrf0, hrf-direct;
//@ expect race_free when T3 == acquire under hrf-indirect;
//@ expect race on X when T3 == relaxed under hrf-indirect;
//@ expect required figure_2[0][1].r == 1 under hrf0-hw;
//@ expect forbidden figure_2[1][0].r == 0 when T3 == acquire under hrf0-hw;
//@ expect allowed figure_2[1][0].r == 0 when T3 == relaxed under hrf0-hw;
