// A barrier under a condition that all threads of the block decide alike, and one that only some of them reach.
constexpr bool ALIKE = true;

__device__ int flag = 1;
__device__ int data[2], out[2];

__global__ void branches() {
    data[threadIdx.x] = 1;
    if (ALIKE ? flag == 1 : threadIdx.x == 0) {
        __syncthreads();
        out[threadIdx.x] = data[1 - threadIdx.x];
    } else {
        while (true) __nanosleep(10);
    }
}

//@ launch branches<<<1, 2>>>();
//@ vary ALIKE in {true, false};
// The memory question is about executions in which every phase that a thread passed is complete.
//@ expect race_free;
//@ expect required out[0] == 1 && out[1] == 1 when ALIKE;
//@ expect terminates when ALIKE;
//@ expect may_hang when !ALIKE;
