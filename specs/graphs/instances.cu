// One executable graph is launched in two streams: the second launch comes after the first.  Two of one graph do not.
#include <cuda_runtime.h>
constexpr int SAME = 1;

__global__ void add(int* data) { *data += 1; }

int main() {
    int* data;
    cudaMalloc(&data, sizeof(int));
    cudaStream_t first, second;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);

    cudaGraph_t graph;
    cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
    add<<<1, 1, 0, first>>>(data);
    cudaStreamEndCapture(first, &graph);
    cudaGraphExec_t one, another;
    cudaGraphInstantiate(&one, graph, 0);
    cudaGraphInstantiate(&another, graph, 0);

    cudaGraphLaunch(one, first);
    cudaGraphLaunch(SAME ? one : another, second);
    cudaDeviceSynchronize();
}

//@ vary SAME in {0, 1};
//@ expect race_free when SAME == 1;
//@ expect race on data when SAME == 0;
//@ expect terminates;
