// cp.async arrives at an mbarrier: with .noinc this has to be counted where the barrier is made.
#include <cstdint>
constexpr int COUNT = 2;

__device__ int in = 1, out;

__device__ unsigned at(void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__global__ void k() {
    if (threadIdx.x % 32 != 0) return;
    __shared__ int tile;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        tile = 0;
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(at(&bar)), "r"(COUNT) : "memory");
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(at(&tile)), "l"(&in) : "memory");
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" :: "r"(at(&bar)) : "memory");
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(at(&bar)) : "memory");
    } else if (threadIdx.x == 32) {
        unsigned over = 0;
        while (!over)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(over) : "r"(at(&bar)) : "memory");
        out = tile;
    }
}

//@ launch k<<<1, 64>>>();
//@ vary COUNT in {2, 1, 3};
//@ expect race_free when COUNT == 2;
//@ expect race on tile when COUNT == 1;
//@ expect may_hang when COUNT == 3;
//@ expect required out == 1 when COUNT == 2;
