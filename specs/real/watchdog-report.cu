// A watchdog that says why before it traps: what it writes is seen by who looks at it meanwhile, and races with that unless both
// are atomic.  A floating-point number that the same branch looks at is no clock: that it is what it is need not take long.
constexpr bool ATOMIC = true, CLOCK = true;

__device__ int ready, message, out, status;
__device__ float load;

__device__ int look() {
    int seen;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];\n" : "=r"(seen) : "l"(&ready) : "memory");
    return seen;
}

__device__ void report() {
    if (ATOMIC)
        atomicExch(&status, 2);
    else
        status = 2;
    __trap();
}

__device__ void wait() {
    long long start = clock64();
    while (look() == 0) {
        if (CLOCK ? clock64() - start > 200000000 : !(load < 1.0f)) report();
    }
}

__global__ void exchange() {
    if (blockIdx.x == 0) {
        message = 1;
        int told = ATOMIC ? atomicAdd(&status, 0) : status;
        if (told == 0) asm volatile("st.release.gpu.global.s32 [%0], 1;\n" : : "l"(&ready) : "memory");
    } else {
        wait();
        out = message;
    }
}

int main() {
    void* none[1];
    cudaLaunchCooperativeKernel((void*)exchange, dim3(2), dim3(1), none, 0, 0);
    return cudaDeviceSynchronize();
}

//@ vary ATOMIC in {true, false};
//@ vary CLOCK in {true, false};
//@ expect race_free when ATOMIC;
//@ expect allowed status == 2 when ATOMIC;
//@ expect race on status when !ATOMIC;
