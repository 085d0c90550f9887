// What libcu++'s atomic operations are over: scopec's intrinsics, as the shims have them.  Its own code would be an order
// that is stronger than C++'s (a fence before what is seq_cst), and polls where the standard blocks.
#pragma once

#include <cuda/std/__atomic/scopes.h>
#include <scopec/atomic.h>

SCOPEC_SHIM_BEGIN
namespace __scopec {

template <class> struct scope_of;
template <> struct scope_of<::cuda::std::__thread_scope_thread_tag> { static constexpr int value = 0; };
template <> struct scope_of<::cuda::std::__thread_scope_block_tag> { static constexpr int value = 1; };
template <> struct scope_of<::cuda::std::__thread_scope_cluster_tag> { static constexpr int value = 2; };
template <> struct scope_of<::cuda::std::__thread_scope_device_tag> { static constexpr int value = 3; };
template <> struct scope_of<::cuda::std::__thread_scope_system_tag> { static constexpr int value = 4; };

// Of an object of a class the operations are those on the integer of its size.
template <class __T, class __Sco> struct atomic_operations {
    static constexpr int __S = scope_of<__Sco>::value;
    using as_number = as_integer<__T, __S>;
    static __T load(const volatile __T* object, int order) {
        if constexpr (is_class<__T>)
            return as_number::load(object, order);
        else
            return __scopec_load<__T>(object, order, __S);
    }
    static void store(volatile __T* object, __T value, int order) {
        if constexpr (is_class<__T>)
            as_number::store(object, value, order);
        else
            __scopec_store<__T>(object, value, order, __S);
    }
    static __T exchange(volatile __T* object, __T value, int order) {
        if constexpr (is_class<__T>)
            return as_number::exchange(object, value, order);
        else
            return __scopec_exchange<__T>(object, value, order, __S);
    }
    static bool compare_exchange(volatile __T* object, __T* expected, __T desired, bool weak, int success, int failure) {
        if constexpr (is_class<__T>)
            return as_number::compare_exchange(object, expected, desired, success, failure, weak);
        else
            return __scopec_compare_exchange<__T>(object, expected, desired, success, failure, __S, weak);
    }
#define SCOPEC_FETCH(NAME)                                                                                    \
    template <class __U> static __T NAME(volatile __T* object, __U value, int order) {                        \
        if constexpr (is_pointer<__T>) {                                                                      \
            __scopec_unmodelled("this operation of libcu++ on a pointer");                                    \
            return __T();                                                                                     \
        } else {                                                                                              \
            return __scopec_##NAME<__T>(object, static_cast<__T>(value), order, __S);                         \
        }                                                                                                     \
    }
    SCOPEC_FETCH(fetch_add)
    SCOPEC_FETCH(fetch_and)
    SCOPEC_FETCH(fetch_or)
    SCOPEC_FETCH(fetch_xor)
    SCOPEC_FETCH(fetch_min)
    SCOPEC_FETCH(fetch_max)
#undef SCOPEC_FETCH
};

// [atomics.wait], of what libcu++ keeps as it is: small objects are in a wider one.
template <class __T, class __U, class __Sco> void atomic_wait(const volatile void* object, __U old, int order) {
    if constexpr (sizeof(__T) == sizeof(__U) && !is_class<__U>)
        __scopec_wait<__U>((const volatile __U*)object, old, order, scope_of<__Sco>::value);
    else
        __scopec_unmodelled("a wait on an atomic object of this type");
}
template <class __T, class __U> void atomic_notify(const volatile void* object, bool all) {
    if constexpr (sizeof(__T) == sizeof(__U) && !is_class<__U>)
        __scopec_notify<__U>((const volatile __U*)object, all);
    else
        __scopec_unmodelled("a notification of an atomic object of this type");
}

}  // namespace __scopec
SCOPEC_SHIM_END
