// Store buffering between the host and two kernels.  The host's store comes before what the kernel that it launches
// afterwards does, also in the order of seq_cst operations; it is not ordered with a kernel that it launched before.
#include <cuda/atomic>

constexpr bool BEFORE = true;

__managed__ cuda::atomic<int, cuda::thread_scope_system> x{0}, y{0};

__global__ void reader() {
    int r = y.load();
}

__global__ void writer() {
    y.store(1);
    int r = x.load();
}

int main() {
    cudaStream_t s, t;
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    writer<<<1, 1, 0, s>>>();
    if (BEFORE) x.store(1);
    reader<<<1, 1, 0, t>>>();
    if (!BEFORE) x.store(1);
    return cudaDeviceSynchronize();
}

//@ vary BEFORE in {true, false};
//@ expect race_free;
//@ expect forbidden reader[0][0].r == 0 && writer[0][0].r == 0 when BEFORE;
//@ expect allowed reader[0][0].r == 0 && writer[0][0].r == 0 when !BEFORE;
