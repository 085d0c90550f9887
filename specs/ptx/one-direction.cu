// PTX: a fence.release goes with the writes after it, a fence.acquire with the reads before it, and neither does what the other
// does, under either model; fence.acq_rel is both.
#include <cuda/atomic>

constexpr int BEFORE = 0, AFTER = 1;   // which fence there is: 0: fence.release; 1: fence.acquire; 2: fence.acq_rel
constexpr bool ASM = true;             // in inline PTX, or in CUDA C++

__device__ int x, f;

template <int WHICH>
__device__ void fence() {
    constexpr cuda::memory_order order = WHICH == 0   ? cuda::memory_order_release
                                         : WHICH == 1 ? cuda::memory_order_acquire
                                                      : cuda::memory_order_acq_rel;
    if constexpr (!ASM) cuda::atomic_thread_fence(order, cuda::thread_scope_device);
    else if constexpr (WHICH == 0) asm volatile("fence.release.gpu;" ::: "memory");
    else if constexpr (WHICH == 1) asm volatile("fence.acquire.gpu;" ::: "memory");
    else asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

__global__ void mp() {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(f);
    int r = 2;
    if (blockIdx.x == 0) {
        x = 1;
        fence<BEFORE>();
        flag.store(1, cuda::memory_order_relaxed);
    } else {
        int seen = flag.load(cuda::memory_order_relaxed);
        fence<AFTER>();
        if (seen == 1) r = x;
    }
}

//@ launch mp<<<2, 1>>>();
//@ vary BEFORE in {0, 1, 2};
//@ vary AFTER in {0, 1, 2};
//@ vary ASM in {true, false};
//@ expect race_free when BEFORE != 1 && AFTER != 0;
//@ expect race on x when BEFORE == 1 || AFTER == 0;
//@ expect forbidden mp[1][0].r == 0 when BEFORE != 1 && AFTER != 0 under ptx;
//@ expect allowed mp[1][0].r == 0 when BEFORE == 1 || AFTER == 0 under ptx;
