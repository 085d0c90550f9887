// A warpgroup multiplies by one matrix and by another. The first is overwritten when the multiplication that reads it is done:
// wait_group 1 behind the second one is for the first, which wait_group 2 is not. The thread that overwrites it has waited for what all
// warps read ("all the prior wgmma-groups committed by the executing threads", "wgmma.wait_group", PTX ISA).
#include <cstdint>
constexpr int LEFT = 1;        // the groups that may be left when the first matrix is overwritten

__device__ inline void multiply(float (&d)[4], const void* matrix) {
    uint64_t at = (uint32_t)__cvta_generic_to_shared(matrix);
    uint64_t descriptor = (at & 0x3FFFF) >> 4 | (uint64_t)8 << 16 | (uint64_t)16 << 32;
    asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "setp.ne.b32 p, %9, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, p, %10, %11, %12;\n"
                 "}\n"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(0), "r"(0), "r"(0), "r"(0), "l"(descriptor), "r"(1), "n"(1), "n"(1), "n"(0));
    asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
}

__global__ void k() {
    alignas(128) __shared__ uint64_t stage[2][32];
    float d[4] = {};
    if (threadIdx.x < 64) stage[threadIdx.x / 32][threadIdx.x % 32] = threadIdx.x;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    multiply(d, stage[0]);
    multiply(d, stage[1]);
    asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(LEFT) : "memory");
    if (threadIdx.x == 0) stage[0][0] = 0;
    asm volatile("wgmma.wait_group.sync.aligned 0;\n" ::: "memory");
}

//@ launch k<<<1, 128>>>();
//@ vary LEFT in {1, 2};
//@ expect race_free when LEFT == 1 under cuda, ptx;
//@ expect race on stage when LEFT == 2 under cuda, ptx;
