// The host polls a flag that a kernel raises: the system's scope is needed, seq_cst is not.
#include <cuda/atomic>

__managed__ int result = 0;
__managed__ cuda::atomic<int> done{0};

__global__ void work() {
    result = 42;
    done.store(1);
}

int main() {
    work<<<1, 1>>>();
    while (done.load() == 0);
    int seen = result;
    return cudaDeviceSynchronize();
}

//@ given concurrentManagedAccess = 1;
//@ expect race_free;
//@ expect required main.seen == 42;
