// The barrier of a cooperative grid: all of its blocks are there, so that waiting for them ends.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr bool SYNC = true;

__global__ void neighbours(int* data, int* out) {
    data[blockIdx.x] = 1;
    if (SYNC) cg::this_grid().sync();
    out[blockIdx.x] = data[1 - blockIdx.x];
}

int main() {
    int *data, *out;
    cudaMallocManaged(&data, 2 * sizeof(int));
    cudaMallocManaged(&out, 2 * sizeof(int));
    void* arguments[] = {&data, &out};
    cudaLaunchCooperativeKernel((void*)neighbours, dim3(2), dim3(1), arguments, 0, 0);
    cudaDeviceSynchronize();
    int sum = out[0] + out[1];
}

//@ vary SYNC in {true, false};
//@ expect race_free when SYNC;
//@ expect required main.sum == 2 when SYNC;
//@ expect race on data when !SYNC;
//@ expect terminates;
