// A warp adds up its values with shuffles, and one lane adds the sum with one atomic operation.  With a mask and a width of
// half the warp there are two halves with a sum each, and who adds lane 0's loses the other one.
constexpr bool WHOLE = true;

__device__ int sum;

template <int LANES> __device__ int reduced(unsigned mask, int value) {
    for (int by = LANES / 2; by > 0; by /= 2) value += __shfl_down_sync(mask, value, by, LANES);
    return value;
}

__global__ void add() {
    int lane = threadIdx.x;
    int value = WHOLE ? reduced<4>(0xf, lane + 1) : reduced<2>(lane < 2 ? 0x3 : 0xc, lane + 1);
    if (lane == 0) atomicAdd(&sum, value);
}

//@ launch add<<<2, 4>>>();
//@ vary WHOLE in {true, false};
//@ expect race_free;
//@ expect required sum == 20 when WHOLE;
//@ expect required sum == 6 when !WHOLE;
