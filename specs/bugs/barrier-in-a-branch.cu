// deepmodeling/deepmd-kit#5615: threads that have no neighbour skip a barrier in a branch.  They are at the next barrier while the
// others are at that one, and from there on each is one phase ahead: what comes after the next barrier is not waited for.
constexpr bool IN_BRANCH = false;

__device__ int nearest[2];

__global__ void neighbours(int count) {
    __shared__ int distance[2], found;
    int lane = threadIdx.x;
    if (lane < count) distance[lane] = lane + 1;
    if (!IN_BRANCH || lane < count) __syncthreads();
    if (lane == 0) found = distance[0];
    __syncthreads();
    nearest[lane] = found;
}

int main() {
    neighbours<<<1, 2>>>(1);
    return cudaDeviceSynchronize();
}

//@ vary IN_BRANCH in {false, true};
//@ expect race_free when !IN_BRANCH;
//@ expect required nearest[0] == 1 && nearest[1] == 1 when !IN_BRANCH;
//@ expect race on found when IN_BRANCH;
