// A sequence lock: a reader that finds the same even number before and after has read one version of the data.  The
// data are relaxed atomics and the fences order them (H.-J. Boehm, "Can seqlocks get along with programming language
// memory models?").  Without the reader's fence the second look at the number says nothing about the data.
#include <cuda/atomic>

constexpr bool FENCE = true;
constexpr cuda::memory_order PUBLISH = cuda::memory_order_release;

__device__ cuda::atomic<int, cuda::thread_scope_device> version{0};
__device__ cuda::atomic<int, cuda::thread_scope_device> data[2];

__device__ void write(int value) {
    const int now = version.load(cuda::memory_order_relaxed);
    version.store(now + 1, cuda::memory_order_relaxed);
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
    data[0].store(value, cuda::memory_order_relaxed);
    data[1].store(value, cuda::memory_order_relaxed);
    version.store(now + 2, PUBLISH);
}

__device__ bool read(int& first, int& second) {
    const int before = version.load(cuda::memory_order_acquire);
    first = data[0].load(cuda::memory_order_relaxed);
    second = data[1].load(cuda::memory_order_relaxed);
    if (FENCE) cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    return before % 2 == 0 && version.load(cuda::memory_order_relaxed) == before;
}

__global__ void sequence_lock() {
    if (blockIdx.x == 0) {
        write(1);
    } else {
        int first = 0, second = 0;
        bool consistent = read(first, second);
    }
}

//@ launch sequence_lock<<<2, 1>>>();
//@ vary FENCE in {true, false};
//@ vary PUBLISH in {release, relaxed};
//@ expect race_free;
//@ expect allowed sequence_lock[1][0].consistent == 1 && sequence_lock[1][0].first == 1;
//@ expect forbidden sequence_lock[1][0].consistent == 1 && sequence_lock[1][0].first != sequence_lock[1][0].second when FENCE && PUBLISH == release;
//@ expect allowed sequence_lock[1][0].consistent == 1 && sequence_lock[1][0].first != sequence_lock[1][0].second when !FENCE || PUBLISH == relaxed;
//@ expect terminates;
