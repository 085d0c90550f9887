// PTX: the instruction behind the fence.sc of a seq_cst operation acquires where it reads, and what it writes is released.
#include <cuda/atomic>

constexpr cuda::memory_order SEND = cuda::memory_order_seq_cst;
constexpr cuda::memory_order RECEIVE = cuda::memory_order_seq_cst;
constexpr int BY = 0;   // 1: read-modify-writes; 2: compare-exchanges; 3: a wait

__device__ int x;
__device__ cuda::atomic<int, cuda::thread_scope_device> f{0};

__global__ void mp() {
    int seen = 1, r = 2, none = 0, one = 1;
    if (blockIdx.x == 0) {
        x = 1;
        if (BY == 0 || BY == 3) f.store(1, SEND);
        else if (BY == 1) f.fetch_add(1, SEND);
        else f.compare_exchange_strong(none, 1, SEND, cuda::memory_order_relaxed);
        if (BY == 3) f.notify_one();
    } else {
        if (BY == 0) seen = f.load(RECEIVE);
        else if (BY == 1) seen = f.fetch_add(0, RECEIVE);
        else if (BY == 2) seen = f.compare_exchange_strong(one, 2, RECEIVE, cuda::memory_order_relaxed);
        else f.wait(0, RECEIVE);
        r = x;
    }
}

//@ launch mp<<<2, 1>>>();
//@ vary SEND in {seq_cst, relaxed};
//@ vary RECEIVE in {seq_cst, relaxed};
//@ vary BY in {0, 1, 2, 3};
//@ expect forbidden mp[1][0].seen == 1 && mp[1][0].r == 0 when SEND == seq_cst && RECEIVE == seq_cst under ptx;
//@ expect allowed mp[1][0].seen == 1 && mp[1][0].r == 0 when SEND == relaxed || RECEIVE == relaxed under ptx;
