// A barrier of a grid: fences of the system on both sides of a counter.
__device__ unsigned arrived = 0;
__device__ int left[2];

__global__ void exchange() {
    left[blockIdx.x] = blockIdx.x + 1;
    __threadfence_system();
    atomicAdd_system(&arrived, 1u);
    while (atomicAdd_system(&arrived, 0u) < 2u);
    __threadfence_system();
    int other = left[1 - blockIdx.x];
}

//@ launch exchange<<<2, 1>>>();
//@ expect race_free;
//@ expect required exchange[0][0].other == 2 && exchange[1][0].other == 1;
