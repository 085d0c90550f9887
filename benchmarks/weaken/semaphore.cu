// A semaphore of split-K, in inline PTX, as libraries of matrix products have it: a fence of the system before what releases.
__device__ int tile = 0, state = 0;

__device__ int fetch() {
    int seen;
    asm volatile("ld.global.acquire.sys.b32 %0, [%1];" : "=r"(seen) : "l"(&state) : "memory");
    return seen;
}

__device__ void release(int next) {
    asm volatile("fence.sc.sys;" ::: "memory");
    asm volatile("st.global.release.sys.b32 [%0], %1;" ::"l"(&state), "r"(next) : "memory");
}

__global__ void split() {
    while (fetch() != (int)blockIdx.x);
    tile += 10;
    release(blockIdx.x + 1);
}

//@ launch split<<<2, 1>>>();
//@ expect race_free;
//@ expect required tile == 20;
