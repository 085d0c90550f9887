// The lanes that were together in front of a branch are no longer so in it: who takes the branch and names them all waits for
// those that do not.
constexpr bool BEFORE = true;

__device__ int done;

__global__ void part() {
    unsigned together = __activemask();
    if (threadIdx.x == 0) {
        if (!BEFORE) together = __activemask();
        __syncwarp(together);
        done = 1;
    }
    __syncthreads();
}

int main() {
    part<<<1, 2>>>();
    return cudaDeviceSynchronize();
}

//@ vary BEFORE in {true, false};
//@ expect may_hang when BEFORE;
//@ expect terminates when !BEFORE;
//@ expect required done == 1 when !BEFORE;
