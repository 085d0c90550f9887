// operator new, and what ends a program.
#pragma once
#include <scopec/intrinsics.h>
namespace std {
struct nothrow_t {};
inline constexpr nothrow_t nothrow;
}  // namespace std
#include <scopec/allocating.h>
SCOPEC_SHIM_BEGIN
inline void* operator new(size_t, void* place) noexcept { return place; }
inline void* operator new[](size_t, void* place) noexcept { return place; }
inline void operator delete(void*, void*) noexcept {}
inline void operator delete[](void*, void*) noexcept {}
namespace std {
[[noreturn]] inline void terminate() noexcept { __scopec_exit(); }
}  // namespace std
SCOPEC_SHIM_END
