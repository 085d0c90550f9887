// HRF0 paper, figure 5 (instruction numbers are lost in the text; reconstructed): t1 and t2 of one group synchronize in
// S12, t2 and t3 in SGlobal.  The paper's third pair, t1's store and t3's load of X, is a heterogeneous race in HRF0,
// because no single scope order contains both; under CUDA happens-before is one transitive relation, and the program is
// race free.  With a relaxed hop it races under both.
#include <cuda/atomic>

constexpr cuda::memory_order HOP = cuda::memory_order_release;

__device__ int X = 0, Y = 0;
__device__ cuda::atomic<int, cuda::thread_scope_block> A{0};
__device__ cuda::atomic<int, cuda::thread_scope_device> B{0};

__global__ void figure_5() {
    int x = 2, y = 2;
    if (blockIdx.x == 0 && threadIdx.x == 0) {   // t1
        X = 1;
        A.store(1, HOP);
    }
    if (blockIdx.x == 0 && threadIdx.x == 1) {   // t2
        if (A.load(cuda::memory_order_acquire) == 1) {
            x = X;
            Y = 1;
            B.store(1, cuda::memory_order_release);
        }
    }
    if (blockIdx.x == 1 && threadIdx.x == 0) {   // t3
        if (B.load(cuda::memory_order_acquire) == 1) {
            y = Y;
            x = X;
        }
    }
}

//@ launch figure_5<<<2, 2>>>();
//@ options races = ignore;
//@ vary HOP in {release, relaxed};
//@ expect forbidden figure_5[0][1].x == 0 when HOP == release;
//@ expect forbidden figure_5[1][0].y == 0;
//@ expect forbidden figure_5[1][0].x == 0 when HOP == release;
//@ expect race_free when HOP == release;
//@ expect allowed figure_5[1][0].x == 0 when HOP == relaxed;
//@ expect race on X when HOP == relaxed;
//@ expect race on X under hrf0, hrf-direct;
//@ expect race_free when HOP == release under hrf-indirect;
//@ expect race on X when HOP == relaxed under hrf-indirect;
//@ expect forbidden figure_5[1][0].y == 0 under hrf0-hw;
//@ expect forbidden figure_5[1][0].x == 0 when HOP == release under hrf0-hw;
