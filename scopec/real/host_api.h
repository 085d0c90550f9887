// The CUDA runtime API and the C library of the host, as far as they are modelled, as definitions of what the headers declare:
// the calls that scopec's own headers have in the same words, and those that are templates there.  A function without a
// definition is refused by its name.
#pragma once

#include <new>

#include "../shims/scopec/allocating.h"
#include "../shims/scopec/calls.h"
#include "../shims/scopec/graph_calls.h"
#include "../shims/scopec/driver_calls.h"
#include "../shims/scopec/driver_modules.h"
#include "../shims/scopec/driver_graph_calls.h"
#include "../shims/scopec/driver_tensors.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

extern "C" {

inline cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                                               cudaStream_t stream) {
    return __scopec::launched(kernel, grid, block, arguments, shared, stream, true);
}

#if CUDART_VERSION >= 13000
inline cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                    const cudaGraphEdgeData* kinds, size_t count, struct cudaGraphNodeParams* given) {
    __scopec::check_edges(kinds, count);
    return __scopec::added(node, graph, after, count, given);
}
#endif
inline cudaError_t cudaMalloc(void** memory, size_t bytes) {
    return __scopec::allocated(memory, bytes, 0, "cudaMalloc");
}
inline cudaError_t cudaMallocManaged(void** memory, size_t bytes, unsigned) {
    return __scopec::allocated(memory, bytes, 1, "cudaMallocManaged");
}
inline cudaError_t cudaMallocHost(void** memory, size_t bytes) {
    return __scopec::allocated(memory, bytes, 2, "cudaMallocHost");
}
inline cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned) {
    return __scopec::allocated(memory, bytes, 2, "cudaHostAlloc");
}
inline cudaError_t cudaMallocAsync(void** memory, size_t bytes, cudaStream_t stream) {
    return __scopec::allocated(memory, bytes, 0, "cudaMallocAsync", __scopec::number(stream));
}
inline cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind) {
    return __scopec::copied((char*)symbol + offset, from, bytes, kind, nullptr, true);
}
inline cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
    return __scopec::copied(to, (const char*)symbol + offset, bytes, kind, nullptr, true);
}
inline cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset,
                                           cudaMemcpyKind kind, cudaStream_t stream) {
    return __scopec::copied((char*)symbol + offset, from, bytes, kind, stream, false);
}
inline cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                             cudaMemcpyKind kind, cudaStream_t stream) {
    return __scopec::copied(to, (const char*)symbol + offset, bytes, kind, stream, false);
}
inline cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
    *address = (void*)symbol;
    return __scopec::success("cudaGetSymbolAddress");
}
inline cudaError_t cudaMallocPitch(void** memory, size_t* pitch, size_t width, size_t height) {
    *pitch = (width + 511) / 512 * 512;
    return __scopec::allocated(memory, *pitch * height, 0, "cudaMallocPitch");
}
inline cudaError_t cudaMallocFromPoolAsync(void** memory, size_t bytes, cudaMemPool_t, cudaStream_t stream) {
    return __scopec::allocated(memory, bytes, 0, "cudaMallocFromPoolAsync", __scopec::number(stream));
}
inline cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
    *device = host;
    return __scopec::success("cudaHostGetDevicePointer");
}
inline cudaError_t cudaMemPrefetchAsync(const void*, size_t, cudaMemLocation, unsigned, cudaStream_t stream) {
    return __scopec::operated(stream, "cudaMemPrefetchAsync");
}
inline CUresult cuMemPrefetchAsync(CUdeviceptr, size_t, CUmemLocation, unsigned, CUstream stream) {
    return __scopec::of_driver(__scopec::operated(stream, "cuMemPrefetchAsync"));
}
inline cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, cudaMemLocation) {
    return __scopec::success("cudaMemAdvise");
}

// ---- kernels: how much of a device one may use changes no answer; how much it does use is not modelled

inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
    return __scopec::of_a_kernel(attributes);
}
inline cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute which, int) {
    if (which >= cudaFuncAttributeRequiredClusterWidth && which <= cudaFuncAttributeRequiredClusterDepth)
        __scopec_unmodelled("cudaFuncAttributeRequiredClusterWidth and its kin");
    return __scopec::success("cudaFuncSetAttribute");
}
inline cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) {
    return __scopec::success("cudaFuncSetCacheConfig");
}
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int, size_t) {
    *blocks = __scopec_unknown<int>();
    return __scopec::success("cudaOccupancyMaxActiveBlocksPerMultiprocessor");
}
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void*, int, size_t,
                                                                          unsigned) {
    *blocks = __scopec_unknown<int>();
    return __scopec::success("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags");
}
inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void*, int, int) {
    *bytes = __scopec_unknown<size_t>();
    return __scopec::success("cudaOccupancyAvailableDynamicSMemPerBlock");
}
inline cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void*, const cudaLaunchConfig_t*) {
    *clusters = __scopec_unknown<int>();
    return __scopec::success("cudaOccupancyMaxActiveClusters");
}
inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void*, const cudaLaunchConfig_t*) {
    *size = __scopec_unknown<int>();
    return __scopec::success("cudaOccupancyMaxPotentialClusterSize");
}

// ---- graphs, as they differ from scopec's own headers

inline cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                                  size_t count, const void* symbol, const void* from, size_t bytes,
                                                  size_t offset, cudaMemcpyKind kind) {
    return cudaGraphAddMemcpyNode1D(node, graph, after, count, (char*)symbol + offset, from, bytes, kind);
}
inline cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                                    const cudaGraphNode_t* after, size_t count, void* to,
                                                    const void* symbol, size_t bytes, size_t offset,
                                                    cudaMemcpyKind kind) {
    return cudaGraphAddMemcpyNode1D(node, graph, after, count, to, (const char*)symbol + offset, bytes, kind);
}

// ---- the C library

inline int printf(const char*, ...) {
    __scopec_io();
    return 0;
}
inline int fprintf(FILE*, const char*, ...) {
    __scopec_io();
    return 0;
}
inline int puts(const char*) {
    __scopec_io();
    return 0;
}
inline void __assert_fail(const char* condition, const char*, unsigned, const char*) noexcept {
    __scopec_assert(false, condition);
    __scopec_exit();
}
inline int sched_yield() noexcept { return __scopec_yield(false), 0; }
inline int usleep(unsigned) { return __scopec_yield(true), 0; }
inline void exit(int) noexcept { __scopec_exit(); }
inline void abort() noexcept { __scopec_exit(); }
inline void* malloc(size_t bytes) noexcept { return __scopec_allocate(bytes, 3, "malloc"); }
inline void* calloc(size_t count, size_t bytes) noexcept { return __scopec_allocate(count * bytes, 3, "calloc"); }
inline void free(void* memory) noexcept { __scopec_deallocate(memory, "free"); }
}
namespace std {
[[noreturn]] inline void terminate() noexcept { __scopec_exit(); }
}  // namespace std

#pragma clang attribute pop
