// Graphs: captures, nodes, launches (CUDA runtime API, "Graph Management"), as definitions of what is declared the same in
// scopec's own headers and in NVIDIA's.  A node is what is given to a stream that stands for it; the machine keeps what that
// is, and gives it to the launching stream (intrinsics/graph_launches.py).
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

// What nodes do: each is given to the stream of nodes.
namespace __scopec {
inline void kernel_work(const void* kernel, dim3 grid, dim3 block, void** arguments, unsigned shared, void** extra) {
    if (extra) __scopec_unmodelled("the extra arguments of a kernel node");
    launched(kernel, grid, block, arguments, shared, graph_node(), false);
}
inline void fill_work(void* to, unsigned value, unsigned size, size_t width, size_t height) {
    unsigned byte = value & 0xFF;
    bool bytes = size == 1 || value == byte * (size == 2 ? 0x101u : 0x1010101u);
    if (height > 1 || !bytes) __scopec_unmodelled("a memset node of several rows, or of elements of unlike bytes,");
    filled(to, int(byte), width * size, graph_node(), false);
}
//! Rows of bytes, each so many after the last, of slices that have so many rows.
inline void copied_rows(char* to, size_t to_pitch, size_t to_rows, const char* from, size_t from_pitch, size_t from_rows,
                        size_t width, size_t height, size_t depth, cudaMemcpyKind kind, cudaStream_t stream, bool waits) {
    for (size_t slice = 0; slice < depth; slice++)
        for (size_t row = 0; row < height; row++)
            copied(to + (slice * to_rows + row) * to_pitch, from + (slice * from_rows + row) * from_pitch, width, kind,
                   stream, waits);
}
inline cudaError_t copied_3d(const cudaMemcpy3DParms* given, cudaStream_t stream, bool waits = false) {
    const cudaPos &from = given->srcPos, &to = given->dstPos;
    const cudaPitchedPtr &source = given->srcPtr, &target = given->dstPtr;
    const cudaExtent& size = given->extent;
    if (given->srcArray || given->dstArray) __scopec_unmodelled("a copy of a CUDA array");
    if (!size.width || !size.height || !size.depth) __scopec_unmodelled("a copy of no bytes");
    copied_rows((char*)target.ptr + (to.z * target.ysize + to.y) * target.pitch + to.x, target.pitch, target.ysize,
                (const char*)source.ptr + (from.z * source.ysize + from.y) * source.pitch + from.x, source.pitch,
                source.ysize, size.width, size.height, size.depth, given->kind, stream, waits);
    return result();
}
template <class __E> void check_edges(const __E* kinds, size_t count) {
    for (size_t i = 0; kinds && i < count; i++)
        if (kinds[i].from_port || kinds[i].to_port || kinds[i].type)
            __scopec_unmodelled("an edge that is programmatic, or from another port (cudaGraphEdgeData)");
}
inline cudaError_t changed(cudaGraphExec_t made, cudaGraphNode_t node, const char* by) {
    __scopec_work_of(number(made), number(node));
    return success(by);
}
inline cudaError_t changed(cudaGraphNode_t node, const char* by) {
    __scopec_work_in(number(node));
    return success(by);
}
}  // namespace __scopec

inline cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* given) { return __scopec::copied_3d(given, nullptr, true); }
inline cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* given, cudaStream_t stream) {
    return __scopec::copied_3d(given, stream);
}
inline cudaError_t cudaMalloc3D(cudaPitchedPtr* memory, cudaExtent size) {
    *memory = make_cudaPitchedPtr(nullptr, (size.width + 511) / 512 * 512, size.width, size.height);
    return __scopec::allocated(&memory->ptr, memory->pitch * size.height * size.depth, 0, "cudaMalloc3D");
}

// ---- captures

