// Memory that cudaMalloc gives is one object, whichever device its users run on; a __device__ variable has an instance
// on each device, and what one device writes in its own the other one never sees.
#include <cuda/atomic>
#include <cuda_runtime.h>

constexpr bool OWN = false;

__device__ int own = 0;

__global__ void set(int* given) {
    cuda::atomic_ref<int, cuda::thread_scope_system>(*given).store(1, cuda::memory_order_release);
    cuda::atomic_ref<int, cuda::thread_scope_system>(own).store(1, cuda::memory_order_release);
}

__global__ void await(int* given) {
    cuda::atomic_ref<int, cuda::thread_scope_system> flag(OWN ? own : *given);
    while (flag.load(cuda::memory_order_acquire) == 0);
}

int main() {
    int* given;
    cudaMalloc(&given, sizeof(int));
    cudaMemset(given, 0, sizeof(int));
    set<<<1, 1>>>(given);
    cudaDeviceSynchronize();
    cudaSetDevice(1);
    cudaDeviceEnablePeerAccess(0, 0);
    await<<<1, 1>>>(given);
    cudaDeviceSynchronize();
}

//@ vary OWN in {false, true};
//@ given p2pNativeAtomicSupported = 1;
//@ expect race_free;
//@ expect terminates when !OWN;
//@ expect may_hang when OWN;
