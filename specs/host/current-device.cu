// cudaSetDevice "sets device as the current device for the calling host thread" (CUDA runtime API): a thread begins on
// device 0, whichever device its creator had made current.  cudaDeviceSynchronize waits for the current device alone.
#include <cuda/atomic>
#include <thread>

constexpr bool SET_AGAIN = true;

__managed__ int data = 0;
__managed__ cuda::atomic<int, cuda::thread_scope_system> done{0};

__global__ void write() {
    data = 1;
    done.store(1, cuda::memory_order_relaxed);
}

int main() {
    cudaSetDevice(1);
    std::thread launcher([] {
        if (SET_AGAIN) cudaSetDevice(1);
        write<<<1, 1>>>();
    });
    launcher.join();
    cudaDeviceSynchronize();
    int seen = data;
    while (done.load(cuda::memory_order_relaxed) == 0) std::this_thread::yield();
}

//@ options races = ignore;
//@ vary SET_AGAIN in {true, false};
//@ expect race_free when SET_AGAIN;
//@ expect required main.seen == 1 when SET_AGAIN;
//@ expect race on data when !SET_AGAIN;
//@ expect allowed main.seen == 0 when !SET_AGAIN;
//@ expect terminates when SET_AGAIN;
//@ expect may_hang when !SET_AGAIN;
