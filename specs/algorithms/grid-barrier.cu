// A barrier between the blocks of a grid, made of one counter: what was written before it is seen after it.  It waits
// for blocks that nothing promises to start, so with two blocks it may hang; a cooperative launch is what it needs.
#include <cuda/atomic>

constexpr int BLOCKS = 2;
constexpr cuda::memory_order ARRIVE = cuda::memory_order_acq_rel;

__device__ int before[2] = {0, 0};
__device__ int after[2] = {0, 0};
__device__ cuda::atomic<int, cuda::thread_scope_device> arrived{0};

__global__ void both_sides() {
    before[blockIdx.x] = 1;
    arrived.fetch_add(1, ARRIVE);
    while (arrived.load(cuda::memory_order_acquire) != BLOCKS);
    after[blockIdx.x] = before[0];
}

//@ launch both_sides<<<BLOCKS, 1>>>();
//@ options races = ignore;
//@ vary BLOCKS in {1, 2};
//@ vary ARRIVE in {acq_rel, relaxed};
//@ expect race_free when BLOCKS == 1 || ARRIVE == acq_rel;
//@ expect race on before when BLOCKS == 2 && ARRIVE == relaxed;
//@ expect forbidden after[1] == 0 when BLOCKS == 2 && ARRIVE == acq_rel;
//@ expect allowed after[1] == 0 when BLOCKS == 1 || ARRIVE == relaxed;
//@ expect terminates when BLOCKS == 1;
//@ expect may_hang when BLOCKS == 2;
