// Peterson's lock around a count: nobody waits for ever to enter, whatever the orders; but only with seq_cst is one alone
// inside, and the first waits for a second that comes.
#include <cuda/atomic>

constexpr cuda::memory_order STORE = cuda::memory_order_seq_cst;
constexpr cuda::memory_order LOAD = cuda::memory_order_seq_cst;
constexpr bool COUNTS = true;

__device__ cuda::atomic<int, cuda::thread_scope_device> wants[2], turn{0}, inside{0}, second{0};

__global__ void meet() {
    int me = blockIdx.x, other = 1 - me;
    wants[me].store(1, STORE);
    turn.store(other, STORE);
    while (wants[other].load(LOAD) == 1 && turn.load(LOAD) == other) { }
    int before = 1 - me;
    if (COUNTS) {
        before = inside.load(cuda::memory_order_relaxed);
        inside.store(before + 1, cuda::memory_order_relaxed);
    }
    wants[me].store(0, STORE);
    if (before == 0) {
        while (second.load(cuda::memory_order_relaxed) == 0) { }
    } else {
        second.store(1, cuda::memory_order_relaxed);
    }
}

int main() {
    cudaLaunchCooperativeKernel((void *)meet, 2, 1, nullptr);
    cudaDeviceSynchronize();
}

//@ vary STORE in {seq_cst, relaxed};
//@ vary LOAD in {seq_cst, relaxed};
//@ vary COUNTS in {true, false};
//@ expect race_free;
//@ expect terminates when !COUNTS || (STORE == seq_cst && LOAD == seq_cst);
//@ expect may_hang when COUNTS && (STORE == relaxed || LOAD == relaxed);
