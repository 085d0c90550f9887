// A queue for one producer and one consumer: a class template with a ring of items between two counters.
#include <cuda/atomic>

constexpr cuda::memory_order FREE = cuda::memory_order_release;

template <typename T, unsigned Size>
class Queue {
    T items[Size]{};
    cuda::atomic<unsigned, cuda::thread_scope_device> pushed{0}, popped{0};

public:
    __device__ void push(T item) {
        const unsigned at = pushed.load(cuda::memory_order_relaxed);
        while (at - popped.load(cuda::memory_order_acquire) == Size);
        items[at % Size] = item;
        pushed.store(at + 1, cuda::memory_order_release);
    }
    __device__ T pop() {
        const unsigned at = popped.load(cuda::memory_order_relaxed);
        while (pushed.load(cuda::memory_order_acquire) == at);
        T item = items[at % Size];
        popped.store(at + 1, FREE);
        return item;
    }
};

struct Message {
    int from, text;
};

__device__ Queue<Message, 1> queue;

__global__ void talk() {
    if (threadIdx.x == 0) {
        queue.push(Message{1, 2});
        queue.push({3, 4});
    } else {
        Message first = queue.pop();
        Message second = queue.pop();
        int heard = first.from * 1000 + first.text * 100 + second.from * 10 + second.text;
    }
}

//@ launch talk<<<1, 2>>>();
//@ options races = ignore;
//@ vary FREE in {release, relaxed};
//@ expect race_free when FREE == release;
//@ expect required talk[0][1].heard == 1234 when FREE == release;
//@ expect race when FREE == relaxed;
//@ expect terminates;
