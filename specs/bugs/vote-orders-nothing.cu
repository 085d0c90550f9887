// NVIDIA/cuCollections#337: a warp resets its counter in shared memory and goes on after a vote.  Lanes meet in a vote, but what
// they wrote is not there for the others.
constexpr bool SYNCHRONISED = true;

__device__ int out;

__global__ void flush() {
    __shared__ int counter;
    if (threadIdx.x == 0) counter = 0;
    bool all = __all_sync(0x3, true);
    if (SYNCHRONISED) __syncwarp();
    if (all) atomicAdd(&counter, 1);
    __syncwarp();
    if (threadIdx.x == 0) out = counter;
}

int main() {
    flush<<<1, 2>>>();
    return cudaDeviceSynchronize();
}

//@ vary SYNCHRONISED in {true, false};
//@ expect race_free when SYNCHRONISED;
//@ expect required out == 2 when SYNCHRONISED;
//@ expect race on counter when !SYNCHRONISED;
