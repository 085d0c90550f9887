// RC11: coherence, atomicity of read-modify-writes, and no values out of thin air.
#include <cuda/atomic>

__device__ int x = 0, count = 0, a = 0, b = 0;

__global__ void threads() {
    cuda::atomic_ref<int, cuda::thread_scope_device> X(x), Count(count), A(a), B(b);
    int first = 0, second = 0, load = 0;
    if (blockIdx.x == 0) {
        X.store(1, cuda::memory_order_relaxed);
        Count.fetch_add(1, cuda::memory_order_relaxed);
        load = A.load(cuda::memory_order_relaxed);
        B.store(1, cuda::memory_order_relaxed);
    } else {
        first = X.load(cuda::memory_order_relaxed);
        second = X.load(cuda::memory_order_relaxed);
        Count.fetch_add(1, cuda::memory_order_relaxed);
        load = B.load(cuda::memory_order_relaxed);
        A.store(1, cuda::memory_order_relaxed);
    }
}

//@ launch threads<<<2, 1>>>();
//@ expect race_free under rc11;
//@ expect forbidden threads[1][0].first == 1 && threads[1][0].second == 0 under rc11;
//@ expect required count == 2 under rc11;
//@ expect forbidden threads[0][0].load == 1 && threads[1][0].load == 1 under rc11;
//@ expect allowed threads[0][0].load == 1 under rc11;
