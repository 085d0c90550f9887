// operator new, and what ends a program.
#pragma once
#include <scopec/intrinsics.h>
namespace std {
struct nothrow_t {};
inline constexpr nothrow_t nothrow;
}  // namespace std
// Those of the host; a kernel has none.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
inline void* operator new(size_t bytes) { return __scopec_allocate(bytes, 3, "new"); }
inline void* operator new[](size_t bytes) { return __scopec_allocate(bytes, 3, "new[]"); }
inline void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return __scopec_allocate(bytes, 3, "new"); }
inline void* operator new[](size_t bytes, const std::nothrow_t&) noexcept { return __scopec_allocate(bytes, 3, "new[]"); }
inline void operator delete(void* memory) noexcept { __scopec_deallocate(memory, "delete"); }
inline void operator delete[](void* memory) noexcept { __scopec_deallocate(memory, "delete[]"); }
inline void operator delete(void* memory, size_t) noexcept { __scopec_deallocate(memory, "delete"); }
inline void operator delete[](void* memory, size_t) noexcept { __scopec_deallocate(memory, "delete[]"); }
#pragma clang attribute pop
SCOPEC_SHIM_BEGIN
inline void* operator new(size_t, void* place) noexcept { return place; }
inline void* operator new[](size_t, void* place) noexcept { return place; }
inline void operator delete(void*, void*) noexcept {}
inline void operator delete[](void*, void*) noexcept {}
namespace std {
[[noreturn]] inline void terminate() noexcept { __scopec_exit(); }
}  // namespace std
SCOPEC_SHIM_END
