// CUDA's built-in types, variables and functions (CUDA C++ Programming Guide, "C++ Language Extensions").
#pragma once

#include <scopec/intrinsics.h>
#include <scopec/nv_atomic.h>
#include <scopec/types.h>

SCOPEC_SHIM_BEGIN

// ---- vector types

#define SCOPEC_VECTOR(TYPE, ELEMENT, ALIGN2, ALIGN4)                                                          \
    struct TYPE##1 { ELEMENT x; };                                                                            \
    struct __attribute__((aligned(ALIGN2))) TYPE##2 { ELEMENT x, y; };                                        \
    struct TYPE##3 { ELEMENT x, y, z; };                                                                      \
    struct __attribute__((aligned(ALIGN4))) TYPE##4 { ELEMENT x, y, z, w; };                                  \
    constexpr TYPE##1 make_##TYPE##1(ELEMENT x) { return {x}; }                                               \
    constexpr TYPE##2 make_##TYPE##2(ELEMENT x, ELEMENT y) { return {x, y}; }                                 \
    constexpr TYPE##3 make_##TYPE##3(ELEMENT x, ELEMENT y, ELEMENT z) { return {x, y, z}; }                   \
    constexpr TYPE##4 make_##TYPE##4(ELEMENT x, ELEMENT y, ELEMENT z, ELEMENT w) { return {x, y, z, w}; }
SCOPEC_VECTOR(char, signed char, 2, 4)
SCOPEC_VECTOR(uchar, unsigned char, 2, 4)
SCOPEC_VECTOR(short, short, 4, 8)
SCOPEC_VECTOR(ushort, unsigned short, 4, 8)
SCOPEC_VECTOR(int, int, 8, 16)
SCOPEC_VECTOR(uint, unsigned, 8, 16)
SCOPEC_VECTOR(long, long, 16, 16)
SCOPEC_VECTOR(ulong, unsigned long, 16, 16)
SCOPEC_VECTOR(longlong, long long, 16, 16)
SCOPEC_VECTOR(ulonglong, unsigned long long, 16, 16)
SCOPEC_VECTOR(float, float, 8, 16)
SCOPEC_VECTOR(double, double, 16, 16)
#undef SCOPEC_VECTOR

using uchar = unsigned char;
using ushort = unsigned short;
using uint = unsigned int;
using ulong = unsigned long;

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};

// ---- built-in variables

#define SCOPEC_INDEX(NAME, TYPE, FIRST)                                                                       \
    struct __scopec_##NAME {                                                                                  \
        __declspec(property(get = __scopec_x)) unsigned x;                                                    \
        __declspec(property(get = __scopec_y)) unsigned y;                                                    \
        __declspec(property(get = __scopec_z)) unsigned z;                                                    \
        static unsigned __scopec_x() { return __scopec_index(FIRST); }                                        \
        static unsigned __scopec_y() { return __scopec_index(FIRST + 1); }                                    \
        static unsigned __scopec_z() { return __scopec_index(FIRST + 2); }                                    \
        operator dim3() const { return dim3(x, y, z); }                                                       \
        operator uint3() const { return {x, y, z}; }                                                          \
        __scopec_##NAME(const __scopec_##NAME&) = delete;                                                     \
        void operator=(const __scopec_##NAME&) const = delete;                                                \
    };                                                                                                        \
    extern const __attribute__((device)) __attribute__((weak)) __scopec_##NAME NAME;
SCOPEC_INDEX(threadIdx, uint3, 0)
SCOPEC_INDEX(blockIdx, uint3, 3)
SCOPEC_INDEX(blockDim, dim3, 6)
SCOPEC_INDEX(gridDim, dim3, 9)
#undef SCOPEC_INDEX
inline constexpr int warpSize = 32;

// ---- barriers, fences, waiting

#define __syncthreads() __scopec_syncthreads(true)  // clang has a function of this name
inline int __syncthreads_count(int predicate) { return __scopec_vote(0, predicate); }
inline int __syncthreads_and(int predicate) { return __scopec_vote(1, predicate); }
inline int __syncthreads_or(int predicate) { return __scopec_vote(2, predicate); }
inline void __barrier_sync(unsigned name) { __scopec_cta_barrier(name, -1, true, false); }
inline void __barrier_sync_count(unsigned name, unsigned count) { __scopec_cta_barrier(name, count, true, false); }
inline void __syncwarp(unsigned mask = 0xffffffffu) { __scopec_group_sync(0, mask); }
inline unsigned __clusterRelativeBlockRank() { return __scopec_index(12); }
inline unsigned __clusterSizeInBlocks() { return __scopec_index(13); }
inline void __cluster_barrier_arrive() { __scopec_cluster_barrier(false); }
inline void __cluster_barrier_arrive_relaxed() { __scopec_cluster_barrier(false, true); }
inline void __cluster_barrier_wait() { __scopec_cluster_barrier(true); }
inline void* __cluster_map_shared_rank(const void* address, unsigned rank) { return __scopec_map_shared(address, rank); }
inline unsigned __cluster_query_shared_rank(const void* address) { return __scopec_shared_rank(address); }
inline void __threadfence_block() { __scopec_in_kernel(), __scopec_fence(5, 1); }
inline void __threadfence_cluster() { __scopec_in_kernel(), __scopec_fence(5, 2); }
inline void __threadfence() { __scopec_in_kernel(), __scopec_fence(5, 3); }
inline void __threadfence_system() { __scopec_in_kernel(), __scopec_fence(5, 4); }
inline void __nanosleep(unsigned) { __scopec_yield(true); }
inline void cudaGridDependencySynchronize() { __scopec_in_kernel(), __scopec_await_prerequisite(); }
inline void cudaTriggerProgrammaticLaunchCompletion() { __scopec_in_kernel(), __scopec_trigger_dependents(); }
[[noreturn]] inline void __trap() { __scopec_trap(); }
inline void __brkpt() {}

