// Launches of one executable graph are in order, whatever their streams; those of two executables are not.
#include <cuda_runtime.h>
constexpr bool SAME = true;

__global__ void add(int* data) {
    int found = *data;
    __nanosleep(20000);
    *data = found + 1;
}

int main() {
    int* data;
    cudaMalloc(&data, sizeof(int));
    cudaMemset(data, 0, sizeof(int));
    cudaDeviceSynchronize();
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);

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
    int seen;
    cudaMemcpy(&seen, data, sizeof(int), cudaMemcpyDeviceToHost);
}

//@ vary SAME in {true, false};
//@ expect race_free when SAME;
//@ expect race on data when !SAME;
//@ expect required main.seen == 2 when SAME;
