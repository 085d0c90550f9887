// NVIDIA/Fuser#2081: the last block at a barrier of the grid sets the semaphore that the others watch, and clears it at once for
// the next launch.  Who did not look in between waits for ever.  One that nobody watches any more may be cleared.
constexpr bool AT_ONCE = false;

__device__ int arrived, open, left;

__global__ void reduce() {
    if (atomicAdd(&arrived, 1) == 1) {
        atomicExch(&open, 1);
        if (AT_ONCE) atomicExch(&open, 0);
    } else {
        while (atomicAdd(&open, 0) == 0);
    }
    if (!AT_ONCE && atomicAdd(&left, 1) == 1) atomicExch(&open, 0);
}

int main() {
    void* none[1];
    cudaLaunchCooperativeKernel((void*)reduce, dim3(2), dim3(1), none, 0, 0);
    return cudaDeviceSynchronize();
}

//@ vary AT_ONCE in {false, true};
//@ expect race_free;
//@ expect required open == 0;
//@ expect terminates when !AT_ONCE;
//@ expect may_hang when AT_ONCE;
