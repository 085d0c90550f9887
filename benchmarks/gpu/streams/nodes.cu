// A graph of nodes: one fills, one adds, and one is a function of the host.  An edge between the last two, or none.
#include <cuda_runtime.h>
constexpr bool EDGE = true;

__global__ void add(int* data) { *data += 1; }
static int* from;
static int taken;
void look(void*) { taken = *from; }

int main() {
    int* data;
    cudaMallocHost(&data, sizeof(int));
    from = data;
    cudaStream_t stream;
    cudaStreamCreate(&stream);

    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    cudaGraphNode_t fills, adds, looks;
    cudaMemsetParams fill = {};
    fill.dst = data;
    fill.elementSize = 4;
    fill.width = fill.height = 1;
    cudaGraphAddMemsetNode(&fills, graph, nullptr, 0, &fill);
    void* arguments[] = {&data};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void*)add;
    kernel.gridDim = kernel.blockDim = dim3(1);
    kernel.kernelParams = arguments;
    cudaGraphAddKernelNode(&adds, graph, &fills, 1, &kernel);
    cudaHostNodeParams host = {look, nullptr};
    cudaGraphAddHostNode(&looks, graph, EDGE ? &adds : &fills, 1, &host);

    cudaGraphExec_t ready;
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    int seen = taken;
}

//@ vary EDGE in {true, false};
//@ expect race_free when EDGE;
//@ expect race on data when !EDGE;
//@ expect required main.seen == 1 when EDGE;
