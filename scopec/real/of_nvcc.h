// Functions that CUDA's headers have for its own compiler alone.
#pragma once

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

// ---- arithmetic of two floating-point numbers at a time (crt/sm_100_rt.h)

#define SCOPEC_PAIRS(ROUNDING)                                                                                \
    __device__ inline float2 __fadd2_##ROUNDING(float2 x, float2 y) { return {x.x + y.x, x.y + y.y}; }        \
    __device__ inline float2 __fmul2_##ROUNDING(float2 x, float2 y) { return {x.x * y.x, x.y * y.y}; }        \
    __device__ inline float2 __ffma2_##ROUNDING(float2 x, float2 y, float2 z) {                               \
        return {x.x * y.x + z.x, x.y * y.y + z.y};                                                            \
    }
SCOPEC_PAIRS(rn)
SCOPEC_PAIRS(rz)
SCOPEC_PAIRS(rd)
SCOPEC_PAIRS(ru)
#undef SCOPEC_PAIRS

// ---- min and max of the host, of two types too (crt/math_functions.h); those of kernels are clang's

#define SCOPEC_LEAST(TYPE, LEFT, RIGHT)                                                                       \
    __host__ inline constexpr TYPE min(LEFT a, RIGHT b) { return TYPE(b) < TYPE(a) ? TYPE(b) : TYPE(a); }     \
    __host__ inline constexpr TYPE max(LEFT a, RIGHT b) { return TYPE(a) < TYPE(b) ? TYPE(b) : TYPE(a); }
#define SCOPEC_LEAST_OF(SIGNED, UNSIGNED)                                                                     \
    SCOPEC_LEAST(SIGNED, SIGNED, SIGNED)                                                                      \
    SCOPEC_LEAST(UNSIGNED, UNSIGNED, UNSIGNED)                                                                \
    SCOPEC_LEAST(UNSIGNED, SIGNED, UNSIGNED)                                                                  \
    SCOPEC_LEAST(UNSIGNED, UNSIGNED, SIGNED)
using __scopec_uint = unsigned;
using __scopec_ulong = unsigned long;
using __scopec_llong = long long;
using __scopec_ullong = unsigned long long;
SCOPEC_LEAST_OF(int, __scopec_uint)
SCOPEC_LEAST_OF(long, __scopec_ulong)
SCOPEC_LEAST_OF(__scopec_llong, __scopec_ullong)
SCOPEC_LEAST(float, float, float)
SCOPEC_LEAST(double, double, double)
SCOPEC_LEAST(double, float, double)
SCOPEC_LEAST(double, double, float)
#undef SCOPEC_LEAST_OF
#undef SCOPEC_LEAST

#pragma clang attribute pop
