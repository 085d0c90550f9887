// CUDA's functions of numbers (CUDA Math API, "Integer Intrinsics", "SIMD Intrinsics", "Single Precision Intrinsics",
// "Double Precision Intrinsics", "Type Casting Intrinsics"): integers as they are, floating point unknown.
#pragma once

#include <scopec/intrinsics.h>
#include <scopec/types.h>

SCOPEC_SHIM_BEGIN

// ---- integers

inline int __mulhi(int x, int y) { return (long long)x * y >> 32; }
inline unsigned __umulhi(unsigned x, unsigned y) { return (unsigned long long)x * y >> 32; }
inline long long __mul64hi(long long x, long long y) { return (__int128)x * y >> 64; }
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return (unsigned __int128)x * y >> 64;
}
inline int __mul24(int x, int y) { return (long long)(int(unsigned(x) << 8) >> 8) * (int(unsigned(y) << 8) >> 8); }
inline unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }
inline unsigned __usad(unsigned x, unsigned y, unsigned z) { return (x < y ? y - x : x - y) + z; }
inline unsigned __sad(int x, int y, unsigned z) {
    return (x < y ? unsigned(y) - unsigned(x) : unsigned(x) - unsigned(y)) + z;
}
inline int __hadd(int x, int y) { return ((long long)x + y) >> 1; }
inline int __rhadd(int x, int y) { return ((long long)x + y + 1) >> 1; }
inline unsigned __uhadd(unsigned x, unsigned y) { return ((unsigned long long)x + y) >> 1; }
inline unsigned __urhadd(unsigned x, unsigned y) { return ((unsigned long long)x + y + 1) >> 1; }

inline int __popc(unsigned v) { return __builtin_popcount(v); }
inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
inline int __ffs(int v) { return __builtin_ffs(v); }
inline int __ffsll(long long v) { return __builtin_ffsll(v); }
inline int __clz(int v) { return v ? __builtin_clz(v) : 32; }
inline int __clzll(long long v) { return v ? __builtin_clzll(v) : 64; }
inline unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
inline unsigned long long __brevll(unsigned long long v) {
    return (unsigned long long)__brev(v) << 32 | __brev(v >> 32);
}
// The offset-th set bit from `base`, upwards where it is positive, downwards where it is negative; all ones: none.
inline unsigned __fns(unsigned mask, unsigned base, int offset) {
    unsigned from = offset == 0 ? mask & 1u << base : offset < 0 ? mask & ((2u << base) - 1) : mask & ~0u << base;
    for (; offset > 1; offset--) from &= from - 1;
    for (; offset < -1; offset++) from &= ~(from ? 1u << (31 - __clz(from)) : 0);
    return from == 0 ? ~0u : offset < 0 ? 31 - __clz(from) : __ffs(from) - 1;
}
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    const unsigned long long bytes = (unsigned long long)y << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) result |= unsigned(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
    return result;
}
#define SCOPEC_FUNNEL(NAME, SHIFTED, SHIFT)                                                                   \
    inline unsigned NAME(unsigned lo, unsigned hi, unsigned by) {                                             \
        const unsigned long long both = (unsigned long long)hi << 32 | lo;                                    \
        const unsigned shift = SHIFT;                                                                         \
        return SHIFTED;                                                                                       \
    }
SCOPEC_FUNNEL(__funnelshift_l, both << shift >> 32, by & 31)
SCOPEC_FUNNEL(__funnelshift_lc, both << shift >> 32, by < 32 ? by : 32)
SCOPEC_FUNNEL(__funnelshift_r, both >> shift, by & 31)
SCOPEC_FUNNEL(__funnelshift_rc, both >> shift, by < 32 ? by : 32)
#undef SCOPEC_FUNNEL
inline unsigned short __nv_bswap16(unsigned short v) { return v << 8 | v >> 8; }
inline unsigned __nv_bswap32(unsigned v) { return __byte_perm(v, 0, 0x0123); }
inline unsigned long long __nv_bswap64(unsigned long long v) {
    return (unsigned long long)__nv_bswap32(v) << 32 | __nv_bswap32(v >> 32);
}

// ---- dot products: four bytes with four, two halves with two bytes