inline cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
    __scopec_capture_begin(__scopec::number(stream), mode);
    return __scopec::success("cudaStreamBeginCapture");
}
inline cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* after,
                                                 const cudaGraphEdgeData* kinds, size_t count, cudaStreamCaptureMode mode) {
    __scopec::check_edges(kinds, count);
    __scopec_capture_begin(__scopec::number(stream), mode, __scopec::number(graph));
    for (size_t i = 0; i < count; i++) __scopec_capture_after(__scopec::number(stream), __scopec::number(after[i]));
    return __scopec::success("cudaStreamBeginCaptureToGraph");
}
inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* after,
                                                       const cudaGraphEdgeData* kinds, size_t count, unsigned flags) {
    __scopec::check_edges(kinds, count);
    if (flags & cudaStreamSetCaptureDependencies) __scopec_capture_clear(__scopec::number(stream));
    for (size_t i = 0; i < count; i++) __scopec_capture_after(__scopec::number(stream), __scopec::number(after[i]));
    return __scopec::success("cudaStreamUpdateCaptureDependencies");
}
inline cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    *graph = reinterpret_cast<cudaGraph_t>(long(__scopec_capture_end(__scopec::number(stream))));
    return __scopec::success("cudaStreamEndCapture");
}
inline cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    *status = cudaStreamCaptureStatus(__scopec_capture_status(__scopec::number(stream)));
    return __scopec::success("cudaStreamIsCapturing");
}
inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                                            cudaGraph_t* graph, const cudaGraphNode_t** after,
                                            const cudaGraphEdgeData** kinds, size_t* count) {
    int of = __scopec::number(stream);
    if (id) *id = __scopec_unknown<unsigned long long>();
    if (__scopec_capture_status(of)) {
        if (kinds) *kinds = nullptr;
        if (graph) *graph = reinterpret_cast<cudaGraph_t>(long(__scopec_capture_graph(of)));
        size_t all = __scopec_capture_count(of);
        if (count) *count = all;
        if (after) {
            auto* found = static_cast<cudaGraphNode_t*>(__scopec_handles(all));
            for (size_t i = 0; i < all; i++)
                found[i] = reinterpret_cast<cudaGraphNode_t>(long(__scopec_capture_node(of, int(i))));
            *after = found;
        }
    }
    return cudaStreamIsCapturing(stream, status);
}

// ---- graphs and their nodes

inline cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
    *graph = reinterpret_cast<cudaGraph_t>(long(__scopec_graph_create()));
    return __scopec::success("cudaGraphCreate");
}
inline cudaError_t cudaGraphDestroy(cudaGraph_t) { return __scopec::success("cudaGraphDestroy"); }
inline cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                          size_t count, const cudaKernelNodeParams* given) {
    __scopec::node_begin(graph, after, count);
    __scopec::kernel_work(given->func, given->gridDim, given->blockDim, given->kernelParams, given->sharedMemBytes,
                          given->extra);
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
    __scopec::node_begin(graph, after, count);
    __scopec::fill_work(given->dst, given->value, given->elementSize, given->width, given->height);
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
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                            const cudaGraphEdgeData* kinds, size_t count) {
    __scopec::check_edges(kinds, count);
    for (size_t i = 0; i < count; i++)
        __scopec_graph_edge(__scopec::number(graph), __scopec::number(from[i]), __scopec::number(to[i]));
    return __scopec::success("cudaGraphAddDependencies");
}
namespace __scopec {
//! cudaGraphAddNode makes what the function for its type of node makes.
template <class __P>
cudaError_t added(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count, __P* given) {
    node_begin(graph, after, count);
    switch (int(given->type)) {
        case cudaGraphNodeTypeKernel:
            kernel_work(given->kernel.func, given->kernel.gridDim, given->kernel.blockDim, given->kernel.kernelParams,
                        given->kernel.sharedMemBytes, given->kernel.extra);
            break;
        case cudaGraphNodeTypeMemcpy: copied_3d(&given->memcpy.copyParams, graph_node()); break;
        case cudaGraphNodeTypeMemset:
            fill_work(given->memset.dst, given->memset.value, given->memset.elementSize, given->memset.width,
                      given->memset.height);
            break;
        case cudaGraphNodeTypeHost: cudaLaunchHostFunc(graph_node(), given->host.fn, given->host.userData); break;
        case cudaGraphNodeTypeGraph: __scopec_node_child(number(given->graph.graph)); break;
        case cudaGraphNodeTypeEmpty: return node_end(node, false);
        case cudaGraphNodeTypeWaitEvent: __scopec_event_node(number(given->eventWait.event), number(graph_node()), true); break;
        case cudaGraphNodeTypeEventRecord:
            __scopec_event_node(number(given->eventRecord.event), number(graph_node()), false);
            break;
        case cudaGraphNodeTypeMemAlloc:
            given->alloc.dptr = __scopec_allocate(given->alloc.bytesize, 0, "cudaMallocAsync", number(graph_node()));
            break;
        case cudaGraphNodeTypeMemFree: __scopec_deallocate(given->free.dptr, "cudaFreeAsync", number(graph_node())); break;
        case cudaGraphNodeTypeConditional: __scopec_unmodelled("a conditional node"); break;
        default: __scopec_unmodelled("this type of node");
    }
    return node_end(node);
}
}  // namespace __scopec

