// Durations and clocks: how long is not modelled, how a program computes it is.
#pragma once

#include <scopec/intrinsics.h>
#include <scopec/types.h>

SCOPEC_SHIM_BEGIN

namespace __scopec {
namespace chrono {

template <long __N, long __D = 1> struct ratio {
    static constexpr long num = __N, den = __D;
};

// In units of a period of seconds.
template <class __Rep, class __Period = ratio<1>> struct duration {
    __Rep __scopec_count;
    using rep = __Rep;
    using period = __Period;
    constexpr duration() = default;
    template <class __R> constexpr explicit duration(const __R& count) : __scopec_count(static_cast<__Rep>(count)) {}
    template <class __R, class __P>
    constexpr duration(const duration<__R, __P>& other)
        : __scopec_count(
              static_cast<__Rep>(other.count() * (__P::num * __Period::den) / (__P::den * __Period::num))) {}
    constexpr __Rep count() const { return __scopec_count; }
    static constexpr duration zero() { return duration(0); }
    constexpr duration& operator+=(const duration& other) {
        __scopec_count += other.__scopec_count;
        return *this;
    }
    constexpr duration& operator-=(const duration& other) {
        __scopec_count -= other.__scopec_count;
        return *this;
    }
    constexpr duration& operator*=(const __Rep& by) {
        __scopec_count *= by;
        return *this;
    }
    friend constexpr duration operator+(duration a, duration b) { return duration(a.count() + b.count()); }
    friend constexpr duration operator-(duration a, duration b) { return duration(a.count() - b.count()); }
    friend constexpr duration operator*(duration a, __Rep b) { return duration(a.count() * b); }
    friend constexpr duration operator*(__Rep a, duration b) { return duration(a * b.count()); }
    friend constexpr duration operator/(duration a, __Rep b) { return duration(a.count() / b); }
    friend constexpr bool operator<(duration a, duration b) { return a.count() < b.count(); }
    friend constexpr bool operator>(duration a, duration b) { return b < a; }
    friend constexpr bool operator<=(duration a, duration b) { return !(b < a); }
    friend constexpr bool operator>=(duration a, duration b) { return !(a < b); }
    friend constexpr bool operator==(duration a, duration b) { return a.count() == b.count(); }
    friend constexpr bool operator!=(duration a, duration b) { return !(a == b); }
};
using nanoseconds = duration<long, ratio<1, 1000000000>>;
using microseconds = duration<long, ratio<1, 1000000>>;
using milliseconds = duration<long, ratio<1, 1000>>;
using seconds = duration<long>;
using minutes = duration<long, ratio<60>>;
using hours = duration<long, ratio<3600>>;

template <class __To, class __R, class __P> constexpr __To duration_cast(const duration<__R, __P>& d) { return __To(d); }

struct time_point {
    nanoseconds __scopec_since;
    constexpr nanoseconds time_since_epoch() const { return __scopec_since; }
    friend constexpr nanoseconds operator-(time_point a, time_point b) { return a.__scopec_since - b.__scopec_since; }
    friend constexpr time_point operator+(time_point a, nanoseconds b) { return {a.__scopec_since + b}; }
    friend constexpr bool operator<(time_point a, time_point b) { return a.__scopec_since < b.__scopec_since; }
    friend constexpr bool operator>(time_point a, time_point b) { return b < a; }
    friend constexpr bool operator<=(time_point a, time_point b) { return !(b < a); }
    friend constexpr bool operator>=(time_point a, time_point b) { return !(a < b); }
};
struct steady_clock {
    using time_point = chrono::time_point;
    using duration = nanoseconds;
    static time_point now() noexcept { return {nanoseconds(__scopec_clock<long>())}; }
};
using system_clock = steady_clock;
using high_resolution_clock = steady_clock;

}  // namespace chrono

inline namespace literals {
inline namespace chrono_literals {
constexpr chrono::nanoseconds operator""ns(unsigned long long n) { return chrono::nanoseconds(n); }
constexpr chrono::microseconds operator""us(unsigned long long n) { return chrono::microseconds(n); }
constexpr chrono::milliseconds operator""ms(unsigned long long n) { return chrono::milliseconds(n); }
constexpr chrono::seconds operator""s(unsigned long long n) { return chrono::seconds(n); }
}  // namespace chrono_literals
}  // namespace literals

namespace this_thread {
inline void yield() noexcept { __scopec_yield(false); }
template <class __Duration> void sleep_for(const __Duration&) { __scopec_yield(true); }
template <class __Time> void sleep_until(const __Time&) { __scopec_yield(true); }
}  // namespace this_thread

}  // namespace __scopec

SCOPEC_SHIM_END
