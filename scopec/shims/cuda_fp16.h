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
#define SCOPEC_PAIR_OPERATOR(PAIR, OPERATOR)                                                                  \
    inline PAIR operator OPERATOR(PAIR a, PAIR b) { return {a.x OPERATOR b.x, a.y OPERATOR b.y}; }            \
    inline PAIR& operator OPERATOR##=(PAIR& a, PAIR b) { return a = a OPERATOR b; }
#define SCOPEC_HALF_OPERATOR(TYPE, OPERATOR)                                                                  \
    inline TYPE operator OPERATOR(TYPE a, TYPE b) { return float(a) OPERATOR float(b); }                      \
    inline TYPE& operator OPERATOR##=(TYPE& a, TYPE b) { return a = a OPERATOR b; }
SCOPEC_HALF(__half, __half2)
SCOPEC_HALF(__nv_bfloat16, __nv_bfloat162)
#define SCOPEC_PAIR(PAIR)                                                                                     \
    SCOPEC_PAIR_OPERATOR(PAIR, +)                                                                             \
    SCOPEC_PAIR_OPERATOR(PAIR, -)                                                                             \
    SCOPEC_PAIR_OPERATOR(PAIR, *)                                                                             \
    SCOPEC_PAIR_OPERATOR(PAIR, /)
SCOPEC_PAIR(__half2)
SCOPEC_PAIR(__nv_bfloat162)
#undef SCOPEC_PAIR
#undef SCOPEC_PAIR_OPERATOR
// "the atomicity of the add operation is guaranteed separately for each of the two elements" (CUDA C++ Programming Guide)
#define SCOPEC_HALF_ADD(TYPE, PAIR, NAME, SCOPE)                                                              \
    inline TYPE NAME(TYPE* object, TYPE value) {                                                              \
        __scopec_in_kernel();                                                                                 \
        TYPE before;                                                                                          \
        before.__scopec_value =                                                                               \
            __scopec_fetch_add<_Float16>(&object->__scopec_value, value.__scopec_value, 0, SCOPE);            \
        return before;                                                                                        \
    }                                                                                                         \
    inline PAIR NAME(PAIR* object, PAIR value) { return {NAME(&object->x, value.x), NAME(&object->y, value.y)}; }
#define SCOPEC_HALF_ADDS(TYPE, PAIR)                                                                          \
    SCOPEC_HALF_ADD(TYPE, PAIR, atomicAdd, 3)                                                                 \
    SCOPEC_HALF_ADD(TYPE, PAIR, atomicAdd_block, 1)                                                           \
    SCOPEC_HALF_ADD(TYPE, PAIR, atomicAdd_system, 4)
