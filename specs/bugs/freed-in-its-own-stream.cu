// NVlabs/cuda-oxide#619: a buffer remembers the stream that allocated it, and is freed in that one.  Its last user was given to
// another stream: the free has to wait for that.
#include <cuda.h>
constexpr int WAITS = 1;

extern "C" __global__ void fill(int* data) { data[threadIdx.x] = 1; }

int main() {
    CUmodule module;
    CUfunction kernel;
    cuModuleLoad(&module, "fill.cubin");
    cuModuleGetFunction(&kernel, module, "fill");
    CUstream own, other;
    cuStreamCreate(&own, CU_STREAM_NON_BLOCKING);
    cuStreamCreate(&other, CU_STREAM_NON_BLOCKING);
    CUevent there, used;
    cuEventCreate(&there, CU_EVENT_DISABLE_TIMING);
    cuEventCreate(&used, CU_EVENT_DISABLE_TIMING);
    CUdeviceptr data;
    cuMemAllocAsync(&data, 2 * sizeof(int), own);
    cuEventRecord(there, own);
    cuStreamWaitEvent(other, there, 0);
    void* arguments[] = {&data};
    cuLaunchKernel(kernel, 1, 1, 1, 2, 1, 1, 0, other, arguments, nullptr);
    cuEventRecord(used, other);
    if (WAITS) cuStreamWaitEvent(own, used, 0);
    cuMemFreeAsync(data, own);
    cuCtxSynchronize();
}

//@ vary WAITS in {0, 1};
//@ expect race_free when WAITS == 1;
//@ expect race when WAITS == 0;
