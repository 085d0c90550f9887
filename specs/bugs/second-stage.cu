// vllm-project/vllm#2760: in a sum of two stages each GPU adds up a part in the first and collects the parts of the others in the
// second.  The look at the flag between the two was no acquire, so that a part might be stale.
#include <cuda/atomic>

constexpr auto LOAD = cuda::memory_order_acquire;

__device__ int done[2], part[2], whole[2];

__global__ void two_stages() {
    int rank = blockIdx.x;
    part[rank] = 10 * (rank + 1);
    cuda::atomic_ref<int> mine(done[rank]), other(done[1 - rank]);
    mine.store(1, cuda::memory_order_release);
    while (other.load(LOAD) == 0);
    whole[rank] = part[0] + part[1];
}

int main() {
    two_stages<<<2, 1>>>();
    return cudaDeviceSynchronize();
}

//@ vary LOAD in {acquire, relaxed};
//@ options races = ignore;
//@ expect race_free when LOAD == acquire;
//@ expect required whole[0] == 30 when LOAD == acquire under cuda, ptx;
//@ expect race on part when LOAD == relaxed;
//@ expect allowed whole[0] != 30 when LOAD == relaxed under ptx;
