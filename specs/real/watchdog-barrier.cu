// One thread of each block waits for the other blocks, and the others of its block for it, at a barrier.  If a watchdog traps in
// that wait, the grid is aborted: "The execution of the kernel is aborted" (CUDA C++ Programming Guide, "Trap function").  The
// barrier is not passed without the wait, as it would be if the thread returned.
constexpr bool TRAPS = true;

__device__ int count, part[2], out;

__global__ void exchange() {
    if (threadIdx.x == 0) {
        part[blockIdx.x] = 1;
        __threadfence();
        atomicAdd(&count, 1);
        int turns = 0;
        while (atomicAdd(&count, 0) < 2) {
            if (++turns == 1000000) {
                if (TRAPS) asm("trap;");
                return;
            }
        }
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 1 && blockIdx.x == 0) out = part[1];
}

int main() {
    void* none[1];
    cudaLaunchCooperativeKernel((void*)exchange, dim3(2), dim3(2), none, 0, 0);
    return cudaDeviceSynchronize();
}

//@ vary TRAPS in {true, false};
//@ allow SCP042;
//@ expect race_free when TRAPS;
//@ expect terminates when TRAPS;
//@ expect race on part when !TRAPS;
