// HRF0 paper, section 4.2: without synchronization write buffers drain and lines are written back, evicted and fetched at
// any time and in any order; what a group once read from global memory it may read again.
#include <cuda/atomic>

__device__ int x = 0, y = 0;

__global__ void plain() {
    if (blockIdx.x == 0) {
        x = 1;
        y = 1;
    } else {
        int a = y;
        int b = x;
        int c = x;
    }
}

//@ launch plain<<<2, 1>>>();
//@ options races = ignore;
//@ expect allowed plain[1][0].a == 1 && plain[1][0].b == 0 under hrf0-hw;
//@ expect allowed plain[1][0].a == 0 && plain[1][0].b == 1 under hrf0-hw;
//@ expect allowed plain[1][0].b == 0 && plain[1][0].c == 1 under hrf0-hw;
//@ expect forbidden plain[1][0].b == 1 && plain[1][0].c == 0 under hrf0-hw;
//@ expect required x == 1 && y == 1 under hrf0-hw;
