// uzh-rpg/vilib#5, alpaka-group/mallocMC#145: a shuffle with a mask of the whole warp in a branch that some lanes do not take.
// They are waited for: at the next barrier of the block, where they are, they wait for the others.
constexpr unsigned MASK = 0x3;
constexpr unsigned HALF = 0x3, WHOLE = 0xf;

__device__ int best;

__global__ void suppress() {
    if (threadIdx.x < 2) {
        int score = threadIdx.x + 1;
        score = max(score, __shfl_down_sync(MASK, score, 1, 2));
        if (threadIdx.x == 0) best = score;
    }
    __syncthreads();
}

int main() {
    suppress<<<1, 4>>>();
    return cudaDeviceSynchronize();
}

//@ vary MASK in {0x3, 0xf};
//@ expect race_free;
//@ expect terminates when MASK == HALF;
//@ expect required best == 2 when MASK == HALF;
//@ expect may_hang when MASK == WHOLE;
