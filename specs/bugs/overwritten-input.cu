// NVIDIA/cccl#4556 (issue 1887): a block's threads read the sum of their tile; thread 0 puts the prefix where the sum was, maybe
// before the others have read it.
constexpr bool BARRIER = true;

__device__ int tile = 5, seen[2];

__global__ void look_back() {
    int sum = tile;
    if (BARRIER) __syncthreads();
    if (threadIdx.x == 0) tile = 10 + sum;
    seen[threadIdx.x] = sum;
}

int main() {
    look_back<<<1, 2>>>();
    return cudaDeviceSynchronize();
}

//@ vary BARRIER in {true, false};
//@ options races = ignore;
//@ expect race_free when BARRIER;
//@ expect required seen[1] == 5 when BARRIER under cuda, ptx;
//@ expect race on tile when !BARRIER;
//@ expect allowed seen[1] == 15 when !BARRIER under ptx;
