// "Completion of the last task queued to a stream synchronizes with return from cudaStreamSynchronize" (PTX ISA, 8.9.4).  An
// action in the legacy default stream queues a wait for it in each blocking stream ("and then all blocking streams wait on
// the legacy stream", CUDA driver API), so a blocking stream that is synchronized has waited for it; the legacy stream
// waits for nothing that comes later in the others.  A non-blocking stream is apart.
#include <cuda/atomic>

constexpr int LEGACY = 0, BLOCKING = 1, NON_BLOCKING = 2;
constexpr int KERNEL = LEGACY, WAIT = BLOCKING;

__managed__ int data = 0;
__managed__ cuda::atomic<int, cuda::thread_scope_system> done{0};

__global__ void write() {
    data = 1;
    done.store(1, cuda::memory_order_relaxed);
}

int main() {
    cudaStream_t s, n;
    cudaStreamCreate(&s);
    cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking);
    if (KERNEL == LEGACY) write<<<1, 1>>>();
    if (KERNEL == BLOCKING) write<<<1, 1, 0, s>>>();
    if (WAIT == LEGACY) cudaStreamSynchronize(0);
    if (WAIT == BLOCKING) cudaStreamSynchronize(s);
    if (WAIT == NON_BLOCKING) cudaStreamSynchronize(n);
    int seen = data;
    while (done.load(cuda::memory_order_relaxed) == 0);
    cudaDeviceSynchronize();
}

//@ options races = ignore;
//@ vary KERNEL in {0, 1};
//@ vary WAIT in {0, 1, 2};
//@ expect race_free when WAIT == BLOCKING || (KERNEL == LEGACY && WAIT == LEGACY);
//@ expect required main.seen == 1 when WAIT == BLOCKING || (KERNEL == LEGACY && WAIT == LEGACY);
//@ expect terminates when WAIT == BLOCKING || (KERNEL == LEGACY && WAIT == LEGACY);
//@ expect race on data when WAIT == NON_BLOCKING || (KERNEL == BLOCKING && WAIT == LEGACY);
//@ expect allowed main.seen == 0 when WAIT == NON_BLOCKING || (KERNEL == BLOCKING && WAIT == LEGACY);
//@ expect may_hang when WAIT == NON_BLOCKING || (KERNEL == BLOCKING && WAIT == LEGACY);
