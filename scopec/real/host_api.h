// The CUDA runtime API and the C library of the host, as far as they are modelled, as definitions of what the headers declare:
// the calls that scopec's own headers have in the same words, and those that are templates there.  A function without a
// definition is refused by its name.
#pragma once

#include "../shims/scopec/calls.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

extern "C" {

inline cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                                               cudaStream_t stream) {
    return __scopec::launched(kernel, grid, block, arguments, shared, stream, true);
}

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
