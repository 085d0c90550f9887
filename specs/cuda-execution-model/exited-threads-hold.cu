// The guard that returns early, before a barrier, read as the CUDA programming guide may be: a barrier that all threads
// of the block have to reach.
__global__ void guarded(int n) {
    if (threadIdx.x >= n) return;
    __syncthreads();
}

//@ launch guarded<<<1, 3>>>(2);
//@ options exited_threads = hold;
//@ expect race_free;
//@ expect may_hang;
