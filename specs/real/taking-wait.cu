// A wait that takes what it waits for: a compare-exchange puts the counter back to zero where it has come up to what is wanted.
// It acquires nothing: a fence behind the loop does.  However often it fails, it leaves the counter as it was.
constexpr bool FENCE = true;

__device__ int arrived, tile[2], out[2];

__device__ void arrive() {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&arrived, 1);
    }
}

__device__ void take(int wanted) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&arrived, wanted, 0) != wanted);
        if (FENCE) __threadfence();
    }
    __syncthreads();
}

__global__ void pass() {
    if (blockIdx.x == 0) {
        tile[threadIdx.x] = threadIdx.x + 1;
        arrive();
    } else {
        take(1);
        out[threadIdx.x] = tile[1 - threadIdx.x];
    }
}

int main() {
    pass<<<2, 2>>>();
    return cudaDeviceSynchronize();
}

//@ vary FENCE in {true, false};
//@ options races = ignore;
//@ expect race_free when FENCE;
//@ expect required out[0] == 2 && out[1] == 1 && arrived == 0 when FENCE under cuda, ptx;
//@ expect race on tile when !FENCE;
//@ expect allowed out[0] == 0 when !FENCE under ptx;
