// A barrier between the blocks of a grid in inline PTX: one thread of each block adds to a counter and waits until all have.
// The counter goes on, so that the barrier can be used again.  The blocks must be there together, or they wait for ever.
constexpr bool RELEASE = true;
constexpr bool COOPERATIVE = true;

__device__ unsigned arrived;
__device__ int left[2], right[2], sum[2];

__device__ void sync(unsigned goal) {
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned before, now;
        if (RELEASE)
            asm volatile("atom.add.release.gpu.global.u32 %0, [%1], 1;" : "=r"(before) : "l"(&arrived) : "memory");
        else
            asm volatile("atom.add.relaxed.gpu.global.u32 %0, [%1], 1;" : "=r"(before) : "l"(&arrived) : "memory");
        do {
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(&arrived) : "memory");
        } while (now < goal);
    }
    __syncthreads();
}

__global__ void two_phases() {
    left[blockIdx.x] = 1;
    sync(gridDim.x);
    right[blockIdx.x] = left[1 - blockIdx.x] + 1;
    sync(2 * gridDim.x);
    sum[blockIdx.x] = left[0] + right[1 - blockIdx.x];
}

int main() {
    if (COOPERATIVE)
        cudaLaunchCooperativeKernel((void*)two_phases, dim3(2), dim3(1), nullptr, 0, 0);
    else
        two_phases<<<2, 1>>>();
    return cudaDeviceSynchronize();
}

//@ vary RELEASE in {true, false};
//@ vary COOPERATIVE in {true, false};
//@ expect race_free when RELEASE;
//@ expect required sum[0] == 3 && sum[1] == 3 when RELEASE;
//@ expect race on left when !RELEASE;
//@ expect terminates when COOPERATIVE && RELEASE;
//@ expect may_hang when !COOPERATIVE && RELEASE;
