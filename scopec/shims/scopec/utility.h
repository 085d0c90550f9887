// What programs use of <utility>, <type_traits>, <functional>, <algorithm>, <limits>, <array>, for a namespace.
#pragma once

#include <scopec/invoke.h>
#include <scopec/types.h>

SCOPEC_SHIM_BEGIN

namespace __scopec {

template <class __T, __T __V> struct integral_constant {
    static constexpr __T value = __V;
    using value_type = __T;
    constexpr operator __T() const noexcept { return __V; }
    constexpr __T operator()() const noexcept { return __V; }
};

template <class __T, class __U = __T> constexpr __T exchange(__T& object, __U&& value) {
    __T before = move(object);
    object = forward<__U>(value);
    return before;
}
template <class __T> constexpr void swap(__T& a, __T& b) {
    __T held = move(a);
    a = move(b);
    b = move(held);
}
template <class __T> constexpr const __T& min(const __T& a, const __T& b) { return b < a ? b : a; }
template <class __T> constexpr const __T& max(const __T& a, const __T& b) { return a < b ? b : a; }
// Which of two floating-point numbers is chosen is not known: no thread goes two ways for it.
#define SCOPEC_CHOSEN(NAME, T)                                                                                \
    constexpr T NAME(const T& a, const T& b) {                                                                \
        if (__builtin_is_constant_evaluated()) return NAME<T>(a, b);                                          \
        T both = a + b;                                                                                       \
        (void)both;                                                                                           \
        return __scopec_unknown<T>();                                                                         \
    }
SCOPEC_CHOSEN(min, float)
SCOPEC_CHOSEN(min, double)
SCOPEC_CHOSEN(max, float)
SCOPEC_CHOSEN(max, double)
#undef SCOPEC_CHOSEN
template <class __T> constexpr const __T& clamp(const __T& v, const __T& low, const __T& high) {
    return v < low ? low : high < v ? high : v;
}
template <class __T> constexpr __T* addressof(__T& object) noexcept { return __builtin_addressof(object); }
template <class __T> constexpr reference_wrapper<__T> ref(__T& object) noexcept { return {object}; }
template <class __T> constexpr reference_wrapper<const __T> cref(const __T& object) noexcept { return {object}; }
template <class __T> constexpr const __T& as_const(__T& object) noexcept { return object; }

template <class __A, class __B> struct pair {
    __A first;
    __B second;
    constexpr pair() = default;
    constexpr pair(__A a, __B b) : first(move(a)), second(move(b)) {}
    template <class __C, class __D> constexpr pair(const pair<__C, __D>& other) : first(other.first), second(other.second) {}
    friend constexpr bool operator==(const pair& a, const pair& b) { return a.first == b.first && a.second == b.second; }
    friend constexpr bool operator!=(const pair& a, const pair& b) { return !(a == b); }
    friend constexpr bool operator<(const pair& a, const pair& b) {
        return a.first < b.first || (!(b.first < a.first) && a.second < b.second);
    }
    friend constexpr bool operator>(const pair& a, const pair& b) { return b < a; }
};
template <class __A, class __B> constexpr pair<__A, __B> make_pair(__A a, __B b) { return {a, b}; }

template <class __T, size_t __N> struct array {
    __T __scopec_items[__N ? __N : 1];
    using value_type = __T;
    constexpr __T& operator[](size_t i) { return __scopec_items[i]; }
    constexpr const __T& operator[](size_t i) const { return __scopec_items[i]; }
    constexpr __T& at(size_t i) { return __scopec_items[i]; }
    constexpr __T& front() { return __scopec_items[0]; }
    constexpr __T& back() { return __scopec_items[__N - 1]; }
    constexpr __T* data() { return __scopec_items; }
    constexpr const __T* data() const { return __scopec_items; }
    constexpr __T* begin() { return __scopec_items; }
    constexpr __T* end() { return __scopec_items + __N; }
    constexpr const __T* begin() const { return __scopec_items; }
    constexpr const __T* end() const { return __scopec_items + __N; }
    static constexpr size_t size() { return __N; }
    static constexpr bool empty() { return __N == 0; }
    constexpr void fill(const __T& value) {
        for (size_t i = 0; i < __N; i++) __scopec_items[i] = value;
    }
};
template <class __T, class... __U> array(__T, __U...) -> array<__T, 1 + sizeof...(__U)>;

template <class __T> struct numeric_limits {
    static constexpr bool is_specialized = true, is_integer = true, is_exact = true, is_iec559 = false;
    static constexpr bool has_infinity = false, has_quiet_NaN = false;
    static constexpr bool is_signed = __T(-1) < __T(0);
    static constexpr int radix = 2;
    static constexpr int digits = int(sizeof(__T) * 8) - is_signed;
    static constexpr int digits10 = digits * 643 / 2136;  // log10(2)
    static constexpr __T max() noexcept {
        return is_signed ? __T((((__T(1) << (digits - 1)) - 1) << 1) + 1) : __T(~__T(0));
    }
    static constexpr __T min() noexcept { return is_signed ? __T(-max() - 1) : __T(0); }
    static constexpr __T lowest() noexcept { return min(); }
    static constexpr __T epsilon() noexcept { return __T(0); }
    static constexpr __T infinity() noexcept { return __T(0); }
    static constexpr __T quiet_NaN() noexcept { return __T(0); }
};
#define SCOPEC_LIMITS_OF(T, NAME)                                                                    \
    template <> struct numeric_limits<T> {                                                           \
        static constexpr bool is_specialized = true, is_integer = false, is_exact = false;           \
        static constexpr bool is_iec559 = true, has_infinity = true, has_quiet_NaN = true;           \
        static constexpr bool is_signed = true;                                                      \
        static constexpr int radix = 2, digits = __##NAME##_MANT_DIG__, digits10 = __##NAME##_DIG__; \
        static constexpr T max() noexcept { return __##NAME##_MAX__; }                               \
        static constexpr T min() noexcept { return __##NAME##_MIN__; }                               \
        static constexpr T lowest() noexcept { return -__##NAME##_MAX__; }                           \
        static constexpr T denorm_min() noexcept { return __##NAME##_DENORM_MIN__; }                 \
        static constexpr T epsilon() noexcept { return __##NAME##_EPSILON__; }                       \
        static constexpr T infinity() noexcept { return T(__builtin_huge_val()); }                   \
        static constexpr T quiet_NaN() noexcept { return T(__builtin_nan("")); }                     \
    }
SCOPEC_LIMITS_OF(float, FLT);
SCOPEC_LIMITS_OF(double, DBL);
template <class __T> struct numeric_limits<const __T> : numeric_limits<__T> {};

// [function.objects]; without a type, of whatever they are called with.
#define SCOPEC_OPERATION(NAME, RESULT, EXPRESSION)                                                            \
    template <class __T = void> struct NAME {                                                                 \
        constexpr RESULT operator()(const __T& a, const __T& b) const { return EXPRESSION; }                  \
    };                                                                                                        \
    template <> struct NAME<void> {                                                                           \
        template <class __A, class __B> constexpr auto operator()(const __A& a, const __B& b) const { return EXPRESSION; } \
    };
SCOPEC_OPERATION(plus, __T, a + b)
SCOPEC_OPERATION(minus, __T, a - b)
SCOPEC_OPERATION(multiplies, __T, a * b)
SCOPEC_OPERATION(divides, __T, a / b)
SCOPEC_OPERATION(equal_to, bool, a == b)
SCOPEC_OPERATION(not_equal_to, bool, !(a == b))
SCOPEC_OPERATION(less, bool, a < b)
SCOPEC_OPERATION(greater, bool, b < a)
SCOPEC_OPERATION(less_equal, bool, !(b < a))
SCOPEC_OPERATION(greater_equal, bool, !(a < b))
#undef SCOPEC_OPERATION
// Which number it gives for a key is left open, and is not modelled.
template <class __T> struct hash {
    size_t operator()(const __T&) const { return __scopec_unknown<size_t>(); }
};

struct input_iterator_tag {};
struct output_iterator_tag {};
struct forward_iterator_tag : input_iterator_tag {};
struct bidirectional_iterator_tag : forward_iterator_tag {};
struct random_access_iterator_tag : bidirectional_iterator_tag {};
template <class __I> struct iterator_traits {
    using value_type = typename __I::value_type;
    using difference_type = typename __I::difference_type;
    using pointer = typename __I::pointer;
    using reference = typename __I::reference;
    using iterator_category = typename __I::iterator_category;
};
template <class __T> struct iterator_traits<__T*> {
    using value_type = __remove_cv(__T);
    using difference_type = ptrdiff_t;
    using pointer = __T*;
    using reference = __T&;
    using iterator_category = random_access_iterator_tag;
};
template <class __C> constexpr auto begin(__C& items) -> decltype(items.begin()) { return items.begin(); }
template <class __C> constexpr auto end(__C& items) -> decltype(items.end()) { return items.end(); }
template <class __T, size_t __N> constexpr __T* begin(__T (&items)[__N]) noexcept { return items; }
template <class __T, size_t __N> constexpr __T* end(__T (&items)[__N]) noexcept { return items + __N; }
template <class __C> constexpr auto size(const __C& items) -> decltype(items.size()) { return items.size(); }
template <class __T, size_t __N> constexpr size_t size(const __T (&)[__N]) noexcept { return __N; }
template <class __I> constexpr ptrdiff_t distance(__I first, __I last) { return last - first; }
template <class __I> constexpr __I next(__I at, ptrdiff_t by = 1) { return at + by; }
template <class __I> constexpr __I prev(__I at, ptrdiff_t by = 1) { return at - by; }

template <class __I, class __T> constexpr void iota(__I first, __I last, __T value) {
    for (; first != last; ++first, ++value) *first = value;
}
template <class __I, class __T> constexpr __T accumulate(__I first, __I last, __T sum) {
    for (; first != last; ++first) sum = sum + *first;
    return sum;
}
template <class __I, class __T, class __F> constexpr __T accumulate(__I first, __I last, __T sum, __F both) {
    for (; first != last; ++first) sum = both(sum, *first);
    return sum;
}
template <class __I, class __T> constexpr void fill(__I first, __I last, const __T& value) {
    for (; first != last; ++first) *first = value;
}
// Numbers of which there may be millions are filled as bytes: the values of floating-point numbers are not modelled.
template <class __T> constexpr bool zeroed(__T* first, size_t count, const __T& value) {
    if constexpr (__is_arithmetic(__T) && !__is_volatile(__T))
        if (!__builtin_is_constant_evaluated() && count > 4096 && (__is_floating_point(__T) || value == 0)) {
            __builtin_memset(first, 0, count * sizeof(__T));
            return true;
        }
    return false;
}
template <class __E, class __T> constexpr void fill(__E* first, __E* last, const __T& value) {
    if constexpr (__is_arithmetic(__E) && __is_arithmetic(__T))
        if (zeroed(first, last - first, static_cast<__E>(value))) return;
    for (; first != last; ++first) *first = value;
}
template <class __I, class __N, class __T> constexpr __I fill_n(__I first, __N count, const __T& value) {
    for (; count > 0; --count, ++first) *first = value;
    return first;
}
template <class __E, class __N, class __T> constexpr __E* fill_n(__E* first, __N count, const __T& value) {
    if constexpr (__is_arithmetic(__E) && __is_arithmetic(__T))
        if (count > 0 && zeroed(first, count, static_cast<__E>(value))) return first + count;
    for (; count > 0; --count, ++first) *first = value;
    return first;
}
template <class __I, class __O> constexpr __O copy(__I first, __I last, __O to) {
    for (; first != last; ++first, ++to) *to = *first;
    return to;
}
template <class __I, class __F> constexpr __F for_each(__I first, __I last, __F does) {
    for (; first != last; ++first) does(*first);
    return does;
}

template <class...> struct tuple {};
template <class __T, class... __R> struct tuple<__T, __R...> {
    __T first;
    tuple<__R...> rest;
    constexpr tuple() = default;
    constexpr tuple(__T item, __R... items) : first(move(item)), rest(move(items)...) {}
};
template <class... __T> tuple(__T...) -> tuple<__T...>;
template <size_t __N, class... __T> constexpr auto& get(tuple<__T...>& items) {
    if constexpr (__N == 0)
        return items.first;
    else
        return get<__N - 1>(items.rest);
}
template <size_t __N, class... __T> constexpr const auto& get(const tuple<__T...>& items) {
    if constexpr (__N == 0)
        return items.first;
    else
        return get<__N - 1>(items.rest);
}
template <size_t __N, class... __T> constexpr auto&& get(tuple<__T...>&& items) { return move(get<__N>(items)); }
template <size_t __N, class __A, class __B> constexpr auto& get(pair<__A, __B>& both) {
    if constexpr (__N == 0)
        return both.first;
    else
        return both.second;
}
template <size_t __N, class __A, class __B> constexpr const auto& get(const pair<__A, __B>& both) {
    if constexpr (__N == 0)
        return both.first;
    else
        return both.second;
}
template <size_t __N, class __A, class __B> constexpr auto&& get(pair<__A, __B>&& both) { return move(get<__N>(both)); }
template <size_t __I, class __T, size_t __N> constexpr __T& get(array<__T, __N>& items) { return items[__I]; }
template <size_t __I, class __T, size_t __N> constexpr const __T& get(const array<__T, __N>& items) { return items[__I]; }
template <size_t __I, class __T, size_t __N> constexpr __T&& get(array<__T, __N>&& items) { return move(items[__I]); }
template <class... __T> constexpr tuple<decay_t<__T>...> make_tuple(__T&&... items) {
    return {forward<__T>(items)...};
}

}  // namespace __scopec

#define SCOPEC_ITERATOR                                                                                       \
    using __scopec::begin;                                                                                    \
    using __scopec::bidirectional_iterator_tag;                                                               \
    using __scopec::distance;                                                                                 \
    using __scopec::end;                                                                                      \
    using __scopec::forward_iterator_tag;                                                                     \
    using __scopec::input_iterator_tag;                                                                       \
    using __scopec::iterator_traits;                                                                          \
    using __scopec::next;                                                                                     \
    using __scopec::output_iterator_tag;                                                                      \
    using __scopec::prev;                                                                                     \
    using __scopec::random_access_iterator_tag;                                                               \
    using __scopec::size;
#define SCOPEC_NUMERIC                                                                                        \
    using __scopec::accumulate;                                                                               \
    using __scopec::iota;
#define SCOPEC_TUPLE                                                                                          \
    using __scopec::get;                                                                                      \
    using __scopec::make_tuple;                                                                               \
    using __scopec::tuple;

#define SCOPEC_TYPE_TRAITS                                                                                    \
    using __scopec::integral_constant;                                                                        \
    template <bool __B> using bool_constant = integral_constant<bool, __B>;                                       \
    using true_type = bool_constant<true>;                                                                    \
    using false_type = bool_constant<false>;                                                                  \
    using __scopec::enable_if;                                                                                \
    using __scopec::enable_if_t;                                                                              \
    using __scopec::remove_reference;                                                                         \
    using __scopec::remove_reference_t;                                                                       \
    template <class __T> using decay_t = __decay(__T);                                                            \
    template <class __T> struct decay { using type = decay_t<__T>; };                                             \
    template <class __T> using remove_cv_t = __remove_cv(__T);                                                    \
    template <class __T> using remove_cvref_t = __remove_cvref(__T);                                              \
    template <class __T> using remove_const_t = __remove_const(__T);                                              \
    template <class __T> using remove_volatile_t = __remove_volatile(__T);                                        \
    template <class __T> using remove_pointer_t = __remove_pointer(__T);                                          \
    template <class __T> using make_unsigned_t = __make_unsigned(__T);                                            \
    template <class __T> using make_signed_t = __make_signed(__T);                                                \
    template <class __T> using underlying_type_t = __underlying_type(__T);                                        \
    template <bool __B, class __T, class __F> struct conditional { using type = __T; };                               \
    template <class __T, class __F> struct conditional<false, __T, __F> { using type = __F; };                          \
    template <bool __B, class __T, class __F> using conditional_t = typename conditional<__B, __T, __F>::type;            \
    template <class __F, class... __A> using invoke_result_t = decltype(__scopec::invoke(__scopec::declval<__F>(), __scopec::declval<__A>()...)); \
    template <class...> using void_t = void;                                                                  \
    SCOPEC_TRAIT(is_same, __is_same(__T, __U), class __T, class __U)                                                  \
    SCOPEC_TRAIT(is_base_of, __is_base_of(__T, __U), class __T, class __U)                                            \
    SCOPEC_TRAIT(is_convertible, __is_convertible(__T, __U), class __T, class __U)                                    \
    SCOPEC_TRAIT(is_integral, __is_integral(__T), class __T)                                                      \
    SCOPEC_TRAIT(is_floating_point, __is_floating_point(__T), class __T)                                          \
    SCOPEC_TRAIT(is_arithmetic, __is_arithmetic(__T), class __T)                                                  \
    SCOPEC_TRAIT(is_signed, __is_signed(__T), class __T)                                                          \
    SCOPEC_TRAIT(is_unsigned, __is_unsigned(__T), class __T)                                                      \
    SCOPEC_TRAIT(is_pointer, __is_pointer(__T), class __T)                                                        \
    SCOPEC_TRAIT(is_enum, __is_enum(__T), class __T)                                                              \
    SCOPEC_TRAIT(is_class, __is_class(__T), class __T)                                                            \
    SCOPEC_TRAIT(is_void, __is_void(__T), class __T)                                                              \
    SCOPEC_TRAIT(is_const, __is_const(__T), class __T)                                                            \
    SCOPEC_TRAIT(is_trivially_copyable, __is_trivially_copyable(__T), class __T)                                  \
    SCOPEC_TRAIT(is_trivial, __is_trivially_copyable(__T) && __is_trivially_constructible(__T), class __T)          \
    SCOPEC_TRAIT(is_standard_layout, __is_standard_layout(__T), class __T)
#define SCOPEC_TRAIT(NAME, VALUE, ...)                                                                        \
    template <__VA_ARGS__> inline constexpr bool NAME##_v = VALUE;                                            \
    template <__VA_ARGS__> struct NAME : integral_constant<bool, VALUE> {};

#define SCOPEC_UTILITY                                                                                        \
    using __scopec::addressof;                                                                                \
    using __scopec::as_const;                                                                                 \
    using __scopec::declval;                                                                                  \
    using __scopec::exchange;                                                                                 \
    using __scopec::forward;                                                                                  \
    using __scopec::get;                                                                                      \
    using __scopec::make_pair;                                                                                \
    using __scopec::move;                                                                                     \
    using __scopec::pair;                                                                                     \
    using __scopec::swap;

#define SCOPEC_ALGORITHM                                                                                      \
    using __scopec::clamp;                                                                                    \
    using __scopec::copy;                                                                                     \
    using __scopec::fill;                                                                                     \
    using __scopec::fill_n;                                                                                   \
    using __scopec::for_each;                                                                                 \
    using __scopec::swap;                                                                                     \
    using __scopec::max;                                                                                      \
    using __scopec::min;

#define SCOPEC_FUNCTIONAL                                                                                     \
    using __scopec::cref;                                                                                     \
    using __scopec::divides;                                                                                  \
    using __scopec::equal_to;                                                                                 \
    using __scopec::greater;                                                                                  \
    using __scopec::greater_equal;                                                                            \
    using __scopec::invoke;                                                                                   \
    using __scopec::less;                                                                                     \
    using __scopec::less_equal;                                                                               \
    using __scopec::minus;                                                                                    \
    using __scopec::multiplies;                                                                               \
    using __scopec::not_equal_to;                                                                             \
    using __scopec::plus;                                                                                     \
    using __scopec::ref;                                                                                      \
    using __scopec::reference_wrapper;

#define SCOPEC_ARRAY                                                                                          \
    using __scopec::array;                                                                                    \
    using __scopec::get;
#define SCOPEC_LIMITS using __scopec::numeric_limits;

SCOPEC_SHIM_END
