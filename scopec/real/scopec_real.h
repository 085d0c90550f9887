// CUDA's language and runtime as NVIDIA's headers have them, read before every file; with scopec's meaning for clang's
// builtin functions, and for the runtime API.
#pragma once

#define SCOPEC_REAL 1
#include "../shims/scopec/intrinsics.h"
#include "../shims/scopec/types.h"
#include "../shims/scopec/nvvm.h"
#include "../shims/scopec/nv_atomic.h"

#include <__clang_cuda_runtime_wrapper.h>

// ---- keywords that clang lacks, as the shims have them

#undef __cluster_dims__
#define __cluster_dims__(...) __attribute__((annotate("cluster_dims", __VA_ARGS__)))
#undef __managed__
#ifdef __CUDA_ARCH__
#define __managed__ __attribute__((device)) __attribute__((annotate("managed")))
#else
#define __managed__ __attribute__((annotate("managed")))
#endif
#undef __grid_constant__
#define __grid_constant__ __attribute__((grid_constant))

// As clang has them they are other things: a builtin function, and a full barrier where GCC says "acquire".
#define __syncthreads() __scopec_syncthreads(true)
#define __sync_lock_test_and_set(...) __atomic_exchange_n(__VA_ARGS__, __ATOMIC_ACQUIRE)

// The values of `vary` in directives, as values of any enumeration: the library's types need not be there.
namespace __scopec_chosen {
template <int __N> struct number {
    template <class __T> constexpr operator __T() const { return static_cast<__T>(__N); }
};
inline constexpr number<0> memory_order_relaxed{};
inline constexpr number<1> memory_order_consume{};
inline constexpr number<2> memory_order_acquire{};
inline constexpr number<3> memory_order_release{};
inline constexpr number<4> memory_order_acq_rel{};
inline constexpr number<5> memory_order_seq_cst{};
inline constexpr number<0> thread_scope_system{};
inline constexpr number<1> thread_scope_device{};
inline constexpr number<2> thread_scope_block{};
inline constexpr number<10> thread_scope_thread{};
}  // namespace __scopec_chosen
namespace __scopec {
template <int __N> constexpr long constant(const __scopec_chosen::number<__N>&) { return __N; }
}  // namespace __scopec

#include "libdevice.h"
#include "of_nvcc.h"
#include "host_api.h"

// CUDA's compiler includes these for the program.
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <utility>
