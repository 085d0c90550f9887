// Independent reads of independent writes: two readers may disagree about the order of two writes under release and
// acquire; with seq_cst reads they may not, whatever the writes.
#include <cuda/atomic>

constexpr cuda::memory_order STORE = cuda::memory_order_seq_cst;
constexpr cuda::memory_order LOAD = cuda::memory_order_seq_cst;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};

__global__ void iriw() {
    int a, b;
    if (blockIdx.x == 0) x.store(1, STORE);
    if (blockIdx.x == 1) y.store(1, STORE);
    if (blockIdx.x == 2) {
        a = x.load(LOAD);
        b = y.load(LOAD);
    }
    if (blockIdx.x == 3) {
        a = y.load(LOAD);
        b = x.load(LOAD);
    }
}

//@ launch iriw<<<4, 1>>>();
//@ vary STORE in {seq_cst, release};
//@ vary LOAD in {seq_cst, acquire};
//@ expect race_free;
//@ expect forbidden iriw[2][0].a == 1 && iriw[2][0].b == 0 && iriw[3][0].a == 1 && iriw[3][0].b == 0 when LOAD == seq_cst;
//@ expect allowed iriw[2][0].a == 1 && iriw[2][0].b == 0 && iriw[3][0].a == 1 && iriw[3][0].b == 0 when LOAD == acquire;
