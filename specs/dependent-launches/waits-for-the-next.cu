// A grid waits for what the next one in its stream writes.  That one can start early if the first lets it, and does not wait
// for its end; but nothing makes the device start another block while one runs, unless all blocks are resident.
#include <cuda/atomic>
#include <cuda_runtime.h>
constexpr bool TRIGGER = true;
constexpr bool WAIT = false;

__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};

__global__ void first() {
    if (TRIGGER) cudaTriggerProgrammaticLaunchCompletion();
    while (flag.load() == 0);
}

__global__ void second() {
    if (WAIT) cudaGridDependencySynchronize();
    flag.store(1);
}

int main() {
    first<<<1, 1>>>();
    cudaLaunchAttribute early;
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 1;
    config.attrs = &early;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, second);
    cudaDeviceSynchronize();
}

//@ vary TRIGGER in {true, false};
//@ vary WAIT in {true, false};
//@ options api = returns;
//@ expect may_hang;
//@ expect terminates when TRIGGER && !WAIT under cuda-resident;
//@ expect may_hang when !TRIGGER || WAIT under cuda-resident;
