// microsoft/onnxruntime#32121: a captured copy is a node that reads its buffer at each launch.  The buffer goes back to a pool when
// the capture is over, another call takes it, and the next launch copies what that one left there.
#include <cuda_runtime.h>
constexpr int KEPT = 1;

__device__ int pointers, result;

__global__ void use() { result = pointers; }

int main() {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    int *staging, *spare;
    cudaMallocHost(&staging, sizeof(int));
    cudaMallocHost(&spare, sizeof(int));
    *staging = 1;
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMemcpyToSymbolAsync(pointers, staging, sizeof(int), 0, cudaMemcpyHostToDevice, stream);
    use<<<1, 1, 0, stream>>>();
    cudaStreamEndCapture(stream, &graph);
    cudaGraphExec_t decode;
    cudaGraphInstantiate(&decode, graph, 0);
    *(KEPT ? spare : staging) = 2;
    cudaGraphLaunch(decode, stream);
    cudaStreamSynchronize(stream);
}

//@ vary KEPT in {0, 1};
//@ expect race_free;
//@ expect required result == 1 when KEPT == 1;
//@ expect required result == 2 when KEPT == 0;
