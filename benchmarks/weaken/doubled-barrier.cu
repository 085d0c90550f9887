// Two barriers with nothing between them, of a block of more than a warp: one of them can go.
__global__ void exchange() {
    __shared__ int part[34];
    if (threadIdx.x % 33 == 0) part[threadIdx.x] = threadIdx.x;
    __syncthreads();
    __syncthreads();
    if (threadIdx.x == 0) {
        int other = part[33];
        assert(other == 33);
    }
}

//@ launch exchange<<<1, 34>>>();
//@ expect race_free;
//@ expect terminates;
