// A producer and a consumer, each a warp, with two barriers of the block: one says that the buffer is full, one that it is free.  `bar.arrive` does not wait, `bar.sync` does.
constexpr bool WAITS = true;
constexpr int ROUNDS = 2;
constexpr int THREADS = 64;

__device__ int out[ROUNDS];

template <int BARRIER> __device__ void arrive(int threads) {
    asm volatile("bar.arrive %0, %1;" ::"n"(BARRIER), "r"(threads) : "memory");
}

template <int BARRIER> __device__ void wait(int threads) {
    asm volatile("bar.sync %0, %1;" ::"n"(BARRIER), "r"(threads) : "memory");
}

__global__ void specialised(int threads) {
    __shared__ int buffer;
    if (threadIdx.x < 32) {
        for (int round = 0; round < ROUNDS; ++round) {
            if (WAITS) wait<2>(threads);
            if (threadIdx.x == 0) buffer = round + 1;
            arrive<1>(threads);
        }
    } else {
        for (int round = 0; round < ROUNDS; ++round) {
            if (WAITS) arrive<2>(threads);
            wait<1>(threads);
            if (threadIdx.x == 32) out[round] = buffer;
        }
    }
}

int main() {
    specialised<<<1, THREADS>>>(THREADS);
    return cudaDeviceSynchronize();
}

//@ vary WAITS in {true, false};
//@ expect race_free when WAITS;
//@ expect required out[0] == 1 && out[1] == 2 when WAITS;
//@ expect terminates when WAITS;
//@ expect race on specialised.buffer when !WAITS;
