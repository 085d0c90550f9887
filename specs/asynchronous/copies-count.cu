// cp.async.mbarrier.arrive without .noinc: the phase waits for one arrival more, which nobody counts where the barrier is made.
#include <cstdint>
constexpr int COUNT = 1;
constexpr bool ARRIVES = true;  // the thread arrives by itself, too: else its copies come to a phase that nobody ends

__device__ int in, out[2];

__device__ unsigned at(void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__global__ void k() {
    __shared__ int tile;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(at(&bar)), "r"(COUNT) : "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(at(&tile)), "l"(&in) : "memory");
        asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" :: "r"(at(&bar)) : "memory");
        if (ARRIVES) asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(at(&bar)) : "memory");
    }
    unsigned over = 0;
    while (!over)
        asm volatile("{\n.reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n"
                     "selp.b32 %0, 1, 0, p;\n}"
                     : "=r"(over) : "r"(at(&bar)) : "memory");
    out[threadIdx.x] = tile;
}

//@ launch k<<<1, 2>>>();
//@ vary COUNT in {1, 2};
//@ vary ARRIVES in {true, false};
//@ expect race_free;
//@ expect terminates when COUNT == 1 && ARRIVES;
//@ expect may_hang when COUNT == 2 || !ARRIVES;
