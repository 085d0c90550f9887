// A histogram: each block counts in shared memory and adds its counts to the global ones.  The older atomic functions
// are relaxed, at device scope or at what their suffix says; block scope is not enough for the global counts.
constexpr bool WHOLE = true;

__device__ int input[4] = {0, 1, 1, 1};
__device__ int counts[2];

__global__ void histogram() {
    __shared__ int local[2];
    local[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd_block(&local[input[blockIdx.x * blockDim.x + threadIdx.x]], 1);
    __syncthreads();
    if (WHOLE)
        atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
    else
        atomicAdd_block(&counts[threadIdx.x], local[threadIdx.x]);
}

//@ launch histogram<<<2, 2>>>();
//@ options races = ignore;
//@ vary WHOLE in {true, false};
//@ expect race_free when WHOLE;
//@ expect required counts[0] == 1 && counts[1] == 3 when WHOLE;
//@ expect race on counts when !WHOLE;
//@ expect terminates;
