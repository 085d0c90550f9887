// What an issuer writes behind its arrival and before the copy is not there for who waits for the copy.
#include <cstdint>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

constexpr bool BEFORE = true;

__device__ alignas(16) int in[4] = {1, 1, 1, 1}, out;

__global__ void k() {
    if (threadIdx.x % 32 != 0) return;
    alignas(16) __shared__ int tile[4];
    __shared__ int length;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        length = 0;
        ptx::mbarrier_init(&bar, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        if (BEFORE) length = 4;
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof(tile));
        if (!BEFORE) length = 4;
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, sizeof(tile), &bar);
    } else if (threadIdx.x == 32) {
        while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
        out = length;
    }
}

//@ launch k<<<1, 64>>>();
//@ vary BEFORE in {true, false};
//@ expect race_free when BEFORE;
//@ expect race on length when !BEFORE;
//@ expect required out == 4 when BEFORE;
