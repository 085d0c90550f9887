// Graphs: captures, nodes, launches (CUDA runtime API, "Graph Management"), as definitions of what is declared the same in
// scopec's own headers and in NVIDIA's.  A node is what is given to a stream that stands for it; the machine keeps what that
// is, and gives it to the launching stream (intrinsics/graphs.py).
#pragma once

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace __scopec {
inline int number(cudaGraph_t graph) { return int(reinterpret_cast<long>(graph)); }
inline int number(cudaGraphExec_t graph) { return int(reinterpret_cast<long>(graph)); }
inline int number(cudaGraphNode_t node) { return int(reinterpret_cast<long>(node)); }
inline cudaStream_t graph_node() { return reinterpret_cast<cudaStream_t>(-2L); }
inline void node_begin(cudaGraph_t graph, const cudaGraphNode_t* after, size_t count) {
    __scopec_node_open(number(graph));
    for (size_t i = 0; i < count; i++) __scopec_node_after(number(after[i]));
}
inline cudaError_t node_end(cudaGraphNode_t* node, bool made = true) {
    *node = reinterpret_cast<cudaGraphNode_t>(long(__scopec_node_close(made)));
    return success("cudaGraphAddNode");
}
}  // namespace __scopec

namespace __scopec {
inline void copied_3d(const cudaMemcpy3DParms* given, cudaStream_t stream) {
    const cudaPos &from = given->srcPos, &to = given->dstPos;
    const cudaExtent& size = given->extent;
    if (given->srcArray || given->dstArray) __scopec_unmodelled("a copy of a CUDA array");
    if (size.depth > 1 || from.z || to.z) __scopec_unmodelled("a copy of several slices");
    for (size_t row = 0; row < size.height; row++)
        copied((char*)given->dstPtr.ptr + (to.y + row) * given->dstPtr.pitch + to.x,
               (const char*)given->srcPtr.ptr + (from.y + row) * given->srcPtr.pitch + from.x, size.width, given->kind,
               stream, false);
}
}  // namespace __scopec

// ---- captures

inline cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
    __scopec_capture_begin(__scopec::number(stream), mode);
    return __scopec::success("cudaStreamBeginCapture");
}
inline cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    *graph = reinterpret_cast<cudaGraph_t>(long(__scopec_capture_end(__scopec::number(stream))));
    return __scopec::success("cudaStreamEndCapture");
}
inline cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    *status = cudaStreamCaptureStatus(__scopec_capture_status(__scopec::number(stream)));
    return __scopec::success("cudaStreamIsCapturing");
}

// ---- graphs and their nodes

inline cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
    *graph = reinterpret_cast<cudaGraph_t>(long(__scopec_graph_create()));
    return __scopec::success("cudaGraphCreate");
}
inline cudaError_t cudaGraphDestroy(cudaGraph_t) { return __scopec::success("cudaGraphDestroy"); }
inline cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                          size_t count, const cudaKernelNodeParams* given) {
    if (given->extra) __scopec_unmodelled("cudaKernelNodeParams::extra");
    __scopec::node_begin(graph, after, count);
    __scopec::launched(given->func, given->gridDim, given->blockDim, given->kernelParams, given->sharedMemBytes,
                       __scopec::graph_node(), false);
    return __scopec::node_end(node);
}
inline cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                            size_t count, void* to, const void* from, size_t bytes,
                                            cudaMemcpyKind kind) {
    __scopec::node_begin(graph, after, count);
    __scopec::copied(to, from, bytes, kind, __scopec::graph_node(), false);
    return __scopec::node_end(node);
}
inline cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                          size_t count, const cudaMemsetParams* given) {
    unsigned byte = given->value & 0xFF;
    bool bytes = given->elementSize == 1 || given->value == byte * (given->elementSize == 2 ? 0x101u : 0x1010101u);
    if (given->height > 1 || !bytes) __scopec_unmodelled("a memset node of several rows, or of elements of unlike bytes,");
    __scopec::node_begin(graph, after, count);
    __scopec::filled(given->dst, byte, given->width * given->elementSize, __scopec::graph_node(), false);
    return __scopec::node_end(node);
}
inline cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                        size_t count, const cudaHostNodeParams* given) {
    __scopec::node_begin(graph, after, count);
    cudaLaunchHostFunc(__scopec::graph_node(), given->fn, given->userData);
    return __scopec::node_end(node);
}
inline cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                         size_t count) {
    __scopec::node_begin(graph, after, count);
    return __scopec::node_end(node, false);
}
inline cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                               size_t count, cudaEvent_t event) {
    __scopec::node_begin(graph, after, count);
    __scopec_event_node(__scopec::number(event), __scopec::number(__scopec::graph_node()), false);
    return __scopec::node_end(node);
}
inline cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                             size_t count, cudaEvent_t event) {
    __scopec::node_begin(graph, after, count);
    __scopec_event_node(__scopec::number(event), __scopec::number(__scopec::graph_node()), true);
    return __scopec::node_end(node);
}
inline cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                              size_t count, cudaGraph_t child) {
    __scopec::node_begin(graph, after, count);
    __scopec_node_child(__scopec::number(child));
    return __scopec::node_end(node);
}

