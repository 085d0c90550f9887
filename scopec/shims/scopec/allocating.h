// operator new and delete of the host ([new.delete]); a kernel has none of scopec's.
#pragma once
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
