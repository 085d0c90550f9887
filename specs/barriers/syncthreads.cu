// __syncthreads in a loop: each round reads what another thread wrote in the round before.  Without the second barrier
// of a round a fast thread writes while a slow one still reads.
constexpr int BARRIERS = 2;

__device__ int out[2];

__global__ void rotate() {
    __shared__ int data[2];
    data[threadIdx.x] = threadIdx.x + 1;
    __syncthreads();
    for (int round = 0; round < 2; ++round) {
        int other = data[1 - threadIdx.x];
        if (BARRIERS == 2) __syncthreads();
        data[threadIdx.x] = other;
        __syncthreads();
    }
    out[threadIdx.x] = data[threadIdx.x];
}

//@ launch rotate<<<1, 2>>>();
//@ options races = ignore;
//@ vary BARRIERS in {2, 1};
//@ expect race_free when BARRIERS == 2;
//@ expect required out[0] == 1 && out[1] == 2 when BARRIERS == 2;
//@ expect race on rotate.data when BARRIERS == 1;
//@ expect allowed out[0] == out[1] when BARRIERS == 1;
//@ expect terminates;
