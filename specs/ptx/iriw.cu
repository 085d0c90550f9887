// PTX: two readers see two writes in different orders, unless their loads are seq_cst: fence.sc and ld.acquire.
#include <cuda/atomic>

constexpr cuda::memory_order STORE = cuda::memory_order_seq_cst;
constexpr cuda::memory_order LOAD = cuda::memory_order_seq_cst;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};

__global__ void iriw() {
    int first = 2, second = 2;
    if (blockIdx.x == 0) x.store(1, STORE);
    else if (blockIdx.x == 1) y.store(1, STORE);
    else if (blockIdx.x == 2) { first = x.load(LOAD); second = y.load(LOAD); }
    else { first = y.load(LOAD); second = x.load(LOAD); }
}

//@ launch iriw<<<4, 1>>>();
//@ vary STORE in {seq_cst, release, relaxed};
//@ vary LOAD in {seq_cst, acquire};
//@ expect forbidden iriw[2][0].first == 1 && iriw[2][0].second == 0 && iriw[3][0].first == 1 && iriw[3][0].second == 0 when LOAD == seq_cst under ptx;
//@ expect allowed iriw[2][0].first == 1 && iriw[2][0].second == 0 && iriw[3][0].first == 1 && iriw[3][0].second == 0 when LOAD == acquire under ptx;
