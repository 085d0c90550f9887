// NVIDIA/cuml#6578, NVIDIA/cudf#13485: thread 0 adds up what all left in shared memory, in a loop.  Nothing keeps the others from
// the next turn, in which they write it anew, until thread 0 has read it.
constexpr bool BARRIER = true;

__device__ int sum[2];

__global__ void gemv() {
    __shared__ int part[2];
    for (int row = 0; row < 2; ++row) {
        part[threadIdx.x] = row + 1;
        __syncthreads();
        if (threadIdx.x == 0) sum[row] = part[0] + part[1];
        if (BARRIER) __syncthreads();
    }
}

int main() {
    gemv<<<1, 2>>>();
    return cudaDeviceSynchronize();
}

//@ vary BARRIER in {true, false};
//@ expect race_free when BARRIER;
//@ expect required sum[0] == 2 && sum[1] == 4 when BARRIER;
//@ expect race on part when !BARRIER;
