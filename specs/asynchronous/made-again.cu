// An mbarrier that has been ended ("mbarrier.inval") and made again begins with its first phase.
#include <cstdint>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
constexpr int PARITY = 0;      // of the phase that is waited for then

__device__ int out;

__device__ void end(uint64_t* bar) {
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" :: "r"((unsigned)__cvta_generic_to_shared(bar)) : "memory");
}

__global__ void k() {
    __shared__ int data;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 2);
    __syncthreads();
    ptx::mbarrier_arrive(&bar);
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    __syncthreads();
    if (threadIdx.x == 0) {
        end(&bar);
        ptx::mbarrier_init(&bar, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        data = 7;
        ptx::mbarrier_arrive(&bar);
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, PARITY)) {}
    if (threadIdx.x == 1) out = data;
}

// What depends on a state takes too many ways to be found out.
//@ options thin_air = off;
//@ launch k<<<1, 2>>>();
//@ vary PARITY in {0, 1};
//@ expect race_free when PARITY == 0;
//@ expect required out == 7 when PARITY == 0;
//@ expect terminates when PARITY == 0;
//@ expect race on data when PARITY == 1;
