// A persistent kernel waits at a doorbell in pinned memory; the host writes a command and rings, and waits for the answer.
#include <cuda/atomic>

constexpr auto RING = cuda::memory_order_release;

struct Channel {
    int command, answer;
    cuda::atomic<int, cuda::thread_scope_system> doorbell, done;
};

__global__ void serve(Channel* channel) {
    while (channel->doorbell.load(cuda::memory_order_acquire) == 0) __nanosleep(100);
    channel->answer = channel->command + 1;
    channel->done.store(1, cuda::memory_order_release);
}

int main() {
    Channel* channel;
    cudaHostAlloc(&channel, sizeof(Channel), cudaHostAllocMapped);
    serve<<<1, 1>>>(channel);
    channel->command = 41;
    channel->doorbell.store(1, RING);
    while (channel->done.load(cuda::memory_order_acquire) == 0);
    int answer = channel->answer;
    cudaDeviceSynchronize();
    cudaFreeHost(channel);
}

//@ vary RING in {release, relaxed};
//@ options races = ignore;
//@ expect race_free when RING == release;
//@ expect required main.answer == 42 when RING == release;
//@ expect race on channel.command when RING == relaxed;
//@ expect allowed main.answer == 1 when RING == relaxed;
