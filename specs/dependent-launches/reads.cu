// A grid that may start before the one that its stream has before it is complete (programmatic stream serialization) reads
// what that one writes.  It waits: "all prerequisite grids in flight have completed and all the memory operations from the
// prerequisite grids are performed and made visible to the current grid" (PTX ISA, "griddepcontrol"); or each block of the
// other writes, has a release fence and lets it start.
#include <cuda_runtime.h>
constexpr int WAIT = 0;       // 0: none, 1: in the kernel, 2: the launch does not ask to start early
constexpr int TRIGGER = 1;    // 0: none, 1: behind the write, 2: before it
constexpr bool FENCE = false;

__device__ int data = 0, seen = 0;

__global__ void write() {
    if (TRIGGER == 2) cudaTriggerProgrammaticLaunchCompletion();
    data = 1;
    if (FENCE) __threadfence();
    if (TRIGGER == 1) cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void read() {
    if (WAIT == 1) cudaGridDependencySynchronize();
    seen = data;
}

int main() {
    write<<<1, 1>>>();
    cudaLaunchAttribute early;
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = WAIT != 2;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 1;
    config.attrs = &early;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, read);
    cudaDeviceSynchronize();
}

//@ vary WAIT in {0, 1, 2};
//@ vary TRIGGER in {0, 1, 2};
//@ vary FENCE in {true, false};
//@ expect race_free when WAIT != 0 || (FENCE && TRIGGER == 1);
//@ expect required seen == 1 when WAIT != 0 || (FENCE && TRIGGER == 1);
//@ expect race on data when WAIT == 0 && !(FENCE && TRIGGER == 1);
//@ expect terminates;
//@ expect race_free when WAIT != 0 || (FENCE && TRIGGER == 1) under ptx;
//@ expect race on data when WAIT == 0 && !(FENCE && TRIGGER == 1) under ptx;
