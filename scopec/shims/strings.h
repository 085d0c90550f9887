#pragma once
#include <scopec/intrinsics.h>
SCOPEC_SHIM_BEGIN
extern "C" {
// Declared alone, as what looks into a text is in <cstring>.
const char* __scopec_rindex(const char*, int) __asm__("rindex");
inline int strcasecmp(const char*, const char*) { return __scopec_unknown<int>(); }
inline int strncasecmp(const char*, const char*, size_t) { return __scopec_unknown<int>(); }
}
inline const char* rindex(const char* text, int c) { return __scopec_rindex(text, c); }
inline char* rindex(char* text, int c) { return const_cast<char*>(__scopec_rindex(text, c)); }
SCOPEC_SHIM_END
