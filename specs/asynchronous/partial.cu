// With .noComplete an arrival may not be the one that ends the phase ("must not cause the mbarrier to complete its current
// phase, otherwise the behavior is undefined", PTX ISA, "mbarrier.arrive").
#include <cstdint>
constexpr bool MEETS = true;  // the other thread arrives behind it

__device__ int out;

__device__ unsigned at(void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void wait(uint64_t* bar) {
    unsigned over = 0;
    while (!over)
        asm volatile("{\n.reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n"
                     "selp.b32 %0, 1, 0, p;\n}"
                     : "=r"(over) : "r"(at(bar)) : "memory");
}

__global__ void k() {
    __shared__ uint64_t bar;
    __shared__ int data;
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 3;" :: "r"(at(&bar)) : "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        uint64_t state;
        data = 1;
        asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 2;" : "=l"(state) : "r"(at(&bar)) : "memory");
    }
    if (MEETS) __syncthreads();
    if (threadIdx.x == 1) {
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(at(&bar)) : "memory");
        wait(&bar);
        out = data;
    }
}

//@ launch k<<<1, 2>>>();
//@ vary MEETS in {true, false};
//@ expect race_free when MEETS;
//@ expect terminates when MEETS;
//@ expect undefined when !MEETS;
