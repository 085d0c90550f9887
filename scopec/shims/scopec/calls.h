// Calls of the CUDA runtime API whose declarations are the same in scopec's own headers and in NVIDIA's, as definitions: read
// behind the types and the declarations of either.  Calls are taken to succeed, but for what a trap leaves.
#pragma once

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace __scopec {
inline int number(cudaStream_t stream) { return int(reinterpret_cast<long>(stream)); }
inline int number(cudaEvent_t event) { return int(reinterpret_cast<long>(event)); }
inline cudaError_t result() { return cudaError_t(__scopec_last_error()); }
inline cudaError_t success(const char* name) {
    __scopec_api(name);
    return cudaSuccess;
}
inline cudaError_t launched(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                            cudaStream_t stream, bool cooperative, dim3 cluster = {0, 0, 0}, int domain = 0,
                            bool dependent = false) {
    __scopec_launch(kernel, arguments, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, number(stream),
                    cooperative, cluster.x, cluster.y, cluster.z, domain, dependent);
    return result();
}
//! What attributes ask of a launch, by the numbers that the runtime and the driver API share.
struct launch_options {
    bool cooperative = false, dependent = false;
    dim3 cluster = {0, 0, 0};
    int domain = 0;
    template <class __V> void take(int attribute, const __V& value) {
        switch (attribute) {
            case 0: case 1: case 5: case 8: case 14: break;  // hints: caches, shared memory, priorities, where clusters are
            case 2: cooperative = value.cooperative != 0; break;
            case 4: cluster = dim3(value.clusterDim.x, value.clusterDim.y, value.clusterDim.z); break;
            case 6: dependent = value.programmaticStreamSerializationAllowed != 0; break;
            case 7: __scopec_launch_event(number(value.programmaticEvent.event), value.programmaticEvent.triggerAtBlockStart ? 1 : 0,
                                          value.programmaticEvent.flags); break;
            case 9: __scopec_unmodelled("cudaLaunchAttributeMemSyncDomainMap"); break;
            case 10: domain = int(value.memSyncDomain); break;
            case 11: __scopec_unmodelled("cudaLaunchAttributePreferredClusterDimension"); break;
            case 12: __scopec_launch_event(number(value.launchCompletionEvent.event), 2, value.launchCompletionEvent.flags); break;
            case 13: __scopec_unmodelled("cudaLaunchAttributeDeviceUpdatableKernelNode"); break;
            default: __scopec_unmodelled("this launch attribute");
        }
    }
};
//! `//@ launch cooperative kernel<<<grid, block, shared>>>(arguments);`
template <class... __P>
struct cooperative {
    void (*kernel)(__P...);
    dim3 grid, block;
    size_t shared;
    cooperative(void (*kernel)(__P...), dim3 grid, dim3 block, size_t shared = 0)
        : kernel(kernel), grid(grid), block(block), shared(shared) {}
    void operator()(__P... given) const {
        void* arguments[] = {(void*)&given..., nullptr};
        launched((const void*)kernel, grid, block, arguments, shared, nullptr, true);
    }
};
template <class __T>
cudaError_t allocated(__T** memory, size_t bytes, int storage, const char* by, int stream = -1) {
    *memory = static_cast<__T*>(__scopec_allocate(bytes, storage, by, stream));
    return cudaSuccess;
}
inline cudaError_t freed(void* memory, const char* by, int stream = -1) {
    __scopec_deallocate(memory, by, stream);
    return success(by);
}
inline cudaError_t copied(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream,
                          bool waits) {
    __scopec_copy(to, from, bytes, kind, number(stream), waits);
    return result();
}
inline cudaError_t filled(void* to, int byte, size_t bytes, cudaStream_t stream, bool waits) {
    __scopec_fill(to, byte, bytes, number(stream), waits);
    return result();
}
inline cudaError_t operated(cudaStream_t stream, const char* by) {
    __scopec_stream_operation(number(stream), by);
    return success(by);
}
inline cudaError_t of_a_kernel(cudaFuncAttributes* attributes) {
    attributes->sharedSizeBytes = __scopec_unknown<size_t>();
    attributes->constSizeBytes = __scopec_unknown<size_t>();
    attributes->localSizeBytes = __scopec_unknown<size_t>();
    attributes->maxThreadsPerBlock = __scopec_unknown<int>();
    attributes->numRegs = __scopec_unknown<int>();
    attributes->ptxVersion = __scopec_unknown<int>();
    attributes->binaryVersion = __scopec_unknown<int>();
    attributes->cacheModeCA = __scopec_unknown<int>();
    attributes->maxDynamicSharedSizeBytes = __scopec_unknown<int>();
    attributes->preferredShmemCarveout = __scopec_unknown<int>();
    return __scopec::success("cudaFuncGetAttributes");
}
}  // namespace __scopec

