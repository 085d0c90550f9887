// A block waits for its turn with a vote: one thread looks at the flag, keeps what it has seen in the object, and all go round
// until it has seen the turn.  Without the acquire nothing that the block before has written need be visible.
constexpr bool ACQUIRE = true;

__device__ int turn, total;

class Turn {
    int* flag;
    int seen = -1;

  public:
    __device__ explicit Turn(int* flag) : flag(flag) {}

    __device__ void look() {
        if (threadIdx.x != 0) return;
        if (ACQUIRE)
            asm volatile("ld.global.acquire.gpu.b32 %0, [%1];\n" : "=r"(seen) : "l"(flag));
        else
            asm volatile("ld.global.relaxed.gpu.b32 %0, [%1];\n" : "=r"(seen) : "l"(flag));
    }

    __device__ void wait(int wanted) {
        while (__syncthreads_and(seen != wanted)) look();
        __syncthreads();
    }

    __device__ void pass_on(int next) const {
        __syncthreads();
        if (threadIdx.x == 0) asm volatile("st.global.release.gpu.b32 [%0], %1;\n" : : "l"(flag), "r"(next));
    }
};

__global__ void serial() {
    Turn turns(&turn);
    turns.look();
    turns.wait(blockIdx.x);
    if (threadIdx.x == 1) total += blockIdx.x + 1;
    turns.pass_on(blockIdx.x + 1);
}

int main() {
    serial<<<2, 2>>>();
    return cudaDeviceSynchronize();
}

//@ vary ACQUIRE in {true, false};
//@ expect race_free when ACQUIRE;
//@ expect required total == 3 when ACQUIRE;
//@ expect may_hang when ACQUIRE;
//@ expect race on total when !ACQUIRE;
