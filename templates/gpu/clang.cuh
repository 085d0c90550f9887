// What the tests take of CUDA's headers, where clang compiles them: not every clang has its half of those headers,
// nor reads those of a toolkit newer than itself.
#pragma once
#define __CUDACC__ 1
#include <cuda_runtime_api.h>

extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void* stream = nullptr);

#define INDEX(name, of) \
    struct name##_t { \
        __declspec(property(get = get)) unsigned x; \
        static __device__ unsigned get() { return __nvvm_read_ptx_sreg_##of##_x(); } \
    }; \
    constexpr __device__ name##_t name{}
INDEX(threadIdx, tid);
INDEX(blockIdx, ctaid);
INDEX(blockDim, ntid);
INDEX(gridDim, nctaid);
#undef INDEX

inline __device__ int __syncthreads_count(int said) {
    int found;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; barrier.red.popc.u32 %0, 0, p; }" : "=r"(found) : "r"(said) : "memory");
    return found;
}
inline __device__ void __syncwarp(unsigned lanes) { asm volatile("bar.warp.sync %0;" :: "r"(lanes) : "memory"); }
inline __device__ void __threadfence_block() { asm volatile("fence.sc.cta;" ::: "memory"); }
inline __device__ void __nanosleep(unsigned time) { asm volatile("nanosleep.u32 %0;" :: "r"(time)); }
inline __device__ unsigned __ballot_sync(unsigned lanes, int said) { return __nvvm_vote_ballot_sync(lanes, said); }
inline __device__ unsigned long long __shfl_sync(unsigned lanes, unsigned long long given, int lane) {
    const unsigned low = __nvvm_shfl_sync_idx_i32(lanes, int(given), lane, 31);
    const unsigned high = __nvvm_shfl_sync_idx_i32(lanes, int(given >> 32), lane, 31);
    return (unsigned long long)high << 32 | low;
}
inline __device__ unsigned atomicAdd(unsigned* at, unsigned more) {
    unsigned found;
    asm volatile("atom.add.u32 %0, [%1], %2;" : "=r"(found) : "l"(at), "r"(more) : "memory");
    return found;
}
inline __device__ unsigned atomicAdd_system(unsigned* at, unsigned more) {
    unsigned found;
    asm volatile("atom.sys.add.u32 %0, [%1], %2;" : "=r"(found) : "l"(at), "r"(more) : "memory");
    return found;
}
inline __device__ unsigned long long atomicAdd(unsigned long long* at, unsigned long long more) {
    unsigned long long found;
    asm volatile("atom.add.u64 %0, [%1], %2;" : "=l"(found) : "l"(at), "l"(more) : "memory");
    return found;
}
inline __device__ size_t __cvta_generic_to_shared(const void* at) {
    size_t found;
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(found) : "l"(at));
    return found;
}
template <class T> __host__ __device__ constexpr T min(T a, T b) { return b < a ? b : a; }
template <class T> __host__ __device__ constexpr T max(T a, T b) { return a < b ? b : a; }
