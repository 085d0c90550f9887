// Functions that clang's headers take from NVIDIA's library of bit code: those of integers, and those of the bits of floating
// point numbers.  Of what the others return nothing is known.
#pragma once

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
extern "C" {
__device__ inline int __nv_abs(int v) { return v < 0 ? -v : v; }
__device__ inline long long __nv_llabs(long long v) { return v < 0 ? -v : v; }
__device__ inline int __nv_min(int a, int b) { return b < a ? b : a; }
__device__ inline int __nv_max(int a, int b) { return a < b ? b : a; }
__device__ inline unsigned __nv_umin(unsigned a, unsigned b) { return b < a ? b : a; }
__device__ inline unsigned __nv_umax(unsigned a, unsigned b) { return a < b ? b : a; }
__device__ inline long long __nv_llmin(long long a, long long b) { return b < a ? b : a; }
__device__ inline long long __nv_llmax(long long a, long long b) { return a < b ? b : a; }
__device__ inline unsigned long long __nv_ullmin(unsigned long long a, unsigned long long b) { return b < a ? b : a; }
__device__ inline unsigned long long __nv_ullmax(unsigned long long a, unsigned long long b) { return a < b ? b : a; }
__device__ inline int __nv_popc(unsigned v) { return __builtin_popcount(v); }
__device__ inline int __nv_popcll(unsigned long long v) { return __builtin_popcountll(v); }
__device__ inline int __nv_ffs(int v) { return __builtin_ffs(v); }
__device__ inline int __nv_ffsll(long long v) { return __builtin_ffsll(v); }
__device__ inline int __nv_clz(int v) { return v ? __builtin_clz(v) : 32; }
__device__ inline int __nv_clzll(long long v) { return v ? __builtin_clzll(v) : 64; }
__device__ inline int __nv_brev(int v) { return __builtin_bitreverse32(v); }
__device__ inline long long __nv_brevll(long long v) { return __builtin_bitreverse64(v); }
__device__ inline int __nv_byte_perm(int x, int y, int selector) {
    const unsigned long long bytes = (unsigned long long)(unsigned)y << 32 | (unsigned)x;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) result |= unsigned(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
    return result;
}
__device__ inline int __nv_mulhi(int x, int y) { return (long long)x * y >> 32; }
__device__ inline unsigned __nv_umulhi(unsigned x, unsigned y) { return (unsigned long long)x * y >> 32; }
__device__ inline long long __nv_mul64hi(long long x, long long y) { return (__int128)x * y >> 64; }
__device__ inline unsigned long long __nv_umul64hi(unsigned long long x, unsigned long long y) {
    return (unsigned __int128)x * y >> 64;
}
__device__ inline int __nv_mul24(int x, int y) {
    return (long long)(int(unsigned(x) << 8) >> 8) * (int(unsigned(y) << 8) >> 8);
}
__device__ inline unsigned __nv_umul24(unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }
__device__ inline int __nv_float_as_int(float v) { return __builtin_bit_cast(int, v); }
__device__ inline unsigned __nv_float_as_uint(float v) { return __builtin_bit_cast(unsigned, v); }
__device__ inline float __nv_int_as_float(int v) { return __builtin_bit_cast(float, v); }
__device__ inline float __nv_uint_as_float(unsigned v) { return __builtin_bit_cast(float, v); }
__device__ inline unsigned long long __nv_double_as_longlong(double v) {
    return __builtin_bit_cast(unsigned long long, v);
}
__device__ inline double __nv_longlong_as_double(long long v) { return __builtin_bit_cast(double, v); }
// The system calls of a kernel (CUDA C++ Programming Guide, "Assertion", "Formatted Output"): as the shims' `assert`, which
// goes on, and `printf`.
__device__ inline void __assertfail(const char* condition, const char*, unsigned, const char*, size_t) {
    __scopec_assert(false, condition);
}
__device__ inline int vprintf(const char*, const char*) {
    __scopec_io();
    return 0;
}
__device__ inline int printf(const char*, ...) {
    __scopec_io();
    return 0;
}
}
#pragma clang attribute pop
