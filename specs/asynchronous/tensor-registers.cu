// A warp stores to tensor memory and loads it again: each wait is for what it is called after, and comes before what needs it
// ("Non-pipelined instructions, same thread", PTX ISA). Columns that nobody has stored to need no wait.
#include <cstdint>
constexpr int WAIT = 1;        // behind the store: 0: none, 1: wait::st, 2: wait::ld
constexpr int COLUMN = 0;      // the column that is loaded; column 0 is stored to

__device__ inline uint32_t at(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

__global__ void k() {
    __shared__ uint32_t address;
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(at(&address)) : "memory");
    const uint32_t there = address;
    uint32_t r = 1;
    asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" ::"r"(there), "r"(r) : "memory");
    if (WAIT == 1) asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
    if (WAIT == 2) asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(r) : "r"(there + COLUMN) : "memory");
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
    asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(there) : "memory");
}

//@ launch k<<<1, 1>>>();
//@ vary WAIT in {0, 1, 2};
//@ vary COLUMN in {0, 1};
//@ expect race_free when WAIT == 1 || COLUMN == 1 under cuda, ptx;
//@ expect race when WAIT != 1 && COLUMN == 0 under cuda, ptx;
//@ expect terminates when WAIT == 1;