#define SCOPEC_DOT(TYPE, BYTE, HALF, BYTES, HALVES)                                                           \
    inline TYPE __dp4a(TYPE a, TYPE b, TYPE c) {                                                              \
        for (int i = 0; i < 32; i += 8) c += (unsigned)((BYTE)(a >> i) * (BYTE)(b >> i));                       \
        return c;                                                                                             \
    }                                                                                                         \
    inline TYPE __dp4a(BYTES a, BYTES b, TYPE c) {                                                            \
        return __dp4a(__builtin_bit_cast(TYPE, a), __builtin_bit_cast(TYPE, b), c);                           \
    }                                                                                                         \
    SCOPEC_DOT2(__dp2a_lo, TYPE, BYTE, HALF, BYTES, HALVES, 0)                                                \
    SCOPEC_DOT2(__dp2a_hi, TYPE, BYTE, HALF, BYTES, HALVES, 16)
#define SCOPEC_DOT2(NAME, TYPE, BYTE, HALF, BYTES, HALVES, FIRST)                                             \
    inline TYPE NAME(TYPE a, TYPE b, TYPE c) {                                                                \
        for (int i = 0; i < 2; i++) c += (unsigned)((HALF)(a >> 16 * i) * (BYTE)(b >> (FIRST + 8 * i)));        \
        return c;                                                                                             \
    }                                                                                                         \
    inline TYPE NAME(HALVES a, BYTES b, TYPE c) {                                                             \
        return NAME(__builtin_bit_cast(TYPE, a), __builtin_bit_cast(TYPE, b), c);                             \
    }
SCOPEC_DOT(int, signed char, short, char4, short2)
SCOPEC_DOT(unsigned, unsigned char, unsigned short, uchar4, ushort2)
#undef SCOPEC_DOT
#undef SCOPEC_DOT2

// ---- two halves or four bytes at a time

template <class __L> int __scopec_saturated(int v) {
    constexpr int most = __L(-1) < __L(0) ? (1 << (8 * sizeof(__L) - 1)) - 1 : __L(-1);
    constexpr int least = __L(-1) < __L(0) ? -most - 1 : 0;
    return v < least ? least : v > most ? most : v;
}
// No lambda expressions or templates: every compilation reads all of these.
#define SCOPEC_LANES(LANE, VALUE, ...)                                                                        \
    unsigned result = 0;                                                                                      \
    for (unsigned i = 0; i < 32; i += 8 * sizeof(LANE)) {                                                     \
        const int __VA_ARGS__;                                                                                \
        result |= (unsigned(int(VALUE)) & ((1u << 8 * sizeof(LANE)) - 1)) << i;                               \
    }                                                                                                         \
    return result;
#define SCOPEC_LANES1(NAME, LANE, VALUE)                                                                      \
    inline unsigned NAME(unsigned x) { SCOPEC_LANES(LANE, VALUE, a = (LANE)(x >> i)) }
#define SCOPEC_LANES2(NAME, LANE, VALUE)                                                                      \
    inline unsigned NAME(unsigned x, unsigned y) { SCOPEC_LANES(LANE, VALUE, a = (LANE)(x >> i), b = (LANE)(y >> i)) }
#define SCOPEC_SUM(NAME, LANE, VALUE)                                                                         \
    inline unsigned NAME(unsigned x, unsigned y) {                                                            \
        unsigned sum = 0;                                                                                     \
        for (unsigned i = 0; i < 32; i += 8 * sizeof(LANE)) {                                                 \
            const int a = (LANE)(x >> i), b = (LANE)(y >> i);                                                     \
            sum += int(VALUE);                                                                                \
        }                                                                                                     \
        return sum;                                                                                           \
    }
