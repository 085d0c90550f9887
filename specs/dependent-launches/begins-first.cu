// A kernel waits for what another one writes, for whose launch's event its stream waits.  Where the event comes when each
// block of the other has begun (triggerAtBlockStart), the other is owed its steps by then.  A launch completion event is a best
// effort: "blocks of B may begin before all blocks of A have begun [...] Exercise caution if such an ordering inversion could lead
// to deadlock" (CUDA runtime API, cudaLaunchAttributeLaunchCompletionEvent).
#include <cuda/atomic>
#include <cuda_runtime.h>
constexpr int EVENT = 0;  // 0: at the start of each block, 1: launch completion

__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};

__global__ void writes() { flag.store(1); }

__global__ void waits() {
    while (flag.load() == 0);
}

int main() {
    cudaStream_t first, second;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaEvent_t event;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaLaunchAttribute attribute;
    if (EVENT == 0) {
        attribute.id = cudaLaunchAttributeProgrammaticEvent;
        attribute.val.programmaticEvent.event = event;
        attribute.val.programmaticEvent.flags = 0;
        attribute.val.programmaticEvent.triggerAtBlockStart = 1;
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
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, writes);
    cudaStreamWaitEvent(second, event);
    waits<<<1, 1, 0, second>>>();
    cudaDeviceSynchronize();
}

//@ vary EVENT in {0, 1};
//@ expect race_free;
//@ expect terminates when EVENT == 0;
//@ expect may_hang when EVENT == 1;
