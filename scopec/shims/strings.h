#pragma once
#include <scopec/intrinsics.h>
SCOPEC_SHIM_BEGIN
extern "C" {
inline int strcasecmp(const char*, const char*) { return __scopec_unknown<int>(); }
inline int strncasecmp(const char*, const char*, size_t) { return __scopec_unknown<int>(); }
}
SCOPEC_SHIM_END
