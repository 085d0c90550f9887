#pragma once
#include <scopec/intrinsics.h>
SCOPEC_SHIM_BEGIN
inline int sched_yield() { return __scopec_yield(false), 0; }
SCOPEC_SHIM_END
