// Of NVIDIA's cuda-samples: arithmetic on CUDA's vectors, element by element.
#pragma once
#include <cmath>
#include <cuda_runtime.h>
#include <sys/types.h>
SCOPEC_SHIM_BEGIN

inline float clamp(float value, float least, float most) { return fmaxf(least, fminf(value, most)); }
inline int clamp(int value, int least, int most) { return max(least, min(value, most)); }
inline uint clamp(uint value, uint least, uint most) { return max(least, min(value, most)); }
inline float lerp(float a, float b, float t) { return a + t * (b - a); }
inline float fracf(float value) { return value - floorf(value); }
inline float smoothstep(float a, float b, float x) {
    float y = clamp((x - a) / (b - a), 0.0f, 1.0f);
    return y * y * (3.0f - 2.0f * y);
}

// A vector V made of what OF makes of the elements of its arguments.
#define SCOPEC_UNARY2(V, NAME, OF) inline V NAME(V a) { return V{OF(a.x), OF(a.y)}; }
#define SCOPEC_UNARY3(V, NAME, OF) inline V NAME(V a) { return V{OF(a.x), OF(a.y), OF(a.z)}; }
#define SCOPEC_UNARY4(V, NAME, OF) inline V NAME(V a) { return V{OF(a.x), OF(a.y), OF(a.z), OF(a.w)}; }
#define SCOPEC_BINARY2(V, NAME) inline V NAME(V a, V b) { return V{NAME(a.x, b.x), NAME(a.y, b.y)}; }
#define SCOPEC_BINARY3(V, NAME) inline V NAME(V a, V b) { return V{NAME(a.x, b.x), NAME(a.y, b.y), NAME(a.z, b.z)}; }
#define SCOPEC_BINARY4(V, NAME)                                                                               \
    inline V NAME(V a, V b) { return V{NAME(a.x, b.x), NAME(a.y, b.y), NAME(a.z, b.z), NAME(a.w, b.w)}; }
#define SCOPEC_TERNARY2(V, NAME)                                                                              \
    inline V NAME(V a, V b, V c) { return V{NAME(a.x, b.x, c.x), NAME(a.y, b.y, c.y)}; }
#define SCOPEC_TERNARY3(V, NAME)                                                                              \
    inline V NAME(V a, V b, V c) { return V{NAME(a.x, b.x, c.x), NAME(a.y, b.y, c.y), NAME(a.z, b.z, c.z)}; }
#define SCOPEC_TERNARY4(V, NAME)                                                                              \
    inline V NAME(V a, V b, V c) {                                                                            \
        return V{NAME(a.x, b.x, c.x), NAME(a.y, b.y, c.y), NAME(a.z, b.z, c.z), NAME(a.w, b.w, c.w)};         \
    }
// Operators of two vectors, and of a vector and an element.
#define SCOPEC_SIGN2(V, E, SIGN) SCOPEC_SIGN(V, E, SIGN, (V{a.x SIGN b.x, a.y SIGN b.y}), (V{b, b}), (V{a, a}))
#define SCOPEC_SIGN3(V, E, SIGN)                                                                              \
    SCOPEC_SIGN(V, E, SIGN, (V{a.x SIGN b.x, a.y SIGN b.y, a.z SIGN b.z}), (V{b, b, b}), (V{a, a, a}))
#define SCOPEC_SIGN4(V, E, SIGN)                                                                              \
    SCOPEC_SIGN(V, E, SIGN, (V{a.x SIGN b.x, a.y SIGN b.y, a.z SIGN b.z, a.w SIGN b.w}), (V{b, b, b, b}), (V{a, a, a, a}))
#define SCOPEC_SIGN(V, E, SIGN, BOTH, OF_B, OF_A)                                                             \
    inline V operator SIGN(V a, V b) { return BOTH; }                                                         \
    inline V operator SIGN(V a, E b) { return a SIGN OF_B; }                                                  \
    inline V operator SIGN(E a, V b) { return OF_A SIGN b; }                                                  \
    inline void operator SIGN##=(V& a, V b) { a = a SIGN b; }                                                 \
    inline void operator SIGN##=(V& a, E b) { a = a SIGN b; }

#define SCOPEC_ARITHMETIC(E, N)                                                                               \
    SCOPEC_SIGN##N(E##N, E, +) SCOPEC_SIGN##N(E##N, E, -) SCOPEC_SIGN##N(E##N, E, *) SCOPEC_TERNARY##N(E##N, clamp)   \
    inline E##N clamp(E##N a, E least, E most) { return clamp(a, make_##E##N(least), make_##E##N(most)); }
