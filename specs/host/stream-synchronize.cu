// "Completion of the last task queued to a stream synchronizes with return from cudaStreamSynchronize" (PTX ISA, 8.9.4).  A
// blocking stream waits for the legacy one before what it is given next, and the legacy one for it; but who synchronizes with
// one of them waits for its own tasks: on an H200 cudaStreamSynchronize of a blocking stream returned while a kernel of the
// legacy stream ran.  A non-blocking stream is apart.
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
//@ expect race_free when KERNEL == WAIT;
//@ expect required main.seen == 1 when KERNEL == WAIT;
//@ expect terminates when KERNEL == WAIT;
//@ expect race on data when KERNEL != WAIT;
//@ expect allowed main.seen == 0 when KERNEL != WAIT;
//@ expect may_hang when KERNEL != WAIT;
