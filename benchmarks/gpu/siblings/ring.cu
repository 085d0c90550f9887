// A ring of two stages over three tiles, of one producer and one reader.
#include <cstdint>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

constexpr int PRODUCER = 0;  // waits for 0: the stage to be empty, 1: it to be full, 2: nothing, 3: the other parity

__device__ alignas(16) int in[3][4] = {{1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}, out[3];

__global__ void k() {
    if (threadIdx.x % 32 != 0) return;
    alignas(16) __shared__ int stage[2][4];
    __shared__ uint64_t full[2], empty[2];
    if (threadIdx.x == 0)
        for (int s = 0; s < 2; s++) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], 1);
        }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int n = 0; n < 3; n++) {
            const int s = n % 2;
            const unsigned round = n / 2;
            if (PRODUCER == 0) while (!ptx::mbarrier_try_wait_parity(&empty[s], (round & 1) ^ 1)) {}
            if (PRODUCER == 1 && round) while (!ptx::mbarrier_try_wait_parity(&full[s], (round & 1) ^ 1)) {}
            if (PRODUCER == 3) while (!ptx::mbarrier_try_wait_parity(&empty[s], round & 1)) {}
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], 16);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, stage[s], in[n], 16, &full[s]);
        }
    } else if (threadIdx.x == 32) {
        for (int n = 0; n < 3; n++) {
            const int s = n % 2;
            while (!ptx::mbarrier_try_wait_parity(&full[s], n / 2 & 1)) {}
            out[n] = stage[s][3];
            ptx::fence_proxy_async();
            ptx::mbarrier_arrive(&empty[s]);
        }
    }
}

//@ launch k<<<1, 64>>>();
//@ vary PRODUCER in {0, 1, 2, 3};
//@ expect race_free when PRODUCER == 0;
//@ expect race when PRODUCER == 1;
//@ expect undefined when PRODUCER == 2;
//@ expect may_hang when PRODUCER == 3;
//@ expect required out[0] == 1 && out[1] == 2 && out[2] == 3 when PRODUCER == 0;
