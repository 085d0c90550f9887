// Calls of anything callable, and what a new thread starts with.
#pragma once

#include <scopec/new.h>
#include <scopec/types.h>

SCOPEC_SHIM_BEGIN

namespace __scopec {

template <class __T> struct reference_wrapper {
    __T* __scopec_object;
    using type = __T;
    constexpr reference_wrapper(__T& object) noexcept : __scopec_object(&object) {}
    constexpr operator __T&() const noexcept { return *__scopec_object; }
    constexpr __T& get() const noexcept { return *__scopec_object; }
    template <class... __A> decltype(auto) operator()(__A&&... arguments) const {
        return (*__scopec_object)(forward<__A>(arguments)...);
    }
};
template <class __T> constexpr __T& unwrapped(__T& object) { return object; }
template <class __T> constexpr __T& unwrapped(__T* object) { return *object; }
template <class __T> constexpr __T& unwrapped(reference_wrapper<__T> object) { return object.get(); }

template <class __F, class... __A> auto invoke(__F&& f, __A&&... arguments) -> decltype(forward<__F>(f)(forward<__A>(arguments)...)) {
    return forward<__F>(f)(forward<__A>(arguments)...);
}
template <class __M, class __C, class __O, class... __A>
auto invoke(__M __C::*member, __O&& object, __A&&... arguments)
    -> decltype((unwrapped(object).*member)(forward<__A>(arguments)...)) {
    return (unwrapped(object).*member)(forward<__A>(arguments)...);
}

template <class __F, class... __A> constexpr auto can_invoke(int) -> decltype(invoke(declval<__F>(), declval<__A>()...), true) {
    return true;
}
template <class __F, class... __A> constexpr bool can_invoke(...) { return false; }

// Copies of arguments, one after the other.
template <class... __T> struct pack {};
template <class __T, class... __Rest> struct pack<__T, __Rest...> {
    __T first;
    pack<__Rest...> rest;
    template <class __A, class... __B> pack(__A&& a, __B&&... b) : first(forward<__A>(a)), rest(forward<__B>(b)...) {}
};
template <class... __Done> void run(pack<>&, __Done&&... done) { (void)invoke(forward<__Done>(done)...); }
template <class __T, class... __Rest, class... __Done> void run(pack<__T, __Rest...>& left, __Done&&... done) {
    run(left.rest, forward<__Done>(done)..., move(left.first));
}
template <class __Pack> void run_pack(void* state) {
    __Pack& pack = *static_cast<__Pack*>(state);
    run(pack);
    pack.~__Pack();
}

// [thread.thread.constr]: the new thread works on copies, and destroys them.
template <class... __A> int new_thread(__A&&... arguments) {
    using __Pack = pack<decay_t<__A>...>;
    union __State {
        __Pack pack;
        __State() {}
        ~__State() {}
    } state;
    new (&state.pack) __Pack(forward<__A>(arguments)...);
    return __scopec_thread_create(run_pack<__Pack>, &state, sizeof state);
}

}  // namespace __scopec

SCOPEC_SHIM_END
