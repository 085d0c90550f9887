// A persistent kernel takes tiles from a queue: a leader draws the next number for its block, and shared memory brings it to the
// others.  Without the second barrier the leader draws again before the others have looked.
constexpr bool SECOND = true;
constexpr int TILES = 1;

__device__ int next, done;

__global__ void persistent() {
    __shared__ bool more;
    do {
        if (threadIdx.x == 0) more = atomicAdd(&next, 1) < TILES;
        __syncthreads();
        bool mine = more;
        if (SECOND) __syncthreads();
        if (!mine) break;
        if (threadIdx.x == 1) atomicAdd(&done, 1);
    } while (true);
}

int main() {
    persistent<<<1, 2>>>();
    return cudaDeviceSynchronize();
}

//@ vary SECOND in {true, false};
//@ expect race_free when SECOND;
//@ expect required done == 1 when SECOND;
//@ expect terminates when SECOND;
//@ expect race on more when !SECOND;
