// Causality test case 1 with ordinary variables instead of atomics.  Java gives such a program a meaning; CUDA C++ gives a
// race none.
__device__ int x, y;

__global__ void plain() {
    int r1, r2;
    if (blockIdx.x == 0) {
        r1 = x;
        if (r1 >= 0) y = 1;
    } else {
        r2 = y;
        x = r2;
    }
}

//@ launch plain<<<2, 1>>>();
//@ expect race on x;
//@ expect race on y;
