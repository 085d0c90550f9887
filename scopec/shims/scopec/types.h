// What the shims need of <type_traits> and <utility>.
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang force_cuda_host_device begin

namespace __scopec {

template <class __A, class __B> inline constexpr bool is_same = __is_same(__A, __B);
template <class __T> inline constexpr bool is_integral = __is_integral(__T);
template <class __T> inline constexpr bool is_floating_point = __is_floating_point(__T);
template <class __T> inline constexpr bool is_pointer = __is_pointer(__T);
template <class __T> inline constexpr bool is_class = __is_class(__T) || __is_union(__T);

template <class __T> struct remove_reference { using type = __T; };
template <class __T> struct remove_reference<__T&> { using type = __T; };
template <class __T> struct remove_reference<__T&&> { using type = __T; };
template <class __T> using remove_reference_t = typename remove_reference<__T>::type;
template <class __T> using decay_t = __decay(__T);

template <bool, class __T = void> struct enable_if {};
template <class __T> struct enable_if<true, __T> { using type = __T; };
template <bool __B, class __T = void> using enable_if_t = typename enable_if<__B, __T>::type;

template <size_t> struct unsigned_of_size;
template <> struct unsigned_of_size<1> { using type = unsigned char; };
template <> struct unsigned_of_size<2> { using type = unsigned short; };
template <> struct unsigned_of_size<4> { using type = unsigned int; };
template <> struct unsigned_of_size<8> { using type = unsigned long; };
template <> struct unsigned_of_size<16> { using type = unsigned __int128; };

template <class __T> __T&& declval() noexcept;

template <class __T> __attribute__((nodebug)) constexpr __T&& forward(remove_reference_t<__T>& value) noexcept {
    return static_cast<__T&&>(value);
}
template <class __T> __attribute__((nodebug)) constexpr __T&& forward(remove_reference_t<__T>&& value) noexcept {
    return static_cast<__T&&>(value);
}
template <class __T> __attribute__((nodebug)) constexpr remove_reference_t<__T>&& move(__T&& value) noexcept {
    return static_cast<remove_reference_t<__T>&&>(value);
}

// The number that stands for a constant of a program.
template <class __T> constexpr long constant(const __T& value) {
    if constexpr (is_integral<__T> || __is_enum(__T)) return static_cast<long>(value);
    return 0;
}

}  // namespace __scopec

// A parameter of which no argument decides the type.
template <class __T> using __scopec_same = __scopec::enable_if_t<true, __T>;

#pragma clang force_cuda_host_device end
