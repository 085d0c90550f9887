// LMCache/LMCache#2952: a function that a stream calls takes the lock that the host thread holds while it waits for the stream.
#include <cuda/atomic>
#include <cuda_runtime.h>
constexpr int HELD = 0;

cuda::atomic<int, cuda::thread_scope_system> locked;
int recorded;

void lock() {
    while (locked.exchange(1, cuda::memory_order_acquire) == 1) {
    }
}
void unlock() { locked.store(0, cuda::memory_order_release); }

void record(void*) {
    lock();
    recorded++;
    unlock();
}

int main() {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaLaunchHostFunc(stream, record, nullptr);
    lock();
    recorded++;
    if (!HELD) unlock();
    cudaStreamSynchronize(stream);
    if (HELD) unlock();
}

//@ vary HELD in {0, 1};
//@ expect race_free;
//@ expect terminates when HELD == 0;
//@ expect may_hang when HELD == 1;
