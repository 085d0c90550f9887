// deepseek-ai/FlashMLA#41, #57: a half of a block arrives at a named barrier for the other half, and both name the count of the
// whole block.  It does not hang, as was feared: all of them come, some to arrive and some to wait.  With the count of a half, which
// was to mend it, those that wait are enough for themselves.  A half is a warp here, which counts 32.
constexpr int COUNT = 64;

__device__ int out;

__global__ void softmax(int count) {
    __shared__ int scores;
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0) scores = 1;
        asm volatile("bar.arrive 1, %0;" ::"r"(count) : "memory");
    } else {
        asm volatile("bar.sync 1, %0;" ::"r"(count) : "memory");
        if (threadIdx.x == 32) out = scores;
    }
}

int main() {
    softmax<<<1, 64>>>(COUNT);
    return cudaDeviceSynchronize();
}

//@ vary COUNT in {64, 32};
//@ expect terminates;
//@ expect race_free when COUNT == 64;
//@ expect required out == 1 when COUNT == 64;
//@ expect race on scores when COUNT == 32;
