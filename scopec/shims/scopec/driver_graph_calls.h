// Graphs of the CUDA driver API, as definitions of what is declared the same in scopec's cuda.h and in NVIDIA's: the graphs,
// nodes and captures of the runtime API (graph_calls.h).
#pragma once

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace __scopec {
template <class __P> void kernel_work(const __P* given) {
    const void* kernel = given->func ? (const void*)given->func : (const void*)given->kern;
    kernel_work(kernel, dim3(given->gridDimX, given->gridDimY, given->gridDimZ),
                dim3(given->blockDimX, given->blockDimY, given->blockDimZ), given->kernelParams, given->sharedMemBytes,
                given->extra);
}
template <class __P> void fill_work(const __P* given) {
    fill_work((void*)given->dst, given->value, given->elementSize, given->width, given->height);
}
//! "CU_MEMORYTYPE_UNIFIED": the address says which memory it is.
inline cudaMemcpyKind kind_of(CUmemorytype from, CUmemorytype to) {
    if (from == CU_MEMORYTYPE_ARRAY || to == CU_MEMORYTYPE_ARRAY) __scopec_unmodelled("a copy of a CUDA array");
    if (from == CU_MEMORYTYPE_UNIFIED || to == CU_MEMORYTYPE_UNIFIED) return cudaMemcpyDefault;
    if (from == CU_MEMORYTYPE_HOST) return to == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
    return to == CU_MEMORYTYPE_HOST ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}
template <class __P> const char* source_of(const __P* given) {
    return given->srcMemoryType == CU_MEMORYTYPE_HOST ? (const char*)given->srcHost : (const char*)given->srcDevice;
}
template <class __P> char* target_of(const __P* given) {
    return given->dstMemoryType == CU_MEMORYTYPE_HOST ? (char*)given->dstHost : (char*)given->dstDevice;
}
inline CUresult driver_copied_2d(const CUDA_MEMCPY2D* given, CUstream stream, bool waits) {
    copied_rows(target_of(given) + given->dstY * given->dstPitch + given->dstXInBytes, given->dstPitch, given->Height,
                source_of(given) + given->srcY * given->srcPitch + given->srcXInBytes, given->srcPitch, given->Height,
                given->WidthInBytes, given->Height, 1, kind_of(given->srcMemoryType, given->dstMemoryType), stream, waits);
    return of_driver(result());
}
inline CUresult driver_copied_3d(const CUDA_MEMCPY3D* given, CUstream stream, bool waits) {
    if (!given->WidthInBytes || !given->Height || !given->Depth) __scopec_unmodelled("a copy of no bytes");
    size_t to_row = given->dstZ * given->dstHeight + given->dstY, from_row = given->srcZ * given->srcHeight + given->srcY;
    copied_rows(target_of(given) + to_row * given->dstPitch + given->dstXInBytes, given->dstPitch, given->dstHeight,
                source_of(given) + from_row * given->srcPitch + given->srcXInBytes, given->srcPitch, given->srcHeight,
                given->WidthInBytes, given->Height, given->Depth,
                kind_of(given->srcMemoryType, given->dstMemoryType), stream, waits);
    return of_driver(result());
}
//! cuGraphAddNode makes what the function for its type of node makes.
template <class __P>
cudaError_t driver_added(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count, __P* given) {
    node_begin(graph, after, count);
    switch (int(given->type)) {
        case CU_GRAPH_NODE_TYPE_KERNEL: kernel_work(&given->kernel); break;
        case CU_GRAPH_NODE_TYPE_MEMCPY: driver_copied_3d(&given->memcpy.copyParams, graph_node(), false); break;
        case CU_GRAPH_NODE_TYPE_MEMSET: fill_work(&given->memset); break;
        case CU_GRAPH_NODE_TYPE_HOST: cudaLaunchHostFunc(graph_node(), given->host.fn, given->host.userData); break;
        case CU_GRAPH_NODE_TYPE_GRAPH: __scopec_node_child(number(given->graph.graph)); break;
        case CU_GRAPH_NODE_TYPE_EMPTY: return node_end(node, false);
        case CU_GRAPH_NODE_TYPE_WAIT_EVENT: __scopec_event_node(number(given->eventWait.event), number(graph_node()), true); break;
        case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
            __scopec_event_node(number(given->eventRecord.event), number(graph_node()), false);
            break;
        case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
            driver_allocated(&given->alloc.dptr, given->alloc.bytesize, 0, "cuMemAllocAsync", number(graph_node()));
            break;
        case CU_GRAPH_NODE_TYPE_MEM_FREE: __scopec_deallocate((void*)given->free.dptr, "cudaFreeAsync", number(graph_node())); break;
        case CU_GRAPH_NODE_TYPE_CONDITIONAL: __scopec_unmodelled("a conditional node"); break;
        default: __scopec_unmodelled("this type of node");
    }
    return node_end(node);
}
}  // namespace __scopec

