// A kernel waits for a value that another one writes, which starts when an event of the first one's launch has come.  Where
// each block triggers that event, or it comes with their start, the other may run beside the first; but nothing makes the device start
// another block while one runs, unless all blocks are resident.  That the first one has to end, where an event is recorded
// behind it, is a deadlock.
#include <cuda/atomic>
#include <cuda_runtime.h>
constexpr int EVENT = 0;  // 0: triggered, 1: at the start of each block, 2: recorded behind the launch, 3: triggered behind the wait

__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};

__global__ void waits() {
    if (EVENT == 0) cudaTriggerProgrammaticLaunchCompletion();
    while (flag.load() == 0);
    if (EVENT == 3) cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void writes() { flag.store(1); }

int main() {
    cudaStream_t first, second;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaEvent_t event;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeProgrammaticEvent;
    attribute.val.programmaticEvent.event = event;
    attribute.val.programmaticEvent.flags = 0;
    attribute.val.programmaticEvent.triggerAtBlockStart = EVENT == 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 1;
    config.stream = first;
    config.attrs = &attribute;
    config.numAttrs = EVENT != 2;
    cudaLaunchKernelEx(&config, waits);
    if (EVENT == 2) cudaEventRecord(event, first);
    cudaStreamWaitEvent(second, event);
    writes<<<1, 1, 0, second>>>();
    cudaDeviceSynchronize();
}

//@ vary EVENT in {0, 1, 2, 3};
//@ options api = returns;
//@ expect race_free;
//@ expect may_hang;
//@ expect terminates when EVENT < 2 under cuda-resident;
//@ expect may_hang when EVENT >= 2 under cuda-resident;
