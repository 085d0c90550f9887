// atomic, atomic_ref, atomic_flag and fences: [atomics], with CUDA's scopes.
#pragma once

#include <scopec/intrinsics.h>
#include <scopec/types.h>

SCOPEC_SHIM_BEGIN

namespace __scopec {

enum class memory_order : int { relaxed, consume, acquire, release, acq_rel, seq_cst };
inline constexpr memory_order memory_order_relaxed = memory_order::relaxed;
inline constexpr memory_order memory_order_consume = memory_order::consume;
inline constexpr memory_order memory_order_acquire = memory_order::acquire;
inline constexpr memory_order memory_order_release = memory_order::release;
inline constexpr memory_order memory_order_acq_rel = memory_order::acq_rel;
inline constexpr memory_order memory_order_seq_cst = memory_order::seq_cst;

enum thread_scope : int {
    thread_scope_thread = 0,
    thread_scope_block = 1,
    thread_scope_cluster = 2,
    thread_scope_device = 3,
    thread_scope_system = 4,
};

// [atomics.types.operations]: with one order given, failure drops its release half.
constexpr memory_order failure_of(memory_order success) {
    return success == memory_order::acq_rel   ? memory_order::acquire
           : success == memory_order::release ? memory_order::relaxed
                                              : success;
}

// The operations on objects of a class: those on the integer of their size.
template <class __T, int __S> struct as_integer {
    using raw = typename unsigned_of_size<sizeof(__T)>::type;
    static volatile raw* at(volatile __T* object) { return reinterpret_cast<volatile raw*>(object); }
    static const volatile raw* at(const volatile __T* object) {
        return reinterpret_cast<const volatile raw*>(object);
    }
    static __T load(const volatile __T* object, int order) {
        return __builtin_bit_cast(__T, __scopec_load<raw>(at(object), order, __S));
    }
    static void store(volatile __T* object, __T value, int order) {
        __scopec_store<raw>(at(object), __builtin_bit_cast(raw, value), order, __S);
    }
    static __T exchange(volatile __T* object, __T value, int order) {
        return __builtin_bit_cast(__T, __scopec_exchange<raw>(at(object), __builtin_bit_cast(raw, value), order, __S));
    }
    static bool compare_exchange(volatile __T* object, __T* expected, __T desired, int success, int failure,
                                 bool weak) {
        return __scopec_compare_exchange<raw>(at(object), reinterpret_cast<raw*>(expected),
                                              __builtin_bit_cast(raw, desired), success, failure, __S, weak);
    }
    static void wait(const volatile __T* object, __T old, int order) {
        __scopec_wait<raw>(at(object), __builtin_bit_cast(raw, old), order, __S);
    }
    static void notify(const volatile __T* object, bool all) { __scopec_notify<raw>(at(object), all); }
};

template <class __T> constexpr __T wrapped(__T left, __T right) {
    using __U = typename unsigned_of_size<sizeof(__T)>::type;
    return __T(__U(__U(left) + __U(right)));
}
template <class __T> constexpr __T negated(__T value) {
    using __U = typename unsigned_of_size<sizeof(__T)>::type;
    return __T(__U(__U(0) - __U(value)));
}

// OPERATION by its intrinsic, or on the integer of an object's size.
#define SCOPEC_DO(OPERATION, OBJECT, ...)                                                                     \
    if constexpr (is_class<__T>)                                                                              \
        return as_integer<__T, __S>::OPERATION(OBJECT, __VA_ARGS__);                                          \
    else                                                                                                      \
        return __scopec_##OPERATION<__T>(OBJECT, __VA_ARGS__, __S);

// The members that both kinds of atomic have; CV is how `this` is qualified where the object changes.
#define SCOPEC_MEMBERS(OBJECT, CV)                                                                            \
    using value_type = __T;                                                                                   \
    static constexpr bool is_always_lock_free = true;                                                         \
    bool is_lock_free() const volatile noexcept { return true; }                                              \
    __T load(memory_order order = memory_order_seq_cst) const volatile noexcept {                             \
        SCOPEC_DO(load, OBJECT, int(order))                                                                   \
    }                                                                                                         \
    operator __T() const volatile noexcept { return load(); }                                                 \
    void store(__T value, memory_order order = memory_order_seq_cst) CV noexcept {                            \
        SCOPEC_DO(store, OBJECT, value, int(order))                                                           \
    }                                                                                                         \
    __T operator=(__T value) CV noexcept {                                                                    \
        store(value);                                                                                         \
        return value;                                                                                         \
    }                                                                                                         \
    __T exchange(__T value, memory_order order = memory_order_seq_cst) CV noexcept {                          \
        SCOPEC_DO(exchange, OBJECT, value, int(order))                                                        \
    }                                                                                                         \
    SCOPEC_COMPARE(compare_exchange_strong, OBJECT, CV, false)                                                \
    SCOPEC_COMPARE(compare_exchange_weak, OBJECT, CV, true)                                                   \
    void wait(__T old, memory_order order = memory_order_seq_cst) const volatile noexcept {                   \
        SCOPEC_DO(wait, OBJECT, old, int(order))                                                              \
    }                                                                                                         \
    SCOPEC_NOTIFY(notify_one, OBJECT, CV, false)                                                              \
    SCOPEC_NOTIFY(notify_all, OBJECT, CV, true)
#define SCOPEC_COMPARE(NAME, OBJECT, CV, WEAK)                                                                \
    bool NAME(__T& expected, __T desired, memory_order success, memory_order failure) CV noexcept {           \
        if constexpr (is_class<__T>)                                                                          \
            return as_integer<__T, __S>::compare_exchange(OBJECT, &expected, desired, int(success),           \
                                                          int(failure), WEAK);                                \
        else                                                                                                  \
            return __scopec_compare_exchange<__T>(OBJECT, &expected, desired, int(success), int(failure),     \
                                                  __S, WEAK);                                                 \
    }                                                                                                         \
    bool NAME(__T& expected, __T desired, memory_order order = memory_order_seq_cst) CV noexcept {            \
        return NAME(expected, desired, order, failure_of(order));                                             \
    }
#define SCOPEC_NOTIFY(NAME, OBJECT, CV, ALL)                                                                  \
    void NAME() CV noexcept {                                                                                 \
        if constexpr (is_class<__T>)                                                                          \
            as_integer<__T, __S>::notify(OBJECT, ALL);                                                        \
        else                                                                                                  \
            __scopec_notify<__T>(OBJECT, ALL);                                                                \
    }

template <class __T, int __S> struct atomic_object {
    __T __scopec_value;
    atomic_object() noexcept = default;
    constexpr atomic_object(__T value) noexcept : __scopec_value(value) {}
    atomic_object(const atomic_object&) = delete;
    atomic_object& operator=(const atomic_object&) = delete;
    atomic_object& operator=(const atomic_object&) volatile = delete;
    __T operator=(__T value) noexcept {
        store(value);
        return value;
    }
    SCOPEC_MEMBERS(&__scopec_value, volatile)
};

template <class __T, int __S> struct atomic_reference {
    static constexpr size_t required_alignment = sizeof(__T);
    __T* __scopec_object;
    explicit constexpr atomic_reference(__T& object) noexcept : __scopec_object(&object) {}
    atomic_reference(const atomic_reference&) noexcept = default;
    atomic_reference& operator=(const atomic_reference&) = delete;
    SCOPEC_MEMBERS(__scopec_object, const)
};

// ---- arithmetic, by what the value is

#define SCOPEC_FETCH(NAME, OBJECT, CV)                                                                        \
    __T fetch_##NAME(__T value, memory_order order = memory_order_seq_cst) CV noexcept {                      \
        return __scopec_fetch_##NAME<__T>(OBJECT, value, int(order), __S);                                    \
    }
