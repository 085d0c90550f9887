// The block that comes last adds up what all have left: every thread makes a fence of the system, the counter is the host's too.
__device__ unsigned count = 0;
__device__ int parts[2];

__global__ void sum() {
    parts[blockIdx.x] = blockIdx.x + 1;
    __threadfence_system();
    int total = 3;
    if (atomicInc_system(&count, gridDim.x) == gridDim.x - 1) {
        __threadfence_system();
        total = parts[0] + parts[1];
    }
}

//@ launch sum<<<2, 1>>>();
//@ expect race_free;
//@ expect required sum[0][0].total == 3 && sum[1][0].total == 3;