#define SCOPEC_MADE(E)                                                                                        \
    inline E##2 make_##E##2(E a) { return E##2{a, a}; }                                                       \
    inline E##3 make_##E##3(E a) { return E##3{a, a, a}; }                                                    \
    inline E##4 make_##E##4(E a) { return E##4{a, a, a, a}; }                                                 \
    inline E##2 make_##E##2(E##3 a) { return E##2{a.x, a.y}; }                                                \
    inline E##3 make_##E##3(E##2 a) { return E##3{a.x, a.y, 0}; }                                             \
    inline E##3 make_##E##3(E##2 a, E z) { return E##3{a.x, a.y, z}; }                                        \
    inline E##3 make_##E##3(E##4 a) { return E##3{a.x, a.y, a.z}; }                                           \
    inline E##4 make_##E##4(E##3 a) { return E##4{a.x, a.y, a.z, 0}; }                                        \
    inline E##4 make_##E##4(E##3 a, E w) { return E##4{a.x, a.y, a.z, w}; }                                   \
    inline E dot(E##2 a, E##2 b) { return a.x * b.x + a.y * b.y; }                                            \
    inline E dot(E##3 a, E##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }                                \
    inline E dot(E##4 a, E##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }                    \
    SCOPEC_ARITHMETIC(E, 2) SCOPEC_ARITHMETIC(E, 3) SCOPEC_ARITHMETIC(E, 4)
#define SCOPEC_CONVERTED(TO, FROM)                                                                            \
    inline TO##2 make_##TO##2(FROM##2 a) { return TO##2{TO(a.x), TO(a.y)}; }                                  \
    inline TO##3 make_##TO##3(FROM##3 a) { return TO##3{TO(a.x), TO(a.y), TO(a.z)}; }                         \
    inline TO##4 make_##TO##4(FROM##4 a) { return TO##4{TO(a.x), TO(a.y), TO(a.z), TO(a.w)}; }

SCOPEC_MADE(float)
SCOPEC_MADE(int)
SCOPEC_MADE(uint)
SCOPEC_CONVERTED(float, int)
SCOPEC_CONVERTED(float, uint)
SCOPEC_CONVERTED(int, float)
SCOPEC_CONVERTED(int, uint)
SCOPEC_CONVERTED(uint, int)

#define SCOPEC_OF_FLOATS(V, N)                                                                                \
    SCOPEC_SIGN##N(V, float, /) SCOPEC_UNARY##N(V, operator-, -) SCOPEC_UNARY##N(V, floorf, ::floorf)         \
    SCOPEC_UNARY##N(V, fracf, ::fracf) SCOPEC_UNARY##N(V, fabs, fabsf) SCOPEC_BINARY##N(V, fminf)             \
    SCOPEC_BINARY##N(V, fmaxf) SCOPEC_BINARY##N(V, fmodf) SCOPEC_TERNARY##N(V, smoothstep)                    \
    inline V lerp(V a, V b, float t) { return a + t * (b - a); }                                              \
    inline float length(V a) { return sqrtf(dot(a, a)); }                                                     \
    inline V normalize(V a) { return a * rsqrtf(dot(a, a)); }
SCOPEC_OF_FLOATS(float2, 2)
SCOPEC_OF_FLOATS(float3, 3)
SCOPEC_OF_FLOATS(float4, 4)

#define SCOPEC_OF_INTEGERS(V, N) SCOPEC_BINARY##N(V, min) SCOPEC_BINARY##N(V, max)
#define SCOPEC_OF_SIGNED(V, N)                                                                                \
    SCOPEC_OF_INTEGERS(V, N) SCOPEC_UNARY##N(V, operator-, -) SCOPEC_UNARY##N(V, abs, ::abs)
SCOPEC_OF_SIGNED(int2, 2)
SCOPEC_OF_SIGNED(int3, 3)
SCOPEC_OF_SIGNED(int4, 4)
SCOPEC_OF_INTEGERS(uint2, 2)
SCOPEC_OF_INTEGERS(uint3, 3)
SCOPEC_OF_INTEGERS(uint4, 4)

inline float3 reflect(float3 i, float3 n) { return i - 2.0f * n * dot(n, i); }
inline float3 cross(float3 a, float3 b) {
    return float3{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
SCOPEC_SHIM_END
