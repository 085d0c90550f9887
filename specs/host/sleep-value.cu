// What computes the time of a sleep takes effect, in host and device code.
#include <chrono>
#include <thread>

__device__ int nanoseconds = 10;

__global__ void sleeps() { __nanosleep(nanoseconds++); }

int main() {
    int tick = 1;
    std::this_thread::sleep_for(2 * std::chrono::milliseconds(tick++));
    int after = tick;
    sleeps<<<1, 1>>>();
    cudaDeviceSynchronize();
}

//@ expect race_free;
//@ expect required main.after == 2 && nanoseconds == 11;
//@ expect terminates;
