// A persistent kernel answers in pinned memory.  Host code may free that when it has the last answer, if the kernel does not
// look at the memory any more.
#include <cuda/atomic>
#include <cuda_runtime.h>

constexpr bool LOOKS_AGAIN = false, ACQUIRES = true;

struct Mailbox {
    int answer;
    cuda::atomic<int, cuda::thread_scope_system> done;
};

__global__ void serve(Mailbox* box) {
    box->answer = 42;
    box->done.store(1, cuda::memory_order_release);
    if (LOOKS_AGAIN) box->done.load(cuda::memory_order_relaxed);
}

int main() {
    Mailbox* box;
    cudaHostAlloc(&box, sizeof(Mailbox), cudaHostAllocMapped);
    serve<<<1, 1>>>(box);
    while (box->done.load(ACQUIRES ? cuda::memory_order_acquire : cuda::memory_order_relaxed) == 0);
    cudaFreeHost(box);
    cudaDeviceSynchronize();
}

//@ vary LOOKS_AGAIN in {false, true};
//@ vary ACQUIRES in {true, false};
//@ expect race_free when ACQUIRES && !LOOKS_AGAIN;
//@ expect race on box when LOOKS_AGAIN || !ACQUIRES;
