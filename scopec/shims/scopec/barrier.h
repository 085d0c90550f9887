// barrier, latch, counting_semaphore: [thread.barrier], [thread.latch], [thread.sema], with CUDA's scopes.
//
// An arrival is a release, a wait that returns an acquire.  A function that tries may fail without a reason.
#pragma once

#include <scopec/atomic.h>

SCOPEC_SHIM_BEGIN

namespace __scopec {

struct empty_completion {
    void operator()() const noexcept {}
};

struct arrival_token {
    long __scopec_phase;
};

template <int __S> struct barrier {
    mutable long __scopec_state;
    using arrival_token = __scopec::arrival_token;
    barrier() = default;
    constexpr explicit barrier(ptrdiff_t expected, empty_completion = {}) {
        if (__builtin_is_constant_evaluated())
            __scopec_state = expected;
        else
            __scopec_barrier_init(&__scopec_state, expected);
    }
    barrier(const barrier&) = delete;
    barrier& operator=(const barrier&) = delete;
    static constexpr ptrdiff_t max() noexcept { return (1 << 20) - 1; }
    [[nodiscard]] arrival_token arrive(ptrdiff_t update = 1) {
        return {__scopec_barrier_arrive(&__scopec_state, update, __S, false)};
    }
    void wait(arrival_token&& token) const { __scopec_barrier_wait(&__scopec_state, token.__scopec_phase, __S); }
    void arrive_and_wait() { wait(arrive()); }
    void arrive_and_drop() { __scopec_barrier_arrive(&__scopec_state, 1, __S, true); }
    void wait_parity(bool parity) const { __scopec_barrier_wait_parity(&__scopec_state, parity, __S); }
    bool try_wait(arrival_token&& token) const {
        bool over = __scopec_barrier_test(&__scopec_state, token.__scopec_phase, __S);
        return __scopec_decide() & over;
    }
    bool try_wait_parity(bool parity) const {
        bool over = __scopec_barrier_test_parity(&__scopec_state, parity, __S);
        return __scopec_decide() & over;
    }
    template <class __Duration> bool try_wait_for(arrival_token&& token, const __Duration&) const {
        return try_wait(static_cast<arrival_token&&>(token));
    }
    template <class __Time> bool try_wait_until(arrival_token&& token, const __Time&) const {
        return try_wait(static_cast<arrival_token&&>(token));
    }
    template <class __Duration> bool try_wait_parity_for(bool parity, const __Duration&) const {
        return try_wait_parity(parity);
    }
    template <class __Time> bool try_wait_parity_until(bool parity, const __Time&) const {
        return try_wait_parity(parity);
    }
};

// The number in a latch or semaphore.
template <int __S> struct counter {
    mutable long __scopec_count;
    counter() = default;
    constexpr explicit counter(ptrdiff_t count) : __scopec_count(count) {}
    counter(const counter&) = delete;
    counter& operator=(const counter&) = delete;
    void add(ptrdiff_t update) { __scopec_fetch_add<long>(&__scopec_count, update, 3, __S); }
    void take(ptrdiff_t update) { __scopec_fetch_sub<long>(&__scopec_count, update, 3, __S); }
    void await_zero() const { __scopec_await_zero(&__scopec_count, __S); }
    bool is_zero() const {
        bool zero = __scopec_load<long>(&__scopec_count, 2, __S) == 0;
        return __scopec_decide() & zero;
    }
    void acquire() { __scopec_acquire(&__scopec_count, __S); }
    bool try_acquire() {
        long found = __scopec_load<long>(&__scopec_count, 0, __S);
        return found > 0 && __scopec_compare_exchange<long>(&__scopec_count, &found, found - 1, 2, 0, __S, true);
    }
};

template <int __S> struct latch : private counter<__S> {
    latch() = default;
    constexpr explicit latch(ptrdiff_t expected) : counter<__S>(expected) {}
    static constexpr ptrdiff_t max() noexcept { return 0x7fffffff; }
    void count_down(ptrdiff_t update = 1) { this->take(update); }
    bool try_wait() const noexcept { return this->is_zero(); }
    void wait() const { this->await_zero(); }
    void arrive_and_wait(ptrdiff_t update = 1) {
        count_down(update);
        wait();
    }
};

template <int __S, ptrdiff_t __MOST> struct counting_semaphore : private counter<__S> {
    counting_semaphore() = default;
    constexpr explicit counting_semaphore(ptrdiff_t desired) : counter<__S>(desired) {}
    static constexpr ptrdiff_t max() noexcept { return __MOST; }
    void release(ptrdiff_t update = 1) { this->add(update); }
    void acquire() { counter<__S>::acquire(); }
    bool try_acquire() noexcept { return counter<__S>::try_acquire(); }
    template <class __Duration> bool try_acquire_for(const __Duration&) { return try_acquire(); }
    template <class __Time> bool try_acquire_until(const __Time&) { return try_acquire(); }
};

}  // namespace __scopec

// Those of a namespace without scopes, and of one with.
#define SCOPEC_BARRIER                                                                                        \
    template <class __Completion = __scopec::empty_completion> struct barrier;                                  \
    template <> struct barrier<__scopec::empty_completion> : __scopec::barrier<__scopec::thread_scope_system> { \
        using __scopec::barrier<__scopec::thread_scope_system>::barrier;                                      \
    };                                                                                                        \
    barrier(ptrdiff_t)->barrier<__scopec::empty_completion>;
#define SCOPEC_LATCH                                                                                          \
    struct latch : __scopec::latch<__scopec::thread_scope_system> {                                           \
        using __scopec::latch<__scopec::thread_scope_system>::latch;                                          \
    };
#define SCOPEC_SEMAPHORE                                                                                      \
    template <ptrdiff_t __MOST = 0x7fffffff>                                                                    \
    struct counting_semaphore : __scopec::counting_semaphore<__scopec::thread_scope_system, __MOST> {           \
        using __scopec::counting_semaphore<__scopec::thread_scope_system, __MOST>::counting_semaphore;          \
    };                                                                                                        \
    using binary_semaphore = counting_semaphore<1>;

SCOPEC_SHIM_END
