// cudaHostUnregister "unmaps the memory range" (CUDA runtime API): a kernel that accesses it has to be over by then, also
// where there is nothing else that it could race with.
#include <cuda_runtime.h>

constexpr bool WAITS = true;

int data = 0;

__global__ void fill(int* at) { *at = 1; }

int main() {
    cudaHostRegister(&data, sizeof data, cudaHostRegisterDefault);
    fill<<<1, 1>>>(&data);
    if (WAITS) cudaDeviceSynchronize();
    cudaHostUnregister(&data);
    cudaDeviceSynchronize();
}

//@ given pageableMemoryAccess = 1;
//@ vary WAITS in {true, false};
//@ expect race_free when WAITS;
//@ expect race on data when !WAITS;