#define SCOPEC_NO_MEMBERS(OBJECT, CV)
#define SCOPEC_SUM_MEMBERS(OBJECT, CV)                                                                        \
    SCOPEC_FETCH(add, OBJECT, CV)                                                                             \
    SCOPEC_FETCH(sub, OBJECT, CV)                                                                             \
    __T operator+=(__T value) CV noexcept { return fetch_add(value) + value; }                                \
    __T operator-=(__T value) CV noexcept { return fetch_sub(value) - value; }
// What an atomic integer adds to its own type wraps ([atomics.types.int]).
#define SCOPEC_INTEGER_MEMBERS(OBJECT, CV)                                                                    \
    SCOPEC_FETCH(add, OBJECT, CV)                                                                             \
    SCOPEC_FETCH(sub, OBJECT, CV)                                                                             \
    SCOPEC_FETCH(and, OBJECT, CV)                                                                             \
    SCOPEC_FETCH(or, OBJECT, CV)                                                                              \
    SCOPEC_FETCH(xor, OBJECT, CV)                                                                             \
    SCOPEC_FETCH(min, OBJECT, CV)                                                                             \
    SCOPEC_FETCH(max, OBJECT, CV)                                                                             \
    __T operator++(int) CV noexcept { return fetch_add(1); }                                                  \
    __T operator--(int) CV noexcept { return fetch_sub(1); }                                                  \
    __T operator++() CV noexcept { return wrapped<__T>(fetch_add(1), 1); }                                    \
    __T operator--() CV noexcept { return wrapped<__T>(fetch_sub(1), __T(-1)); }                              \
    __T operator+=(__T value) CV noexcept { return wrapped<__T>(fetch_add(value), value); }                   \
    __T operator-=(__T value) CV noexcept { return wrapped<__T>(fetch_sub(value), negated<__T>(value)); }     \
    __T operator&=(__T value) CV noexcept { return fetch_and(value) & value; }                                \
    __T operator|=(__T value) CV noexcept { return fetch_or(value) | value; }                                 \
    __T operator^=(__T value) CV noexcept { return fetch_xor(value) ^ value; }
