// PTX: threads of a block synchronize at a barrier.
__device__ int x = 0;

constexpr bool BARRIER = true;

__global__ void phases() {
    int r = 2;
    if (threadIdx.x == 0) x = 1;
    if (BARRIER) __syncthreads();
    if (threadIdx.x == 1) r = x;
}

//@ launch phases<<<1, 2>>>();
//@ vary BARRIER in {true, false};
//@ expect forbidden phases[0][1].r == 0 when BARRIER under ptx;
//@ expect allowed phases[0][1].r == 0 when !BARRIER under ptx;
