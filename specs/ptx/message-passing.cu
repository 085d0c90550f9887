// PTX: a release synchronizes with an acquire that observes it, if the two are morally strong; the data are weak.  Without
// synchronization they race, and the reader may see old data; that is no undefined behaviour.
#include <cuda/atomic>

constexpr cuda::thread_scope S = cuda::thread_scope_device;
constexpr cuda::memory_order RELEASE = cuda::memory_order_release;
constexpr cuda::memory_order ACQUIRE = cuda::memory_order_acquire;

__device__ int x = 0, f = 0;

__global__ void mp() {
    cuda::atomic_ref<int, S> flag(f);
    int r = 2;
    if (blockIdx.x == 0) {
        x = 1;
        flag.store(1, RELEASE);
    } else {
        if (flag.load(ACQUIRE) == 1) r = x;
    }
}

//@ launch mp<<<2, 1>>>();
//@ vary S in {device, block};
//@ vary RELEASE in {release, relaxed};
//@ vary ACQUIRE in {acquire, relaxed};
//@ expect race_free when S == device && RELEASE == release && ACQUIRE == acquire under ptx;
//@ expect race on x when S != device || RELEASE != release || ACQUIRE != acquire under ptx;
//@ expect forbidden mp[1][0].r == 0 when S == device && RELEASE == release && ACQUIRE == acquire under ptx;
//@ expect allowed mp[1][0].r == 0 when S != device || RELEASE != release || ACQUIRE != acquire under ptx;
