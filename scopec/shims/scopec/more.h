// What programs use of <bit>, <concepts>, <optional>, <span>, for a namespace.
#pragma once

#include <scopec/intrinsics.h>
#include <scopec/types.h>

SCOPEC_SHIM_BEGIN

namespace __scopec {

template <class __To, class __From> constexpr __To bit_cast(const __From& value) noexcept {
    return __builtin_bit_cast(__To, value);
}
template <class __T> constexpr int popcount(__T value) noexcept { return __builtin_popcountll(value); }
template <class __T> constexpr bool has_single_bit(__T value) noexcept { return value && !(value & (value - 1)); }
template <class __T> constexpr int countr_zero(__T value) noexcept {
    return value ? __builtin_ctzll(value) : int(8 * sizeof(__T));
}
template <class __T> constexpr int countl_zero(__T value) noexcept {
    return value ? __builtin_clzll(value) - int(64 - 8 * sizeof(__T)) : int(8 * sizeof(__T));
}

struct nullopt_t {};
inline constexpr nullopt_t nullopt{};
template <class __T> class optional {
    __T __scopec_value{};
    bool __scopec_there = false;

  public:
    using value_type = __T;
    constexpr optional() = default;
    constexpr optional(nullopt_t) {}
    constexpr optional(__T value) : __scopec_value(move(value)), __scopec_there(true) {}
    constexpr void reset() { __scopec_there = false; }
    constexpr bool has_value() const { return __scopec_there; }
    constexpr explicit operator bool() const { return __scopec_there; }
    constexpr __T& operator*() { return __scopec_value; }
    constexpr const __T& operator*() const { return __scopec_value; }
    constexpr __T* operator->() { return &__scopec_value; }
    constexpr const __T* operator->() const { return &__scopec_value; }
    constexpr __T& value() { return __scopec_value; }
    constexpr const __T& value() const { return __scopec_value; }
    constexpr __T value_or(__T other) const { return __scopec_there ? __scopec_value : other; }
};

template <class __T> class span {
    __T* __scopec_items = nullptr;
    size_t __scopec_size = 0;

  public:
    using value_type = __remove_cv(__T);
    constexpr span() = default;
    constexpr span(__T* items, size_t size) : __scopec_items(items), __scopec_size(size) {}
    template <size_t __N> constexpr span(__T (&items)[__N]) : span(items, __N) {}
    template <class __C> constexpr span(__C& items) : span(items.data(), items.size()) {}
    constexpr __T& operator[](size_t i) const { return __scopec_items[i]; }
    constexpr __T* data() const { return __scopec_items; }
    constexpr size_t size() const { return __scopec_size; }
    constexpr bool empty() const { return __scopec_size == 0; }
    constexpr __T* begin() const { return __scopec_items; }
    constexpr __T* end() const { return __scopec_items + __scopec_size; }
};
template <class __T, size_t __N> span(__T (&)[__N]) -> span<__T>;
template <class __T> span(__T*, size_t) -> span<__T>;

#if __cpp_concepts
template <class __T, class __U> concept same_as = __is_same(__T, __U);
template <class __T, class __U> concept convertible_to = __is_convertible(__T, __U);
template <class __T, class __U> concept derived_from = __is_base_of(__U, __T);
template <class __T> concept integral = __is_integral(__T);
template <class __T> concept signed_integral = __is_integral(__T) && __is_signed(__T);
template <class __T> concept unsigned_integral = __is_integral(__T) && __is_unsigned(__T);
template <class __T> concept floating_point = __is_floating_point(__T);
#define SCOPEC_CONCEPTS                                                                                       \
    using __scopec::convertible_to;                                                                           \
    using __scopec::derived_from;                                                                             \
    using __scopec::floating_point;                                                                           \
    using __scopec::integral;                                                                                 \
    using __scopec::same_as;                                                                                  \
    using __scopec::signed_integral;                                                                          \
    using __scopec::unsigned_integral;
#else
#define SCOPEC_CONCEPTS
#endif

}  // namespace __scopec

#define SCOPEC_BIT                                                                                            \
    using __scopec::bit_cast;                                                                                 \
    using __scopec::countl_zero;                                                                              \
    using __scopec::countr_zero;                                                                              \
    using __scopec::has_single_bit;                                                                           \
    using __scopec::popcount;
#define SCOPEC_OPTIONAL                                                                                       \
    using __scopec::nullopt;                                                                                  \
    using __scopec::nullopt_t;                                                                                \
    using __scopec::optional;
#define SCOPEC_SPAN using __scopec::span;

SCOPEC_SHIM_END
