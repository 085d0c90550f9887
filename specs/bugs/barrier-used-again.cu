// NVIDIA/cuml#458: a barrier of a grid counts to the number of blocks and waits until the count is 0 again.  A block that is
// quick counts for the next phase before a slow one has seen the 0, and both wait for ever.  A count that only grows cannot be
// missed.
constexpr bool GROWS = true;

__device__ unsigned count;

__device__ void sync(unsigned phase) {
    if (GROWS) {
        atomicAdd(&count, 1);
        while (atomicAdd(&count, 0) < gridDim.x * phase);
    } else {
        atomicInc(&count, gridDim.x - 1);
        while (atomicAdd(&count, 0) != 0);
    }
}

__global__ void phases() {
    sync(1);
    sync(2);
}

int main() {
    void* none[1];
    cudaLaunchCooperativeKernel((void*)phases, dim3(2), dim3(1), none, 0, 0);
    return cudaDeviceSynchronize();
}

//@ vary GROWS in {true, false};
//@ expect terminates when GROWS;
//@ expect may_hang when !GROWS;
