// The execution model's examples take it for granted that the flag is atomic between host and device.  On a machine
// without concurrent managed access it is not (memory model, "Atomicity"), and the program races: scopec still says
// that every interleaving of its steps ends, and warns that a racy program has no meaning.
#include <cuda/atomic>

__managed__ cuda::atomic<int, cuda::thread_scope_system> flag{0};

__global__ void producer() { flag.store(1); }

int main() {
    producer<<<1, 1>>>();
    while (flag.load() == 0) {
        (void)cudaStreamQuery(0);
    }
    return cudaDeviceSynchronize();
}

//@ given concurrentManagedAccess = 0;
//@ expect race on flag;
//@ expect terminates;
