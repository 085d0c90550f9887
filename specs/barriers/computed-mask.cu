// A mask that the program computes: the lanes that have work find out about each other with a ballot, and go on together.
// What one of them writes the others may read after a __syncwarp of that mask; a shuffle with it orders nothing.
constexpr bool SYNCHRONISED = true;

__device__ int work[2] = {1, 1};
__device__ int data, sum;

__global__ void share() {
    unsigned busy = __ballot_sync(0xffffffff, work[threadIdx.x]);
    if (work[threadIdx.x]) {
        int leader = __ffs(busy) - 1;
        if (threadIdx.x == leader) data = 42;
        if (SYNCHRONISED)
            __syncwarp(busy);
        else
            __shfl_sync(busy, 0, leader);
        if (threadIdx.x != leader) sum = data + __popc(busy);
    }
}

int main() {
    share<<<1, 2>>>();
    return cudaDeviceSynchronize();
}

//@ vary SYNCHRONISED in {true, false};
//@ expect race_free when SYNCHRONISED;
//@ expect required sum == 44 when SYNCHRONISED;
//@ expect race on data when !SYNCHRONISED;
//@ expect terminates;
