// Three grids in a stream.  The second one may start early; where it does not wait, it may be complete before the first is,
// and the third one comes after the second alone, whether it is dependent itself and waits, or not.  No document says
// whether a stream waits for the first one all the same: it is a reading.
#include <cuda_runtime.h>
constexpr bool WAIT = false;   // the second one
constexpr bool EARLY = true;   // the third one

__device__ int data = 0, seen = 0;

__global__ void first() { data = 1; }

__global__ void second() {
    if (WAIT) cudaGridDependencySynchronize();
}

__global__ void third() {
    cudaGridDependencySynchronize();
    seen = data;
}

void launch(void (*kernel)(), bool early) {
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = early;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, kernel);
}

int main() {
    launch(first, false);
    launch(second, true);
    launch(third, EARLY);
    cudaDeviceSynchronize();
}

//@ vary WAIT in {true, false};
//@ vary EARLY in {true, false};
//@ expect race_free when WAIT;
//@ expect required seen == 1 when WAIT;
//@ expect race on data when !WAIT;
//@ expect terminates;
