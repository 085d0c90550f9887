// The last block to finish adds up what the others wrote (CUDA C++ Programming Guide, "Memory Fence Functions").  A
// fence on the writing side alone orders nothing for the reader: the reading side needs one too.
constexpr bool FENCE = true;

__device__ unsigned int count = 0;
__device__ int partial[2], total = 0;
__device__ int array[2] = {3, 4};

__global__ void sum() {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = array[blockIdx.x];
        __threadfence();
        last = atomicInc(&count, gridDim.x) == gridDim.x - 1;
        if (FENCE) __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x == 1) {
        int result = 0;
        for (unsigned i = 0; i < gridDim.x; i++) result += partial[i];
        total = result;
    }
}

//@ launch sum<<<2, 2>>>();
//@ options races = ignore;
//@ vary FENCE in {true, false};
//@ expect race_free when FENCE;
//@ expect required total == 7 when FENCE;
//@ expect race on partial when !FENCE;
//@ expect allowed total != 7 when !FENCE;
//@ expect terminates;
