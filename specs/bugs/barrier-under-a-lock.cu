// xlite-dev/LeetCUDA#391, NVIDIA/raft#489: threads of a block take a lock one by one, and the one that has it waits for the others
// at a barrier: they wait for the lock.  One thread of the block has to take it for all.
constexpr bool FOR_ALL = true;

__device__ int lock, mean;

__device__ void acquire() {
    while (atomicCAS(&lock, 0, 1) != 0);
    __threadfence();
}

__device__ void release() {
    __threadfence();
    atomicExch(&lock, 0);
}

__global__ void add() {
    if (!FOR_ALL || threadIdx.x == 0) acquire();
    __syncthreads();
    if (threadIdx.x == 0) mean += 1;
    __syncthreads();
    if (!FOR_ALL || threadIdx.x == 0) release();
}

int main() {
    add<<<2, 2>>>();
    return cudaDeviceSynchronize();
}

//@ vary FOR_ALL in {true, false};
//@ expect race_free when FOR_ALL;
//@ expect required mean == 2 when FOR_ALL;
//@ expect terminates when FOR_ALL;
//@ expect may_hang when !FOR_ALL;
