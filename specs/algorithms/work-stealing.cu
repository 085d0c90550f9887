// A work-stealing deque of fixed size (D. Chase and Y. Lev, with the orders of N. M. Lê et al.) that holds two items: the
// owner pops at the bottom, a thief steals at the top.  The two fences decide who gets the last item; without them both
// do.
#include <cuda/atomic>

constexpr bool FENCES = true;

template <int N>
struct Deque {
    cuda::atomic<int, cuda::thread_scope_device> top{0}, bottom{N};
    cuda::atomic<int, cuda::thread_scope_device> items[N]{1, 2};

    static __device__ void fence() {
        if (FENCES) cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
    }

    __device__ int pop() {
        const int b = bottom.load(cuda::memory_order_relaxed) - 1;
        bottom.store(b, cuda::memory_order_relaxed);
        fence();
        int t = top.load(cuda::memory_order_relaxed);
        int item = 0;
        if (t <= b) {
            item = items[b % N].load(cuda::memory_order_relaxed);
            if (t < b) return item;
            if (!top.compare_exchange_strong(t, t + 1, cuda::memory_order_seq_cst, cuda::memory_order_relaxed)) item = 0;
        }
        bottom.store(b + 1, cuda::memory_order_relaxed);
        return item;
    }

    __device__ int steal() {
        int t = top.load(cuda::memory_order_acquire);
        fence();
        if (t >= bottom.load(cuda::memory_order_acquire)) return 0;
        const int item = items[t % N].load(cuda::memory_order_relaxed);
        const bool mine = top.compare_exchange_strong(t, t + 1, cuda::memory_order_seq_cst, cuda::memory_order_relaxed);
        return mine ? item : 0;
    }
};

__device__ Deque<2> deque;

__global__ void work() {
    if (blockIdx.x == 0) {
        int popped = deque.pop();
    } else {
        int first = deque.steal();
        int second = deque.steal();
    }
}

//@ launch work<<<2, 1>>>();
//@ vary FENCES in {true, false};
//@ expect race_free;
//@ expect allowed work[0][0].popped == 2 && work[1][0].first == 1;
//@ expect allowed work[0][0].popped == 0 && work[1][0].second == 2;
//@ expect forbidden work[0][0].popped == 2 && work[1][0].second == 2 when FENCES;
//@ expect allowed work[0][0].popped == 2 && work[1][0].second == 2 when !FENCES;
//@ expect terminates;
