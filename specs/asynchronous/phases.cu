// A thread may arrive for the next phase only when some thread has seen that the one before is over ("exactly once", PTX ISA,
// "Phases of the mbarrier object"); who waits for a parity has to look before that phase is over, too.
#include <cstdint>
constexpr bool LOOKS = true;   // thread 0 waits between its arrivals
constexpr bool BOTH = false;   // thread 1 takes part in each phase, or looks whenever it comes to it

__device__ unsigned at(void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void arrive(uint64_t* bar) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(at(bar)) : "memory");
}
__device__ void wait(uint64_t* bar, unsigned parity) {
    unsigned over = 0;
    while (!over)
        asm volatile("{\n.reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.b32 %0, 1, 0, p;\n}"
                     : "=r"(over) : "r"(at(bar)), "r"(parity) : "memory");
}

__global__ void k() {
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(at(&bar)), "r"(BOTH ? 2 : 1) : "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        arrive(&bar);
        if (LOOKS) wait(&bar, 0);
        arrive(&bar);
        wait(&bar, 1);
    } else {
        if (BOTH) arrive(&bar);
        wait(&bar, 0);
        if (BOTH) arrive(&bar);
    }
}

//@ launch k<<<1, 2>>>();
//@ vary LOOKS in {true, false};
//@ vary BOTH in {true, false};
//@ expect race_free when LOOKS;
//@ expect race on bar when !LOOKS;
//@ expect terminates when LOOKS && BOTH;
//@ expect may_hang when LOOKS && !BOTH;
//@ expect undefined when !LOOKS;
