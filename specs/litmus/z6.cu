// Z6.U of "P0668: Revising the C++ memory model", the program for which C++20 weakened the order of seq_cst operations:
// t0's release store is read by t1's seq_cst read-modify-write, which does not make all of t0 come before it in that
// order.  With a seq_cst store it does.
#include <cuda/atomic>

constexpr cuda::memory_order Y = cuda::memory_order_release;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};

__global__ void z6() {
    int a, b, c;
    if (blockIdx.x == 0) {
        x.store(1, cuda::memory_order_seq_cst);
        y.store(1, Y);
    }
    if (blockIdx.x == 1) {
        b = y.fetch_add(1, cuda::memory_order_seq_cst);
        c = y.load(cuda::memory_order_relaxed);
    }
    if (blockIdx.x == 2) {
        y.store(3, cuda::memory_order_seq_cst);
        a = x.load(cuda::memory_order_seq_cst);
    }
}

//@ launch z6<<<3, 1>>>();
//@ vary Y in {release, seq_cst};
//@ expect race_free;
//@ expect allowed z6[1][0].b == 1 && z6[1][0].c == 3 && z6[2][0].a == 0 when Y == release;
//@ expect forbidden z6[1][0].b == 1 && z6[1][0].c == 3 && z6[2][0].a == 0 when Y == seq_cst;