extern "C" {

inline CUresult cuMemcpy2D(const CUDA_MEMCPY2D* given) { return __scopec::driver_copied_2d(given, nullptr, true); }
inline CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* given, CUstream stream) {
    return __scopec::driver_copied_2d(given, stream, false);
}
inline CUresult cuMemcpy3D(const CUDA_MEMCPY3D* given) { return __scopec::driver_copied_3d(given, nullptr, true); }
inline CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D* given, CUstream stream) {
    return __scopec::driver_copied_3d(given, stream, false);
}

// ---- captures

inline CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
    return __scopec::of_driver(cudaStreamBeginCapture(stream, cudaStreamCaptureMode(int(mode))));
}
inline CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode* after,
                                            const CUgraphEdgeData* kinds, size_t count, CUstreamCaptureMode mode) {
    __scopec::check_edges(kinds, count);
    return __scopec::of_driver(
        cudaStreamBeginCaptureToGraph(stream, graph, after, nullptr, count, cudaStreamCaptureMode(int(mode))));
}
inline CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
    return __scopec::of_driver(cudaStreamEndCapture(stream, graph));
}
inline CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
    *status = CUstreamCaptureStatus(__scopec_capture_status(__scopec::number(stream)));
    return __scopec::driven("cuStreamIsCapturing");
}
inline CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                                       const CUgraphNode** after, const CUgraphEdgeData** kinds, size_t* count) {
    cudaStreamCaptureStatus found;
    cudaStreamGetCaptureInfo(stream, &found, nullptr, graph, after, nullptr, count);
    if (id) *id = __scopec_unknown<cuuint64_t>();
    if (kinds && found) *kinds = nullptr;
    *status = CUstreamCaptureStatus(int(found));
    return CUDA_SUCCESS;
}
inline CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode* after, const CUgraphEdgeData* kinds,
                                                  size_t count, unsigned flags) {
    __scopec::check_edges(kinds, count);
    return __scopec::of_driver(cudaStreamUpdateCaptureDependencies(stream, after, nullptr, count, flags));
}

// ---- graphs and their nodes

inline CUresult cuGraphCreate(CUgraph* graph, unsigned flags) { return __scopec::of_driver(cudaGraphCreate(graph, flags)); }
inline CUresult cuGraphDestroy(CUgraph graph) { return __scopec::of_driver(cudaGraphDestroy(graph)); }
inline CUresult cuGraphClone(CUgraph* made, CUgraph graph) { return __scopec::of_driver(cudaGraphClone(made, graph)); }
inline CUresult cuGraphNodeFindInClone(CUgraphNode* found, CUgraphNode node, CUgraph clone) {
    return __scopec::of_driver(cudaGraphNodeFindInClone(found, node, clone));
}
inline CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
    return __scopec::of_driver(cudaGraphGetNodes(graph, nodes, count));
}
inline CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                       const CUgraphEdgeData* kinds, size_t count) {
    __scopec::check_edges(kinds, count);
    return __scopec::of_driver(cudaGraphAddDependencies(graph, from, to, nullptr, count));
}
inline CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                                     const CUDA_KERNEL_NODE_PARAMS* given) {
    __scopec::node_begin(graph, after, count);
    __scopec::kernel_work(given);
    return __scopec::of_driver(__scopec::node_end(node));
}
inline CUresult cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                                     const CUDA_MEMCPY3D* given, CUcontext) {
    __scopec::node_begin(graph, after, count);
    __scopec::driver_copied_3d(given, __scopec::graph_node(), false);
    return __scopec::of_driver(__scopec::node_end(node));
}
inline CUresult cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                                     const CUDA_MEMSET_NODE_PARAMS* given, CUcontext) {
    __scopec::node_begin(graph, after, count);
    __scopec::fill_work(given);
    return __scopec::of_driver(__scopec::node_end(node));
}
inline CUresult cuGraphAddHostNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                                   const CUDA_HOST_NODE_PARAMS* given) {
    __scopec::node_begin(graph, after, count);
    cudaLaunchHostFunc(__scopec::graph_node(), given->fn, given->userData);
    return __scopec::of_driver(__scopec::node_end(node));
}
inline CUresult cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count) {
    return __scopec::of_driver(cudaGraphAddEmptyNode(node, graph, after, count));
}
inline CUresult cuGraphAddEventRecordNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                                          CUevent event) {
    return __scopec::of_driver(cudaGraphAddEventRecordNode(node, graph, after, count, event));
}
inline CUresult cuGraphAddEventWaitNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                                        CUevent event) {
    return __scopec::of_driver(cudaGraphAddEventWaitNode(node, graph, after, count, event));
}
inline CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                                         CUgraph child) {
    return __scopec::of_driver(cudaGraphAddChildGraphNode(node, graph, after, count, child));
}
inline CUresult cuGraphAddMemAllocNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                                       CUDA_MEM_ALLOC_NODE_PARAMS* given) {
    __scopec::node_begin(graph, after, count);
    __scopec::driver_allocated(&given->dptr, given->bytesize, 0, "cuMemAllocAsync", __scopec::number(__scopec::graph_node()));
    return __scopec::of_driver(__scopec::node_end(node));
}
inline CUresult cuGraphAddMemFreeNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
                                      CUdeviceptr memory) {
    return __scopec::of_driver(cudaGraphAddMemFreeNode(node, graph, after, count, (void*)memory));
}
#if CUDA_VERSION >= 13000
inline CUresult cuGraphAddNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, const CUgraphEdgeData* kinds,
                               size_t count, CUgraphNodeParams* given) {
    __scopec::check_edges(kinds, count);
    return __scopec::of_driver(__scopec::driver_added(node, graph, after, count, given));
}
#endif
inline CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* given) {
    __scopec_work_open();
    __scopec::kernel_work(given);
    return __scopec::of_driver(__scopec::changed(node, "cuGraphKernelNodeSetParams"));
}

