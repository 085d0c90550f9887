// A bulk load, and the wait for it.
#include <cstdint>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

constexpr int WAIT = 0;  // 0: a loop, 1: none, 2: for the other parity, 3: one try, 4: relaxed

__device__ alignas(16) int in[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, out;

__global__ void k() {
    alignas(16) __shared__ int tile[16];
    __shared__ uint64_t bar;
    tile[15] = 0;
    ptx::fence_proxy_async();
    ptx::mbarrier_init(&bar, 1);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof(tile));
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, sizeof(tile), &bar);
    if (WAIT == 0) while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    if (WAIT == 2) while (!ptx::mbarrier_try_wait_parity(&bar, 1)) {}
    if (WAIT == 3) ptx::mbarrier_try_wait_parity(&bar, 0);
    if (WAIT == 4) while (!ptx::mbarrier_try_wait_parity(ptx::sem_relaxed, ptx::scope_cta, &bar, 0)) {}
    out = tile[15];
}

//@ launch k<<<1, 1>>>();
//@ vary WAIT in {0, 1, 2, 3, 4};
//@ expect race_free when WAIT == 0;
//@ expect race on tile when WAIT != 0;
//@ expect required out == 1 when WAIT == 0;
