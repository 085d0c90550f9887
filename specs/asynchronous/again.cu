// An mbarrier is made again only when it has been ended ("mbarrier.inval").
#include <cstdint>
constexpr bool ENDS = true;

__device__ unsigned at(void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init(uint64_t* bar, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(at(bar)), "r"(count) : "memory");
}

__global__ void k() {
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) init(&bar, 2);
    __syncthreads();
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(at(&bar)) : "memory");
    unsigned over = 0;
    while (!over)
        asm volatile("{\n.reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n"
                     "selp.b32 %0, 1, 0, p;\n}"
                     : "=r"(over) : "r"(at(&bar)) : "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        if (ENDS) asm volatile("mbarrier.inval.shared::cta.b64 [%0];" :: "r"(at(&bar)) : "memory");
        init(&bar, 1);
    }
}

//@ launch k<<<1, 2>>>();
//@ vary ENDS in {true, false};
//@ expect race_free when ENDS;
//@ expect undefined when !ENDS;