#define SCOPEC_COMPARE(N, S, U, NAME, OPERATOR)                                                               \
    SCOPEC_LANES2(__vcmp##NAME##s##N, S, a OPERATOR b ? -1 : 0)                                               \
    SCOPEC_LANES2(__vcmp##NAME##u##N, U, a OPERATOR b ? -1 : 0)                                               \
    SCOPEC_LANES2(__vset##NAME##s##N, S, a OPERATOR b)                                                        \
    SCOPEC_LANES2(__vset##NAME##u##N, U, a OPERATOR b)
#define SCOPEC_SIMD(N, S, U)                                                                                  \
    SCOPEC_LANES1(__vabs##N, S, a < 0 ? -a : a)                                                               \
    SCOPEC_LANES1(__vabsss##N, S, __scopec_saturated<S>(a < 0 ? -a : a))                                      \
    SCOPEC_LANES1(__vneg##N, S, -a)                                                                           \
    SCOPEC_LANES1(__vnegss##N, S, __scopec_saturated<S>(-a))                                                  \
    SCOPEC_LANES2(__vadd##N, U, a + b)                                                                        \
    SCOPEC_LANES2(__vaddss##N, S, __scopec_saturated<S>(a + b))                                               \
    SCOPEC_LANES2(__vaddus##N, U, __scopec_saturated<U>(a + b))                                               \
    SCOPEC_LANES2(__vsub##N, U, a - b)                                                                        \
    SCOPEC_LANES2(__vsubss##N, S, __scopec_saturated<S>(a - b))                                               \
    SCOPEC_LANES2(__vsubus##N, U, __scopec_saturated<U>(a - b))                                               \
    SCOPEC_LANES2(__vavgs##N, S, (a + b + (a + b >= 0)) >> 1)                                                 \
    SCOPEC_LANES2(__vavgu##N, U, (a + b + 1) >> 1)                                                            \
    SCOPEC_LANES2(__vhaddu##N, U, (a + b) >> 1)                                                               \
    SCOPEC_LANES2(__vmaxs##N, S, a < b ? b : a)                                                               \
    SCOPEC_LANES2(__vmaxu##N, U, a < b ? b : a)                                                               \
    SCOPEC_LANES2(__vmins##N, S, b < a ? b : a)                                                               \
    SCOPEC_LANES2(__vminu##N, U, b < a ? b : a)                                                               \
    SCOPEC_LANES2(__vabsdiffs##N, S, a < b ? b - a : a - b)                                                   \
    SCOPEC_LANES2(__vabsdiffu##N, U, a < b ? b - a : a - b)                                                   \
    SCOPEC_SUM(__vsads##N, S, a < b ? b - a : a - b)                                                          \
    SCOPEC_SUM(__vsadu##N, U, a < b ? b - a : a - b)                                                          \
    SCOPEC_LANES2(__vcmpeq##N, U, a == b ? -1 : 0)                                                            \
    SCOPEC_LANES2(__vcmpne##N, U, a != b ? -1 : 0)                                                            \
    SCOPEC_LANES2(__vseteq##N, U, a == b)                                                                     \
    SCOPEC_LANES2(__vsetne##N, U, a != b)                                                                     \
    SCOPEC_COMPARE(N, S, U, lt, <)                                                                            \
    SCOPEC_COMPARE(N, S, U, le, <=)                                                                           \
    SCOPEC_COMPARE(N, S, U, gt, >)                                                                            \
    SCOPEC_COMPARE(N, S, U, ge, >=)
SCOPEC_SIMD(2, short, unsigned short)
SCOPEC_SIMD(4, signed char, unsigned char)
#undef SCOPEC_SIMD
#undef SCOPEC_COMPARE
#undef SCOPEC_SUM
#undef SCOPEC_LANES1

// The greatest or least of numbers, of two halves each (16x2), or no less than 0 (relu).
#define SCOPEC_DPX(NAME, TYPE, SUFFIX, VALUE)                                                                 \
    inline TYPE NAME##SUFFIX(TYPE a, TYPE b, TYPE c) { return VALUE; }
#define SCOPEC_DPX2(NAME, LANE, SUFFIX, VALUE)                                                                \
    inline unsigned NAME##SUFFIX(unsigned x, unsigned y, unsigned z) {                                        \
        SCOPEC_LANES(LANE, VALUE, a = (LANE)(x >> i), b = (LANE)(y >> i), c = (LANE)(z >> i))                       \
    }
#define SCOPEC_PICK(NAME, SUM, WORST)                                                                         \
    SCOPEC_DPX(__vi##NAME, int, _s32, WORST(WORST(a, b), c))                                                  \
    SCOPEC_DPX(__vi##NAME, unsigned, _u32, WORST(WORST(a, b), c))                                             \
    SCOPEC_DPX(__vi##NAME, int, _s32_relu, SCOPEC_MAX(WORST(WORST(a, b), c), 0))                              \
    SCOPEC_DPX2(__vi##NAME, short, _s16x2, WORST(WORST(a, b), c))                                             \
    SCOPEC_DPX2(__vi##NAME, unsigned short, _u16x2, WORST(WORST(a, b), c))                                    \
    SCOPEC_DPX2(__vi##NAME, short, _s16x2_relu, SCOPEC_MAX(WORST(WORST(a, b), c), 0))                         \
    SCOPEC_DPX(__vi##SUM, int, _s32, WORST(int(unsigned(a) + unsigned(b)), c))                                \
    SCOPEC_DPX(__vi##SUM, unsigned, _u32, WORST(a + b, c))                                                    \
    SCOPEC_DPX(__vi##SUM, int, _s32_relu, SCOPEC_MAX(WORST(int(unsigned(a) + unsigned(b)), c), 0))            \
    SCOPEC_DPX2(__vi##SUM, short, _s16x2, WORST(short(a + b), c))                                             \
    SCOPEC_DPX2(__vi##SUM, unsigned short, _u16x2, WORST((unsigned short)(a + b), c))                         \
    SCOPEC_DPX2(__vi##SUM, short, _s16x2_relu, SCOPEC_MAX(WORST(short(a + b), c), 0))
#define SCOPEC_MAX(A, B) ((A) < (B) ? (B) : (A))
#define SCOPEC_MIN(A, B) ((B) < (A) ? (B) : (A))
SCOPEC_PICK(max3, addmax, SCOPEC_MAX)
SCOPEC_PICK(min3, addmin, SCOPEC_MIN)
#define SCOPEC_PICK2(NAME, WORST, FIRST)                                                                      \
    inline int __vi##NAME##_s32_relu(int a, int b) { return SCOPEC_MAX(WORST(a, b), 0); }                     \
    SCOPEC_LANES2(__vi##NAME##_s16x2_relu, short, SCOPEC_MAX(WORST(a, b), 0))                                 \
    inline int __vib##NAME##_s32(int a, int b, bool* first) { return *first = a FIRST b, WORST(a, b); }       \
    inline unsigned __vib##NAME##_u32(unsigned a, unsigned b, bool* first) {                                  \
        return *first = a FIRST b, WORST(a, b);                                                               \
    }
SCOPEC_PICK2(max, SCOPEC_MAX, >=)
SCOPEC_PICK2(min, SCOPEC_MIN, <=)
#undef SCOPEC_PICK2
#undef SCOPEC_MIN
#undef SCOPEC_MAX
#undef SCOPEC_PICK
#undef SCOPEC_DPX2
#undef SCOPEC_DPX
#undef SCOPEC_LANES2
#undef SCOPEC_LANES

// ---- bits of floating-point numbers

inline int __float_as_int(float v) { return __builtin_bit_cast(int, v); }
inline unsigned __float_as_uint(float v) { return __builtin_bit_cast(unsigned, v); }
inline float __int_as_float(int v) { return __builtin_bit_cast(float, v); }
inline float __uint_as_float(unsigned v) { return __builtin_bit_cast(float, v); }
inline long long __double_as_longlong(double v) { return __builtin_bit_cast(long long, v); }
inline double __longlong_as_double(long long v) { return __builtin_bit_cast(double, v); }
inline int __double2hiint(double v) { return __double_as_longlong(v) >> 32; }
inline int __double2loint(double v) { return __double_as_longlong(v); }
inline double __hiloint2double(int hi, int lo) {
    return __longlong_as_double((unsigned long long)(unsigned)hi << 32 | (unsigned)lo);
}

// ---- floating-point numbers, whose values are not modelled

#define SCOPEC_REAL(RESULT, NAME, ...) inline RESULT NAME(__VA_ARGS__) { return __scopec_unknown<RESULT>(); }
#define SCOPEC_ROUNDED(RESULT, NAME, ...)                                                                     \
    SCOPEC_REAL(RESULT, NAME##_rn, __VA_ARGS__)                                                               \
    SCOPEC_REAL(RESULT, NAME##_rz, __VA_ARGS__)                                                               \
    SCOPEC_REAL(RESULT, NAME##_ru, __VA_ARGS__)                                                               \
    SCOPEC_REAL(RESULT, NAME##_rd, __VA_ARGS__)
#define SCOPEC_ARITHMETIC(TYPE, LETTER)                                                                       \
    SCOPEC_ROUNDED(TYPE, __##LETTER##add, TYPE, TYPE)                                                         \
    SCOPEC_ROUNDED(TYPE, __##LETTER##sub, TYPE, TYPE)                                                         \
    SCOPEC_ROUNDED(TYPE, __##LETTER##mul, TYPE, TYPE)                                                         \
    SCOPEC_ROUNDED(TYPE, __##LETTER##div, TYPE, TYPE)                                                         \
    SCOPEC_ROUNDED(TYPE, __##LETTER##rcp, TYPE)                                                               \
    SCOPEC_ROUNDED(TYPE, __##LETTER##sqrt, TYPE)
#define SCOPEC_CONVERSIONS(REAL)                                                                              \
    SCOPEC_CONVERSION(REAL, int, int)                                                                         \
    SCOPEC_CONVERSION(REAL, unsigned, uint)                                                                   \
    SCOPEC_CONVERSION(REAL, long long, ll)                                                                    \
    SCOPEC_CONVERSION(REAL, unsigned long long, ull)
#define SCOPEC_CONVERSION(REAL, INTEGER, NAME)                                                                \
    SCOPEC_ROUNDED(INTEGER, __##REAL##2##NAME, REAL)                                                          \
    SCOPEC_ROUNDED(REAL, __##NAME##2##REAL, INTEGER)
SCOPEC_ARITHMETIC(float, f)
SCOPEC_ARITHMETIC(double, d)
SCOPEC_CONVERSIONS(float)
SCOPEC_CONVERSIONS(double)
SCOPEC_ROUNDED(float, __double2float, double)
SCOPEC_ROUNDED(float, __fmaf, float, float, float)
SCOPEC_ROUNDED(float, __fmaf_ieee, float, float, float)
SCOPEC_ROUNDED(double, __fma, double, double, double)
SCOPEC_REAL(float, __frsqrt_rn, float)
SCOPEC_REAL(float, __saturatef, float)
SCOPEC_REAL(float, __fdividef, float, float)
SCOPEC_REAL(float, fdividef, float, float)
SCOPEC_REAL(double, fdivide, double, double)
SCOPEC_REAL(float, __sinf, float)
SCOPEC_REAL(float, __cosf, float)
SCOPEC_REAL(float, __tanf, float)
SCOPEC_REAL(float, __tanhf, float)
SCOPEC_REAL(float, __expf, float)
SCOPEC_REAL(float, __exp10f, float)
SCOPEC_REAL(float, __logf, float)
SCOPEC_REAL(float, __log2f, float)
SCOPEC_REAL(float, __log10f, float)
SCOPEC_REAL(float, __powf, float, float)
inline void __sincosf(float, float* sine, float* cosine) {
    *sine = __scopec_unknown<float>();
    *cosine = __scopec_unknown<float>();
}
#define SCOPEC_PAIR(NAME, ...)                                                                                \
    inline float2 NAME(__VA_ARGS__) { return {__scopec_unknown<float>(), __scopec_unknown<float>()}; }
#define SCOPEC_PAIRS(ROUNDING)                                                                                \
    SCOPEC_PAIR(__ffma2_##ROUNDING, float2, float2, float2)                                                   \
    SCOPEC_PAIR(__fadd2_##ROUNDING, float2, float2)                                                           \
    SCOPEC_PAIR(__fmul2_##ROUNDING, float2, float2)
SCOPEC_PAIRS(rn)
SCOPEC_PAIRS(rz)
SCOPEC_PAIRS(ru)
SCOPEC_PAIRS(rd)
#undef SCOPEC_PAIRS
#undef SCOPEC_PAIR
#undef SCOPEC_CONVERSION
#undef SCOPEC_CONVERSIONS
#undef SCOPEC_ARITHMETIC
#undef SCOPEC_ROUNDED
#undef SCOPEC_REAL

SCOPEC_SHIM_END
