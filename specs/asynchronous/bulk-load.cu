// A bulk copy announces its bytes at an mbarrier, and threads wait for the phase in which all expected bytes have come.
#include <cstdint>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
constexpr int WAIT = 0;        // 0: a loop, 1: none, 2: for the other parity, 3: a try, 4: relaxed
constexpr int BYTES = 32;      // expected of the 32 that come

__device__ alignas(16) int in[8], out[2];

__global__ void k() {
    alignas(16) __shared__ int tile[8];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, BYTES);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, sizeof(tile), &bar);
    }
    if (WAIT == 0) while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    if (WAIT == 2) while (!ptx::mbarrier_try_wait_parity(&bar, 1)) {}
    if (WAIT == 3) ptx::mbarrier_try_wait_parity(&bar, 0);
    if (WAIT == 4) while (!ptx::mbarrier_try_wait_parity(ptx::sem_relaxed, ptx::scope_cta, &bar, 0)) {}
    out[threadIdx.x] = tile[4 * threadIdx.x];
}

//@ launch k<<<1, 2>>>();
//@ vary WAIT in {0, 1, 2, 3, 4};
//@ vary BYTES in {16, 32, 64};
//@ expect race_free when WAIT == 0;
//@ expect race on tile when WAIT != 0 && (WAIT != 4 || BYTES == 32);
//@ expect terminates when WAIT == 1 || WAIT == 3 || (WAIT == 2 && BYTES != 32) || (WAIT != 2 && BYTES == 32);
//@ expect may_hang when (WAIT == 2 && BYTES == 32) || ((WAIT == 0 || WAIT == 4) && BYTES != 32);
//@ expect race_free when WAIT == 0 under ptx;
//@ expect race on tile when WAIT != 0 && (WAIT != 4 || BYTES == 32) under ptx;
