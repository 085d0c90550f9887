// The CUDA runtime API and the C library of the host, as far as they are modelled, as definitions of what the headers declare:
// as scopec/runtime.h of the shims has it.  A function without one is refused by its name.
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
inline cudaError_t allocated(void** memory, size_t bytes, int storage, const char* by, int stream = -1) {
    *memory = __scopec_allocate(bytes, storage, by, stream);
    return cudaSuccess;
}
inline cudaError_t freed(void* memory, const char* by, int stream = -1) {
    __scopec_deallocate(memory, by, stream);
    return success(by);
}
inline cudaError_t copied(void* to, const void* from, size_t bytes, int kind, cudaStream_t stream, bool waits) {
    __scopec_copy(to, from, bytes, kind, number(stream), waits);
    return result();
}
inline cudaError_t filled(void* to, int byte, size_t bytes, cudaStream_t stream, bool waits) {
    __scopec_fill(to, byte, bytes, number(stream), waits);
    return result();
}
//! `//@ launch cooperative kernel<<<grid, block, shared>>>(arguments);`
template <class... __P> struct cooperative {
    void (*kernel)(__P...);
    dim3 grid, block;
    size_t shared;
    cooperative(void (*kernel)(__P...), dim3 grid, dim3 block, size_t shared = 0)
        : kernel(kernel), grid(grid), block(block), shared(shared) {}
    void operator()(__P... given) const {
        void* arguments[] = {(void*)&given..., nullptr};
        cudaLaunchCooperativeKernel((const void*)kernel, grid, block, arguments, shared, nullptr);
    }
};
}  // namespace __scopec

extern "C" {

// ---- launches

inline cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                                               cudaStream_t stream) {
    __scopec_launch(kernel, arguments, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, __scopec::number(stream),
                    true, 0, 0, 0, 0, false);
    return __scopec::result();
}
inline cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t run, void* data) {
    __scopec_host_function(__scopec::number(stream), run, data);
    return cudaSuccess;
}

// ---- devices

inline cudaError_t cudaDeviceSynchronize() {
    __scopec_device_synchronize();
    return __scopec::result();
}
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

// ---- streams and events

inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    *stream = reinterpret_cast<cudaStream_t>(long(__scopec_stream_create(flags & cudaStreamNonBlocking ? 2 : 1)));
    return __scopec::success("cudaStreamCreate");
}
inline cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }
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
    if (flags != cudaEventWaitDefault) __scopec_unmodelled("cudaStreamWaitEvent with a flag");
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
inline cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    __scopec_event_synchronize(__scopec::number(event));
    return __scopec::result();
}
inline cudaError_t cudaEventQuery(cudaEvent_t event) {
    bool ready = __scopec_event_query(__scopec::number(event)) == 0;
    cudaError_t failed = __scopec::result();
    return failed != cudaSuccess ? failed : ready ? cudaSuccess : cudaErrorNotReady;
}

// ---- memory

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
inline cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
    return __scopec::freed(memory, "cudaFreeAsync", __scopec::number(stream));
}
inline cudaError_t cudaFree(void* memory) { return __scopec::freed(memory, "cudaFree"); }
inline cudaError_t cudaFreeHost(void* memory) { return __scopec::freed(memory, "cudaFreeHost"); }
inline cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return __scopec::copied(to, from, bytes, kind, nullptr, true);
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return __scopec::copied(to, from, bytes, kind, stream, false);
}
inline cudaError_t cudaMemset(void* to, int byte, size_t bytes) { return __scopec::filled(to, byte, bytes, nullptr, true); }
inline cudaError_t cudaMemsetAsync(void* to, int byte, size_t bytes, cudaStream_t stream) {
    return __scopec::filled(to, byte, bytes, stream, false);
}
inline cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind) {
    return __scopec::copied((char*)symbol + offset, from, bytes, kind, nullptr, true);
}
inline cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
    return __scopec::copied(to, (const char*)symbol + offset, bytes, kind, nullptr, true);
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
inline void exit(int) noexcept { __scopec_exit(); }
inline void abort() noexcept { __scopec_exit(); }
inline void* malloc(size_t bytes) noexcept { return __scopec_allocate(bytes, 3, "malloc"); }
inline void* calloc(size_t count, size_t bytes) noexcept { return __scopec_allocate(count * bytes, 3, "calloc"); }
inline void free(void* memory) noexcept { __scopec_deallocate(memory, "free"); }
}

#pragma clang attribute pop
