// Two grids of one device in different memory synchronization domains: from v2 on device scope relates only threads of
// one domain; v1 knows no domains.
#include <cuda/atomic>

constexpr int DOMAIN = 1;

__device__ int x = 0, f = 0;

__global__ void writer() {
    x = 1;
    cuda::atomic_ref<int, cuda::thread_scope_device>(f).store(1, cuda::memory_order_release);
}

__global__ void reader() {
    int r = 2;
    if (cuda::atomic_ref<int, cuda::thread_scope_device>(f).load(cuda::memory_order_acquire) == 1) r = x;
}

int main() {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeMemSyncDomain;
    attribute[0].val.memSyncDomain = DOMAIN == 1 ? cudaLaunchMemSyncDomainRemote : cudaLaunchMemSyncDomainDefault;
    cudaLaunchConfig_t config = {0};
    config.gridDim = 1;
    config.blockDim = 1;
    config.stream = stream;
    config.attrs = attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, reader);
    writer<<<1, 1>>>();
    cudaDeviceSynchronize();
}

//@ vary DOMAIN in {0, 1};
//@ expect race_free under cuda-v1;
//@ expect race_free when DOMAIN == 0 under cuda-v2, cuda-v3;
//@ expect race on f when DOMAIN == 1 under cuda-v2, cuda-v3;
