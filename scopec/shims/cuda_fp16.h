// Numbers of 16 bits: they may be moved, stored and computed with; their values are not modelled.
#pragma once
#include <scopec_cuda.h>
SCOPEC_SHIM_BEGIN
#define SCOPEC_HALF(TYPE, PAIR)                                                                               \
    struct TYPE {                                                                                             \
        _Float16 __scopec_value;                                                                              \
        TYPE() = default;                                                                                     \
        TYPE(float value) : __scopec_value(_Float16(value)) {}                                                \
        TYPE(double value) : TYPE(float(value)) {}                                                            \
        TYPE(int value) : TYPE(float(value)) {}                                                               \
        TYPE(unsigned value) : TYPE(float(value)) {}                                                          \
        operator float() const { return __scopec_value; }                                                     \
    };                                                                                                        \
    struct __attribute__((aligned(4))) PAIR { TYPE x, y; };                                                   \
    SCOPEC_HALF_OPERATOR(TYPE, +)                                                                             \
    SCOPEC_HALF_OPERATOR(TYPE, -)                                                                             \
    SCOPEC_HALF_OPERATOR(TYPE, *)                                                                             \
    SCOPEC_HALF_OPERATOR(TYPE, /)
#define SCOPEC_HALF_OPERATOR(TYPE, OPERATOR)                                                                  \
    inline TYPE operator OPERATOR(TYPE a, TYPE b) { return float(a) OPERATOR float(b); }                      \
    inline TYPE& operator OPERATOR##=(TYPE& a, TYPE b) { return a = a OPERATOR b; }
SCOPEC_HALF(__half, __half2)
SCOPEC_HALF(__nv_bfloat16, __nv_bfloat162)
#undef SCOPEC_HALF
#undef SCOPEC_HALF_OPERATOR
using half = __half;
using half2 = __half2;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;
#define SCOPEC_HALVES(TYPE, PAIR, LETTER, NAME)                                                               \
    inline float __##NAME##2float(TYPE value) { return value; }                                               \
    inline TYPE __float2##NAME(float value) { return value; }                                                 \
    inline TYPE __float2##NAME##_rn(float value) { return value; }                                            \
    inline PAIR __float2##NAME##2_rn(float value) { return {value, value}; }                                  \
    inline PAIR __floats2##NAME##2_rn(float x, float y) { return {x, y}; }                                    \
    inline PAIR __##NAME##2##NAME##2(TYPE x) { return {x, x}; }                                               \
    inline PAIR __##LETTER##2##NAME##2(TYPE x, TYPE y) { return {x, y}; }                                     \
    inline float2 __##NAME##22float2(PAIR v) { return {v.x, v.y}; }                                           \
    inline PAIR make_##NAME##2(TYPE x, TYPE y) { return {x, y}; }                                             \
    inline float __low2float(PAIR v) { return v.x; }                                                          \
    inline float __high2float(PAIR v) { return v.y; }                                                         \
    SCOPEC_HALF_FUNCTION(TYPE, PAIR, __hadd, +)                                                               \
    SCOPEC_HALF_FUNCTION(TYPE, PAIR, __hsub, -)                                                               \
    SCOPEC_HALF_FUNCTION(TYPE, PAIR, __hmul, *)                                                               \
    inline TYPE __hmax(TYPE, TYPE) { return __scopec_unknown<float>(); }                                      \
    inline TYPE __hmin(TYPE, TYPE) { return __scopec_unknown<float>(); }                                      \
    inline TYPE __hfma(TYPE a, TYPE b, TYPE c) { return a * b + c; }                                          \
    inline PAIR __hfma2(PAIR a, PAIR b, PAIR c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
#define SCOPEC_HALF_FUNCTION(TYPE, PAIR, NAME, OPERATOR)                                                      \
    inline TYPE NAME(TYPE a, TYPE b) { return a OPERATOR b; }                                                 \
    inline PAIR NAME##2(PAIR a, PAIR b) { return {a.x OPERATOR b.x, a.y OPERATOR b.y}; }
SCOPEC_HALVES(__half, __half2, halves, half)
SCOPEC_HALVES(__nv_bfloat16, __nv_bfloat162, halves, bfloat16)
#undef SCOPEC_HALVES
#undef SCOPEC_HALF_FUNCTION
SCOPEC_SHIM_END