inline cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                          size_t count, const cudaMemcpy3DParms* given) {
    __scopec::node_begin(graph, after, count);
    __scopec::copied_3d(given, __scopec::graph_node());
    return __scopec::node_end(node);
}
inline cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                            size_t count, cudaMemAllocNodeParams* given) {
    __scopec::node_begin(graph, after, count);
    given->dptr = __scopec_allocate(given->bytesize, 0, "cudaMallocAsync", __scopec::number(__scopec::graph_node()));
    return __scopec::node_end(node);
}
inline cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                           size_t count, void* memory) {
    __scopec::node_begin(graph, after, count);
    __scopec_deallocate(memory, "cudaFreeAsync", __scopec::number(__scopec::graph_node()));
    return __scopec::node_end(node);
}
inline cudaError_t cudaGraphClone(cudaGraph_t* made, cudaGraph_t graph) {
    *made = reinterpret_cast<cudaGraph_t>(long(__scopec_graph_clone(__scopec::number(graph))));
    return __scopec::success("cudaGraphClone");
}
inline cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
    size_t all = __scopec_graph_size(__scopec::number(graph));
    for (size_t i = 0; nodes && i < all && i < *count; i++) nodes[i] = reinterpret_cast<cudaGraphNode_t>(i + 1);
    *count = all;
    return __scopec::success("cudaGraphGetNodes");
}

// ---- executable graphs

inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long flags) {
    if (flags & cudaGraphInstantiateFlagDeviceLaunch) __scopec_unmodelled("cudaGraphInstantiateFlagDeviceLaunch");
    if (flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) __scopec_unmodelled("cudaGraphInstantiateFlagAutoFreeOnLaunch");
    *made = reinterpret_cast<cudaGraphExec_t>(long(__scopec_graph_instantiate(__scopec::number(graph))));
    return cudaSuccess;
}
inline cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* made, cudaGraph_t graph,
                                                 unsigned long long flags) {
    return cudaGraphInstantiate(made, graph, flags);
}
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t made, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* told) {
    __scopec_graph_update(__scopec::number(made), __scopec::number(graph));
    told->result = cudaGraphExecUpdateSuccess;
    return cudaSuccess;
}
inline cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t made, cudaGraphNode_t node,
                                                    const cudaKernelNodeParams* given) {
    if (given->extra) __scopec_unmodelled("cudaKernelNodeParams::extra");
    __scopec_work_open();
    __scopec::launched(given->func, given->gridDim, given->blockDim, given->kernelParams, given->sharedMemBytes,
                       __scopec::graph_node(), false);
    __scopec_work_of(__scopec::number(made), __scopec::number(node));
    return __scopec::success("cudaGraphExecKernelNodeSetParams");
}
inline cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return __scopec::success("cudaGraphUpload"); }
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t made, cudaStream_t stream) {
    __scopec_graph_launch(__scopec::number(made), __scopec::number(stream));
    return __scopec::result();
}
inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) { return __scopec::success("cudaGraphExecDestroy"); }

#pragma clang attribute pop
