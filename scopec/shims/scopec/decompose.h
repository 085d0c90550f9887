// What structured bindings ask of a class: std::tuple_size, std::tuple_element and get; programs specialise them too.
#pragma once

#include <scopec/utility.h>

namespace std {
template <class __T> struct tuple_size;
template <__SIZE_TYPE__ __N, class __T> struct tuple_element;

// Of a const class what the class has, where it has it.
template <class __T, class = __scopec::enable_if_t<__is_same(__T, __remove_cv(__T))>, __SIZE_TYPE__ = tuple_size<__T>::value>
using __scopec_sized = __T;
template <class __T> struct tuple_size<const __scopec_sized<__T>> : tuple_size<__T> {};
template <__SIZE_TYPE__ __N, class __T> struct tuple_element<__N, const __T> {
    using type = const typename tuple_element<__N, __T>::type;
};

template <class... __T> struct tuple_size<__scopec::tuple<__T...>> : __scopec::integral_constant<__SIZE_TYPE__, sizeof...(__T)> {};
template <__SIZE_TYPE__ __N, class __T, class... __R>
struct tuple_element<__N, __scopec::tuple<__T, __R...>> : tuple_element<__N - 1, __scopec::tuple<__R...>> {};
template <class __T, class... __R> struct tuple_element<0, __scopec::tuple<__T, __R...>> { using type = __T; };
template <class __A, class __B> struct tuple_size<__scopec::pair<__A, __B>> : __scopec::integral_constant<__SIZE_TYPE__, 2> {};
template <class __A, class __B> struct tuple_element<0, __scopec::pair<__A, __B>> { using type = __A; };
template <class __A, class __B> struct tuple_element<1, __scopec::pair<__A, __B>> { using type = __B; };
template <class __T, __SIZE_TYPE__ __N>
struct tuple_size<__scopec::array<__T, __N>> : __scopec::integral_constant<__SIZE_TYPE__, __N> {};
template <__SIZE_TYPE__ __I, class __T, __SIZE_TYPE__ __N> struct tuple_element<__I, __scopec::array<__T, __N>> { using type = __T; };

template <class __T> inline constexpr __SIZE_TYPE__ tuple_size_v = tuple_size<__T>::value;
template <__SIZE_TYPE__ __N, class __T> using tuple_element_t = typename tuple_element<__N, __T>::type;
}  // namespace std

#define SCOPEC_DECOMPOSE                                                                                      \
    using ::std::tuple_element;                                                                               \
    using ::std::tuple_element_t;                                                                             \
    using ::std::tuple_size;                                                                                  \
    using ::std::tuple_size_v;
