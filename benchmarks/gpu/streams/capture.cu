// A captured fork: the other stream joins the capture behind the kernel that writes, or beside it.
#include <cuda_runtime.h>
constexpr bool BEHIND = true;

__global__ void produce(int* data) { *data = 1; }
__global__ void consume(const int* data, int* result) { *result = *data; }

int main() {
    int *data, *result;
    cudaMalloc(&data, sizeof(int));
    cudaMalloc(&result, sizeof(int));
    cudaMemset(data, 0, sizeof(int));
    cudaDeviceSynchronize();
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEvent_t fork, join;
    cudaEventCreate(&fork);
    cudaEventCreate(&join);

    cudaGraph_t graph;
    cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
    if (!BEHIND) cudaEventRecord(fork, first);
    produce<<<1, 1, 0, first>>>(data);
    if (BEHIND) cudaEventRecord(fork, first);
    cudaStreamWaitEvent(second, fork, 0);
    consume<<<1, 1, 0, second>>>(data, result);
    cudaEventRecord(join, second);
    cudaStreamWaitEvent(first, join, 0);
    cudaStreamEndCapture(first, &graph);
    cudaGraphExec_t ready;
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, first);
    cudaStreamSynchronize(first);
    int seen;
    cudaMemcpy(&seen, result, sizeof(int), cudaMemcpyDeviceToHost);
}

//@ vary BEHIND in {true, false};
//@ expect race_free when BEHIND;
//@ expect race on data when !BEHIND;
//@ expect required main.seen == 1 when BEHIND;
