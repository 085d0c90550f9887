// vllm-project/vllm#31938: a kernel hands a request to the host, in pinned memory, and fences after it has set the flag.  The
// fence belongs between the request and the flag; and the host has to acquire (meta-pytorch/torchcomms#2318).
#include <cuda/atomic>

constexpr bool FENCE_FIRST = true;
constexpr auto POLL = cuda::memory_order_acquire;

struct Mailbox {
    int layer;
    cuda::atomic<int, cuda::thread_scope_system> signal;
};

__global__ void submit(Mailbox* box) {
    box->layer = 3;
    if (FENCE_FIRST) __threadfence_system();
    box->signal.store(1, cuda::memory_order_relaxed);
    if (!FENCE_FIRST) __threadfence_system();
}

int main() {
    Mailbox* box;
    cudaMallocHost(&box, sizeof(Mailbox));
    submit<<<1, 1>>>(box);
    while (box->signal.load(POLL) == 0);
    int layer = box->layer;
    cudaDeviceSynchronize();
}

//@ vary FENCE_FIRST in {true, false};
//@ vary POLL in {acquire, relaxed};
//@ options races = ignore;
//@ expect race_free when FENCE_FIRST && POLL == acquire;
//@ expect required main.layer == 3 when FENCE_FIRST && POLL == acquire;
//@ expect race on box.layer when !FENCE_FIRST || POLL == relaxed;
//@ expect allowed main.layer == 0 when !FENCE_FIRST || POLL == relaxed;
