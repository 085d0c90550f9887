// The last block adds up what all have left, as last-block-nvcc.ptx has it from nvcc.
#include <cuda/atomic>

struct Params {
    int* parts;
    int* sum;
    unsigned* tickets;
    int blocks;
};

__global__ void reduce(Params p) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        p.parts[blockIdx.x] = blockIdx.x + 1;
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> tickets(*p.tickets);
        last = tickets.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < p.blocks; ++i) {
            sum += p.parts[i];
        }
        *p.sum = sum;
    }
}

__global__ void reduce_relaxed(Params p) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        p.parts[blockIdx.x] = blockIdx.x + 1;
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> tickets(*p.tickets);
        last = tickets.fetch_add(1, cuda::memory_order_relaxed) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < p.blocks; ++i) {
            sum += p.parts[i];
        }
        *p.sum = sum;
    }
}

//@ object __device__ int parts[2], sum;
//@ object __device__ unsigned tickets;
//@ launch reduce<<<2, 1>>>(Params{parts, &sum, &tickets, 2});
//@ expect race_free under cuda, ptx;
//@ expect required sum == 3 under cuda, ptx;
//@ expect terminates;
