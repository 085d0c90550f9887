// HRF0 paper, section 4.2: a thread finds what it wrote itself, in its write buffer ("bypass from the local write buffer")
// and, through atomic accesses that are performed in the memory of their scope, in any memory.
#include <cuda/atomic>

constexpr cuda::thread_scope S = cuda::thread_scope_device;

__device__ int x = 0;

__global__ void own() {
    cuda::atomic_ref<int, S> atomic(x);
    x = 1;
    int plain = x;
    int first = atomic.load(cuda::memory_order_relaxed);
    atomic.store(2, cuda::memory_order_relaxed);
    int then = x;
    x = 3;
    atomic.store(4, cuda::memory_order_relaxed);
    int last = atomic.fetch_add(1, cuda::memory_order_relaxed);
}

//@ launch own<<<1, 1>>>();
//@ vary S in {block, device};
//@ expect required own[0][0].plain == 1 && own[0][0].first == 1 under hrf0-hw;
//@ expect required own[0][0].then == 2 && own[0][0].last == 4 && x == 5 under hrf0-hw;
