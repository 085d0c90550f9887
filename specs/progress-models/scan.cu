// Decoupled look-back: each block adds its part to the sum of the blocks before it, for which it waits.  No document
// promises that these start; that blocks start in the order of their indices is enough, even where one is resident at
// a time.  With AHEAD each block waits for the one after it, which may then never get a place.
#include <cuda/atomic>

constexpr bool AHEAD = false;
constexpr int BLOCKS = 3;

__device__ cuda::atomic<int, cuda::thread_scope_device> sum[BLOCKS];

__global__ void scan() {
    int mine = blockIdx.x, next = AHEAD ? mine + 1 : mine - 1, before = 0;
    if (0 <= next && next < BLOCKS) {
        while ((before = sum[next].load(cuda::memory_order_acquire)) == 0);
    }
    sum[mine].store(before + 1, cuda::memory_order_release);
}

//@ vary AHEAD in {false, true};
//@ launch scan<<<BLOCKS, 1>>>();
//@ expect race_free;
//@ expect may_hang under cuda;
//@ expect terminates under cuda-resident;
//@ expect terminates when !AHEAD under cuda-in-order;
//@ expect may_hang when AHEAD under cuda-in-order;