#define SCOPEC_POINTER_MEMBERS(OBJECT, CV)                                                                    \
    __T fetch_add(ptrdiff_t count, memory_order order = memory_order_seq_cst) CV noexcept {                   \
        return __scopec_fetch_move(OBJECT, count * long(sizeof(*__T{})), int(order), __S);                    \
    }                                                                                                         \
    __T fetch_sub(ptrdiff_t count, memory_order order = memory_order_seq_cst) CV noexcept {                   \
        return __scopec_fetch_move(OBJECT, -count * long(sizeof(*__T{})), int(order), __S);                   \
    }                                                                                                         \
    __T operator++(int) CV noexcept { return fetch_add(1); }                                                  \
    __T operator--(int) CV noexcept { return fetch_sub(1); }                                                  \
    __T operator++() CV noexcept { return fetch_add(1) + 1; }                                                 \
    __T operator--() CV noexcept { return fetch_sub(1) - 1; }                                                 \
    __T operator+=(ptrdiff_t count) CV noexcept { return fetch_add(count) + count; }                          \
    __T operator-=(ptrdiff_t count) CV noexcept { return fetch_sub(count) - count; }

enum class shape { other, integer, pointer, floating };
template <class __T>
inline constexpr shape shape_of = is_pointer<__T>                           ? shape::pointer
                                  : is_floating_point<__T>                  ? shape::floating
                                  : is_integral<__T> && !is_same<__T, bool> ? shape::integer
                                                                            : shape::other;

