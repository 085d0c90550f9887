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
}  // namespace __scopec

inline cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t run, void* data) {
    __scopec_host_function(__scopec::number(stream), run, data);
    return cudaSuccess;
}

// ---- devices

inline cudaError_t cudaDeviceSynchronize() {
    __scopec_device_synchronize();
    return __scopec::result();
}
inline cudaError_t cudaDeviceReset() { return __scopec::success("cudaDeviceReset"); }
inline cudaError_t cudaSetDevice(int device) {
    __scopec_set_device(device);
    return cudaSuccess;
}
inline cudaError_t cudaGetDevice(int* device) {
    *device = __scopec_get_device();
    return __scopec::success("cudaGetDevice");
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
inline cudaError_t cudaEventCreate(cudaEvent_t* event) {
    *event = reinterpret_cast<cudaEvent_t>(long(__scopec_event_create()));
    return __scopec::success("cudaEventCreate");
}
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) { return cudaEventCreate(event); }
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
inline cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return __scopec::copied(to, from, bytes, kind, nullptr, true);
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t stream) {
    return __scopec::copied(to, from, bytes, kind, stream, false);
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
