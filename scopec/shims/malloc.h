#pragma once
#include <cstdlib>
SCOPEC_SHIM_BEGIN
inline void* memalign(size_t, size_t bytes) { return __scopec_allocate(bytes, 3, "malloc"); }
SCOPEC_SHIM_END
