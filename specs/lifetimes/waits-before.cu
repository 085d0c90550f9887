// A host that waits for a kernel before it lets it go waits for ever, and the free is never reached.
#include <cuda/atomic>

__managed__ cuda::atomic<int, cuda::thread_scope_system> go{0};

__global__ void work(int* data) {
    while (go.load(cuda::memory_order_acquire) == 0);
    *data = 1;
}

int main() {
    int* data;
    cudaMalloc(&data, sizeof(int));
    work<<<1, 1>>>(data);
    cudaDeviceSynchronize();
    go.store(1, cuda::memory_order_release);
    cudaDeviceSynchronize();
    cudaFree(data);
}

//@ given concurrentManagedAccess = 1;
//@ allow SCP044;
//@ expect race_free;
//@ expect may_hang;