inline cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t run, void* data) {
    __scopec_host_function(__scopec::number(stream), run, data);
    return cudaSuccess;
}

inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** arguments) {
    __scopec::launch_options asked;
    for (unsigned i = 0; i < config->numAttrs; i++) asked.take(config->attrs[i].id, config->attrs[i].val);
    return __scopec::launched(kernel, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
                              config->stream, asked.cooperative, asked.cluster, asked.domain, asked.dependent);
}

// ---- devices

inline cudaError_t cudaDeviceSynchronize() {
    __scopec_device_synchronize();
    return __scopec::result();
}
inline cudaError_t cudaDeviceReset() { return __scopec::success("cudaDeviceReset"); }
inline cudaError_t cudaSetDevice(int device) {
    __scopec_context(device, true);
    __scopec_set_device(device);
    return cudaSuccess;
}
inline cudaError_t cudaGetDevice(int* device) {
    *device = __scopec_get_device();
    return __scopec::success("cudaGetDevice");
}
inline cudaError_t cudaGetDeviceCount(int* count) {
    *count = __scopec_unknown<int>();
    return __scopec::success("cudaGetDeviceCount");
}
inline cudaError_t cudaSetDeviceFlags(unsigned) { return __scopec::success("cudaSetDeviceFlags"); }
inline cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
    return __scopec::success("cudaDeviceEnablePeerAccess");
}
inline cudaError_t cudaDeviceDisablePeerAccess(int) { return __scopec::success("cudaDeviceDisablePeerAccess"); }
inline cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int, int) {
    *value = __scopec_unknown<int>();
    return __scopec::success("cudaDeviceGetP2PAttribute");
}
inline cudaError_t cudaInitDevice(int, unsigned, unsigned) { return __scopec::success("cudaInitDevice"); }
inline cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) {
    *device = __scopec_unknown<int>();
    return __scopec::success("cudaChooseDevice");
}
inline cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
    *can = __scopec_unknown<int>();
    return __scopec::success("cudaDeviceCanAccessPeer");
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
    switch (attribute) {
        case cudaDevAttrCooperativeLaunch:
        case cudaDevAttrClusterLaunch:
        case cudaDevAttrUnifiedAddressing:
        case cudaDevAttrManagedMemory:
        case cudaDevAttrCanMapHostMemory: *value = 1; break;
        case cudaDevAttrWarpSize: *value = 32; break;
        case cudaDevAttrIntegrated: *value = 0; break;
        case cudaDevAttrComputeMode: *value = 0; break;  // cudaComputeModeDefault
        default: *value = __scopec_unknown<int>();
    }
    return __scopec::success("cudaDeviceGetAttribute");
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
    properties->warpSize = 32;
    properties->maxThreadsPerBlock = 1024;
    properties->major = 9;
    properties->minor = 0;
    properties->cooperativeLaunch = 1;
    properties->managedMemory = 1;
    properties->concurrentManagedAccess = 1;
    properties->canMapHostMemory = 1;
    properties->unifiedAddressing = 1;
    properties->integrated = 0;
#ifndef SCOPEC_REAL  // CUDA 13 has none
    properties->computeMode = cudaComputeModeDefault;
