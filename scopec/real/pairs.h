// Arithmetic of two floating-point numbers at a time, which CUDA's headers declare for its compiler alone (crt/sm_100_rt.h).
#pragma once

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
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
#pragma clang attribute pop
