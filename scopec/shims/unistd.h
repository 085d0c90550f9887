#pragma once
#include <scopec/intrinsics.h>
SCOPEC_SHIM_BEGIN
inline int usleep(unsigned) { return __scopec_yield(true), 0; }
inline unsigned sleep(unsigned) { return __scopec_yield(true), 0; }
SCOPEC_SHIM_END
