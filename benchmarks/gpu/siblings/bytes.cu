// Bytes of one of two copies are expected, of both, and of more.
#include <cstdint>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

constexpr int BYTES = 32;

__device__ alignas(16) int a[4] = {1, 1, 1, 1}, b[4] = {1, 1, 1, 1}, out[2];

__global__ void k() {
    alignas(16) __shared__ int one[4], two[4];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        one[0] = two[0] = 0;
        ptx::fence_proxy_async();
        ptx::mbarrier_init(&bar, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, BYTES);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, one, a, 16, &bar);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, two, b, 16, &bar);
    } else {
        while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
        out[0] = one[0];
        out[1] = two[0];
    }
}

//@ launch k<<<1, 2>>>();
//@ vary BYTES in {32, 16, 48};
//@ expect race_free when BYTES == 32;
//@ expect race when BYTES == 16;
//@ expect may_hang when BYTES == 48;
//@ expect required out[0] == 1 && out[1] == 1 when BYTES == 32;
