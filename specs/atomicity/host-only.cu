// Objects that only host threads access are ordinary C++ objects, whose atomics are atomic whatever the devices support.
#include <cuda/atomic>
#include <thread>

int x = 0;
cuda::atomic<int, cuda::thread_scope_system> f{0};

void writer() {
    x = 1;
    f.store(1, cuda::memory_order_release);
}

int main() {
    std::thread other(writer);
    int r = 2;
    if (f.load(cuda::memory_order_acquire) == 1) r = x;
    other.join();
}

//@ given concurrentManagedAccess = 0;
//@ expect race_free under cuda-v1, cuda-v2, cuda-v3;
//@ expect forbidden main.r == 0;
//@ expect allowed main.r == 1;
