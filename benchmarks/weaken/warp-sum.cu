// A sum in shared memory by one warp, with barriers of the block.
__global__ void sum() {
    __shared__ int part[4];
    part[threadIdx.x] = threadIdx.x + 1;
    __syncthreads();
    if (threadIdx.x < 2) part[threadIdx.x] += part[threadIdx.x + 2];
    __syncthreads();
    if (threadIdx.x == 0) {
        int total = part[0] + part[1];
        assert(total == 10);
    }
    __syncthreads();
}

//@ launch sum<<<1, 4>>>();
//@ expect race_free;
//@ expect terminates;
