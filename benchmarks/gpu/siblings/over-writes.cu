// A tile is loaded over what the thread has written there itself.
#include <cstdint>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

constexpr bool FENCES = true;

__device__ alignas(16) int in[4] = {1, 1, 1, 1}, out;

__global__ void k() {
    alignas(16) __shared__ int tile[4];
    __shared__ uint64_t bar;
    ptx::mbarrier_init(&bar, 1);
    for (int n = 0; n < 4; n++) tile[n] = 2;
    if (FENCES) ptx::fence_proxy_async(ptx::space_shared);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 16);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, 16, &bar);
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    out = tile[3];
}

//@ launch k<<<1, 1>>>();
//@ vary FENCES in {true, false};
//@ expect race_free when FENCES;
//@ expect race on tile when !FENCES;
//@ expect required out == 1 when FENCES;