template <class __T, int __S, shape = shape_of<__T>> struct atomic;
template <class __T, int __S, shape = shape_of<__T>> struct atomic_ref;
#define SCOPEC_ATOMIC(SHAPE, ARITHMETIC)                                                                      \
    template <class __T, int __S> struct atomic<__T, __S, SHAPE> : atomic_object<__T, __S> {                  \
        using atomic_object<__T, __S>::atomic_object;                                                         \
        using atomic_object<__T, __S>::operator=;                                                             \
        ARITHMETIC(&this->__scopec_value, volatile)                                                           \
    };                                                                                                        \
    template <class __T, int __S> struct atomic_ref<__T, __S, SHAPE> : atomic_reference<__T, __S> {           \
        using atomic_reference<__T, __S>::atomic_reference;                                                   \
        using atomic_reference<__T, __S>::operator=;                                                          \
        ARITHMETIC(this->__scopec_object, const)                                                              \
    };
SCOPEC_ATOMIC(shape::other, SCOPEC_NO_MEMBERS)
SCOPEC_ATOMIC(shape::integer, SCOPEC_INTEGER_MEMBERS)
SCOPEC_ATOMIC(shape::pointer, SCOPEC_POINTER_MEMBERS)
SCOPEC_ATOMIC(shape::floating, SCOPEC_SUM_MEMBERS)

// [atomics.flag]: clear at the start.
template <int __S> struct atomic_flag {
    bool __scopec_value;
    constexpr atomic_flag() noexcept : __scopec_value(false) {}
    constexpr atomic_flag(bool set) noexcept : __scopec_value(set) {}
    atomic_flag(const atomic_flag&) = delete;
    atomic_flag& operator=(const atomic_flag&) = delete;
    bool test(memory_order order = memory_order_seq_cst) const volatile noexcept {
        return __scopec_load<bool>(&__scopec_value, int(order), __S);
    }
    bool test_and_set(memory_order order = memory_order_seq_cst) volatile noexcept {
        return __scopec_exchange<bool>(&__scopec_value, true, int(order), __S);
    }
    void clear(memory_order order = memory_order_seq_cst) volatile noexcept {
        __scopec_store<bool>(&__scopec_value, false, int(order), __S);
    }
    void wait(bool old, memory_order order = memory_order_seq_cst) const volatile noexcept {
        __scopec_wait<bool>(&__scopec_value, old, int(order), __S);
    }
    void notify_one() volatile noexcept { __scopec_notify<bool>(&__scopec_value, false); }
    void notify_all() volatile noexcept { __scopec_notify<bool>(&__scopec_value, true); }
};

// [atomics.fences]: a relaxed fence has no effects.
inline void fence(memory_order order, int scope) {
    if (order != memory_order::relaxed) __scopec_fence(int(order), scope);
}

}  // namespace __scopec

// The names of a namespace whose atomics take no scope.
#define SCOPEC_ATOMIC_NAMES                                                                                   \
    using __scopec::memory_order;                                                                             \
    using __scopec::memory_order_relaxed;                                                                     \
    using __scopec::memory_order_consume;                                                                     \
    using __scopec::memory_order_acquire;                                                                     \
    using __scopec::memory_order_release;                                                                     \
    using __scopec::memory_order_acq_rel;                                                                     \
    using __scopec::memory_order_seq_cst;                                                                     \
    inline void atomic_signal_fence(memory_order) noexcept {}

#define SCOPEC_FREE(RESULT, NAME, MEMBER)                                                                     \
    template <class __T> RESULT atomic_##NAME(volatile atomic<__T>* object, typename atomic<__T>::value_type value) noexcept { \
        return object->MEMBER(value);                                                                         \
    }                                                                                                         \
    template <class __T>                                                                                        \
    RESULT atomic_##NAME##_explicit(volatile atomic<__T>* object, typename atomic<__T>::value_type value,         \
                                    memory_order order) noexcept {                                            \
        return object->MEMBER(value, order);                                                                  \
    }
