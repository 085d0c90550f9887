// A grid that may start early overwrites what the grid before it reads: its wait has to come first.
#include <cuda_runtime.h>
constexpr bool WAIT = false;

__device__ int data = 0, seen = 0;

__global__ void read() {
    cudaTriggerProgrammaticLaunchCompletion();
    seen = data;
}

__global__ void write() {
    if (WAIT) asm volatile("griddepcontrol.wait;" ::: "memory");
    data = 1;
}

int main() {
    read<<<1, 1>>>();
    cudaLaunchAttribute early;
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 1;
    config.attrs = &early;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, write);
    cudaDeviceSynchronize();
}

//@ vary WAIT in {true, false};
//@ expect race_free when WAIT;
//@ expect required seen == 0 when WAIT;
//@ expect race on data when !WAIT;
//@ expect terminates;