#endif
    properties->multiProcessorCount = __scopec_unknown<int>();
    properties->pageableMemoryAccess = __scopec_unknown<int>();
    properties->totalGlobalMem = __scopec_unknown<size_t>();
    properties->sharedMemPerBlock = __scopec_unknown<size_t>();
    properties->sharedMemPerBlockOptin = __scopec_unknown<size_t>();
    properties->sharedMemPerMultiprocessor = __scopec_unknown<size_t>();
    properties->totalConstMem = __scopec_unknown<size_t>();
    properties->regsPerBlock = __scopec_unknown<int>();
    properties->l2CacheSize = __scopec_unknown<int>();
    properties->maxThreadsPerMultiProcessor = __scopec_unknown<int>();
    properties->maxBlocksPerMultiProcessor = __scopec_unknown<int>();
    properties->memoryBusWidth = __scopec_unknown<int>();
    properties->asyncEngineCount = __scopec_unknown<int>();
    properties->concurrentKernels = __scopec_unknown<int>();
    properties->hostNativeAtomicSupported = __scopec_unknown<int>();
    for (int i = 0; i < 3; i++) properties->maxThreadsDim[i] = i < 2 ? 1024 : 64;
    for (int i = 0; i < 3; i++) properties->maxGridSize[i] = i < 1 ? 2147483647 : 65535;
    return __scopec::success("cudaGetDeviceProperties");
}
inline cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return __scopec::success("cudaDeviceSetLimit"); }
inline cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return __scopec::success("cudaDeviceSetCacheConfig"); }
inline cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit) {
    *value = __scopec_unknown<size_t>();
    return __scopec::success("cudaDeviceGetLimit");
}
inline cudaError_t cudaGetDeviceFlags(unsigned* flags) {
    *flags = __scopec_unknown<unsigned>();
    return __scopec::success("cudaGetDeviceFlags");
}
inline cudaError_t cudaCtxResetPersistingL2Cache() { return __scopec::success("cudaCtxResetPersistingL2Cache"); }
inline cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    *free = __scopec_unknown<size_t>();
    *total = __scopec_unknown<size_t>();
    return __scopec::success("cudaMemGetInfo");
}
inline cudaError_t cudaDriverGetVersion(int* version) {
    *version = __scopec_unknown<int>();
    return __scopec::success("cudaDriverGetVersion");
}
inline cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = CUDART_VERSION;
    return __scopec::success("cudaRuntimeGetVersion");
}
inline cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    *least = __scopec_unknown<int>();
    *greatest = __scopec_unknown<int>();
    return __scopec::success("cudaDeviceGetStreamPriorityRange");
}
inline cudaError_t cudaGetLastError() {
    __scopec_api("cudaGetLastError");
    return __scopec::result();
}
inline cudaError_t cudaPeekAtLastError() {
    __scopec_api("cudaPeekAtLastError");
    return __scopec::result();
}
inline const char* cudaGetErrorString(cudaError_t) { return ""; }
inline const char* cudaGetErrorName(cudaError_t) { return ""; }

// ---- streams and events: a handle is the number that the machine gave

inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    *stream = reinterpret_cast<cudaStream_t>(long(__scopec_stream_create(flags & cudaStreamNonBlocking ? 2 : 1)));
    return __scopec::success("cudaStreamCreate");
}
inline cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
    return cudaStreamCreateWithFlags(stream, flags);
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    __scopec_stream_destroy(__scopec::number(stream));
    return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    __scopec_stream_synchronize(__scopec::number(stream));
    return __scopec::result();
}
inline cudaError_t cudaStreamQuery(cudaStream_t stream) {
    bool ready = __scopec_stream_query(__scopec::number(stream)) == 0;
    cudaError_t failed = __scopec::result();
    return failed != cudaSuccess ? failed : ready ? cudaSuccess : cudaErrorNotReady;
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    if (flags & cudaEventWaitExternal && __scopec_capture_status(__scopec::number(stream))) {
        __scopec_event_node(__scopec::number(event), __scopec::number(stream), true);
        return cudaSuccess;
    }
    __scopec_stream_wait_event(__scopec::number(stream), __scopec::number(event));
    return cudaSuccess;
}
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    *event = reinterpret_cast<cudaEvent_t>(long(__scopec_event_create(flags)));
    return __scopec::success("cudaEventCreate");
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
    __scopec_event_destroy(__scopec::number(event));
    return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    __scopec_event_record(__scopec::number(event), __scopec::number(stream));
    return cudaSuccess;
}
inline cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    if (flags & cudaEventRecordExternal && __scopec_capture_status(__scopec::number(stream))) {
        __scopec_event_node(__scopec::number(event), __scopec::number(stream), false);
        return cudaSuccess;
    }
    return cudaEventRecord(event, stream);
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    __scopec_event_synchronize(__scopec::number(event));
    return __scopec::result();
}
inline cudaError_t cudaEventQuery(cudaEvent_t event) {
    bool ready = __scopec_event_query(__scopec::number(event)) == 0;
    cudaError_t failed = __scopec::result();
    return failed != cudaSuccess ? failed : ready ? cudaSuccess : cudaErrorNotReady;
}
inline cudaError_t cudaStreamGetPriority(cudaStream_t, int* priority) {
    *priority = __scopec_unknown<int>();
    return __scopec::success("cudaStreamGetPriority");
}
inline cudaError_t cudaStreamGetFlags(cudaStream_t, unsigned* flags) {
    *flags = __scopec_unknown<unsigned>();
    return __scopec::success("cudaStreamGetFlags");
}
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
    *milliseconds = __scopec_unknown<float>();
    return __scopec::success("cudaEventElapsedTime");
}

