// PTX: a seq_cst operation of CUDA C++ is a fence.sc and an instruction behind it ("PTX Writer's Guide to Interoperability",
// "Atomics Application Binary Interface"), so that these do not pass each other: loads, stores and read-modify-writes.
#include <cuda/atomic>

constexpr cuda::memory_order STORE = cuda::memory_order_seq_cst;
constexpr cuda::memory_order LOAD = cuda::memory_order_seq_cst;
constexpr int BY = 0;   // 1: a compare-exchange writes; 2: an exchange; 3: an addition reads

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};

__device__ void put(cuda::atomic<int, cuda::thread_scope_device>& at) {
    int none = 0;
    if (BY == 1) at.compare_exchange_strong(none, 1, STORE, cuda::memory_order_relaxed);
    else if (BY == 2) at.exchange(1, STORE);
    else at.store(1, STORE);
}

__global__ void sb() {
    int r = 2;
    if (blockIdx.x == 0) {
        put(x);
        r = BY == 3 ? y.fetch_add(0, LOAD) : y.load(LOAD);
    } else {
        put(y);
        r = BY == 3 ? x.fetch_add(0, LOAD) : x.load(LOAD);
    }
}

//@ launch sb<<<2, 1>>>();
//@ vary STORE in {seq_cst, release};
//@ vary LOAD in {seq_cst, acquire};
//@ vary BY in {0, 1, 2, 3};
//@ expect forbidden sb[0][0].r == 0 && sb[1][0].r == 0 when LOAD == seq_cst under ptx;
//@ expect allowed sb[0][0].r == 0 && sb[1][0].r == 0 when LOAD == acquire under ptx;
