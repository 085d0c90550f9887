// Another block writes global data and sets a flag, and they are loaded by a bulk copy.
#include <cstdint>
#include <cuda/atomic>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

constexpr int FENCE = 1;  // 0: none, 1: before the release, 2: behind the acquire

__device__ alignas(16) int data[4], out;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};

__global__ void k() {
    alignas(16) __shared__ int tile[4];
    __shared__ uint64_t bar;
    if (blockIdx.x == 0) {
        for (int n = 0; n < 4; n++) data[n] = 1;
        if (FENCE == 1) ptx::fence_proxy_async(ptx::space_global);
        flag.store(1, cuda::memory_order_release);
    } else {
        ptx::mbarrier_init(&bar, 1);
        while (flag.load(cuda::memory_order_acquire) == 0) {}
        if (FENCE == 2) ptx::fence_proxy_async(ptx::space_global);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 16);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, data, 16, &bar);
        while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
        out = tile[3];
    }
}

//@ launch k<<<2, 1>>>();
//@ vary FENCE in {2, 0, 1};
//@ expect race_free when FENCE == 2;
//@ expect race when FENCE != 2;
//@ expect required out == 1 when FENCE == 2;