// ---- warps

#define SCOPEC_SHUFFLE(NAME, KIND, CLAMP)                                                                     \
    template <class __T> __T NAME(unsigned mask, __T value, int by, int width = 32) {                         \
        return __scopec_shuffle<__T>(KIND, mask, value, by, (32 - width) << 8 | CLAMP);                       \
    }
SCOPEC_SHUFFLE(__shfl_sync, 0, 31)
SCOPEC_SHUFFLE(__shfl_up_sync, 1, 0)
SCOPEC_SHUFFLE(__shfl_down_sync, 2, 31)
SCOPEC_SHUFFLE(__shfl_xor_sync, 3, 31)
#undef SCOPEC_SHUFFLE
inline int __any_sync(unsigned mask, int predicate) { return __scopec_warp_vote(0, mask, predicate); }
inline int __all_sync(unsigned mask, int predicate) { return __scopec_warp_vote(1, mask, predicate); }
inline int __uni_sync(unsigned mask, int predicate) { return __scopec_warp_vote(2, mask, predicate); }
inline unsigned __ballot_sync(unsigned mask, int predicate) { return __scopec_warp_vote(3, mask, predicate); }
template <class __T> unsigned __match_any_sync(unsigned mask, __T value) { return __scopec_match<__T>(0, mask, value); }
template <class __T> unsigned __match_all_sync(unsigned mask, __T value, int* predicate) {
    const unsigned found = __scopec_match<__T>(1, mask, value);
    *predicate = found != 0;
    return found;
}
#define SCOPEC_REDUCE(NAME, OPERATION, TYPE)                                                                  \
    inline TYPE NAME(unsigned mask, TYPE value) { return __scopec_reduce<TYPE>(OPERATION, mask, value); }
SCOPEC_REDUCE(__reduce_add_sync, 0, unsigned)
SCOPEC_REDUCE(__reduce_min_sync, 1, unsigned)
SCOPEC_REDUCE(__reduce_max_sync, 2, unsigned)
SCOPEC_REDUCE(__reduce_add_sync, 0, int)
SCOPEC_REDUCE(__reduce_min_sync, 1, int)
SCOPEC_REDUCE(__reduce_max_sync, 2, int)
SCOPEC_REDUCE(__reduce_and_sync, 3, unsigned)
SCOPEC_REDUCE(__reduce_or_sync, 4, unsigned)
SCOPEC_REDUCE(__reduce_xor_sync, 5, unsigned)
#undef SCOPEC_REDUCE
inline unsigned __activemask() { return __scopec_active(); }

// ---- atomic functions: relaxed, at device scope unless the name says another

