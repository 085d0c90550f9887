// A kernel in another stream that waits for the event of a launch (cudaLaunchAttributeProgrammaticEvent, or, best effort,
// cudaLaunchAttributeLaunchCompletionEvent): it starts when each block of the first kernel has triggered the event or ended,
// or has begun, or at any time.  It sees of that kernel what a release fence before the trigger covers; all of it behind
// cudaGridDependencySynchronize, which does not know of a launch completion event.
#include <cuda_runtime.h>
constexpr int EVENT = 0;       // 0: programmatic, 1: at the start of each block, 2: launch completion, 3: recorded behind the launch
constexpr bool FENCE = true;   // before the trigger
constexpr bool WAIT = false;   // cudaGridDependencySynchronize in the second kernel

__device__ int data = 0, seen = 0;

__global__ void write() {
    data = 1;
    if (FENCE) __threadfence();
    cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void read() {
    if (WAIT) cudaGridDependencySynchronize();
    seen = data;
}

int main() {
    cudaStream_t first, second;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaEvent_t event;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaLaunchAttribute attribute;
    if (EVENT < 2) {
        attribute.id = cudaLaunchAttributeProgrammaticEvent;
        attribute.val.programmaticEvent.event = event;
        attribute.val.programmaticEvent.flags = 0;
        attribute.val.programmaticEvent.triggerAtBlockStart = EVENT;
    } else {
        attribute.id = cudaLaunchAttributeLaunchCompletionEvent;
        attribute.val.launchCompletionEvent.event = event;
        attribute.val.launchCompletionEvent.flags = 0;
    }
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 1;
    config.stream = first;
    config.attrs = &attribute;
    config.numAttrs = EVENT < 3;
    cudaLaunchKernelEx(&config, write);
    if (EVENT == 3) cudaEventRecord(event, first);
    cudaStreamWaitEvent(second, event);
    read<<<1, 1, 0, second>>>();
    cudaDeviceSynchronize();
}

//@ vary EVENT in {0, 1, 2, 3};
//@ vary FENCE in {true, false};
//@ vary WAIT in {true, false};
//@ expect race_free when EVENT == 3 || (EVENT == 0 && (FENCE || WAIT)) || (EVENT == 1 && WAIT);
//@ expect required seen == 1 when EVENT == 3 || (EVENT == 0 && (FENCE || WAIT)) || (EVENT == 1 && WAIT);
//@ expect race on data when (EVENT < 2 && !WAIT && !(EVENT == 0 && FENCE)) || EVENT == 2;
//@ expect terminates;
