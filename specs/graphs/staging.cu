// A node that copies reads the host's buffer at each launch.  It is written anew between two launches: after the first is over,
// or while that may still run.
#include <cuda_runtime.h>
constexpr int WAITS = 1;

int main() {
    int *buffer, *data;
    cudaMallocHost(&buffer, sizeof(int));
    cudaMalloc(&data, sizeof(int));
    cudaStream_t stream;
    cudaStreamCreate(&stream);

    cudaGraph_t graph;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMemcpyAsync(data, buffer, sizeof(int), cudaMemcpyHostToDevice, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphExec_t ready;
    cudaGraphInstantiate(&ready, graph, 0);

    *buffer = 1;
    cudaGraphLaunch(ready, stream);
    if (WAITS) cudaStreamSynchronize(stream);
    *buffer = 2;
    cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    int seen;
    cudaMemcpy(&seen, data, sizeof(int), cudaMemcpyDeviceToHost);
}

//@ vary WAITS in {0, 1};
//@ expect race_free when WAITS == 1;
//@ expect race on buffer when WAITS == 0;
//@ expect required main.seen == 2 when WAITS == 1;
//@ expect terminates;
