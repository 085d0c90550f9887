// A push onto a linked stack, and a look at its top, both seq_cst.
#include <cuda/atomic>

struct Node {
    int value;
    Node* next;
};

__device__ Node node;
__device__ cuda::atomic<Node*, cuda::thread_scope_device> head{nullptr};

__global__ void stack() {
    int seen = 7;
    if (blockIdx.x == 0) {
        node.value = 7;
        Node* old = head.load(cuda::memory_order_seq_cst);
        do {
            node.next = old;
        } while (!head.compare_exchange_weak(old, &node, cuda::memory_order_seq_cst, cuda::memory_order_seq_cst));
    } else if (Node* top = head.load(cuda::memory_order_seq_cst)) {
        seen = top->value;
    }
}

//@ launch stack<<<2, 1>>>();
//@ expect race_free;
//@ expect required stack[1][0].seen == 7;