SCOPEC_HALF_ADDS(__half, __half2)
SCOPEC_HALF_ADDS(__nv_bfloat16, __nv_bfloat162)
#undef SCOPEC_HALF_ADDS
#undef SCOPEC_HALF_ADD
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
    inline TYPE __low2##NAME(PAIR v) { return v.x; }                                                          \
    inline TYPE __high2##NAME(PAIR v) { return v.y; }                                                         \
    inline PAIR __lowhigh2highlow(PAIR v) { return {v.y, v.x}; }                                              \
    inline PAIR __float22##NAME##2_rn(float2 v) { return {v.x, v.y}; }                                        \
    inline TYPE __ushort_as_##NAME(unsigned short v) { TYPE made; made.__scopec_value = __builtin_bit_cast(_Float16, v); return made; } \
    inline TYPE __short_as_##NAME(short v) { return __ushort_as_##NAME(v); }                                  \
    inline unsigned short __##NAME##_as_ushort(TYPE v) { return __builtin_bit_cast(unsigned short, v.__scopec_value); } \
    inline short __##NAME##_as_short(TYPE v) { return __##NAME##_as_ushort(v); }                              \
    inline TYPE __int2##NAME##_rn(int v) { return v; }                                                        \
    inline TYPE __uint2##NAME##_rn(unsigned v) { return v; }                                                  \
    inline int __##NAME##2int_rn(TYPE) { return __scopec_unknown<int>(); }                                    \
    inline int __##NAME##2int_rz(TYPE) { return __scopec_unknown<int>(); }                                    \
    inline int __##NAME##2int_rd(TYPE) { return __scopec_unknown<int>(); }                                    \
    inline unsigned __##NAME##2uint_rn(TYPE) { return __scopec_unknown<unsigned>(); }                         \
    inline unsigned __##NAME##2uint_rz(TYPE) { return __scopec_unknown<unsigned>(); }                         \
    SCOPEC_HALF_ONE(TYPE, PAIR, __hneg, __hneg2)                                                              \
    SCOPEC_HALF_ONE(TYPE, PAIR, __habs, __habs2)                                                              \
    SCOPEC_HALF_ONE(TYPE, PAIR, hsqrt, h2sqrt)                                                                \
    SCOPEC_HALF_ONE(TYPE, PAIR, hrsqrt, h2rsqrt)                                                              \
    SCOPEC_HALF_ONE(TYPE, PAIR, hrcp, h2rcp)                                                                  \
    SCOPEC_HALF_ONE(TYPE, PAIR, hexp, h2exp)                                                                  \
    SCOPEC_HALF_ONE(TYPE, PAIR, hexp2, h2exp2)                                                                \
    SCOPEC_HALF_ONE(TYPE, PAIR, hlog, h2log)                                                                  \
    SCOPEC_HALF_ONE(TYPE, PAIR, hlog2, h2log2)                                                                \
    SCOPEC_HALF_ONE(TYPE, PAIR, hsin, h2sin)                                                                  \
    SCOPEC_HALF_ONE(TYPE, PAIR, hcos, h2cos)                                                                  \
    SCOPEC_HALF_ONE(TYPE, PAIR, hceil, h2ceil)                                                                \
    SCOPEC_HALF_ONE(TYPE, PAIR, hfloor, h2floor)                                                              \
    SCOPEC_HALF_ONE(TYPE, PAIR, hrint, h2rint)                                                                \
    SCOPEC_HALF_ONE(TYPE, PAIR, htrunc, h2trunc)                                                              \
    SCOPEC_HALF_TEST(TYPE, PAIR, eq)                                                                          \
    SCOPEC_HALF_TEST(TYPE, PAIR, ne)                                                                          \
    SCOPEC_HALF_TEST(TYPE, PAIR, lt)                                                                          \
    SCOPEC_HALF_TEST(TYPE, PAIR, le)                                                                          \
    SCOPEC_HALF_TEST(TYPE, PAIR, gt)                                                                          \
    SCOPEC_HALF_TEST(TYPE, PAIR, ge)                                                                          \
    inline bool __hisnan(TYPE) { return __scopec_unknown<bool>(); }                                           \
    inline bool __hisinf(TYPE) { return __scopec_unknown<bool>(); }                                           \
    inline PAIR __hmax2(PAIR, PAIR) { return {__scopec_unknown<float>(), __scopec_unknown<float>()}; }        \
    inline PAIR __hmin2(PAIR, PAIR) { return {__scopec_unknown<float>(), __scopec_unknown<float>()}; }        \
    inline float __low2float(PAIR v) { return v.x; }                                                          \
    inline float __high2float(PAIR v) { return v.y; }                                                         \
    SCOPEC_HALF_FUNCTION(TYPE, PAIR, __hadd, +)                                                               \
    SCOPEC_HALF_FUNCTION(TYPE, PAIR, __hsub, -)                                                               \
    SCOPEC_HALF_FUNCTION(TYPE, PAIR, __hdiv, /)                                                               \
    SCOPEC_HALF_FUNCTION(TYPE, PAIR, __hmul, *)                                                               \
    inline TYPE __hmax(TYPE, TYPE) { return __scopec_unknown<float>(); }                                      \
    inline TYPE __hmin(TYPE, TYPE) { return __scopec_unknown<float>(); }                                      \
    inline TYPE __hfma(TYPE a, TYPE b, TYPE c) { return a * b + c; }                                          \
    inline PAIR __hfma2(PAIR a, PAIR b, PAIR c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
#define SCOPEC_HALF_FUNCTION(TYPE, PAIR, NAME, OPERATOR)                                                      \
    inline TYPE NAME(TYPE a, TYPE b) { return a OPERATOR b; }                                                 \
    inline PAIR NAME##2(PAIR a, PAIR b) { return {a.x OPERATOR b.x, a.y OPERATOR b.y}; }
#define SCOPEC_HALF_ONE(TYPE, PAIR, NAME, OFTWO)                                                              \
    inline TYPE NAME(TYPE) { return __scopec_unknown<float>(); }                                              \
    inline PAIR OFTWO(PAIR) { return {__scopec_unknown<float>(), __scopec_unknown<float>()}; }
#define SCOPEC_HALF_TEST(TYPE, PAIR, OPERATION)                                                                 \
    inline bool __h##OPERATION(TYPE, TYPE) { return __scopec_unknown<bool>(); }                               \
    inline PAIR __h##OPERATION##2(PAIR, PAIR) { return {__scopec_unknown<float>(), __scopec_unknown<float>()}; }        \
    inline bool __hb##OPERATION##2(PAIR, PAIR) { return __scopec_unknown<bool>(); }
SCOPEC_HALVES(__half, __half2, halves, half)
SCOPEC_HALVES(__nv_bfloat16, __nv_bfloat162, halves, bfloat16)
#undef SCOPEC_HALVES
#undef SCOPEC_HALF_FUNCTION
#undef SCOPEC_HALF_ONE
#undef SCOPEC_HALF_TEST
SCOPEC_SHIM_END
