// A dependent kernel starts while the one before it still runs: it reads what that one writes behind its trigger, having
// waited for its end or not.
#include <cuda_runtime.h>
constexpr bool WAITS = true;

__global__ void produce(int* data) {
    cudaTriggerProgrammaticLaunchCompletion();
    __nanosleep(20000);
    *data = 1;
}
__global__ void consume(const int* data, int* result) {
    if (WAITS) cudaGridDependencySynchronize();
    *result = *data;
}

int main() {
    int *data, *result;
    cudaMalloc(&data, sizeof(int));
    cudaMalloc(&result, sizeof(int));
    cudaMemset(data, 0, sizeof(int));
    cudaDeviceSynchronize();
    cudaStream_t stream;
    cudaStreamCreate(&stream);

    produce<<<1, 1, 0, stream>>>(data);
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute[0].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(1);
    config.stream = stream;
    config.attrs = attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, consume, (const int*)data, result);
    cudaDeviceSynchronize();
    int seen;
    cudaMemcpy(&seen, result, sizeof(int), cudaMemcpyDeviceToHost);
}

//@ vary WAITS in {true, false};
//@ expect race_free when WAITS;
//@ expect race on data when !WAITS;
//@ expect required main.seen == 1 when WAITS;
