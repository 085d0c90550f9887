// A warpgroup multiplies by a matrix that its threads wrote to shared memory. wgmma reads it through the asynchronous proxy, as if
// by another thread, until a wait_group finds it done ("wgmma.mma_async", "wgmma.wait_group", PTX ISA); the first one needs a
// wgmma.fence before it ("wgmma.fence").
#include <cstdint>
constexpr int WRONG = 0;       // 1: no proxy fence behind the stores, 2: no wait before the next, 3: no wgmma.fence

__device__ inline uint64_t descriptor(const void* matrix) {
    uint64_t at = (uint32_t)__cvta_generic_to_shared(matrix);
    return (at & 0x3FFFF) >> 4 | (uint64_t)8 << 16 | (uint64_t)16 << 32;
}

__global__ void k() {
    alignas(128) __shared__ uint64_t matrix[32];
    float d[4] = {};
    if (threadIdx.x < 32) matrix[threadIdx.x] = threadIdx.x;
    if (WRONG != 1) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (WRONG != 3) asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "setp.ne.b32 p, %9, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, p, %10, %11, %12;\n"
                 "}\n"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(0), "r"(0), "r"(0), "r"(0), "l"(descriptor(matrix)), "r"(1), "n"(1), "n"(1), "n"(0));
    asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
    if (WRONG != 2) asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(0) : "memory");
    __syncthreads();
    if (threadIdx.x < 32) matrix[threadIdx.x] = 0;
}

//@ launch k<<<1, 128>>>();
//@ vary WRONG in {0, 1, 2, 3};
//@ expect race_free when WRONG == 0 under cuda, ptx;
//@ expect race on matrix when WRONG == 1 || WRONG == 2 under cuda, ptx;
//@ expect undefined when WRONG == 3;
