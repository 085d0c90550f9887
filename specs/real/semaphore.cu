// A semaphore in global memory, as split-K matrix multiplications have one: the blocks of a tile add their parts one after the
// other.  One thread of a block waits for its turn and gives it on; barriers of the block make that count for the others.  It
// ends where a block that waits lets the one before it start.
constexpr bool RELEASE = true;
constexpr bool BARRIER = true;

__device__ int turn, tile[2];

__device__ int look(int* flag) {
    int state;
    asm volatile("ld.global.acquire.gpu.b32 %0, [%1];\n" : "=r"(state) : "l"(flag));
    return state;
}

__device__ void add(int* flag, int by) {
    if (RELEASE)
        asm volatile("red.release.gpu.global.add.s32 [%0], %1;\n" : : "l"(flag), "r"(by));
    else
        asm volatile("red.relaxed.gpu.global.add.s32 [%0], %1;\n" : : "l"(flag), "r"(by));
}

struct Semaphore {
    int* flag;

    __device__ void wait(int turn) const {
        if (threadIdx.x == 0)
            while (look(flag) != turn);
        __syncthreads();
    }

    __device__ void pass_on() const {
        if (BARRIER) __syncthreads();
        if (threadIdx.x == 0) add(flag, 1);
    }
};

__global__ void split_k() {
    Semaphore semaphore{&turn};
    semaphore.wait(blockIdx.x);
    tile[threadIdx.x] += blockIdx.x + 1;
    semaphore.pass_on();
}

int main() {
    split_k<<<2, 2>>>();
    return cudaDeviceSynchronize();
}

//@ vary RELEASE in {true, false};
//@ vary BARRIER in {true, false};
//@ expect race_free when RELEASE && BARRIER;
//@ expect required tile[0] == 3 && tile[1] == 3 when RELEASE && BARRIER;
//@ expect required tile[0] == 3 && tile[1] == 3 when RELEASE && BARRIER under ptx;
//@ expect may_hang when RELEASE && BARRIER;
//@ expect race on tile when !RELEASE || !BARRIER;
