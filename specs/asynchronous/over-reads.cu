// A tile is loaded over one that another thread has read, which hands the stage back at an mbarrier: reads of the generic proxy and
// the write of the copy need a proxy fence between them, in the reader or in the issuer.
#include <cstdint>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
constexpr int FENCE = 1;       // 0: none, 1: the reader, 2: the issuer
constexpr bool EMPTY = true;   // the issuer waits until the stage is empty

__device__ alignas(16) int in[2][4], out;

__device__ void load(int* to, const int* from, uint64_t* bar) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, bar, 16);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, from, 16, bar);
}

__global__ void k() {
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
    } else {
        while (!ptx::mbarrier_try_wait_parity(&full, 0)) {}
        out = tile[0];
        if (FENCE == 1) ptx::fence_proxy_async();
        ptx::mbarrier_arrive(&empty);
    }
}

//@ launch k<<<1, 2>>>();
//@ vary FENCE in {0, 1, 2};
//@ vary EMPTY in {true, false};
//@ expect race_free when EMPTY && FENCE != 0;
//@ expect race on tile when !EMPTY || FENCE == 0;
//@ expect terminates when EMPTY;
//@ expect may_hang when !EMPTY;
//@ expect race_free when EMPTY && FENCE != 0 under ptx;
//@ expect race on tile when !EMPTY || FENCE == 0 under ptx;
