// An agent arrives at any time after its thread has come to cp.async.mbarrier.arrive: one look may come before that.
#include <cstdint>
#include <cuda/atomic>
constexpr bool LOOKS_AGAIN = true;

__device__ int in, out;
__device__ cuda::atomic<int> ready;

__device__ unsigned at(void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__global__ void k() {
    __shared__ int tile;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(at(&bar)) : "memory");
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(at(&tile)), "l"(&in) : "memory");
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" :: "r"(at(&bar)) : "memory");
        unsigned over = 0;
        do
            asm volatile("{\n.reg .pred p;\n"
                         "mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0;\n"
                         "selp.b32 %0, 1, 0, p;\n}"
                         : "=r"(over) : "r"(at(&bar)) : "memory");
        while (LOOKS_AGAIN && !over);
        if (over) ready.store(1);
    } else {
        while (!ready.load()) {}
        out = tile;
    }
}

//@ launch k<<<1, 2>>>();
//@ vary LOOKS_AGAIN in {true, false};
//@ expect race_free;
//@ expect terminates when LOOKS_AGAIN;
//@ expect may_hang when !LOOKS_AGAIN;
