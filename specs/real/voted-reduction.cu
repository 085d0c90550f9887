// The last block adds up what all blocks have brought, and a vote tells its threads that it is the last one: the ticket is one
// thread's, so the others know by the vote.  What their warp then adds with shuffles it has read after the fence of that thread;
// without the fence the vote says that the other blocks are done, and no more.
constexpr bool FENCE = true;
constexpr int BLOCKS = 2, LANES = 4;

__device__ int part[BLOCKS], tickets, sum;

__device__ int added(int value) {
    for (int by = LANES / 2; by > 0; by /= 2) value += __shfl_down_sync((1 << LANES) - 1, value, by, LANES);
    return value;
}

__global__ void reduce() {
    int lane = threadIdx.x, done = 0;
    int own = added(lane + 1);
    if (lane == 0) {
        part[blockIdx.x] = own;
        __threadfence();
        done = atomicAdd(&tickets, 1) + 1;
        if (FENCE) __threadfence();
    }
    if (__syncthreads_or(done == BLOCKS)) {
        int all = added(lane < BLOCKS ? part[lane] : 0);
        if (lane == 0) sum = all;
    }
}

int main() {
    reduce<<<BLOCKS, LANES>>>();
    return cudaDeviceSynchronize();
}

//@ vary FENCE in {true, false};
//@ options races = ignore;
//@ expect race_free when FENCE;
//@ expect required sum == 20 when FENCE under cuda, ptx;
//@ expect race on part when !FENCE;
//@ expect allowed sum == 10 when !FENCE under ptx;