#define SCOPEC_FREE_EXCHANGE(NAME)                                                                            \
    template <class __T>                                                                                        \
    bool atomic_##NAME(volatile atomic<__T>* object, __T* expected, typename atomic<__T>::value_type desired) noexcept { \
        return object->NAME(*expected, desired);                                                              \
    }                                                                                                         \
    template <class __T>                                                                                        \
    bool atomic_##NAME##_explicit(volatile atomic<__T>* object, __T* expected, typename atomic<__T>::value_type desired, \
                                  memory_order success, memory_order failure) noexcept {                      \
        return object->NAME(*expected, desired, success, failure);                                            \
    }

#define SCOPEC_STD_ATOMICS                                                                                    \
    SCOPEC_ATOMIC_NAMES                                                                                       \
    template <class __T> struct atomic : __scopec::atomic<__T, __scopec::thread_scope_system> {                   \
        using base = __scopec::atomic<__T, __scopec::thread_scope_system>;                                      \
        atomic() noexcept = default;                                                                          \
        constexpr atomic(__T value) noexcept : base(value) {}                                                   \
        using base::operator=;                                                                                \
    };                                                                                                        \
    template <class __T> struct atomic_ref : __scopec::atomic_ref<__T, __scopec::thread_scope_system> {           \
        using base = __scopec::atomic_ref<__T, __scopec::thread_scope_system>;                                  \
        explicit constexpr atomic_ref(__T& object) noexcept : base(object) {}                                   \
        using base::operator=;                                                                                \
    };                                                                                                        \
    struct atomic_flag : __scopec::atomic_flag<__scopec::thread_scope_system> {                               \
        using __scopec::atomic_flag<__scopec::thread_scope_system>::atomic_flag;                              \
    };                                                                                                        \
    inline void atomic_thread_fence(memory_order order) noexcept {                                            \
        __scopec::fence(order, __scopec::thread_scope_system);                                                \
    }                                                                                                         \
    template <class __T> __T atomic_load(const volatile atomic<__T>* object) noexcept { return object->load(); }    \
    template <class __T> __T atomic_load_explicit(const volatile atomic<__T>* object, memory_order order) noexcept { \
        return object->load(order);                                                                           \
    }                                                                                                         \
    SCOPEC_FREE(void, store, store)                                                                           \
    SCOPEC_FREE(__T, exchange, exchange)                                                                        \
    SCOPEC_FREE(__T, fetch_add, fetch_add)                                                                      \
    SCOPEC_FREE(__T, fetch_sub, fetch_sub)                                                                      \
    SCOPEC_FREE(__T, fetch_and, fetch_and)                                                                      \
    SCOPEC_FREE(__T, fetch_or, fetch_or)                                                                        \
    SCOPEC_FREE(__T, fetch_xor, fetch_xor)                                                                      \
    SCOPEC_FREE_EXCHANGE(compare_exchange_strong)                                                             \
    SCOPEC_FREE_EXCHANGE(compare_exchange_weak)                                                               \
    using atomic_bool = atomic<bool>;                                                                         \
    using atomic_char = atomic<char>;                                                                         \
    using atomic_short = atomic<short>;                                                                       \
    using atomic_int = atomic<int>;                                                                           \
    using atomic_uint = atomic<unsigned>;                                                                     \
    using atomic_long = atomic<long>;                                                                         \
    using atomic_ulong = atomic<unsigned long>;                                                               \
    using atomic_llong = atomic<long long>;                                                                   \
    using atomic_ullong = atomic<unsigned long long>;                                                         \
    using atomic_int32_t = atomic<int>;                                                                       \
    using atomic_uint32_t = atomic<unsigned>;                                                                 \
    using atomic_int64_t = atomic<long>;                                                                      \
    using atomic_uint64_t = atomic<unsigned long>;                                                            \
    using atomic_size_t = atomic<size_t>;                                                                     \
    using atomic_uintptr_t = atomic<unsigned long>;

SCOPEC_SHIM_END

// The values of `vary` in directives; over NVIDIA's headers they are of their types.
#ifndef SCOPEC_REAL
namespace __scopec_chosen {
using namespace __scopec;
}
#endif
