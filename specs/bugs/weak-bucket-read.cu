// owensgroup/SlabHash#23: an insert reads a bucket with an ordinary load before it tries its compare-exchange; others write the
// bucket at the same time.
#include <cuda/atomic>

constexpr bool ATOMIC = true;

__device__ unsigned bucket;

__global__ void insert() {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> atomic(bucket);
    unsigned seen = ATOMIC ? atomic.load(cuda::memory_order_relaxed) : bucket;
    if (seen == 0) atomicCAS(&bucket, 0, blockIdx.x + 1);
}

int main() {
    insert<<<2, 1>>>();
    return cudaDeviceSynchronize();
}

//@ vary ATOMIC in {true, false};
//@ expect race_free when ATOMIC;
//@ expect required bucket != 0 when ATOMIC;
//@ expect race on bucket when !ATOMIC;
