// The driver API's graphs are those of the runtime API.  A kernel counts in a variable of the module, and another reads it: each
// is a node, with an edge between them or none; or a stream is captured, where the order is that of the stream.  A node that is
// disabled does nothing in later launches.
#include <cuda.h>
constexpr int MADE = 0;     // 0: nodes with an edge, 1: without, 2: a capture
constexpr int ENABLED = 1;  // whether the counting node is

__device__ int counter;
extern "C" __global__ void count() { counter += 1; }
extern "C" __global__ void copy(int* out) { *out = counter; }

int main() {
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction counts, copies;
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuDevicePrimaryCtxRetain(&context, device);
    cuCtxSetCurrent(context);
    cuModuleLoad(&module, "kernels.cubin");
    cuModuleGetFunction(&counts, module, "count");
    cuModuleGetFunction(&copies, module, "copy");
    CUdeviceptr there, out;
    size_t bytes;
    cuModuleGetGlobal(&there, &bytes, module, "counter");
    cuMemAlloc(&out, sizeof(int));
    cuMemsetD32(there, 0, bytes / sizeof(int));
    CUstream stream;
    cuStreamCreate(&stream, CU_STREAM_DEFAULT);

    CUgraph graph;
    CUgraphNode first, second;
    void* arguments[] = {&out};
    if (MADE < 2) {
        cuGraphCreate(&graph, 0);
        CUDA_KERNEL_NODE_PARAMS node = {};
        node.func = counts;
        node.gridDimX = node.gridDimY = node.gridDimZ = node.blockDimX = node.blockDimY = node.blockDimZ = 1;
        cuGraphAddKernelNode(&first, graph, nullptr, 0, &node);
        node.func = copies;
        node.kernelParams = arguments;
        cuGraphAddKernelNode(&second, graph, &first, MADE == 0, &node);
    } else {
        cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
        cuLaunchKernel(counts, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr);
        cuLaunchKernel(copies, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr);
        cuStreamEndCapture(stream, &graph);
    }
    CUgraphExec ready;
    cuGraphInstantiate(&ready, graph, 0);
    if (MADE < 2) cuGraphNodeSetEnabled(ready, first, ENABLED);
    cuGraphLaunch(ready, stream);
    cuStreamSynchronize(stream);
    int seen;
    cuMemcpyDtoH(&seen, out, sizeof(int));
}

//@ vary MADE in {0, 1, 2};
//@ vary ENABLED in {0, 1};
//@ expect race_free when MADE != 1 || ENABLED == 0;
//@ expect race on counter when MADE == 1 && ENABLED == 1;
//@ expect required main.seen == 1 when MADE == 2 || (MADE == 0 && ENABLED == 1);
//@ expect required main.seen == 0 when MADE < 2 && ENABLED == 0;
//@ expect terminates;
