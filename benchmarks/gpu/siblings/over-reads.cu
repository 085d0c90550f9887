// A tile is loaded over one that another warp has read, which hands the stage back at an mbarrier.
#include <cstdint>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

constexpr int FENCE = 1;      // 0: none, 1: the reader, 2: the issuer
constexpr bool EMPTY = true;  // the issuer waits until the stage is empty

__device__ alignas(16) int in[2][4] = {{1, 1, 1, 1}, {2, 2, 2, 2}}, out[4];

__device__ void load(int* to, const int* from, uint64_t* bar) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, bar, 16);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, from, 16, bar);
}

__global__ void k() {
    if (threadIdx.x % 32 != 0) return;
    alignas(16) __shared__ int tile[4];
    __shared__ uint64_t full, empty;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::mbarrier_init(&empty, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        load(tile, in[0], &full);
        if (EMPTY) while (!ptx::mbarrier_try_wait_parity(&empty, 0)) {}
        else while (!ptx::mbarrier_try_wait_parity(&full, 0)) {}
        if (FENCE == 2) ptx::fence_proxy_async();
        load(tile, in[1], &full);
        while (!ptx::mbarrier_try_wait_parity(&full, 1)) {}
    } else if (threadIdx.x == 32) {
        while (!ptx::mbarrier_try_wait_parity(&full, 0)) {}
        for (int n = 0; n < 4; n++) out[n] = tile[n];
        if (FENCE == 1) ptx::fence_proxy_async();
        ptx::mbarrier_arrive(&empty);
    }
}

//@ launch k<<<1, 64>>>();
//@ vary FENCE in {1, 0, 2};
//@ vary EMPTY in {true, false};
//@ expect race_free when EMPTY && FENCE != 0;
//@ expect race on tile when !EMPTY || FENCE == 0;
//@ expect required out[0] == 1 && out[1] == 1 && out[2] == 1 && out[3] == 1 when EMPTY && FENCE != 0;
