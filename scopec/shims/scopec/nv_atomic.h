// The compiler's own atomic functions, of kernels: __nv_atomic_load_n and its kin (CUDA C++ Programming Guide, "Built-in
// Atomic Functions").  "The parameter weak is ignored."
#pragma once

#include "intrinsics.h"
#include "types.h"

#define __CUDACC_DEVICE_ATOMIC_BUILTINS__ 1
#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

SCOPEC_SHIM_BEGIN

// An object of a class is the integer of its size.
template <class __T, bool = __scopec::is_class<__T>> struct __scopec_nv_number { using type = __T; };
template <class __T> struct __scopec_nv_number<__T, true> {
    using type = typename __scopec::unsigned_of_size<sizeof(__T)>::type;
};
template <class __T> using __scopec_nv_value = typename __scopec_nv_number<__T>::type;
template <class __T> volatile __scopec_nv_value<__T>* __scopec_nv_at(volatile __T* object) {
    return reinterpret_cast<volatile __scopec_nv_value<__T>*>(object);
}

// ---- values

template <class __T> __T __nv_atomic_load_n(const volatile __T* object, int order, int scope = 4) {
    return __scopec_in_kernel(), __scopec_load<__T>(object, order, scope);
}
template <class __T>
void __nv_atomic_store_n(volatile __T* object, __scopec_same<__T> value, int order, int scope = 4) {
    __scopec_in_kernel(), __scopec_store<__T>(object, value, order, scope);
}
template <class __T>
__T __nv_atomic_exchange_n(volatile __T* object, __scopec_same<__T> value, int order, int scope = 4) {
    return __scopec_in_kernel(), __scopec_exchange<__T>(object, value, order, scope);
}
template <class __T>
bool __nv_atomic_compare_exchange_n(volatile __T* object, __T* expected, __scopec_same<__T> desired, bool,
                                    int success, int failure, int scope = 4) {
    __scopec_in_kernel();
    return __scopec_compare_exchange<__T>(object, expected, desired, success, failure, scope, false);
}
#define SCOPEC_NV(NAME)                                                                                       \
    template <class __T>                                                                                      \
    __T __nv_atomic_fetch_##NAME(volatile __T* object, __scopec_same<__T> value, int order, int scope = 4) {  \
        return __scopec_in_kernel(), __scopec_fetch_##NAME<__T>(object, value, order, scope);                 \
    }                                                                                                         \
    template <class __T>                                                                                      \
    void __nv_atomic_##NAME(volatile __T* object, __scopec_same<__T> value, int order, int scope = 4) {       \
        __scopec_in_kernel(), __scopec_fetch_##NAME<__T>(object, value, order, scope);                        \
    }
SCOPEC_NV(add)
SCOPEC_NV(sub)
SCOPEC_NV(and)
SCOPEC_NV(or)
SCOPEC_NV(xor)
SCOPEC_NV(min)
SCOPEC_NV(max)
#undef SCOPEC_NV

// ---- objects that pointers name

template <class __T> void __nv_atomic_load(const volatile __T* object, __T* result, int order, int scope = 4) {
    using number = __scopec_nv_value<__T>;
    __scopec_in_kernel();
    *result = __builtin_bit_cast(__T, __scopec_load<number>(__scopec_nv_at(const_cast<volatile __T*>(object)), order, scope));
}
template <class __T> void __nv_atomic_store(volatile __T* object, __T* value, int order, int scope = 4) {
    using number = __scopec_nv_value<__T>;
    __scopec_in_kernel();
    __scopec_store<number>(__scopec_nv_at(object), __builtin_bit_cast(number, *value), order, scope);
}
template <class __T>
void __nv_atomic_exchange(volatile __T* object, __T* value, __T* result, int order, int scope = 4) {
    using number = __scopec_nv_value<__T>;
    __scopec_in_kernel();
    const number found = __scopec_exchange<number>(__scopec_nv_at(object), __builtin_bit_cast(number, *value), order, scope);
    *result = __builtin_bit_cast(__T, found);
}
template <class __T>
bool __nv_atomic_compare_exchange(volatile __T* object, __T* expected, __T* desired, bool, int success, int failure,
                                  int scope = 4) {
    using number = __scopec_nv_value<__T>;
    __scopec_in_kernel();
    number old = __builtin_bit_cast(number, *expected);
    const bool done = __scopec_compare_exchange<number>(__scopec_nv_at(object), &old, __builtin_bit_cast(number, *desired),
                                                        success, failure, scope, false);
    if (!done) *expected = __builtin_bit_cast(__T, old);
    return done;
}

inline void __nv_atomic_thread_fence(int order, int scope = 4) { __scopec_in_kernel(), __scopec_fence(order, scope); }

SCOPEC_SHIM_END
