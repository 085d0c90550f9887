// A stream is captured; another joins the capture by an event, works on the same array, and is joined again.  Without the order
// both work side by side.  What follows the launch is in its stream, or in one that waits for nothing.
#include <cuda_runtime.h>
constexpr int ORDERED = 1;  // whether the second kernel comes after the first in the graph
constexpr int SAME = 1;     // whether what follows the launch is in its stream

__global__ void write(int* data) { data[threadIdx.x] = threadIdx.x; }
__global__ void add(int* data) { data[1 - threadIdx.x] += 1; }

int main() {
    int* data;
    cudaMalloc(&data, 2 * sizeof(int));
    cudaStream_t first, second, other;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEvent_t fork, join;
    cudaEventCreate(&fork);
    cudaEventCreate(&join);

    cudaGraph_t graph;
    cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
    if (!ORDERED) cudaEventRecord(fork, first);
    write<<<1, 2, 0, first>>>(data);
    if (ORDERED) cudaEventRecord(fork, first);
    cudaStreamWaitEvent(second, fork);
    add<<<1, 2, 0, second>>>(data);
    cudaEventRecord(join, second);
    cudaStreamWaitEvent(first, join);
    cudaStreamEndCapture(first, &graph);

    cudaGraphExec_t ready;
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, first);
    add<<<1, 2, 0, SAME ? first : other>>>(data);
    cudaDeviceSynchronize();
}

//@ vary ORDERED in {0, 1};
//@ vary SAME in {0, 1};
//@ expect race_free when ORDERED == 1 && SAME == 1;
//@ expect race on data when ORDERED == 0 || SAME == 0;
//@ expect terminates;
