// __pipeline_memcpy_async and its groups: cp.async.
#pragma once
#include <scopec_cuda.h>
SCOPEC_SHIM_BEGIN
inline void __pipeline_memcpy_async(void* to, const void* from, size_t size, size_t zeros = 0) {
    __scopec_in_kernel();
    __scopec_agent(true);
    if (zeros < size) __builtin_memcpy(to, from, size - zeros);
    if (zeros) __builtin_memset((char*)to + (size - zeros), 0, zeros);
    __scopec_agent(false);
}
inline void __pipeline_commit() { __scopec_commit_copies(); }
inline void __pipeline_wait_prior(size_t left) { __scopec_await_copies(int(left)); }
SCOPEC_SHIM_END
