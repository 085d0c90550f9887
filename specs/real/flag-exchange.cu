// Two devices tell each other, by a flag that each writes into the other's memory, that their part of a sum is there: the
// beginning of an all-reduce.  Device scope does not reach the other device, and a volatile store orders nothing.
constexpr int STORE = 0;

__managed__ int part[2], result[2];
__managed__ unsigned signals[2];

__device__ void tell(unsigned* flag, unsigned value) {
    if (STORE == 0)
        asm volatile("st.release.sys.global.u32 [%1], %0;" ::"r"(value), "l"(flag));
    else if (STORE == 1)
        asm volatile("st.release.gpu.global.u32 [%1], %0;" ::"r"(value), "l"(flag));
    else
        asm volatile("st.volatile.global.u32 [%1], %0;" ::"r"(value), "l"(flag));
}

__device__ unsigned look(unsigned* flag) {
    unsigned value;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag));
    return value;
}

__global__ void all_reduce(int rank) {
    part[rank] = rank + 5;
    tell(&signals[1 - rank], 1);
    while (look(&signals[rank]) != 1);
    result[rank] = part[0] + part[1];
}

int main() {
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        all_reduce<<<1, 1>>>(device);
    }
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        cudaDeviceSynchronize();
    }
}

//@ vary STORE in {0, 1, 2};
//@ options races = ignore;
//@ expect race_free when STORE == 0;
//@ expect race on part when STORE != 0;
//@ expect required result[0] == 11 && result[1] == 11 when STORE == 0 under cuda, ptx;
//@ expect allowed result[0] != 11 when STORE != 0 under cuda, ptx;
// One host thread launches both: it may be held up by the first, which waits for the second.
//@ expect may_hang when STORE == 0;
