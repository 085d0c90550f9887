// pytorch/pytorch#162995: a reduction over the rows of a block and one over its columns use the same shared memory, one after the
// other, without a barrier between the last read of the one and the first write of the other.
constexpr bool BARRIER = true;

__device__ int result[2];

__device__ int exchange(int* scratch, int lane, int value) {
    scratch[lane] = value;
    __syncthreads();
    return value + scratch[1 - lane];
}

__global__ void reduce() {
    __shared__ int scratch[2];
    int rows = exchange(scratch, threadIdx.x, 1);
    if (BARRIER) __syncthreads();
    result[threadIdx.x] = exchange(scratch, threadIdx.x, rows);
}

int main() {
    reduce<<<1, 2>>>();
    return cudaDeviceSynchronize();
}

//@ vary BARRIER in {true, false};
//@ expect race_free when BARRIER;
//@ expect required result[0] == 4 && result[1] == 4 when BARRIER;
//@ expect race on scratch when !BARRIER;
