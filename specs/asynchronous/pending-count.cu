// mbarrier.pending_count says how many arrivals were pending before the one that gave the state: whoever finds one comes last,
// and sees what all others did before they arrived only behind a wait for the phase.
#include <cstdint>
constexpr bool WAITS = true;

__device__ int out;

__device__ unsigned at(void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__global__ void k() {
    __shared__ uint64_t bar;
    __shared__ int data[2];
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 2;" :: "r"(at(&bar)) : "memory");
    __syncthreads();
    data[threadIdx.x] = 1;
    uint64_t state;
    unsigned pending;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at(&bar)) : "memory");
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
    if (pending == 1) {
        unsigned over = !WAITS;
        while (!over)
            asm volatile("{\n.reg .pred p;\n"
                         "mbarrier.test_wait.shared::cta.b64 p, [%1], %2;\n"
                         "selp.b32 %0, 1, 0, p;\n}"
                         : "=r"(over) : "r"(at(&bar)), "l"(state) : "memory");
        out = data[0] + data[1];
    }
}

//@ launch k<<<1, 2>>>();
//@ vary WAITS in {true, false};
//@ expect race_free when WAITS;
//@ expect race on data when !WAITS;
//@ expect required (out == 2) when WAITS;
//@ expect terminates;
