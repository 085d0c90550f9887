// The scan of scan.cu where one block is resident at a time, and another starts only once it has ended.
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
//@ given resident_blocks = 1;
//@ launch scan<<<BLOCKS, 1>>>();
//@ expect race_free;
//@ expect may_hang under cuda;
//@ expect may_hang under cuda-resident;
//@ expect terminates when !AHEAD under cuda-in-order;
//@ expect may_hang when AHEAD under cuda-in-order;
