// The host waits for, or asks about, the event of a launch (cudaEventSynchronize, cudaEventQuery), which it may see long
// before the kernel is complete, and long after.  What the kernel wrote it may read behind a fence of system scope that comes
// before the trigger; that the kernel goes on meanwhile is no reason for the host to see the event.
#include <cuda/atomic>
#include <cuda_runtime.h>
constexpr int CALL = 0;   // 0: cudaEventSynchronize, 1: cudaEventQuery
constexpr int FENCE = 2;  // before the trigger, 0: none, 1: of device scope, 2: of system scope
constexpr bool ASKS = false;   // whether the kernel waits for the host in turn

__managed__ int data = 0;
__managed__ cuda::atomic<int> answer{0};
int seen = 0;

__global__ void write() {
    data = 1;
    if (FENCE == 1) __threadfence();
    if (FENCE == 2) __threadfence_system();
    cudaTriggerProgrammaticLaunchCompletion();
    if (ASKS) while (answer.load() == 0);
}

int main() {
    cudaEvent_t event;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeProgrammaticEvent;
    attribute.val.programmaticEvent.event = event;
    attribute.val.programmaticEvent.flags = 0;
    attribute.val.programmaticEvent.triggerAtBlockStart = 0;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, write);
    if (CALL == 0) cudaEventSynchronize(event);
    if (CALL == 1) while (cudaEventQuery(event) != cudaSuccess);
    seen = data;
    answer.store(1);
    cudaDeviceSynchronize();
}

//@ vary CALL in {0, 1};
//@ vary FENCE in {0, 1, 2};
//@ vary ASKS in {true, false};
//@ expect race_free when FENCE == 2;
//@ expect required seen == 1 when FENCE == 2;
//@ expect race on data when FENCE != 2;
//@ expect terminates when !ASKS;
//@ expect may_hang when ASKS;