template <class __T> inline constexpr bool __scopec_word = __scopec::is_integral<__T> && sizeof(__T) >= 4;
#define SCOPEC_LEGACY_AT(NAME, SCOPE, OPERATION, CONDITION)                                                   \
    template <class __T> __T NAME(__T* object, __scopec_same<__T> value) {                                    \
        static_assert(CONDITION, "CUDA has no " #NAME " of this type");                                       \
        return __scopec_in_kernel(), __scopec_##OPERATION<__T>(object, value, 0, SCOPE);                      \
    }
#define SCOPEC_LEGACY(NAME, OPERATION, CONDITION)                                                             \
    SCOPEC_LEGACY_AT(NAME, 3, OPERATION, CONDITION)                                                           \
    SCOPEC_LEGACY_AT(NAME##_block, 1, OPERATION, CONDITION)                                                   \
    SCOPEC_LEGACY_AT(NAME##_system, 4, OPERATION, CONDITION)
SCOPEC_LEGACY(atomicAdd, fetch_add, __scopec_word<__T> || __scopec::is_floating_point<__T>)
SCOPEC_LEGACY(atomicSub, fetch_sub, __scopec_word<__T>)
SCOPEC_LEGACY(atomicExch, exchange, __scopec_word<__T> || __scopec::is_floating_point<__T>)
SCOPEC_LEGACY(atomicMin, fetch_min, __scopec_word<__T>)
SCOPEC_LEGACY(atomicMax, fetch_max, __scopec_word<__T>)
SCOPEC_LEGACY(atomicAnd, fetch_and, __scopec_word<__T>)
SCOPEC_LEGACY(atomicOr, fetch_or, __scopec_word<__T>)
SCOPEC_LEGACY(atomicXor, fetch_xor, __scopec_word<__T>)
SCOPEC_LEGACY(atomicInc, fetch_inc, (__scopec::is_same<__T, unsigned>))
SCOPEC_LEGACY(atomicDec, fetch_dec, (__scopec::is_same<__T, unsigned>))
#undef SCOPEC_LEGACY
#undef SCOPEC_LEGACY_AT

#define SCOPEC_CAS(NAME, SCOPE)                                                                               \
    template <class __T> __T NAME(__T* object, __scopec_same<__T> expected, __scopec_same<__T> desired) {     \
        static_assert(__scopec_word<__T> || __scopec::is_same<__T, unsigned short>,                           \
                      "CUDA has no " #NAME " of this type");                                                  \
        __scopec_in_kernel();                                                                                 \
        __scopec_compare_exchange<__T>(object, &expected, desired, 0, 0, SCOPE, false);                       \
        return expected;                                                                                      \
    }
SCOPEC_CAS(atomicCAS, 3)
SCOPEC_CAS(atomicCAS_block, 1)
SCOPEC_CAS(atomicCAS_system, 4)
#undef SCOPEC_CAS

// ---- loads and stores with cache hints: they name a cache, not an order, but for the read-only one

template <class __T> __T __ldg(const __T* object) { return __scopec_in_kernel(), __scopec_read_only(), *object; }

#define SCOPEC_LOAD(NAME)                                                                                     \
    template <class __T> __T NAME(const __T* object) { return __scopec_in_kernel(), *object; }
#define SCOPEC_STORE(NAME)                                                                                    \
    template <class __T> void NAME(__T* object, __scopec_same<__T> value) { __scopec_in_kernel(), *object = value; }
SCOPEC_LOAD(__ldcg)
SCOPEC_LOAD(__ldca)
SCOPEC_LOAD(__ldcs)
SCOPEC_LOAD(__ldlu)
SCOPEC_LOAD(__ldcv)
SCOPEC_STORE(__stwb)
SCOPEC_STORE(__stcg)
SCOPEC_STORE(__stcs)
SCOPEC_STORE(__stwt)
#undef SCOPEC_LOAD
#undef SCOPEC_STORE

// ---- addresses, clocks

inline size_t __cvta_generic_to_shared(const void* p) {
    return (size_t)(const __attribute__((address_space(3))) void*)p;
}
inline void* __cvta_shared_to_generic(size_t p) { return (void*)(__attribute__((address_space(3))) void*)p; }
inline size_t __cvta_generic_to_global(const void* p) {
    return (size_t)(const __attribute__((address_space(1))) void*)p;
}
inline unsigned __isShared(const void*) { return __scopec_unknown<bool>(); }
inline unsigned __isGlobal(const void*) { return __scopec_unknown<bool>(); }
inline unsigned __isLocal(const void*) { return __scopec_unknown<bool>(); }
inline unsigned __isConstant(const void*) { return __scopec_unknown<bool>(); }
inline void* __cvta_global_to_generic(size_t p) { return (void*)(__attribute__((address_space(1))) void*)p; }

inline long long clock64() { return __scopec_clock<long long>(); }
inline long clock() { return __scopec_clock<long>(); }  // clock_t of the system
// A template: programs define one of their own.
template <class = void> unsigned long long __globaltimer() { return __scopec_clock<unsigned long long>(); }
inline void __prof_trigger(int) {}

#define SCOPEC_MINMAX(__T)                                                                                      \
    constexpr __T min(__T a, __T b) { return b < a ? b : a; }                                                       \
    constexpr __T max(__T a, __T b) { return a < b ? b : a; }
SCOPEC_MINMAX(int)
SCOPEC_MINMAX(unsigned)
SCOPEC_MINMAX(long)
SCOPEC_MINMAX(unsigned long)
SCOPEC_MINMAX(long long)
SCOPEC_MINMAX(unsigned long long)
SCOPEC_MINMAX(float)
SCOPEC_MINMAX(double)
#undef SCOPEC_MINMAX
// CUDA's own overloads of two types.
#define SCOPEC_MINMAX(__R, __T, __U)                                                                          \
    constexpr __R min(__T a, __U b) { return min((__R)a, (__R)b); }                                           \
    constexpr __R min(__U a, __T b) { return min((__R)a, (__R)b); }                                           \
    constexpr __R max(__T a, __U b) { return max((__R)a, (__R)b); }                                           \
    constexpr __R max(__U a, __T b) { return max((__R)a, (__R)b); }
SCOPEC_MINMAX(unsigned, unsigned, int)
SCOPEC_MINMAX(unsigned long, unsigned long, long)
SCOPEC_MINMAX(unsigned long long, unsigned long long, long long)
SCOPEC_MINMAX(double, double, float)
#undef SCOPEC_MINMAX
constexpr unsigned umin(unsigned a, unsigned b) { return min(a, b); }
constexpr unsigned umax(unsigned a, unsigned b) { return max(a, b); }
constexpr long long llmin(long long a, long long b) { return min(a, b); }
constexpr long long llmax(long long a, long long b) { return max(a, b); }
constexpr unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
constexpr unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

SCOPEC_SHIM_END
