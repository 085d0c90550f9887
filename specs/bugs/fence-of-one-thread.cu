// NVIDIA/Fuser#2391: the blocks of a split-K sum follow each other; thread 0 releases a semaphore after a barrier of its block.
// Without a fence nothing of the block's work need be there for the next one.  A fence of every thread before the barrier, which
// mended it, is enough in PTX, where these fences have an order of their own; in CUDA C++ it is of the thread's own stores alone,
// and belongs between the barrier and the release.
constexpr int FENCE = 2;

__device__ int turn, tile, sum;

__global__ void split_k() {
    if (blockIdx.x == 0) {
        if (threadIdx.x == 1) tile = 1;
        if (FENCE == 1) __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            if (FENCE == 2) __threadfence();
            atomicExch(&turn, 1);
        }
    } else if (threadIdx.x == 0) {
        while (atomicAdd(&turn, 0) != 1);
        __threadfence();
        sum = tile + 1;
    }
}

int main() {
    split_k<<<2, 2>>>();
    return cudaDeviceSynchronize();
}

//@ vary FENCE in {2, 1, 0};
//@ options races = ignore;
//@ expect race_free when FENCE == 2;
//@ expect required sum == 2 when FENCE == 2 under cuda, ptx;
//@ expect race on tile when FENCE != 2;
//@ expect required sum == 2 when FENCE == 1 under ptx;
//@ expect allowed sum != 2 when FENCE == 0 under ptx;
