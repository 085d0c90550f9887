// The sleeper that waits to be notified: where nobody sees the other, no thread takes a step any more.
#include <cuda/atomic>

constexpr cuda::memory_order ORDER = cuda::memory_order_seq_cst;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0}, go{0};

__global__ void sleeper() {
    if (blockIdx.x == 0) {
        x.store(1, ORDER);
        if (y.load(ORDER) == 0) go.wait(0, ORDER);
    } else {
        y.store(1, ORDER);
        if (x.load(ORDER) == 1) {
            go.store(1, ORDER);
            go.notify_all();
        }
    }
}

int main() {
    cudaLaunchCooperativeKernel((void *)sleeper, 2, 1, nullptr);
    cudaDeviceSynchronize();
}

//@ vary ORDER in {seq_cst, relaxed};
//@ expect race_free;
//@ expect terminates when ORDER == seq_cst;
//@ expect progresses when ORDER == seq_cst;
//@ expect may_hang when ORDER == relaxed;
//@ expect may_stall when ORDER == relaxed;
