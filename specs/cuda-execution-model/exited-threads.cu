// The guard that returns early, before a barrier: threads that have exited no longer hold up __syncthreads.
__global__ void guarded(int n) {
    if (threadIdx.x >= n) return;
    __syncthreads();
}

//@ launch guarded<<<1, 3>>>(2);
//@ expect race_free;
//@ expect terminates;
