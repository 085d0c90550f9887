// cudaDeviceSynchronize and cudaStreamSynchronize wait for what has been issued when they are called, whichever thread
// issued it; cudaEventSynchronize and cudaStreamWaitEvent refer to the latest record of an event, whichever thread made it.
#include <atomic>
#include <thread>
#include <cuda_runtime.h>

constexpr int DEVICE = 0, STREAM = 1, EVENT = 2, STREAM_WAIT = 3;
constexpr int CALL = DEVICE;
constexpr bool AFTER = true;

__managed__ int data = 0;
std::atomic<int> launched{0};

__global__ void write() { data = 1; }
__global__ void copy(int* to) { *to = data; }

int main() {
    cudaStream_t s0, s1;
    cudaStreamCreate(&s0);
    cudaStreamCreate(&s1);
    cudaEvent_t written;
    cudaEventCreate(&written);
    int* seen;
    cudaMallocManaged(&seen, sizeof(int));
    std::thread other([&] {
        write<<<1, 1, 0, s0>>>();
        cudaEventRecord(written, s0);
        launched.store(1, std::memory_order_release);
    });
    if (AFTER) while (launched.load(std::memory_order_acquire) == 0) std::this_thread::yield();
    if (CALL == DEVICE) cudaDeviceSynchronize();
    if (CALL == STREAM) cudaStreamSynchronize(s0);
    if (CALL == EVENT) cudaEventSynchronize(written);
    if (CALL == STREAM_WAIT) {
        cudaStreamWaitEvent(s1, written, 0);
        copy<<<1, 1, 0, s1>>>(seen);
        cudaStreamSynchronize(s1);
    } else {
        *seen = data;
    }
    int result = *seen;
    other.join();
    cudaDeviceSynchronize();
}

//@ options races = ignore;
//@ vary CALL in {0, 1, 2, 3};
//@ vary AFTER in {true, false};
//@ expect race_free when AFTER;
//@ expect required main.result == 1 when AFTER;
//@ expect race on data when !AFTER;
//@ expect allowed main.result == 0 when !AFTER;
//@ expect allowed main.result == 1 when !AFTER;
