// Nodes that calls make: what fills, adds and is called on the host, with an edge for each that depends on another.
#include <cuda_runtime.h>
constexpr int EDGES = 2;  // of the two that are needed

__global__ void add(int* data) { *data += 1; }
static int* from;
static int seen;
void look(void*) { seen = *from; }

int main() {
    int* data;
    cudaMallocManaged(&data, sizeof(int));
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
    cudaGraphAddKernelNode(&adds, graph, &fills, EDGES > 0, &kernel);
    cudaHostNodeParams host = {look, nullptr};
    cudaGraphAddHostNode(&looks, graph, nullptr, 0, &host);
#if CUDART_VERSION >= 13000  // which has the kinds of edges, too
    if (EDGES > 1) cudaGraphAddDependencies(graph, &adds, &looks, nullptr, 1);
#else
    if (EDGES > 1) cudaGraphAddDependencies(graph, &adds, &looks, 1);
#endif

    cudaGraphExec_t ready;
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    int found = seen;
}

//@ vary EDGES in {0, 1, 2};
//@ expect race_free when EDGES == 2;
//@ expect race when EDGES != 2;
//@ expect required main.found == 1 when EDGES == 2;
//@ expect terminates;
