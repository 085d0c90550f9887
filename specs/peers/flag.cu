// A kernel on device 0 writes into memory of device 1 and sets a flag there; a kernel on device 1 waits for the flag, and reads.
// The flag is at system scope, released and acquired: device scope ends at the device, and without the release the data may
// come later.  Nothing makes a device start a block while another runs, unless all blocks are resident.
#include <cuda/atomic>
#include <cuda_runtime.h>
constexpr cuda::thread_scope SCOPE = cuda::thread_scope_system;
constexpr cuda::memory_order SETS = cuda::memory_order_release;

__global__ void put(int* data, int* flag) {
    *data = 1;
    cuda::atomic_ref<int, SCOPE>(*flag).store(1, SETS);
}

__global__ void take(int* data, int* flag, int* out) {
    cuda::atomic_ref<int, SCOPE> set(*flag);
    while (set.load(cuda::memory_order_acquire) == 0);
    *out = *data;
}

int main() {
    int *data, *flag, *out;
    cudaSetDevice(1);
    cudaMalloc(&data, sizeof(int));
    cudaMalloc(&flag, sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    cudaDeviceSynchronize();
    cudaSetDevice(0);
    cudaDeviceEnablePeerAccess(1, 0);
    put<<<1, 1>>>(data, flag);
    cudaSetDevice(1);
    take<<<1, 1>>>(data, flag, out);
    int seen;
    cudaMemcpy(&seen, out, sizeof(int), cudaMemcpyDeviceToHost);
}

//@ vary SCOPE in {cuda::thread_scope_system, cuda::thread_scope_device};
//@ vary SETS in {cuda::memory_order_release, cuda::memory_order_relaxed};
//@ given p2pNativeAtomicSupported = 1;
//@ expect race_free when SCOPE == cuda::thread_scope_system && SETS == cuda::memory_order_release;
//@ expect required main.seen == 1 when SCOPE == cuda::thread_scope_system && SETS == cuda::memory_order_release;
//@ expect race when SCOPE != cuda::thread_scope_system || SETS != cuda::memory_order_release;
//@ expect may_hang when SCOPE == cuda::thread_scope_system && SETS == cuda::memory_order_release;
//@ expect terminates when SCOPE == cuda::thread_scope_system && SETS == cuda::memory_order_release under cuda-resident;
