// The broken sibling of treiber-push.cu: a push that loads and stores loses a node that is pushed in between.
#include <cuda/atomic>

constexpr bool EXCHANGE = true;

__device__ int next[3];
__device__ cuda::atomic<int, cuda::thread_scope_device> head{0};

__device__ void push(int node) {
    int old = head.load(cuda::memory_order_relaxed);
    if (EXCHANGE) {
        do {
            next[node] = old;
        } while (!head.compare_exchange_strong(old, node, cuda::memory_order_release, cuda::memory_order_relaxed));
    } else {
        next[node] = old;
        head.store(node, cuda::memory_order_release);
    }
}

__global__ void both() { push(blockIdx.x + 1); }

//@ launch both<<<2, 1>>>();
//@ vary EXCHANGE in {true, false};
//@ expect race_free;
//@ expect required head == 1 && next[1] == 2 && next[2] == 0 || head == 2 && next[2] == 1 && next[1] == 0 when EXCHANGE;
//@ expect allowed next[1] == 0 && next[2] == 0 when !EXCHANGE;
//@ expect terminates;
