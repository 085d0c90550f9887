// When cudaMemcpy to a device returns, by the memory that it copies from (CUDA runtime API, "API synchronization behavior"):
// from pinned host memory it "is synchronous with respect to the host"; from pageable host memory it returns "once the
// pageable buffer has been copied to the staging memory [...] but the DMA to final destination may not have completed";
// from device memory "no host-side synchronization is performed".  A non-blocking stream does not wait for the copy either.
#include <cuda/atomic>

constexpr int PAGEABLE = 0, PINNED = 1, DEVICE = 2;
constexpr int FROM = PINNED;
constexpr bool NON_BLOCKING = true;

__device__ int other = 1;
__device__ int target = 0;

__global__ void read(int* seen) {
    while (cuda::atomic_ref<int, cuda::thread_scope_device>(target).load(cuda::memory_order_relaxed) == 0);
    *seen = target;
}

int main() {
    int pageable = 1;
    int *pinned, *seen, *to, *from;
    cudaHostAlloc(&pinned, sizeof(int), cudaHostAllocDefault);
    cudaMallocManaged(&seen, sizeof(int));
    cudaGetSymbolAddress((void**)&to, target);
    cudaGetSymbolAddress((void**)&from, other);
    *pinned = 1;
    cudaStream_t stream;
    if (NON_BLOCKING) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (!NON_BLOCKING) cudaStreamCreate(&stream);
    if (FROM == PAGEABLE) cudaMemcpy(to, &pageable, sizeof(int), cudaMemcpyHostToDevice);
    if (FROM == PINNED) cudaMemcpy(to, pinned, sizeof(int), cudaMemcpyHostToDevice);
    if (FROM == DEVICE) cudaMemcpy(to, from, sizeof(int), cudaMemcpyDeviceToDevice);
    pageable = *pinned = 2;
    read<<<1, 1, 0, stream>>>(seen);
    cudaDeviceSynchronize();
}

//@ vary FROM in {0, 1, 2};
//@ vary NON_BLOCKING in {true, false};
//@ expect race_free when FROM == PINNED || !NON_BLOCKING;
//@ expect required seen == 1 when FROM == PINNED || !NON_BLOCKING;
//@ expect terminates when FROM == PINNED || !NON_BLOCKING;
//@ expect race on target when FROM != PINNED && NON_BLOCKING;
//@ expect may_hang when FROM != PINNED && NON_BLOCKING;
