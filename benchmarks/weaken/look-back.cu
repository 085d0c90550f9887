// A prefix sum that looks back at the sum of the tile before: fences and counters of the system where all is one device's.
__device__ int ready[2], sums[2];
__device__ int ticket = 0;

__global__ void scan() {
    int tile = atomicAdd_system(&ticket, 1), sum = tile + 1;
    if (tile == 1) {
        while (atomicAdd_system(&ready[0], 0) == 0);
        __threadfence_system();
        sum += sums[0];
    }
    sums[tile] = sum;
    __threadfence_system();
    atomicExch_system(&ready[tile], 1);
}

//@ launch scan<<<2, 1>>>();
//@ expect race_free;
//@ expect required sums[1] == 3;
