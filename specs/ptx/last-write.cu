// PTX: a write that another one precedes in causality order is also before it in coherence order, weak as both may be; where
// nothing orders two weak writes, either may be the last.
#include <cuda/atomic>

constexpr cuda::memory_order RELEASE = cuda::memory_order_release;

__device__ int x = 0, f = 0;

__global__ void writes() {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(f);
    int seen = 0;
    if (blockIdx.x == 0) {
        x = 1;
        flag.store(1, RELEASE);
    } else {
        seen = flag.load(cuda::memory_order_acquire);
        x = 2;
    }
}

//@ launch writes<<<2, 1>>>();
//@ vary RELEASE in {release, relaxed};
//@ expect forbidden writes[1][0].seen == 1 && x == 1 when RELEASE == release under ptx;
//@ expect allowed writes[1][0].seen == 1 && x == 1 when RELEASE == relaxed under ptx;
//@ expect allowed writes[1][0].seen == 1 && x == 2 under ptx;
