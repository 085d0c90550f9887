// Write-to-read causality: happens-before is transitive over release and acquire; relaxed accesses give none.
#include <cuda/atomic>

constexpr cuda::memory_order STORE = cuda::memory_order_release;
constexpr cuda::memory_order LOAD = cuda::memory_order_acquire;

__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};

__global__ void wrc() {
    int a, b;
    if (blockIdx.x == 0) x.store(1, STORE);
    if (blockIdx.x == 1) {
        a = x.load(LOAD);
        y.store(1, STORE);
    }
    if (blockIdx.x == 2) {
        a = y.load(LOAD);
        b = x.load(cuda::memory_order_relaxed);
    }
}

//@ launch wrc<<<3, 1>>>();
//@ vary STORE in {release, relaxed};
//@ vary LOAD in {acquire, relaxed};
//@ expect race_free;
//@ expect forbidden wrc[1][0].a == 1 && wrc[2][0].a == 1 && wrc[2][0].b == 0 when STORE == release && LOAD == acquire;
//@ expect allowed wrc[1][0].a == 1 && wrc[2][0].a == 1 && wrc[2][0].b == 0 when STORE == relaxed || LOAD == relaxed;