// ---- executable graphs

inline CUresult cuGraphInstantiate(CUgraphExec* made, CUgraph graph, unsigned long long flags) {
    return __scopec::of_driver(cudaGraphInstantiate(made, graph, flags));
}
inline CUresult cuGraphExecUpdate(CUgraphExec made, CUgraph graph, CUgraphExecUpdateResultInfo* told) {
    cudaGraphExecUpdateResultInfo found;
    cudaError_t result = cudaGraphExecUpdate(made, graph, &found);
    told->result = CUgraphExecUpdateResult(int(found.result));
    told->errorNode = found.errorNode;
    told->errorFromNode = found.errorFromNode;
    return __scopec::of_driver(result);
}
inline CUresult cuGraphExecKernelNodeSetParams(CUgraphExec made, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* given) {
    __scopec_work_open();
    __scopec::kernel_work(given);
    return __scopec::of_driver(__scopec::changed(made, node, "cuGraphExecKernelNodeSetParams"));
}
inline CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec made, CUgraphNode node, const CUDA_MEMCPY3D* given, CUcontext) {
    __scopec_work_open();
    __scopec::driver_copied_3d(given, __scopec::graph_node(), false);
    return __scopec::of_driver(__scopec::changed(made, node, "cuGraphExecMemcpyNodeSetParams"));
}
inline CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec made, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* given,
                                               CUcontext) {
    __scopec_work_open();
    __scopec::fill_work(given);
    return __scopec::of_driver(__scopec::changed(made, node, "cuGraphExecMemsetNodeSetParams"));
}
inline CUresult cuGraphExecHostNodeSetParams(CUgraphExec made, CUgraphNode node, const CUDA_HOST_NODE_PARAMS* given) {
    __scopec_work_open();
    cudaLaunchHostFunc(__scopec::graph_node(), given->fn, given->userData);
    return __scopec::of_driver(__scopec::changed(made, node, "cuGraphExecHostNodeSetParams"));
}
inline CUresult cuGraphNodeSetEnabled(CUgraphExec made, CUgraphNode node, unsigned enabled) {
    return __scopec::of_driver(cudaGraphNodeSetEnabled(made, node, enabled));
}
inline CUresult cuGraphNodeGetEnabled(CUgraphExec made, CUgraphNode node, unsigned* enabled) {
    return __scopec::of_driver(cudaGraphNodeGetEnabled(made, node, enabled));
}
inline CUresult cuGraphUpload(CUgraphExec made, CUstream stream) { return __scopec::of_driver(cudaGraphUpload(made, stream)); }
inline CUresult cuGraphLaunch(CUgraphExec made, CUstream stream) { return __scopec::of_driver(cudaGraphLaunch(made, stream)); }
inline CUresult cuGraphExecDestroy(CUgraphExec made) { return __scopec::of_driver(cudaGraphExecDestroy(made)); }
}

#pragma clang attribute pop
