// ROCm/aiter#4841: blocks add to a histogram and count themselves in; the last one opens the next pass with a release store, for
// which the others wait with an acquire load.  The last one itself goes on to the histogram without an acquire.
#include <cuda/atomic>

constexpr auto TICKET = cuda::memory_order_acq_rel;

__device__ cuda::atomic<int, cuda::thread_scope_device> finished{0}, passed{0};
__device__ int histogram[2], bucket[2];

__global__ void radix() {
    histogram[blockIdx.x] = 1;
    if (finished.fetch_add(1, TICKET) == 1)
        passed.store(1, cuda::memory_order_release);
    else
        while (passed.load(cuda::memory_order_acquire) == 0);
    bucket[blockIdx.x] = histogram[0] + histogram[1];
}

int main() {
    radix<<<2, 1>>>();
    return cudaDeviceSynchronize();
}

//@ vary TICKET in {acq_rel, release};
//@ options races = ignore;
//@ expect race_free when TICKET == acq_rel;
//@ expect required bucket[0] == 2 && bucket[1] == 2 when TICKET == acq_rel under cuda, ptx;
//@ expect race on histogram when TICKET == release;
//@ expect allowed bucket[0] == 1 when TICKET == release under ptx;