// ---- memory and copies

inline cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
    return __scopec::freed(memory, "cudaFreeAsync", __scopec::number(stream));
}
inline cudaError_t cudaFree(void* memory) { return __scopec::freed(memory, "cudaFree"); }
inline cudaError_t cudaFreeHost(void* memory) { return __scopec::freed(memory, "cudaFreeHost"); }
inline cudaError_t cudaHostRegister(void* memory, size_t bytes, unsigned) {
    __scopec_register(memory, bytes);
    return cudaSuccess;
}
inline cudaError_t cudaHostUnregister(void* memory) {
    __scopec_unregister(memory);
    return cudaSuccess;
}
inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    attributes->type = cudaMemoryType(__scopec_unknown<int>());
    attributes->device = __scopec_unknown<int>();
    attributes->devicePointer = attributes->hostPointer = const_cast<void*>(pointer);
    return __scopec::success("cudaPointerGetAttributes");
}
inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
    *pool = nullptr;  // which memory a pool has changes no answer
    return __scopec::success("cudaDeviceGetDefaultMemPool");
}
inline cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
    return cudaDeviceGetDefaultMemPool(pool, device);
}
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
    return __scopec::success("cudaMemPoolSetAttribute");
}
inline cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return __scopec::success("cudaMemPoolTrimTo"); }
inline cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return __scopec::copied(to, from, bytes, kind, nullptr, true);
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t stream) {
    return __scopec::copied(to, from, bytes, kind, stream, false);
}
inline cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
    __scopec_peer_copy(to, from, bytes, cudaMemcpyDefault, 1, false, to_device, from_device);
    return __scopec::result();
}
inline cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes,
                                       cudaStream_t stream) {
    return __scopec::copied(to, from, bytes, cudaMemcpyDefault, stream, false);
}
inline cudaError_t cudaMemset(void* to, int byte, size_t bytes) {
    return __scopec::filled(to, byte, bytes, nullptr, true);
}
inline cudaError_t cudaMemsetAsync(void* to, int byte, size_t bytes, cudaStream_t stream) {
    return __scopec::filled(to, byte, bytes, stream, false);
}
inline cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int byte, size_t width, size_t height,
                                     cudaStream_t stream) {
    for (size_t row = 0; row < height; row++) __scopec::filled((char*)to + row * pitch, byte, width, stream, false);
    return __scopec::result();
}
inline cudaError_t cudaMemset2D(void* to, size_t pitch, int byte, size_t width, size_t height) {
    for (size_t row = 0; row < height; row++) __scopec::filled((char*)to + row * pitch, byte, width, nullptr, true);
    return __scopec::result();
}
inline cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t stream) {
    return __scopec::operated(stream, "cudaMemPrefetchAsync");
}
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void*, size_t, unsigned) {
    return __scopec::operated(stream, "cudaStreamAttachMemAsync");
}
inline cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                     size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    for (size_t row = 0; row < height; row++)
        __scopec::copied((char*)to + row * to_pitch, (const char*)from + row * from_pitch, width, kind, stream, false);
    return __scopec::result();
}
inline cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                size_t height, cudaMemcpyKind kind) {
    for (size_t row = 0; row < height; row++)
        __scopec::copied((char*)to + row * to_pitch, (const char*)from + row * from_pitch, width, kind, nullptr, true);
    return __scopec::result();
}

#pragma clang attribute pop
