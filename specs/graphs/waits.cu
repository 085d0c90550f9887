// One node waits for what another writes.  It ends if it comes after that one, and never if it comes before.
#include <cuda/atomic>
#include <cuda_runtime.h>
constexpr int AFTER = 1;

using Flag = cuda::atomic<int, cuda::thread_scope_device>;
__device__ Flag flag;

__global__ void set() { flag.store(1); }
__global__ void wait() {
    while (flag.load() == 0) {
    }
}

int main() {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    if (AFTER) set<<<1, 1, 0, stream>>>();
    wait<<<1, 1, 0, stream>>>();
    if (!AFTER) set<<<1, 1, 0, stream>>>();
    cudaStreamEndCapture(stream, &graph);
    cudaGraphExec_t ready;
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
}

//@ vary AFTER in {0, 1};
//@ expect race_free;
//@ expect terminates when AFTER == 1;
//@ expect may_hang when AFTER == 0;
