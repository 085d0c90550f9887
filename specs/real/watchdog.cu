// Libraries guard their waits: one looks at an abort flag every so many turns, another traps when a clock says that it takes too
// long.  Neither changes what the wait is for: without the acquire the message may still be stale.
constexpr bool ACQUIRE = true;
constexpr int GUARD = 1;

__device__ int ready, abort_flag, message, out;

__device__ int look() {
    int seen;
    if (ACQUIRE)
        asm volatile("ld.acquire.gpu.global.s32 %0, [%1];\n" : "=r"(seen) : "l"(&ready) : "memory");
    else
        asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];\n" : "=r"(seen) : "l"(&ready) : "memory");
    return seen;
}

__device__ bool wait() {
    long long start = clock64();
    int turns = 0;
    while (look() == 0) {
        if (GUARD == 1 && ++turns == 10000) {
            turns = 0;
            if (atomicAdd(&abort_flag, 0)) return false;
        }
        if (GUARD == 2 && clock64() - start > 200000000) {
            printf("no message\n");
            __trap();
        }
    }
    return true;
}

__global__ void exchange() {
    if (blockIdx.x == 0) {
        message = 1;
        asm volatile("st.release.gpu.global.s32 [%0], 1;\n" : : "l"(&ready) : "memory");
    } else if (wait()) {
        out = message;
    }
}

int main() {
    void* none[1];
    cudaLaunchCooperativeKernel((void*)exchange, dim3(2), dim3(1), none, 0, 0);
    return cudaDeviceSynchronize();
}

//@ vary ACQUIRE in {true, false};
//@ vary GUARD in {1, 2};
//@ expect race_free when ACQUIRE;
//@ expect required out == 1 when ACQUIRE under cuda, ptx;
//@ expect terminates when ACQUIRE;
//@ expect race on message when !ACQUIRE;
//@ expect allowed out == 0 when !ACQUIRE under ptx;
