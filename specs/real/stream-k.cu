// The blocks of a tile leave partial sums in a workspace and raise a flag each; the one that owns the tile waits for the flags and
// adds up what is there.  The flag is raised by one thread, after a barrier of the block.
constexpr bool BARRIER = true;

__device__ int flags[2], workspace[2], tile[2];

__global__ void stream_k() {
    int lane = threadIdx.x;
    if (blockIdx.x == 1) {
        workspace[lane] = lane + 1;
        if (BARRIER) __syncthreads();
        if (lane == 0) {
            __threadfence();
            atomicExch(&flags[1], 1);
        }
    } else {
        if (lane == 0) {
            while (atomicAdd(&flags[1], 0) == 0);
            __threadfence();
        }
        __syncthreads();
        tile[lane] = 10 + workspace[lane];
    }
}

int main() {
    stream_k<<<2, 2>>>();
    return cudaDeviceSynchronize();
}

//@ vary BARRIER in {true, false};
//@ expect race_free when BARRIER;
//@ expect required tile[0] == 11 && tile[1] == 12 when BARRIER;
//@ expect race on workspace[1] when !BARRIER;
//@ expect may_hang when BARRIER;
