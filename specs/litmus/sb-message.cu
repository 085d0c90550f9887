// Store buffering with a message on one side: t0's seq_cst store comes before t1's seq_cst load in the order of seq_cst
// operations because it strongly happens before it, by a release and an acquire that are not seq_cst themselves.
#include <cuda/atomic>

constexpr cuda::memory_order MESSAGE = cuda::memory_order_release;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0}, z{0};

__global__ void sb() {
    int a, b;
    if (blockIdx.x == 0) {
        x.store(1, cuda::memory_order_seq_cst);
        y.store(1, MESSAGE);
    }
    if (blockIdx.x == 1) {
        a = y.load(cuda::memory_order_acquire);
        b = z.load(cuda::memory_order_seq_cst);
    }
    if (blockIdx.x == 2) {
        z.store(1, cuda::memory_order_seq_cst);
        b = x.load(cuda::memory_order_seq_cst);
    }
}

//@ launch sb<<<3, 1>>>();
//@ vary MESSAGE in {release, relaxed};
//@ expect race_free;
//@ expect forbidden sb[1][0].a == 1 && sb[1][0].b == 0 && sb[2][0].b == 0 when MESSAGE == release;
//@ expect allowed sb[1][0].a == 1 && sb[1][0].b == 0 && sb[2][0].b == 0 when MESSAGE == relaxed;
