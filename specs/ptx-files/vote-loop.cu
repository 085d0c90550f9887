// The lanes of a warp wait for a flag each until all are there, as vote-loop-nvcc.ptx has it.
__device__ int load_acquire(int* p) {
    int v;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

__device__ int load_relaxed(int* p) {
    int v;
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

__device__ void store_release(int* p, int v) {
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

__global__ void gather(int* flags, int* data, int* out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x + 1;
        store_release(flags + threadIdx.x, 1);
    } else {
        while (!__all_sync(3, load_acquire(flags + threadIdx.x) == 1)) {
        }
        out[threadIdx.x] = data[threadIdx.x];
    }
}

__global__ void gather_relaxed(int* flags, int* data, int* out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x + 1;
        store_release(flags + threadIdx.x, 1);
    } else {
        while (!__all_sync(3, load_relaxed(flags + threadIdx.x) == 1)) {
        }
        out[threadIdx.x] = data[threadIdx.x];
    }
}

//@ object __device__ int flags[2], data[2], out[2];
//@ launch gather<<<2, 2>>>(flags, data, out);
//@ expect race_free under cuda, ptx;
//@ expect required out[0] == 1 && out[1] == 2 under cuda, ptx;
//@ expect may_hang;