inline cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* given) {
    __scopec_work_open();
    __scopec::kernel_work(given->func, given->gridDim, given->blockDim, given->kernelParams, given->sharedMemBytes,
                          given->extra);
    return __scopec::changed(node, "cudaGraphKernelNodeSetParams");
}
inline cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* given) {
    __scopec_work_open();
    __scopec::copied_3d(given, __scopec::graph_node());
    return __scopec::changed(node, "cudaGraphMemcpyNodeSetParams");
}
inline cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, size_t bytes,
                                                  cudaMemcpyKind kind) {
    __scopec_work_open();
    __scopec::copied(to, from, bytes, kind, __scopec::graph_node(), false);
    return __scopec::changed(node, "cudaGraphMemcpyNodeSetParams1D");
}
inline cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* given) {
    __scopec_work_open();
    __scopec::fill_work(given->dst, given->value, given->elementSize, given->width, given->height);
    return __scopec::changed(node, "cudaGraphMemsetNodeSetParams");
}
inline cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* given) {
    __scopec_work_open();
    cudaLaunchHostFunc(__scopec::graph_node(), given->fn, given->userData);
    return __scopec::changed(node, "cudaGraphHostNodeSetParams");
}
inline cudaError_t cudaGraphClone(cudaGraph_t* made, cudaGraph_t graph) {
    *made = reinterpret_cast<cudaGraph_t>(long(__scopec_graph_clone(__scopec::number(graph))));
    return __scopec::success("cudaGraphClone");
}
inline cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* found, cudaGraphNode_t node, cudaGraph_t clone) {
    long own = __scopec::number(node) & 0xFFFF;
    *found = reinterpret_cast<cudaGraphNode_t>((long(__scopec::number(clone)) << 16) + own);
    return __scopec::success("cudaGraphNodeFindInClone");
}
inline cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
    size_t all = __scopec_graph_size(__scopec::number(graph));
    for (size_t i = 0; nodes && i < all && i < *count; i++)
        nodes[i] = reinterpret_cast<cudaGraphNode_t>((long(__scopec::number(graph)) << 16) + long(i) + 1);
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
    long found = __scopec_graph_update(__scopec::number(made), __scopec::number(graph));
    told->result = cudaGraphExecUpdateResult(found & 15);
    told->errorNode = reinterpret_cast<cudaGraphNode_t>(found >> 4);
    told->errorFromNode = nullptr;
    return found ? cudaErrorGraphExecUpdateFailure : cudaSuccess;
}
inline cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t made, cudaGraphNode_t node,
                                                    const cudaKernelNodeParams* given) {
    __scopec_work_open();
    __scopec::kernel_work(given->func, given->gridDim, given->blockDim, given->kernelParams, given->sharedMemBytes,
                          given->extra);
    return __scopec::changed(made, node, "cudaGraphExecKernelNodeSetParams");
}
inline cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t made, cudaGraphNode_t node,
                                                    const cudaMemcpy3DParms* given) {
    __scopec_work_open();
    __scopec::copied_3d(given, __scopec::graph_node());
    return __scopec::changed(made, node, "cudaGraphExecMemcpyNodeSetParams");
}
inline cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t made, cudaGraphNode_t node, void* to, const void* from,
                                                      size_t bytes, cudaMemcpyKind kind) {
    __scopec_work_open();
    __scopec::copied(to, from, bytes, kind, __scopec::graph_node(), false);
    return __scopec::changed(made, node, "cudaGraphExecMemcpyNodeSetParams1D");
}
inline cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t made, cudaGraphNode_t node,
                                                    const cudaMemsetParams* given) {
    __scopec_work_open();
    __scopec::fill_work(given->dst, given->value, given->elementSize, given->width, given->height);
    return __scopec::changed(made, node, "cudaGraphExecMemsetNodeSetParams");
}
inline cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t made, cudaGraphNode_t node,
                                                  const cudaHostNodeParams* given) {
    __scopec_work_open();
    cudaLaunchHostFunc(__scopec::graph_node(), given->fn, given->userData);
    return __scopec::changed(made, node, "cudaGraphExecHostNodeSetParams");
}
inline cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t made, cudaGraphNode_t node, cudaEvent_t event) {
    __scopec_work_open();
    __scopec_event_node(__scopec::number(event), __scopec::number(__scopec::graph_node()), false);
    return __scopec::changed(made, node, "cudaGraphExecEventRecordNodeSetEvent");
}
inline cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t made, cudaGraphNode_t node, cudaEvent_t event) {
    __scopec_work_open();
    __scopec_event_node(__scopec::number(event), __scopec::number(__scopec::graph_node()), true);
    return __scopec::changed(made, node, "cudaGraphExecEventWaitNodeSetEvent");
}
inline cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t made, cudaGraphNode_t node, unsigned enabled) {
    __scopec_node_enable(__scopec::number(made), __scopec::number(node), enabled != 0);
    return __scopec::success("cudaGraphNodeSetEnabled");
}
inline cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t made, cudaGraphNode_t node, unsigned* enabled) {
    *enabled = __scopec_node_enabled(__scopec::number(made), __scopec::number(node));
    return __scopec::success("cudaGraphNodeGetEnabled");
}
inline cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t stream) {
    return __scopec::operated(stream, "cudaGraphUpload");
}
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t made, cudaStream_t stream) {
    __scopec_graph_launch(__scopec::number(made), __scopec::number(stream));
    return __scopec::result();
}
inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) { return __scopec::success("cudaGraphExecDestroy"); }

#pragma clang attribute pop
