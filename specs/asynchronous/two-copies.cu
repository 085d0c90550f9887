// Two copies arrive at one mbarrier: with the bytes of one expected the phase may be over when either has come, and with the bytes
// expected too late, when none has. They may come before they are expected (as in libcu++'s example of barrier_expect_tx).
#include <cuda/barrier>
constexpr int BYTES = 32;
constexpr int EXPECTS = 0;     // 0: before the copies, 1: behind them, 2: behind the arrival

using barrier = cuda::barrier<cuda::thread_scope_block>;
__device__ alignas(16) int a[4], b[4], out;

__global__ void k() {
    alignas(16) __shared__ int tile_a[4], tile_b[4];
    __shared__ barrier bar;
    if (threadIdx.x == 0) init(&bar, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        if (EXPECTS == 0) cuda::device::barrier_expect_tx(bar, BYTES);
        cuda::device::memcpy_async_tx(tile_a, a, cuda::aligned_size_t<16>(16), bar);
        cuda::device::memcpy_async_tx(tile_b, b, cuda::aligned_size_t<16>(16), bar);
        if (EXPECTS == 1) cuda::device::barrier_expect_tx(bar, BYTES);
        (void)bar.arrive();
        if (EXPECTS == 2) cuda::device::barrier_expect_tx(bar, BYTES);
    }
    bar.wait_parity(false);
    if (threadIdx.x == 1) out = tile_a[0] + tile_b[0];
}

//@ launch k<<<1, 2>>>();
//@ vary BYTES in {16, 32};
//@ vary EXPECTS in {0, 1, 2};
//@ expect race_free when BYTES == 32 && EXPECTS != 2;
//@ expect race on tile_a when BYTES == 16 || EXPECTS == 2;
//@ expect race on tile_b when BYTES == 16 || EXPECTS == 2;
//@ expect terminates when BYTES == 32 && EXPECTS != 2;
//@ expect may_hang when BYTES == 16 && EXPECTS != 2;
