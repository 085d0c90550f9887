// What a thread did before it issued a copy is not ordered by the copy's completion ("does not transitively establish ordering with
// respect to prior instructions from the issuing thread", PTX ISA): its own arrival has to come behind it.
#include <cstdint>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
constexpr bool BEFORE = true;  // written before the arrival, or between it and the copy

__device__ alignas(16) int in[4], out;

__global__ void k() {
    alignas(16) __shared__ int tile[4];
    __shared__ int length;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        if (BEFORE) length = 4;
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof(tile));
        if (!BEFORE) length = 4;
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, sizeof(tile), &bar);
    } else {
        while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
        out = tile[0] + length;
    }
}

//@ launch k<<<1, 2>>>();
//@ vary BEFORE in {true, false};
//@ expect race_free when BEFORE;
//@ expect race on length when !BEFORE;
//@ expect race_free when BEFORE under ptx;
//@ expect race on length when !BEFORE under ptx;
