// Store buffering: only seq_cst operations on both sides forbid that both threads read 0.
#include <cuda/atomic>

constexpr cuda::memory_order STORE = cuda::memory_order_seq_cst;
constexpr cuda::memory_order LOAD = cuda::memory_order_seq_cst;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};

__global__ void sb() {
    int r;
    if (blockIdx.x == 0) {
        x.store(1, STORE);
        r = y.load(LOAD);
    } else {
        y.store(1, STORE);
        r = x.load(LOAD);
    }
}

//@ launch sb<<<2, 1>>>();
//@ vary STORE in {seq_cst, release};
//@ vary LOAD in {seq_cst, acquire};
//@ expect race_free;
//@ expect forbidden sb[0][0].r == 0 && sb[1][0].r == 0 when STORE == seq_cst && LOAD == seq_cst;
//@ expect allowed sb[0][0].r == 0 && sb[1][0].r == 0 when STORE == release || LOAD == acquire;
