// A host function takes down what a copy brought back; the host looks at it behind the stream's work, or behind an event
// that was recorded in front of the function.
#include <cuda_runtime.h>
constexpr bool BEHIND = true;

static int* back;
static int taken;
void take(void*) { taken = *back; }
__global__ void produce(int* data) { *data = 1; }

int main() {
    int* data;
    cudaMalloc(&data, sizeof(int));
    cudaMallocHost(&back, sizeof(int));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaEvent_t event;
    cudaEventCreate(&event);

    produce<<<1, 1, 0, stream>>>(data);
    cudaMemcpyAsync(back, data, sizeof(int), cudaMemcpyDeviceToHost, stream);
    if (!BEHIND) cudaEventRecord(event, stream);
    cudaLaunchHostFunc(stream, take, nullptr);
    if (BEHIND) cudaEventRecord(event, stream);
    cudaEventSynchronize(event);
    int seen = taken;
    cudaDeviceSynchronize();
}

//@ vary BEHIND in {true, false};
//@ expect race_free when BEHIND;
//@ expect race on taken when !BEHIND;
//@ expect required main.seen == 1 when BEHIND;
