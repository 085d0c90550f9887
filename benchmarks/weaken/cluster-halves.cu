// Blocks of a cluster exchange numbers: its barrier comes in two halves, with a fence before it that its release makes needless.
__device__ int data[2];

__global__ void __cluster_dims__(2) exchange() {
    data[blockIdx.x] = blockIdx.x + 1;
    asm volatile("fence.acq_rel.sys;" ::: "memory");
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    int other = data[1 - blockIdx.x];
    assert(other == 2 - blockIdx.x);
}

//@ launch exchange<<<2, 1>>>();
//@ expect race_free;
//@ expect terminates;
