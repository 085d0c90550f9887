// A block pushes a node onto a linked stack (R. K. Treiber) and another looks at what is on top.  The release of the
// compare-exchange makes a node's contents visible to who reads the head; relaxed, it does not.
#include <cuda/atomic>

constexpr cuda::memory_order PUSH = cuda::memory_order_release;

struct Node {
    int value;
    Node* next;
};

__device__ Node nodes[2];
__device__ cuda::atomic<Node*, cuda::thread_scope_device> head{nullptr};

__device__ void push(Node* node) {
    Node* old = head.load(cuda::memory_order_relaxed);
    do {
        node->next = old;
    } while (!head.compare_exchange_weak(old, node, PUSH, cuda::memory_order_relaxed));
}

__global__ void stack() {
    if (blockIdx.x == 0) {
        nodes[1].value = 7;
        push(&nodes[1]);
    } else {
        Node* top = head.load(cuda::memory_order_acquire);
        int value = top != nullptr ? top->value : -1;
        bool last = top != nullptr && top->next == nullptr;
    }
}

//@ launch stack<<<2, 1>>>();
//@ options races = ignore;
//@ vary PUSH in {release, relaxed};
//@ expect race_free when PUSH == release;
//@ expect required stack[1][0].value == -1 || stack[1][0].value == 7 && stack[1][0].last == 1 when PUSH == release;
//@ expect allowed stack[1][0].value == 7;
//@ expect race on nodes when PUSH == relaxed;
//@ expect allowed stack[1][0].value == 0 when PUSH == relaxed;
//@ expect terminates;
