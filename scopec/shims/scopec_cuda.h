// CUDA's language and runtime, read before every .cu file.
#pragma once

// ---- what CUDA's compiler says of itself (CUDA 13)

#define __NVCC__ 1
#define __CUDACC__ 1
// nvcc includes the runtime before a file: headers ask for it.
#define __CUDA_RUNTIME_H__ 1
#define __DRIVER_TYPES_H__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define CUDART_VERSION 13000
#define CUDA_VERSION 13000
#define _LIBCUDACXX_VERSION 3000000

// ---- keywords

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__ __attribute__((grid_constant))
// clang has an attribute cluster_dims, of which nothing reaches the IR.
#define __cluster_dims__(...) __attribute__((annotate("cluster_dims", __VA_ARGS__)))
// One object of both sides, by its mangled name.
#ifdef __CUDA_ARCH__
#define __managed__ __attribute__((device)) __attribute__((annotate("managed")))
#else
#define __managed__ __attribute__((annotate("managed")))
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __nv_pure__
#define CUDARTAPI
#define CUDART_CB

#include <scopec/intrinsics.h>
#include <scopec/nvvm.h>
#include <scopec/types.h>

// "not a full barrier, but rather an acquire barrier" (GCC, "Legacy __sync Built-in Functions"): weaker than clang's.
#define __sync_lock_test_and_set(...) __atomic_exchange_n(__VA_ARGS__, __ATOMIC_ACQUIRE)

#include <scopec/device.h>
#include <scopec/arithmetic.h>
#include <scopec/runtime.h>
#include <scopec/graphs.h>
#include <scopec/textures.h>

// CUDA's compiler includes these for the program.
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>
