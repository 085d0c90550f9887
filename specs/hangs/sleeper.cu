// Two blocks, each of which tells the other that it is there and looks whether the other is. Each interleaving of their
// steps ends; but both may see nobody, and then block 0 waits for what nobody sends. Only seq_cst rules that out.
#include <cuda/atomic>

constexpr cuda::memory_order STORE = cuda::memory_order_relaxed;
constexpr cuda::memory_order LOAD = cuda::memory_order_relaxed;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0}, go{0};

__global__ void sleeper() {
    if (blockIdx.x == 0) {
        x.store(1, STORE);
        if (y.load(LOAD) == 0) {
            while (go.load(LOAD) == 0) { }
        }
    } else {
        y.store(1, STORE);
        if (x.load(LOAD) == 1) go.store(1, STORE);
    }
}

int main() {
    cudaLaunchCooperativeKernel((void *)sleeper, 2, 1, nullptr);
    cudaDeviceSynchronize();
}

//@ vary STORE in {relaxed, release, seq_cst};
//@ vary LOAD in {relaxed, acquire, seq_cst};
//@ expect race_free;
//@ expect terminates when STORE == seq_cst && LOAD == seq_cst;
//@ expect may_hang when STORE != seq_cst || LOAD != seq_cst;
//@ expect progresses;
