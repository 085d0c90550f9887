// kaldi-asr/kaldi#3211, numba/numba#2589, CanReader/FastNN#8: the last steps of a reduction trust that a warp's lanes go in step,
// with `volatile` and no `__syncwarp`.  Since Volta they need not.
constexpr bool SYNCHRONISED = true;

__device__ int sum;

__global__ void reduce() {
    __shared__ volatile int part[4];
    int lane = threadIdx.x;
    part[lane] = 1;
    for (int by = 2; by > 0; by /= 2) {
        if (SYNCHRONISED) __syncwarp();
        int other = lane < by ? part[lane + by] : 0;
        if (SYNCHRONISED) __syncwarp();
        if (lane < by) part[lane] += other;
    }
    if (lane == 0) sum = part[0];
}

int main() {
    reduce<<<1, 4>>>();
    return cudaDeviceSynchronize();
}

//@ vary SYNCHRONISED in {true, false};
//@ options races = ignore;
//@ expect race_free when SYNCHRONISED;
//@ expect required sum == 4 when SYNCHRONISED under cuda, ptx;
//@ expect race on part when !SYNCHRONISED;
//@ expect allowed sum != 4 when !SYNCHRONISED under ptx;
