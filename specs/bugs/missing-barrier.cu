// arrayfire/arrayfire#625: a step of a reduction in shared memory lacks the barrier after it.
constexpr bool BARRIER = true;
constexpr int THREADS = 4;

__device__ int sum;

__global__ void reduce() {
    __shared__ int part[THREADS];
    part[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        if (BARRIER) __syncthreads();
    }
    if (threadIdx.x == 0) sum = part[0];
}

int main() {
    reduce<<<1, THREADS>>>();
    return cudaDeviceSynchronize();
}

//@ vary BARRIER in {true, false};
//@ expect race_free when BARRIER;
//@ expect required sum == 6 when BARRIER;
//@ expect race on part when !BARRIER;
